//! Verbs that work on the time axis.

pub mod bin;
pub mod flatten;
pub mod shift;
pub mod window;
