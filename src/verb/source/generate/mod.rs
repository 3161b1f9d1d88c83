//! `generate`: synthetic traces of known programs. One file per model and one line in [`MODELS`].

mod cholesky;
mod pipeline;

use super::opened::Opened;
use crate::diag::{Diag, code};
use crate::lang::flow::Flow;
use crate::lang::plan::Arguments;
use crate::plan::{Data, Engine};
use crate::spec::{
    Accept, Choice, Example, Param, ParamSpec, Place, Section, Shape, VerbSpec, option,
};
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::arrow::array::{ArrayRef, Int64Array, StringViewArray};
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

static MODELS: &[Model] = &[
    Model {
        choice: CHOICES[0],
        options: &["tiles", "cpus", "gpus", "seed"],
        open: cholesky::open,
    },
    Model {
        choice: CHOICES[1],
        options: &["tasks", "memories", "capacity", "images", "seed"],
        open: pipeline::open,
    },
];

const CHOICES: &[Choice] = &[
    Choice {
        name: "cholesky",
        about: "a StarPU-like run of a tiled Cholesky factorisation on CPUs and GPUs",
    },
    Choice {
        name: "pipeline",
        about: "images that go through stages, which claim processors and limited memory",
    },
];

/// Which program.
pub static MODEL: Param<&'static str> = Param::new(ParamSpec {
    name: "model",
    place: Place::Required,
    shape: Shape::Scalar(&[Accept::Choice(CHOICES)]),
    default: "",
    about: "the program whose run is made up",
});

const INT: Shape = Shape::Scalar(&[Accept::Int]);

option!(TILES: Option<i64>, "tiles", INT, "20", "cholesky: rows and columns of tiles, 1 to 2000; n tiles make n(n+1)(n+2)/6 tasks");
option!(CPUS: Option<i64>, "cpus", INT, "8", "cholesky: CPU workers, 0 to 1024");
option!(GPUS: Option<i64>, "gpus", INT, "2", "cholesky: GPU workers, 0 to 32");
option!(TASKS: Option<i64>, "tasks", INT, "7", "pipeline: stages A, B, C, …, 1 to 26, each with its own processor");
option!(MEMORIES: Option<i64>, "memories", INT, "2", "pipeline: memories M1, M2, …, 1 to `tasks`; A works in M1, the other stages share out the rest in order");
option!(CAPACITY: Option<i64>, "capacity", INT, "100", "pipeline: units of each memory, 30 to 1,000,000; an image takes 25 to 30, from a multiple of 30 on");
option!(IMAGES: Option<i64>, "images", INT, "20", "pipeline: images, 1 to 20,000; each makes two claims a stage");
option!(SEED: Option<i64>, "seed", INT, "1", "the same seed gives the same run, on every machine; 0 or more");

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
             \"Sleeping\", \"Blocked\", \"execute_on_all_wrapper\"]`.\n\n\
             `pipeline` is a run whose critical path is not that of its dependencies. Images go through the stages \
             A, B, C, … in order; each stage has a processor P1, P2, P3, … to itself. The first stage that works in \
             a memory takes a buffer there (first fit), the next ones go on with it, the last one gives it back; \
             between two memories images wait in a queue without limit. With the default sizes A works in M1, and B \
             waits until a G gives back a buffer of M2, which has room for three images; with `capacity=120` for \
             four, and nothing waits. A state is the claim of a stage (its `value`) for an image (`attr.id`, from 0) \
             while it runs: one on the processor, `type` processor, and one on the memory, `type` memory, with \
             `amount` and `offset`; the relation `resources` has the capacities. Links are the data dependencies, \
             among claims on processors and again among those on memories: \"image\" from stage to stage, \
             \"stream\" from A to the A of the next image, for only a read image tells where the next one begins. \
             The variable `allocated` counts the units of a memory that are taken, also while an image waits between \
             stages. A state starts exactly when another ends, so `epsilon=0ms` is right.",
    params: &[
        &MODEL.spec,
        &TILES.spec,
        &CPUS.spec,
        &GPUS.spec,
        &TASKS.spec,
        &MEMORIES.spec,
        &CAPACITY.spec,
        &IMAGES.spec,
        &SEED.spec,
    ],
    by: false,
    examples: &[
        Example {
            about: "the tasks of a small run",
            script: "generate cholesky tiles=3 | filter value in [\"potrf\", \"trsm\", \"syrk\", \"gemm\"] | summarize count() by value",
            prints: "value,count\ngemm,1\npotrf,3\nsyrk,3\ntrsm,3\n",
        },
        Example {
            about: "M2 has room for one image: its B starts when the C of the image before ends",
            script: "generate pipeline tasks=3 capacity=30 images=3 | filter resource == \"M2\" | select value, attr.id, start, end, amount, offset",
            prints: "value,attr.id,start,end,amount,offset\nB,0,15.461531,26.325492,26,0\nC,0,26.325492,35.30041,26,0\nB,1,35.30041,46.52814,27,0\nC,1,46.52814,55.322813,27,0\nB,2,55.322813,66.611437,27,0\nC,2,66.611437,75.677272,27,0\n",
        },
    ],
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

/// A number that an option gives.
fn count(arguments: &Arguments, param: &Param<Option<i64>>, default: u32) -> Result<u32, Diag> {
    match arguments.get(param)? {
        None => Ok(default),
        Some(count) => u32::try_from(count).map_err(|_| {
            Diag::error(
                &code::INVALID_VALUE,
                format!("`{}` is a count, not {count}", param.spec.name),
            )
            .at(arguments.span_of(param), "here")
        }),
    }
}

fn seed(arguments: &Arguments, default: u64) -> Result<u64, Diag> {
    match arguments.get(&SEED)? {
        None => Ok(default),
        Some(seed) => u64::try_from(seed).map_err(|_| {
            Diag::error(&code::INVALID_VALUE, "`seed` is 0 or more")
                .at(arguments.span_of(&SEED), "here")
        }),
    }
}

fn texts<'a>(values: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    Arc::new(values.collect::<StringViewArray>())
}

fn whole(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

fn optional(values: impl Iterator<Item = Option<i64>>) -> ArrayRef {
    Arc::new(values.collect::<Int64Array>())
}

/// A count as the engine's integer; the simulation never reaches the end of 63 bits.
fn int(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
