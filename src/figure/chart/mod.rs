//! Charts: plain slices to a scene, one file per chart and per style of it.

mod bars;
mod check;
mod frame;
mod ink;
mod interruption;
mod keys;
mod slashed;
mod stack;
pub mod stacked;
#[cfg(test)]
mod tests;

pub use stacked::{Cells, Interruptions, Opacity, Options, Style, Table, stacked};
