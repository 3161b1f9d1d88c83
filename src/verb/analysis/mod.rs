//! Analyses of traces.

pub mod aggregate_by_threshold;
pub mod claims;
pub mod compare;
pub mod critical_path;
pub mod epsilon_sweep;
pub mod gaps;
pub mod parallelism;
pub mod profile;
pub mod states;
pub mod utilization;

use crate::plan::node;
use crate::spec::{Accept, Choice, Param, ParamSpec, Place, Shape, Value};

/// What nested states count as.
pub const NESTS: &[Choice] = &[
    Choice {
        name: "flatten",
        about: "exclusive pieces: at every instant the deepest state counts",
    },
    Choice {
        name: "keep",
        about: "rows as they are: parent and child both count, so shares may pass 1",
    },
];

/// `nest=flatten|keep|0|1|…`.
pub static NEST: Param<Option<Value>> = Param::new(ParamSpec {
    name: "nest",
    place: Place::Option,
    shape: Shape::Scalar(&[Accept::Choice(NESTS), Accept::Int]),
    default: "flatten",
    about: "what nested states count as; a number takes the states of that depth only",
});

/// The engine's word for a `nest` argument.
pub fn nest_of(value: Option<Value>) -> node::Nest {
    match value {
        Some(Value::Int(depth)) => node::Nest::Depth(depth),
        Some(Value::String(word)) if word == "keep" => node::Nest::Keep,
        _ => node::Nest::Flatten,
    }
}
