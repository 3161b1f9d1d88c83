//! `parallelism`: how many states run at each time.

use super::{NEST, nest_of, states};
use crate::diag::{Diag, code};
use crate::lang::flow::{Columns, Flow};
use crate::lang::plan::Arguments;
use crate::model::schema::column;
use crate::plan::{Data, fault, lower, node};
use crate::spec::{Example, Section, Type, Value, VerbSpec};
use crate::verb::relational::ROWS;
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::logical_expr::{LogicalPlanBuilder, lit};

/// The verb.
pub struct Parallelism;

static SPEC: VerbSpec = VerbSpec {
    name: "parallelism",
    section: Section::Analysis,
    takes: ROWS,
    heads: false,
    gives: "a table: time, running",
    summary: "Counts the states that run at each time, over all resources.",
    detail: "A step function: each row says how many run from its time to that of the next row, and there is a row only \
             where the number changes; the last row says 0. A state runs in `start <= t < end`, so states that \
             follow each other make no step and an instant never runs. With `nest=flatten` a state and what is nested \
             in it count once. Filter idle states out first: `filter value not in [\"Sleeping\", \"Idle\"]`.",
    params: &[&NEST.spec],
    by: false,
    examples: &[Example {
        about: "two CPUs",
        script: "load \"hand.csv\" unit=ms | parallelism | take 6",
        prints: "time,running\n0,2\n33,1\n34,2\n40,1\n48,0\n58,1\n",
    }],
};

impl Verb for Parallelism {
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
        if let Ok(Some(Value::Int(_))) = arguments.get(&NEST)
            && !columns.has(column::DEPTH)
        {
            return Err(Diag::error(
                &code::UNKNOWN_COLUMN,
                "a depth is asked for and there is no column `depth`",
            )
            .at(arguments.span_of(&NEST), "here"));
        }
        Ok(Flow::Table(Columns::new(
            [
                (column::TIME.to_owned(), columns.time_type()),
                ("running".to_owned(), Type::Int),
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
        let table = input.ok_or_else(unexpected)?.table()?;
        let mut plan = states::of_plan(table.plan.clone())?;
        plan = match nest_of(arguments.get(&NEST)?) {
            node::Nest::Flatten => node::flatten(plan).map_err(fault::diag)?,
            node::Nest::Keep => plan,
            node::Nest::Depth(depth) => LogicalPlanBuilder::from(plan)
                .filter(lower::column(column::DEPTH).eq(lit(depth)))
                .and_then(LogicalPlanBuilder::build)
                .map_err(fault::diag)?,
        };
        let plan = node::parallelism(plan).map_err(fault::diag)?;
        let columns = flow.columns().cloned().ok_or_else(unexpected)?;
        Ok(Data::Table(table.then(plan, columns)))
    }
}
