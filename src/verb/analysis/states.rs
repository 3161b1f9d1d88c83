//! What analyses of states need of their input, and how a table that has it becomes states.

use crate::diag::{Diag, Span, code};
use crate::lang::flow::{Column, Columns, Flow};
use crate::lang::suggest;
use crate::model::schema::column;
use crate::plan::{fault, lower};
use crate::spec::{Type, VerbSpec};
use crate::verb::relational::order::PLACE;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast, lit};

/// The columns without which there are no states.
const NEEDED: [&str; 4] = [column::RESOURCE, column::VALUE, column::START, column::END];

/// Refuses what is no relation of states, saying what is missing.
pub fn require<'a>(
    input: Option<&'a Flow>,
    verb: &VerbSpec,
    span: Span,
) -> Result<&'a Columns, Diag> {
    let columns = input
        .and_then(Flow::columns)
        .ok_or_else(|| crate::verb::context::unexpected(verb))?;
    if columns.has("subchunk") && columns.has("activity") {
        return Err(Diag::error(
            &code::KIND_MISMATCH,
            format!(
                "`{}` works on states, these are the cells of an aggregation",
                verb.name
            ),
        )
        .at(span, "here")
        .help("use it on the trace, before `aggregate-by-threshold`"));
    }
    let missing: Vec<&str> = NEEDED
        .into_iter()
        .filter(|name| !columns.has(name))
        .collect();
    if let Some(first) = missing.first() {
        let mut diag = Diag::error(
            &code::UNKNOWN_COLUMN,
            format!(
                "`{}` works on states and needs the columns {}",
                verb.name,
                suggest::listed(missing.iter().copied(), 4)
            ),
        )
        .at(span, "here");
        if let Some(dropped) = columns.dropped.iter().rev().find(|d| d.name == *first) {
            diag = diag.at(
                dropped.span,
                format!("`{}` dropped `{first}`", dropped.verb),
            );
        } else if columns.has(column::TIME) || columns.has(column::METRIC) {
            diag = diag.help("`focus states` looks at the states of the trace");
        }
        return Err(diag);
    }
    for name in [column::START, column::END] {
        if let Some(found) = columns.find(name)
            && !found.ty.is_time()
        {
            return Err(Diag::error(
                &code::TYPE_MISMATCH,
                format!("`{name}` is a {}, not a time", found.ty),
            )
            .at(span, "needed here"));
        }
    }
    if let Some(depth) = columns.find(column::DEPTH)
        && depth.ty != Type::Int
    {
        return Err(Diag::error(
            &code::TYPE_MISMATCH,
            format!("`depth` is a {}, not a whole number", depth.ty),
        )
        .at(span, "needed here"));
    }
    Ok(columns)
}

/// The states of a plan with exactly the columns the nodes read: names as text, a type, a depth.
pub fn of_plan(plan: LogicalPlan) -> Result<LogicalPlan, Diag> {
    let expressions = expressions(plan.schema());
    LogicalPlanBuilder::from(plan)
        .project(expressions)
        .and_then(LogicalPlanBuilder::build)
        .map_err(fault::diag)
}

/// These columns as expressions over a schema that has them.
pub fn expressions(schema: &DFSchema) -> Vec<Expr> {
    let has = |name: &str| schema.has_column_with_unqualified_name(name);
    let text = |name: &str| -> Expr {
        if has(name) {
            cast(lower::column(name), DataType::Utf8View)
        } else {
            lit(ScalarValue::Utf8View(Some(String::new())))
        }
    };
    let mut expressions = vec![
        text(column::RESOURCE).alias(column::RESOURCE),
        text(column::TYPE).alias(column::TYPE),
        text(column::VALUE).alias(column::VALUE),
        lower::column(column::START),
        lower::column(column::END),
    ];
    for name in [column::DEPTH, column::ROW] {
        if has(name) {
            expressions.push(lower::column(name));
        }
    }
    expressions
}

/// The plan with the hidden column that says where each row stands.
pub fn placed(plan: LogicalPlan) -> Result<LogicalPlan, Diag> {
    let number = datafusion::functions_window::expr_fn::row_number();
    let mut expressions: Vec<Expr> = plan
        .schema()
        .columns()
        .into_iter()
        .map(Expr::Column)
        .collect();
    let built = LogicalPlanBuilder::from(plan)
        .window([number])
        .and_then(|plan| {
            let made = plan.schema().columns().into_iter().next_back();
            let made = made.map(|c| cast(Expr::Column(c), DataType::Int64).alias(PLACE));
            expressions.extend(made);
            plan.project(expressions)?.build()
        });
    built.map_err(fault::diag)
}

/// The columns of a table of results, which come in an order of their own.
pub fn result_columns(columns: &Columns, list: &[(&str, Type)]) -> Columns {
    let mut out = Columns::new(
        list.iter()
            .map(|(name, ty)| ((*name).to_owned(), ty.clone())),
        columns.clock,
    );
    out.list.push(Column {
        name: PLACE.to_owned(),
        ty: Type::Int,
        hidden: true,
    });
    out
}
