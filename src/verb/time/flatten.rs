//! `flatten`: nested states to exclusive ones.

use crate::diag::{Diag, code};
use crate::lang::flow::Flow;
use crate::lang::plan::Arguments;
use crate::model::schema::column;
use crate::plan::{Data, fault, node};
use crate::spec::{Example, Section, Type, VerbSpec};
use crate::verb::analysis::states;
use crate::verb::relational::ROWS;
use crate::verb::{FlowContext, PlanContext, Verb};

/// The verb.
pub struct Flatten;

static SPEC: VerbSpec = VerbSpec {
    name: "flatten",
    section: Section::Time,
    takes: ROWS,
    heads: false,
    gives: "what flows in, with pieces in place of states",
    summary: "Cuts nested states into exclusive pieces: at every instant the deepest state counts.",
    detail: "Within one resource and type, among equally deep states the one that starts latest is on top, then \
             the one that ends earliest, then the smaller name. A parent cut by a child gives several pieces, each \
             with all its columns and depth 0. Instants pass through and cut nothing. The pieces have no order of \
             their own.",
    params: &[],
    by: false,
    examples: &[Example {
        about: "P is cut by the Q nested in it",
        script: "load \"hand.csv\" unit=ms | filter resource == \"CPU1\" | flatten | sort start | select value, start, end",
        prints: "value,start,end\nP,0,10\nQ,10,15\nP,15,40\n",
    }],
};

impl Verb for Flatten {
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
        for name in [column::RESOURCE, column::TYPE, column::VALUE] {
            if let Some(found) = columns.find(name)
                && found.ty != Type::String
            {
                return Err(Diag::error(
                    &code::TYPE_MISMATCH,
                    format!(
                        "`{name}` is {}, states have names there",
                        found.ty.with_article()
                    ),
                )
                .at(arguments.span, "needed here"));
            }
        }
        input
            .cloned()
            .ok_or_else(|| crate::verb::context::unexpected(&SPEC))
    }

    fn plan(
        &self,
        input: Option<Data>,
        _: &Arguments,
        _: &Flow,
        _: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let input = input.ok_or_else(|| crate::verb::context::unexpected(&SPEC))?;
        let table = input.table()?;
        let plan = node::flatten(table.plan.clone()).map_err(fault::diag)?;
        let out = table.then(plan, table.columns.clone());
        Ok(match input {
            Data::Trace(trace) => Data::Trace(trace.with_focused(out)),
            _ => Data::Table(out),
        })
    }
}
