//! Charts: plain slices to a scene, one file per chart and per style of it.

mod bars;
mod check;
pub(in crate::figure) mod frame;
pub mod gantt;
mod ink;
mod interruption;
mod keys;
pub mod placement;
pub(in crate::figure) mod sheet;
mod slashed;
mod stack;
pub mod stacked;
#[cfg(test)]
pub(in crate::figure) mod tests;

pub use gantt::{Gantt, gantt};
pub use placement::{Chart, Drawn, Listing, Placement};
pub use stacked::{
    CellColumns, Cells, Interruptions, Opacity, Options, Stacked, Style, Table, stacked,
};
