//! `profile`: how much time each value takes.

use super::{NEST, nest_of, states};
use crate::diag::Diag;
use crate::lang::flow::Flow;
use crate::lang::plan::Arguments;
use crate::model::schema::column;
use crate::plan::{Data, fault, node};
use crate::spec::{Example, Section, Type, VerbSpec};
use crate::verb::relational::ROWS;
use crate::verb::{FlowContext, PlanContext, Verb};

/// The verb.
pub struct Profile;

static SPEC: VerbSpec = VerbSpec {
    name: "profile",
    section: Section::Analysis,
    takes: ROWS,
    heads: false,
    gives: "a table: value, duration, number, share",
    summary: "Sums the time of each value of the states, most time first.",
    detail: "`duration` is exclusive time after flattening, `number` counts states (not pieces), also those \
             wholly hidden by a nested one, `share` is the part of all durations. Ties are ordered by the bytes of \
             the name. The durations equal the sums over any aggregate of the same input.",
    params: &[&NEST.spec],
    by: false,
    examples: &[Example {
        about: "a profile",
        script: "load \"hand.csv\" unit=ms | profile | select value, duration, number",
        prints: "value,duration,number\nA,36,3\nP,35,1\nC,28,2\nB,13,3\nQ,5,1\n",
    }],
};

impl Verb for Profile {
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
        Ok(Flow::Table(states::result_columns(
            columns,
            &[
                (column::VALUE, Type::String),
                (column::DURATION, columns.time_type()),
                ("number", Type::Int),
                ("share", Type::Float),
            ],
        )))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        flow: &Flow,
        _: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let table = input
            .ok_or_else(|| crate::verb::context::unexpected(&SPEC))?
            .table()?;
        let plan = node::profile(
            states::of_plan(table.plan.clone())?,
            nest_of(arguments.get(&NEST)?),
        )
        .map_err(fault::diag)?;
        let plan = states::placed(plan)?;
        let columns = flow
            .columns()
            .cloned()
            .ok_or_else(|| crate::verb::context::unexpected(&SPEC))?;
        Ok(Data::Table(table.then(plan, columns)))
    }
}
