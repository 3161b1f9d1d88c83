//! The Gantt chart: every state drawn as itself, in the row of its resource or of any other attribute.
//!
//! A pure function from columns to a scene. Nothing is aggregated: what is narrower than a pixel is drawn as narrow as it
//! is, and blends with its neighbours. For rows that are too full for that there is [`mod@crate::figure::chart::stacked`].
//!
//! Within its row a mark stands where nothing hides it: states that overlap go to sub-rows, nested ones are drawn narrower
//! over their parents, claims stand at their offset in the capacity.

mod bands;
mod check;
mod claim;
pub mod critical;
mod draw;
mod label;
mod link;
mod order;
mod rects;
mod reference;
mod segments;
mod slot;
mod table;
#[cfg(test)]
mod tests;

pub use critical::Critical;
pub use draw::gantt;
pub use table::{Claim, End, Link, LinkClass, Marks, Reference, Row, Table};

use crate::figure::axis::TimeBase;
use crate::figure::chart::placement::{Chart, Drawn, Listing, Placement};
use crate::figure::chart::sheet::Wording;
use crate::figure::error::FigureError;
use crate::figure::palette::Palette;
use crate::figure::scale::Lens;
use crate::figure::size::{Length, Size};

/// How a state is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Style {
    /// As a rectangle exactly as wide as it is long. States below a pixel blend into pale colours: ink is time.
    #[default]
    Rects,
    /// As a piece of a line drawn with a wide pen, as `geom_segment` of ggplot does: at least one pixel long, in the order of
    /// the starts, so that a short state covers a part of its neighbours and of idle time, and the later of two wins. More
    /// events show than with rectangles, and they seem to last longer than they did: the pair of the two styles shows why a
    /// picture of what is too small to be drawn depends on who draws it.
    Segments,
}

/// What the colour of a state says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Colouring {
    /// Its value.
    #[default]
    Value,
    /// Whether it is on a critical path, and by what it is blocked there (see [`Critical`]).
    Critical,
}

/// In which order the rows stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RowOrder {
    /// In natural order of their labels: `CPU2` before `CPU10`.
    #[default]
    Natural,
    /// As they are given.
    Given,
}

/// Where the first row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FirstRow {
    /// At the bottom, as the lanes of the stacked chart.
    #[default]
    Bottom,
    /// At the top, as one reads.
    Top,
}

/// How it is plotted.
#[derive(Clone, Debug)]
pub struct Options {
    /// Size of the page.
    pub size: Size,
    /// First and last tick of the time axis; where none is given, those of the marks and references. What lies outside is
    /// left out, what reaches outside is cut.
    pub time_range: Option<(i64, i64)>,
    /// A part of the time axis that is magnified; the rest stays.
    pub lens: Option<Lens>,
    /// Colours of the values.
    pub palette: Palette,
    /// How a state is drawn.
    pub style: Style,
    /// Width of the pen of style `Segments`; as high as the row allows where none is given.
    pub pen: Option<Length>,
    /// What the colour says.
    pub colouring: Colouring,
    /// Order of the rows, within their group where there are groups.
    pub row_order: RowOrder,
    /// Where the first row, and the first group, stands.
    pub first_row: FirstRow,
    /// Title above the plot.
    pub title: Option<String>,
    /// Caption below the figure.
    pub caption: Option<String>,
    /// What the time axis shows; its unit is put behind it.
    pub time_title: String,
    /// What travels in the metadata; facts about the drawing are put behind it.
    pub facts: Vec<(String, String)>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            size: Size::DEFAULT,
            time_range: None,
            lens: None,
            palette: Palette::Default,
            style: Style::default(),
            pen: None,
            colouring: Colouring::default(),
            row_order: RowOrder::default(),
            first_row: FirstRow::default(),
            title: None,
            caption: None,
            time_title: "time".to_owned(),
            facts: Vec::new(),
        }
    }
}

impl Options {
    fn wording(&self) -> Wording<'_> {
        Wording {
            size: self.size,
            title: self.title.as_deref(),
            caption: self.caption.as_deref(),
            time_title: &self.time_title,
        }
    }
}

/// A Gantt chart with its data: what a panel holds.
#[derive(Clone, Debug)]
pub struct Gantt {
    /// What is plotted.
    pub table: Table,
    /// How it is plotted.
    pub options: Options,
}

impl Chart for Gantt {
    fn size(&self) -> Size {
        self.options.size
    }

    fn time(&self) -> TimeBase {
        self.table.time
    }

    fn extent(&self) -> Option<(i64, i64)> {
        self.options.time_range.or(self.table.extent())
    }

    fn lens(&self) -> Option<Lens> {
        self.options.lens
    }

    fn title(&self) -> Option<&str> {
        self.options.title.as_deref()
    }

    fn caption(&self) -> Option<&str> {
        self.options.caption.as_deref()
    }

    fn names(&self) -> (Vec<String>, Vec<String>) {
        self.table.names()
    }

    fn lanes(&self) -> f64 {
        draw::lanes(&self.table, &self.options)
    }

    fn listing(&self) -> Result<Listing, FigureError> {
        draw::listing(&self.table, &self.options)
    }

    fn draw(&self, placement: &Placement) -> Result<Drawn, FigureError> {
        draw::draw(&self.table, &self.options, placement)
    }
}
