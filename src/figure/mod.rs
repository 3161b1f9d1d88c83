//! Figures: arrays and numbers in, bytes out.
//!
//! `chart::…` and [`panel`] turn plain slices into a [`scene::Scene`] (a value: marks on a page, no file in it); [`svg`] and [`raster`]
//! write it. Nothing here knows a trace, a query or a table, and nothing reads a clock, a system font or the order of a
//! hash map: the same arguments give the same bytes.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod axis;
pub mod chart;
pub mod error;
pub mod lane;
pub mod layout;
pub mod legend;
pub mod palette;
pub mod panel;
pub mod raster;
pub mod scale;
pub mod scene;
pub mod size;
pub mod svg;
pub mod text;

pub use error::{FigureError, Warning};
pub use scene::Scene;
pub use size::{Length, LengthUnit, Size};
