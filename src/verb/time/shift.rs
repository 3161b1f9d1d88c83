//! `shift`: moves the origin of the time axis.

use crate::diag::{Diag, code};
use crate::lang::flow::Flow;
use crate::lang::plan::Arguments;
use crate::model::schema::column;
use crate::plan::checked::{self, Exact};
use crate::plan::{Data, Table, fault, lower};
use crate::spec::{Accept, Example, Param, ParamSpec, Place, Section, Shape, VerbSpec};
use crate::verb::relational::ROWS;
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::functions_aggregate::expr_fn::min;
use datafusion::logical_expr::{self as df, LogicalPlanBuilder, lit};

/// The verb.
pub struct Shift;

/// How far.
pub static OFFSET: Param<Option<i128>> = Param::new(ParamSpec {
    name: "offset",
    place: Place::Option,
    shape: Shape::Scalar(&[Accept::Time]),
    default: "the smallest start in focus",
    about: "subtracted from every time; a negative one moves times up",
});

static SPEC: VerbSpec = VerbSpec {
    name: "shift",
    section: Section::Time,
    takes: ROWS,
    heads: false,
    gives: "what flows in",
    summary: "Subtracts a time, by default the smallest start in focus, from every time.",
    detail: "On a trace all relations move together, whichever is in focus. What a filter left out does not \
             count for the smallest start. No rows: nothing moves.",
    params: &[&OFFSET.spec],
    by: false,
    examples: &[Example {
        about: "from the first C on",
        script: "load \"hand.csv\" unit=ms | filter value == \"C\" | shift | select start, end",
        prints: "start,end\n0,3\n17,42\n",
    }],
};

/// The time columns of a table.
fn times(table: &Table) -> Vec<String> {
    table
        .columns
        .list
        .iter()
        .filter(|column| column.ty.is_time())
        .filter(|c| [column::START, column::END, column::TIME].contains(&c.name.as_str()))
        .map(|column| column.name.clone())
        .collect()
}

/// The smallest start or time, in ticks.
fn origin(table: &Table, cx: &PlanContext) -> Result<Option<i64>, Diag> {
    let Some(name) = times(table).into_iter().find(|name| name != column::END) else {
        return Ok(None);
    };
    let plan = LogicalPlanBuilder::from(table.plan.clone())
        .aggregate(
            Vec::<df::Expr>::new(),
            [min(lower::column(&name)).alias("origin")],
        )
        .and_then(LogicalPlanBuilder::build)
        .map_err(fault::diag)?;
    let batches = cx.engine.collect(&plan)?;
    Ok(batches.first().and_then(|batch| {
        let ticks = batch.column(0).as_primitive::<Int64Type>();
        (!ticks.is_empty() && ticks.is_valid(0)).then(|| ticks.value(0))
    }))
}

/// The table with `offset` ticks subtracted from its times.
fn moved(table: &Table, offset: i64) -> Result<Table, Diag> {
    let moving = times(table);
    if moving.is_empty() || offset == 0 {
        return Ok(table.clone());
    }
    let expressions: Vec<df::Expr> = table
        .columns
        .list
        .iter()
        .map(|column| {
            let plain = lower::column(&column.name);
            if moving.contains(&column.name) {
                checked::call(Exact::Subtract, vec![plain, lit(offset)]).alias(column.name.as_str())
            } else {
                plain
            }
        })
        .collect();
    let plan = LogicalPlanBuilder::from(table.plan.clone())
        .project(expressions)
        .and_then(LogicalPlanBuilder::build)
        .map_err(fault::diag)?;
    Ok(table.then(plan, table.columns.clone()))
}

impl Verb for Shift {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        let columns = input
            .and_then(Flow::columns)
            .ok_or_else(|| crate::verb::context::unexpected(&SPEC))?;
        let timed = |name: &&str| columns.find(name).is_some_and(|column| column.ty.is_time());
        let is_trace = matches!(input, Some(Flow::Trace(_)));
        let given = arguments.find(OFFSET.spec.name).is_some();
        let movable = [column::START, column::END, column::TIME].iter().any(timed);
        let found = [column::START, column::TIME].iter().any(timed);
        if !(found || given && (is_trace || movable)) {
            return Err(Diag::error(
                &code::UNKNOWN_COLUMN,
                "`shift` needs a column `start` or `time`",
            )
            .at(arguments.span, "here")
            .maybe_help(is_trace.then(|| "say how far: `shift offset=1s`".to_owned())));
        }
        input
            .cloned()
            .ok_or_else(|| crate::verb::context::unexpected(&SPEC))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        _: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let input = input.ok_or_else(|| crate::verb::context::unexpected(&SPEC))?;
        let table = input.table()?;
        let offset = match arguments.get(&OFFSET)? {
            Some(exact) => lower::ticks(exact, table.clock(), arguments.span_of(&OFFSET))?,
            None => origin(&table, cx)?.unwrap_or(0),
        };
        match input {
            Data::Trace(mut trace) => {
                for (_, table) in &mut trace.relations {
                    *table = moved(table, offset)?;
                }
                Ok(Data::Trace(trace))
            }
            _ => Ok(Data::Table(moved(&table, offset)?)),
        }
    }
}
