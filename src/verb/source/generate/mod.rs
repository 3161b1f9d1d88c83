//! `generate`: synthetic traces of known programs, streamed, any size. One file per model and one line in
//! [`MODELS`].

mod cholesky;

use super::opened::Opened;
use crate::diag::{Diag, code};
use crate::lang::flow::Flow;
use crate::lang::plan::Arguments;
use crate::plan::{Data, Engine};
use crate::spec::{Accept, Choice, Example, Param, ParamSpec, Place, Section, Shape, VerbSpec};
use crate::verb::{FlowContext, PlanContext, Verb};
use std::sync::Arc;

/// The verb.
pub struct Generate;

/// A model that can be generated.
struct Model {
    choice: Choice,
    /// Options that mean something to it.
    options: &'static [&'static str],
    open: fn(&Arguments, &Engine) -> Result<Opened, Diag>,
}

static MODELS: &[Model] = &[Model {
    choice: CHOICES[0],
    options: &["tiles", "cpus", "gpus", "seed"],
    open: cholesky::open,
}];

const CHOICES: &[Choice] = &[Choice {
    name: "cholesky",
    about: "a StarPU-like run of a tiled Cholesky factorisation on CPUs and GPUs",
}];

/// Which program.
pub static MODEL: Param<&'static str> = Param::new(ParamSpec {
    name: "model",
    place: Place::Required,
    shape: Shape::Scalar(&[Accept::Choice(CHOICES)]),
    default: "",
    about: "the program whose run is made up",
});

/// Size of the matrix.
pub static TILES: Param<Option<i64>> = Param::new(ParamSpec {
    name: "tiles",
    place: Place::Option,
    shape: Shape::Scalar(&[Accept::Int]),
    default: "20",
    about: "cholesky: rows and columns of tiles, 1 to 2000; n tiles make n(n+1)(n+2)/6 tasks",
});

/// Number of CPU workers.
pub static CPUS: Param<Option<i64>> = Param::new(ParamSpec {
    name: "cpus",
    place: Place::Option,
    shape: Shape::Scalar(&[Accept::Int]),
    default: "8",
    about: "cholesky: CPU workers, 0 to 1024",
});

/// Number of GPU workers.
pub static GPUS: Param<Option<i64>> = Param::new(ParamSpec {
    name: "gpus",
    place: Place::Option,
    shape: Shape::Scalar(&[Accept::Int]),
    default: "2",
    about: "cholesky: GPU workers, 0 to 32",
});

/// The seed.
pub static SEED: Param<Option<i64>> = Param::new(ParamSpec {
    name: "seed",
    place: Place::Option,
    shape: Shape::Scalar(&[Accept::Int]),
    default: "1",
    about: "the same seed gives the same run, on every machine; 0 or more",
});

static SPEC: VerbSpec = VerbSpec {
    name: "generate",
    section: Section::Source,
    takes: &[],
    heads: true,
    gives: "a trace",
    summary: "Makes up a trace, for examples, tests and benchmarks.",
    detail: "`cholesky` is the true task graph of a tiled Cholesky factorisation (potrf, trsm, syrk, gemm), \
             list-scheduled on CPU and GPU workers with seeded durations, with the states a StarPU run has: tasks, \
             micro-states nested in them (DriverCopy, FetchingInput, Allocating, Reclaiming, PushingOutput, Callback, \
             Scheduling) and Initializing, Sleeping, Blocked around them; links are the dependencies, a variable \
             counts the ready tasks. Rows are simulated as they are read, so a run of 10^7 states needs a few \
             megabytes. Clean up as the notebook does: `filter value not in [\"Initializing\", \"Nothing\", \
             \"Sleeping\", \"Blocked\", \"execute_on_all_wrapper\"]`.",
    params: &[&MODEL.spec, &TILES.spec, &CPUS.spec, &GPUS.spec, &SEED.spec],
    by: false,
    examples: &[Example {
        about: "the tasks of a small run",
        script: "generate cholesky tiles=3 | filter value in [\"potrf\", \"trsm\", \"syrk\", \"gemm\"] | summarize count() by value",
        prints: "value,count\ngemm,1\npotrf,3\nsyrk,3\ntrsm,3\n",
    }],
};

fn open(arguments: &Arguments, cx: &mut FlowContext) -> Result<Arc<Opened>, Diag> {
    let name = arguments.get(&MODEL)?;
    let model = MODELS
        .iter()
        .find(|model| model.choice.name == name)
        .ok_or_else(|| crate::verb::context::unexpected(&SPEC))?;
    for (given, argument) in &arguments.given {
        if *given != MODEL.spec.name && !model.options.contains(given) {
            return Err(Diag::error(
                &code::UNKNOWN_OPTION,
                format!("`generate {name}` has no option `{given}`"),
            )
            .at(argument.span, "here"));
        }
    }
    let key = format!(
        "generate {:?}",
        arguments
            .given
            .iter()
            .map(|(n, a)| (n, &a.kind))
            .collect::<Vec<_>>()
    );
    let engine = cx.engine;
    cx.sources
        .get_or_open(key, || (model.open)(arguments, engine))
}

impl Verb for Generate {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        _: Option<&Flow>,
        arguments: &Arguments,
        cx: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        Ok(open(arguments, cx)?.flow.clone())
    }

    fn plan(
        &self,
        _: Option<Data>,
        arguments: &Arguments,
        _: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        Ok(cx.opening(|cx| open(arguments, cx))?.data.clone())
    }
}
