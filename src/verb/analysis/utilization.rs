//! `utilization`: how much of the time each resource is busy.

use super::states;
use crate::diag::{Diag, code};
use crate::lang::flow::{Columns, Flow};
use crate::lang::plan::{Arguments, TimeRange};
use crate::model::schema::{RESOURCES, column};
use crate::plan::{Data, fault, lower, node};
use crate::spec::{Accept, Example, Section, Shape, Type, VerbSpec, option};
use crate::verb::relational::ROWS;
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{JoinType, ScalarValue};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast, lit};

/// The verb.
pub struct Utilization;

option!(RANGE: Option<TimeRange>, "range", Shape::Scalar(&[Accept::TimeRange]), "from the first start to the last end of the states", "the span that counts; states are clipped to it");

static SPEC: VerbSpec = VerbSpec {
    name: "utilization",
    section: Section::Analysis,
    takes: ROWS,
    heads: false,
    gives: "a table: resource, busy, idle, share",
    summary: "Says how much of the time each resource is busy.",
    detail: "`busy` is the length of the union of the states of a resource, whatever their type: nested and overlapping \
             states count once. `idle` is the rest of the span and `share` is `busy / span`, null where the span is 0. \
             The span is one for all resources, from the first start to the last end in view, or `range=`; after \
             `window` the resources that have no state left are not listed, with `range=` they are, with 0.\n\n\
             Where the states are claims with a column `amount` and the resource has a capacity (or the table has \
             columns `amount` and `capacity`), `busy` is the sum of duration times amount over the capacity, \
             rounded half to even to the tick; a claim without amount takes all, amounts count to six decimals, and a \
             resource that is claimed beyond its capacity has a share above 1 and a negative `idle`. \
             Filter idle states out first: `filter value not in [\"Sleeping\", \"Idle\"]`.",
    params: &[&RANGE.spec],
    by: false,
    examples: &[
        Example {
            about: "two CPUs over the whole trace",
            script: "load \"hand.csv\" unit=ms | utilization",
            prints: "resource,busy,idle,share\nCPU0,77,23,0.77\nCPU1,40,60,0.4\n",
        },
        Example {
            about: "the same in a range of 40 ms",
            script: "load \"hand.csv\" unit=ms | utilization range=40ms..80ms",
            prints: "resource,busy,idle,share\nCPU0,18,22,0.45\nCPU1,0,40,0\n",
        },
    ],
};

fn is_number(columns: &Columns, name: &str) -> bool {
    columns
        .find(name)
        .is_some_and(|column| column.ty.is_number())
}

impl Verb for Utilization {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        let columns = states::require(input, &SPEC, arguments.span)?;
        if let Ok(Some(TimeRange {
            low: Some(low),
            high: Some(high),
        })) = arguments.get(&RANGE)
            && high < low
        {
            return Err(
                Diag::error(&code::INVALID_VALUE, "the range ends before it starts")
                    .at(arguments.span_of(&RANGE), "here"),
            );
        }
        let time = columns.time_type();
        Ok(Flow::Table(Columns::new(
            [
                (column::RESOURCE.to_owned(), Type::String),
                ("busy".to_owned(), time.clone()),
                ("idle".to_owned(), time),
                ("share".to_owned(), Type::Float),
            ],
            columns.clock,
        )))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        flow: &Flow,
        _: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let unexpected = || crate::verb::unexpected(&SPEC);
        let input = input.ok_or_else(unexpected)?;
        let table = input.table()?;
        let range = arguments.get(&RANGE)?;
        let end = |end: Option<i128>| {
            end.map(|time| lower::ticks(time, table.clock(), arguments.span_of(&RANGE)))
                .transpose()
        };
        let low = end(range.and_then(|range| range.low))?;
        let high = end(range.and_then(|range| range.high))?;
        let resources = match &input {
            Data::Trace(trace) => trace.whole(RESOURCES),
            _ => None,
        };
        let resources = resources.filter(|table| is_number(&table.columns, column::CAPACITY));
        let plan = claims(
            &table.plan,
            &table.columns,
            resources.map(|table| &table.plan),
        )
        .and_then(|plan| node::utilization(plan, low, high))
        .map_err(fault::diag)?;
        let columns = flow.columns().cloned().ok_or_else(unexpected)?;
        Ok(Data::Table(table.then(plan, columns)))
    }
}

/// The states with `amount` and `capacity`, null where there are none.
fn claims(
    states: &LogicalPlan,
    columns: &Columns,
    resources: Option<&LogicalPlan>,
) -> datafusion::error::Result<LogicalPlan> {
    let none = || lit(ScalarValue::Float64(None));
    let number = |name: &str| cast(lower::column(name), DataType::Float64);
    let has_amounts = is_number(columns, column::AMOUNT);
    let own_capacity = has_amounts && is_number(columns, column::CAPACITY);
    let mut expressions = vec![
        cast(lower::column(column::RESOURCE), DataType::Utf8View).alias(column::RESOURCE),
        lower::column(column::START).alias(column::START),
        lower::column(column::END).alias(column::END),
    ];
    if columns.has(column::ROW) {
        expressions.push(lower::column(column::ROW).alias(column::ROW));
    }
    let amount = if has_amounts {
        number(column::AMOUNT)
    } else {
        none()
    };
    let capacity = if own_capacity {
        number(column::CAPACITY)
    } else {
        none()
    };
    expressions.push(amount.alias(column::AMOUNT));
    let from_resources = resources.filter(|_| has_amounts && !own_capacity);
    let Some(resources) = from_resources else {
        expressions.push(capacity.alias(column::CAPACITY));
        return LogicalPlanBuilder::from(states.clone())
            .project(expressions)?
            .build();
    };
    let mut kept: Vec<Expr> = expressions
        .iter()
        .map(|value| lower::column(&value.schema_name().to_string()))
        .collect();
    kept.push(lower::column(column::CAPACITY));
    let path = "‹path›";
    let capacities = LogicalPlanBuilder::from(resources.clone())
        .project([
            cast(lower::column(column::PATH), DataType::Utf8View).alias(path),
            number(column::CAPACITY).alias(column::CAPACITY),
        ])?
        .build()?;
    LogicalPlanBuilder::from(states.clone())
        .project(expressions)?
        .join_with_expr_keys(
            capacities,
            JoinType::Left,
            (
                vec![lower::column(column::RESOURCE)],
                vec![lower::column(path)],
            ),
            None,
        )?
        .project(kept)?
        .build()
}
