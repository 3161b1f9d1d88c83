//! What analyses of states need of their input, and how a table that has it becomes states.

use crate::diag::{Diag, Span, code};
use crate::lang::flow::{Columns, Flow};
use crate::lang::suggest;
use crate::model::schema::column;
use crate::plan::{fault, lower};
use crate::spec::{Type, VerbSpec};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
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
    Ok(columns)
}

/// The states of a plan with exactly the columns the nodes read: names as text, a type, a depth.
pub fn of_plan(plan: LogicalPlan) -> Result<LogicalPlan, Diag> {
    let schema = plan.schema().clone();
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
    LogicalPlanBuilder::from(plan)
        .project(expressions)
        .and_then(LogicalPlanBuilder::build)
        .map_err(fault::diag)
}

/// The columns of a table of results.
pub fn result_columns(columns: &Columns, list: &[(&str, Type)]) -> Columns {
    Columns::new(
        list.iter()
            .map(|(name, ty)| ((*name).to_owned(), ty.clone())),
        columns.clock,
    )
}
