//! The layers that are fuzzed, as modules of this crate, and what the targets share.

#![allow(dead_code, unused_imports)]

#[path = "../../src/diag/mod.rs"]
pub mod diag;
#[path = "../../src/lang/mod.rs"]
pub mod lang;
#[path = "../../src/model/mod.rs"]
pub mod model;
#[path = "../../src/read/mod.rs"]
pub mod read;
#[path = "../../src/spec/mod.rs"]
pub mod spec;

pub mod load;
pub mod names;
pub mod text;
