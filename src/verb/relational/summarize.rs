//! `summarize … by …`: aggregates of groups.

use super::{ROWS, columns_of, entries, listed, step, table_of};
use crate::diag::{Diag, code};
use crate::lang::flow::Flow;
use crate::lang::plan::{Arguments, ExprNode, Named};
use crate::plan::{Data, Table, lower};
use crate::spec::{Example, Param, ParamSpec, Place, Section, Shape, VerbSpec};
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::functions_aggregate::expr_fn::{count, sum};
use datafusion::logical_expr::{self as df, LogicalPlanBuilder, cast, lit};

/// The verb.
pub struct Summarize;

/// The aggregates.
pub static AGGREGATES: Param<Vec<Named>> = Param::new(ParamSpec {
    name: "aggregates",
    place: Place::Many,
    shape: Shape::Aggregates,
    default: "",
    about: "`name = aggregate`; an unnamed one is called `max_end`, `count`",
});

static SPEC: VerbSpec = VerbSpec {
    name: "summarize",
    section: Section::Relational,
    takes: ROWS,
    heads: false,
    gives: "a table with the keys and the aggregates",
    summary: "Computes aggregates of all rows, or of each group of `by`.",
    detail: "`sum`, `min` and `max` of times are times, exact or an overflow error; `avg`, `median` and \
             `quantile` of times are times rounded half to even to the tick. Null values are left out of every \
             aggregate but `count()`, and a warning says how many. The rows are sorted by the keys; a null key is \
             a group of its own. Without `by` there is always one row.",
    params: &[&AGGREGATES.spec],
    by: true,
    examples: &[
        Example {
            about: "busy time by value",
            script: "load \"hand.csv\" unit=ms | summarize busy = sum(duration), n = count() by value | sort -busy",
            prints: "value,busy,n\nP,40,1\nA,36,3\nC,28,2\nB,13,3\nQ,5,1\n",
        },
        Example {
            about: "one row",
            script: "load \"hand.csv\" unit=ms | summarize max(end), count()",
            prints: "max_end,count\n100,10\n",
        },
    ],
};

impl Verb for Summarize {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        let columns = columns_of(input, &SPEC)?;
        let aggregates = arguments.get(&AGGREGATES)?;
        let mut list = entries(&arguments.by);
        for entry in entries(&aggregates) {
            if list.iter().any(|key| key.name == entry.name) {
                return Err(Diag::error(
                    &code::DUPLICATE_NAME,
                    format!(
                        "a key and an aggregate would both be called `{}`",
                        entry.name
                    ),
                )
                .at(arguments.span_of(&AGGREGATES), "here")
                .help(format!("name the aggregate: `… = {}`", entry.name)));
            }
            list.push(entry);
        }
        Ok(Flow::Table(listed(columns, list, &SPEC, arguments.span)))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        flow: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let table = table_of(&input, &SPEC)?;
        let aggregates = arguments.get(&AGGREGATES)?;
        report_nulls(&table, &aggregates, cx)?;
        let keys = arguments
            .by
            .iter()
            .map(|named| cx.named(named, &table.columns))
            .collect::<Result<Vec<_>, Diag>>()?;
        let mut inner = Vec::new();
        let mut outer: Vec<df::Expr> = arguments
            .by
            .iter()
            .map(|named| lower::column(&named.name))
            .collect();
        for (index, named) in aggregates.iter().enumerate() {
            // An expression over aggregates is split: the engine aggregates plain calls only.
            let mut expr = named.expr.clone();
            let mut calls = Vec::new();
            split(&mut expr, index, &mut calls);
            for (name, call) in &calls {
                inner.push(cx.lower(call, &table.columns)?.alias(name.as_str()));
            }
            outer.push(cx.lower(&expr, &table.columns)?.alias(named.name.as_str()));
        }
        let columns = columns_of(Some(flow), &SPEC)?.clone();
        let has_keys = !keys.is_empty();
        let order: Vec<_> = arguments
            .by
            .iter()
            .map(|named| lower::column(&named.name).sort(true, false))
            .collect();
        let out = step(&table, columns, |plan| {
            let plan = plan.aggregate(keys, inner)?.project(outer)?;
            if has_keys { plan.sort(order) } else { Ok(plan) }
        })?;
        Ok(Data::Table(out))
    }
}

/// Splits an expression over aggregates: the calls go to `out`, each under a name that takes its place.
pub(in crate::verb) fn split(
    expr: &mut crate::lang::plan::Expr,
    index: usize,
    out: &mut Vec<(String, crate::lang::plan::Expr)>,
) {
    if matches!(expr.node, ExprNode::Aggregate(..)) {
        let name = format!("aggregate_{index}_{}", out.len());
        out.push((name.clone(), expr.clone()));
        expr.node = ExprNode::Column(name);
        return;
    }
    expr.children_mut(&mut |child| split(child, index, out));
}

/// Warns of the nulls that the aggregates will leave out.
fn report_nulls(table: &Table, aggregates: &[Named], cx: &mut PlanContext) -> Result<(), Diag> {
    let mut checks: Vec<(String, df::Expr)> = Vec::new();
    for named in aggregates {
        let mut arguments = Vec::new();
        named.expr.walk(&mut |expr| {
            if let ExprNode::Aggregate(_, values) = &expr.node
                && let Some(value) = values.first()
            {
                arguments.push(value.clone());
            }
        });
        for value in arguments {
            if !nullable(&value, table) {
                continue;
            }
            let lowered = cx.lower(&value, &table.columns)?;
            checks.push((named.name.clone(), lowered));
        }
    }
    if checks.is_empty() {
        return Ok(());
    }
    let counts: Vec<df::Expr> = checks
        .iter()
        .enumerate()
        .map(|(index, (_, value))| {
            let nulls = cast(
                value.clone().is_null(),
                datafusion::arrow::datatypes::DataType::Int64,
            );
            sum(nulls).alias(format!("nulls_{index}"))
        })
        .chain([count(lit(1_i64)).alias("rows")])
        .collect();
    let plan = LogicalPlanBuilder::from(table.plan.clone())
        .aggregate(Vec::<df::Expr>::new(), counts)
        .and_then(LogicalPlanBuilder::build)
        .map_err(crate::plan::fault::diag)?;
    let batches = cx.engine.collect(&plan)?;
    use datafusion::arrow::array::{Array, AsArray};
    use datafusion::arrow::datatypes::Int64Type;
    for batch in &batches {
        for (index, (name, _)) in checks.iter().enumerate() {
            let nulls = batch.column(index).as_primitive::<Int64Type>();
            if nulls.is_valid(0) && nulls.value(0) > 0 {
                cx.host.warn(Diag::warning(
                    &code::NULLS_LEFT_OUT,
                    format!("`{name}`: {} null values were left out", nulls.value(0)),
                ));
            }
        }
    }
    Ok(())
}

/// Whether a value can be null, as far as the engine's schema tells.
fn nullable(value: &crate::lang::plan::Expr, table: &Table) -> bool {
    let mut found = false;
    value.walk(&mut |expr| {
        if let ExprNode::Column(name) = &expr.node {
            // The times of a loaded trace are nullable by schema only under `policy=keep`; looking at them
            // costs a pass, so they count as whole where the relation is one of a trace.
            let model = matches!(
                name.as_str(),
                "start" | "end" | "time" | "value" | "type" | "resource" | "depth" | "duration"
            );
            let field = table
                .plan
                .schema()
                .field_with_unqualified_name(name)
                .map(|field| field.is_nullable());
            found |= !model && field.unwrap_or(true);
        }
    });
    found
}
