//! The language: text → [`ast`] → [`check`] with the registries → [`plan`] (typed, resolved).
//!
//! Knows no DataFusion, no files and no figures; what it must know of verbs, functions and data comes in
//! through the trait [`check::Registry`].

pub mod ast;
pub mod check;
pub mod flow;
pub mod fold;
pub mod format;
pub mod hint;
pub mod parse;
pub mod plan;
pub mod substitute;
pub mod suggest;
