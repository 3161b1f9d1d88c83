//! marey: a declarative query language for execution traces of parallel systems.
//!
//! `text → lang::parse → Ast → lang::check (with the registries) → Plan → plan → DataFusion LogicalPlan →
//! stream of RecordBatch → write | figure::Scene → SVG → PNG`

pub mod algo;
pub mod cli;
pub mod diag;
pub mod figure;
pub mod func;
pub mod lang;
pub mod model;
pub mod page;
pub mod plan;
pub mod read;
pub mod repl;
mod run;
pub mod session;
pub mod spec;
pub mod verb;
pub mod write;
