//! Algorithms on slices and streams of plain values: no parser, no Arrow, no DataFusion. Each states its
//! source, its complexity and how it breaks ties.

pub mod busy;
pub mod cholesky;
pub mod chunk;
pub mod compare;
pub mod critical_path;
pub mod flatten;
pub mod gap;
pub mod overlap;
pub mod parallelism;
pub mod pipeline;
pub mod slice;
