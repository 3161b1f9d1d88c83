//! Verbs that write, show and assert. They pass their input on.

pub mod assert;
pub mod explain;
pub mod print;
pub mod save;
pub mod scene;

use crate::spec::Kind;

/// What outcomes take.
pub const ANYTHING: &[Kind] = &[Kind::Trace, Kind::Table, Kind::Figure];
