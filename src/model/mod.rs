//! The trace model: exact time, the schemas of the relations, and the builder that readers fill.

pub mod builder;
pub mod clock;
pub mod report;
pub mod schema;
pub mod trace;

pub use builder::TraceBuilder;
pub use clock::Clock;
pub use report::{LoadReport, Policy};
pub use trace::{Relation, TraceData};
