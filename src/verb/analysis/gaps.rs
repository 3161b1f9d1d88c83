//! `gaps`: where a resource has no state.

use super::states;
use crate::diag::Diag;
use crate::lang::flow::{Columns, Flow};
use crate::lang::plan::Arguments;
use crate::model::schema::column;
use crate::plan::{Data, fault, node};
use crate::spec::{Example, Section, Type, VerbSpec};
use crate::verb::relational::ROWS;
use crate::verb::{FlowContext, PlanContext, Verb};

/// The verb.
pub struct Gaps;

static SPEC: VerbSpec = VerbSpec {
    name: "gaps",
    section: Section::Analysis,
    takes: ROWS,
    heads: false,
    gives: "a table: resource, type, start, end, duration, before, after",
    summary: "Lists the intervals of each track in which no state is.",
    detail: "A track is a resource and a type of state. A gap lies between the first start and the last end of its \
             track and is longer than 0; nested and overlapping states cover it together. `before` is the value of \
             the state that ends where the gap starts (of several the one that started last), `after` that of the \
             state that starts where it ends (of several the longest), then the first by name. Filter idle states out \
             first where the runtime writes them: `filter value not in [\"Sleeping\", \"Idle\"]`.",
    params: &[],
    by: false,
    examples: &[Example {
        about: "the gaps of two CPUs",
        script: "load \"hand.csv\" unit=ms | gaps | sort -duration, start | take 2",
        prints: "resource,type,start,end,duration,before,after\nCPU0,Worker State,61,72,11,C,A\nCPU0,Worker State,48,58,10,B,C\n",
    }],
};

impl Verb for Gaps {
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
        let time = columns.time_type();
        let list = [
            (column::RESOURCE, Type::String),
            (column::TYPE, Type::String),
            (column::START, time.clone()),
            (column::END, time.clone()),
            (column::DURATION, time),
            ("before", Type::String),
            ("after", Type::String),
        ];
        Ok(Flow::Table(Columns::new(
            list.map(|(name, ty)| (name.to_owned(), ty)),
            columns.clock,
        )))
    }

    fn plan(
        &self,
        input: Option<Data>,
        _: &Arguments,
        flow: &Flow,
        _: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let unexpected = || crate::verb::unexpected(&SPEC);
        let table = input.ok_or_else(unexpected)?.table()?;
        let plan = node::gaps(states::of_plan(table.plan.clone())?).map_err(fault::diag)?;
        let columns = flow.columns().cloned().ok_or_else(unexpected)?;
        Ok(Data::Table(table.then(plan, columns)))
    }
}
