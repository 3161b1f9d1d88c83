//! The tests of the program from outside: one binary, since each links the whole engine.
#![allow(clippy::unwrap_used, clippy::print_stderr, missing_docs)]

mod support;

mod cases;
mod cli;
mod commands;
mod compare;
mod critical_path;
mod determinism;
mod errors;
mod etf;
mod functions;
mod goldens;
mod language;
mod laws;
mod layers;
mod mistakes;
mod outputs;
mod pages;
mod relations;
mod repl;
mod reproduce;
mod studies;
mod verbs;
