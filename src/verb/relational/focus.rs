//! `focus`: changes the relation that verbs work on.

use crate::diag::Diag;
use crate::lang::flow::Flow;
use crate::lang::plan::{Arguments, RelationName};
use crate::plan::Data;
use crate::spec::{Example, Kind, Param, ParamSpec, Place, Section, Shape, VerbSpec};
use crate::verb::{FlowContext, PlanContext, Verb};

/// The verb.
pub struct Focus;

/// The relation.
pub static RELATION: Param<RelationName> = Param::new(ParamSpec {
    name: "relation",
    place: Place::Required,
    shape: Shape::Relation,
    default: "",
    about: "`states`, `events`, `links`, `variables`, `resources`, `rejects`",
});

static SPEC: VerbSpec = VerbSpec {
    name: "focus",
    section: Section::Relational,
    takes: &[Kind::Trace],
    heads: false,
    gives: "the same trace",
    summary: "Changes the relation of a trace that the following verbs work on.",
    detail: "A trace that was loaded is focused on its states. `run.links` is the table alone; `run | focus \
             links` is the whole trace looked at through its links.",
    params: &[&RELATION.spec],
    by: false,
    examples: &[Example {
        about: "the resources",
        script: "load \"hand.csv\" unit=ms | focus resources | select path",
        prints: "path\nCPU0\nCPU1\n",
    }],
};

impl Verb for Focus {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        let RelationName(relation) = arguments.get(&RELATION)?;
        match input {
            Some(Flow::Trace(trace)) => {
                let mut trace = trace.clone();
                trace.focus = relation;
                Ok(Flow::Trace(trace))
            }
            _ => Err(crate::verb::context::unexpected(&SPEC)),
        }
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        _: &Flow,
        _: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let RelationName(relation) = arguments.get(&RELATION)?;
        match input {
            Some(Data::Trace(mut trace)) => {
                trace.focus = relation;
                Ok(Data::Trace(trace))
            }
            _ => Err(crate::verb::context::unexpected(&SPEC)),
        }
    }
}
