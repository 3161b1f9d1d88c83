//! What a chart is to the page or panel that holds it: an object that says what it needs and draws itself where it is told.

use crate::figure::axis::TimeBase;
use crate::figure::error::{FigureError, Warning};
use crate::figure::layout::Columns;
use crate::figure::legend::Entry;
use crate::figure::scale::Lens;
use crate::figure::scene::Scene;
use crate::figure::size::Size;

/// What a legend has to explain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// Values that occur, with their place in the domain, in its order.
    pub values: Vec<(usize, Entry)>,
    /// How to read the marks.
    pub keys: Vec<Entry>,
}

/// Where a chart is drawn, and what of it stands elsewhere. The default is a page of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Placement {
    /// Size of the page or of the part of it; the chart's own where none is given.
    pub size: Option<Size>,
    /// Where names and time axis stand, so that the axes of a column agree.
    pub columns: Option<Columns>,
    /// First and last tick of the time axis, in place of the chart's own.
    pub time_range: Option<(i64, i64)>,
    /// The number of states at which a rectangle is palest, so that tints of several charts agree.
    pub largest_number: Option<u64>,
    /// Whether the numbers and the title of the time axis are left to a chart below.
    pub is_axis_elsewhere: bool,
    /// Whether the legend is left to the panel.
    pub is_legend_elsewhere: bool,
    /// Lines that the title gets at least, so that plots beside each other begin at one height.
    pub title_lines: usize,
    /// Lines that the caption gets at least.
    pub caption_lines: usize,
}

/// A chart that was drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// The chart, from the upper left corner of its page or part.
    pub scene: Scene,
    /// What its legend explains, drawn or not.
    pub listing: Listing,
    /// What is worth saying about it.
    pub warnings: Vec<Warning>,
}

/// A chart with lanes over time, its data included.
pub trait Chart: Send + Sync {
    /// Size that it has on a page of its own.
    fn size(&self) -> Size;

    /// What a tick is.
    fn time(&self) -> TimeBase;

    /// First and last tick that it shows on a page of its own; none where it has nothing to show.
    fn extent(&self) -> Option<(i64, i64)>;

    /// The part of the time axis that is magnified.
    fn lens(&self) -> Option<Lens> {
        None
    }

    /// Title above the plot, as it was given.
    fn title(&self) -> Option<&str>;

    /// Caption below the plot, as it was given.
    fn caption(&self) -> Option<&str>;

    /// Names of the lanes, and of groups of lanes, which need room left of the time axis.
    fn names(&self) -> (Vec<String>, Vec<String>);

    /// How high the plot wants to be, in lanes.
    fn lanes(&self) -> f64;

    /// The largest number of states that a mark stands for, where it is shown as a tint.
    fn largest_number(&self) -> Option<u64> {
        None
    }

    /// All that the legend may have to explain; what is drawn may need less of it.
    fn listing(&self) -> Result<Listing, FigureError>;

    /// Draws it.
    fn draw(&self, placement: &Placement) -> Result<Drawn, FigureError>;
}
