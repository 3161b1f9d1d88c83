//! `epsilon-sweep`: the critical path for several tolerances (critical-path.md section 10).

use super::claims;
use crate::algo::critical_path::{BlockedIf, Conform, Dependencies, Options, Variant};
use crate::diag::{Diag, code};
use crate::lang::flow::{Columns, Flow};
use crate::lang::plan::Arguments;
use crate::model::schema::STATES;
use crate::plan::node::{CriticalPath, KernelNode, Output};
use crate::plan::{Data, fault};
use crate::spec::{Accept, Example, Kind, Section, Shape, Type, VerbSpec, option};
use crate::verb::{FlowContext, PlanContext, Verb};

/// The verb.
pub struct EpsilonSweep;

/// Rows where nothing is said, and most of them.
const STEPS_DEFAULT: usize = 32;
const STEPS_MOST: i64 = 10_000;

option!(STEPS: Option<i64>, "steps", Shape::Scalar(&[Accept::Int]), "32", "most tolerances that are tried, 1 to 10,000");

static SPEC: VerbSpec = VerbSpec {
    name: "epsilon-sweep",
    section: Section::Analysis,
    takes: &[Kind::Trace, Kind::Table],
    heads: false,
    gives: "a table: epsilon, length, share, path_gap, critical, spans",
    summary: "Tries several tolerances of `critical-path`, to choose one.",
    detail: "The tolerances are the distinct gaps between the end of a state and the next start in the trace, at \
             most `steps` of them, chosen evenly on a logarithmic scale, with 0 and the largest always among them. \
             For each: the length of the longest path, its share of the makespan, the sum of the gaps on the \
             representative path, the number of critical states, and whether a chain of states spans the trace, with \
             gaps up to the tolerance between them, before the first and behind the last. Choose the smallest that spans, or the \
             one where the length stops growing fast: the gaps below it are overhead, those above it are waiting.",
    params: &[&STEPS.spec],
    by: false,
    examples: &[Example {
        about: "three states with gaps of 0.1 and 0.11",
        script: "load \"critical-path/epsilon.claims.csv\" unit=s | epsilon-sweep | select epsilon, length, critical, spans",
        prints: "epsilon,length,critical,spans\n0,0.59,1,false\n0.1,0.7,2,false\n0.11,1.29,3,true\n",
    }],
};

impl Verb for EpsilonSweep {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        let input = input.ok_or_else(|| crate::verb::unexpected(&SPEC))?;
        let states = claims::states_of(input, &SPEC, arguments.span)?;
        if let Ok(Some(steps)) = arguments.get(&STEPS)
            && !(1..=STEPS_MOST).contains(&steps)
        {
            return Err(
                Diag::error(&code::INVALID_VALUE, "`steps` is from 1 to 10,000")
                    .at(arguments.span_of(&STEPS), "here"),
            );
        }
        let time = states.time_type();
        let list = [
            ("epsilon", time.clone()),
            ("length", time.clone()),
            ("share", Type::Float),
            ("path_gap", time),
            ("critical", Type::Int),
            ("spans", Type::Bool),
        ];
        Ok(Flow::Table(Columns::new(
            list.map(|(name, ty)| (name.to_owned(), ty)),
            states.clock,
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
        let trace = claims::trace_of(input.ok_or_else(unexpected)?)?;
        let states = trace.whole(STATES).ok_or_else(unexpected)?;
        let steps = arguments.get(&STEPS)?;
        let node = CriticalPath {
            output: Output::Sweep {
                steps: steps.map_or(STEPS_DEFAULT, |steps| steps.max(1) as usize),
            },
            analysis: 0,
            options: Options {
                dependencies: Dependencies::None,
                epsilon: 0,
                conform: Conform::Direct,
                blocked_if: BlockedIf::Any,
                variant: Variant::Longest,
            },
            is_filtered: trace.states_filtered,
            has_dependencies: false,
            most_edges: 0,
            suggests: false,
            clock: states.clock(),
        };
        let plan = KernelNode::try_new(node, vec![claims::narrow(&states.plan)?])
            .map(KernelNode::into_plan)
            .map_err(fault::diag)?;
        let columns = flow.columns().cloned().ok_or_else(unexpected)?;
        Ok(Data::Table(states.then(plan, columns)))
    }
}
