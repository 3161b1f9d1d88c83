//! From the checked plan to DataFusion: data as lazy logical plans, sources, expressions, our own nodes, and
//! the engine that runs them with a memory limit and a cancel flag.

pub mod cancel;
pub mod checked;
pub mod data;
pub mod engine;
pub mod fault;
pub mod lower;
pub mod node;
pub mod notes;
pub mod source;

pub use cancel::Cancel;
pub use data::{Data, Figure, Lineage, Table, Trace};
pub use engine::Engine;
