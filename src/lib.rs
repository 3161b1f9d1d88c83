//! marey: a declarative query language for execution traces of parallel systems.
//!
//! `text → lang::parse → Ast → lang::check (with the registries) → Plan → plan → DataFusion LogicalPlan →
//! stream of RecordBatch → write | figure::Scene → SVG → PNG`
//!
//! The program is a thin front end: [`session::Session`] runs scripts and gives results to a [`verb::Host`].
//!
//! ```
//! // A script is parsed with all of its mistakes at once.
//! let parsed = marey::lang::parse::parse("load \"run.csv\" unit=ms | profile\nlet x 5", 0);
//! assert_eq!(parsed.script.statements.len(), 1);
//! assert_eq!(parsed.diags[0].help.as_deref(), Some("write `let x = 5`"));
//! ```

pub mod algo;
pub mod cli;
pub mod diag;
pub mod figure;
pub mod func;
pub mod lang;
pub mod library;
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
