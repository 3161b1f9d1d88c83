//! The stacked chart with its data: what a panel holds.

use crate::figure::axis::TimeBase;
use crate::figure::chart::ink::Paint;
use crate::figure::chart::placement::{Chart, Drawn, Listing, Placement};
use crate::figure::chart::sheet::Sheet;
use crate::figure::chart::stacked::{
    Cells, Interruptions, Options, Style, Table, check, draw, keys, scale, used,
};
use crate::figure::error::FigureError;
use crate::figure::lane::{self, Track};
use crate::figure::size::Size;

/// The columns of [`Cells`], owned.
#[derive(Clone, Debug, Default)]
pub struct CellColumns {
    /// Index of the track.
    pub track: Vec<u32>,
    /// First tick.
    pub start: Vec<i64>,
    /// Tick after the last one.
    pub end: Vec<i64>,
    /// Index of the value.
    pub value: Vec<u32>,
    /// Lower edge in the stack, 0 to 1.
    pub low: Vec<f64>,
    /// Upper edge in the stack, 0 to 1.
    pub high: Vec<f64>,
    /// How many states it stands for.
    pub number: Vec<u64>,
    /// Whether its subchunk is one state, this one.
    pub pure: Vec<bool>,
    /// Number of the chunk in its track.
    pub chunk: Vec<i64>,
    /// Number of the subchunk in its chunk.
    pub subchunk: Vec<i64>,
}

impl CellColumns {
    /// The columns as slices.
    pub fn cells(&self) -> Cells<'_> {
        Cells {
            track: &self.track,
            start: &self.start,
            end: &self.end,
            value: &self.value,
            low: &self.low,
            high: &self.high,
            number: &self.number,
            pure: &self.pure,
            chunk: &self.chunk,
            subchunk: &self.subchunk,
        }
    }
}

/// A stacked chart with its data.
#[derive(Clone, Debug)]
pub struct Stacked {
    /// The lanes from the bottom up.
    pub tracks: Vec<Track>,
    /// Names of the values.
    pub values: Vec<String>,
    /// Values in the order of the profile.
    pub domain: Vec<String>,
    /// The cells.
    pub cells: CellColumns,
    /// What a tick is.
    pub time: TimeBase,
    /// How it is plotted.
    pub options: Options,
}

impl Stacked {
    /// The data as slices.
    pub fn table(&self) -> Table<'_> {
        Table {
            tracks: &self.tracks,
            values: &self.values,
            domain: &self.domain,
            cells: self.cells.cells(),
            time: self.time,
        }
    }
}

impl Chart for Stacked {
    fn size(&self) -> Size {
        self.options.size
    }

    fn time(&self) -> TimeBase {
        self.time
    }

    fn extent(&self) -> Option<(i64, i64)> {
        self.options.time_range.or(self.table().extent())
    }

    fn title(&self) -> Option<&str> {
        self.options.title.as_deref()
    }

    fn caption(&self) -> Option<&str> {
        self.options.caption.as_deref()
    }

    fn names(&self) -> (Vec<String>, Vec<String>) {
        (lane::labels(&self.tracks), Vec::new())
    }

    fn lanes(&self) -> f64 {
        self.tracks.len() as f64
    }

    fn largest_number(&self) -> Option<u64> {
        let largest = self.table().largest(&self.options);
        self.options.has_tints().then_some(largest)
    }

    fn listing(&self) -> Result<Listing, FigureError> {
        let (table, options) = (self.table(), &self.options);
        check::check(&table)?;
        let used = used(&table);
        let largest = table.largest(options);
        let (paint, _) = Paint::new(table.values, table.domain, &used, &options.palette, largest)?;
        let labels = lane::labels(&self.tracks);
        let sheet = Sheet::new(&options.wording(), &Placement::default(), &labels, &[])?;
        let (_, chunk) = scale(&table, options, options.time_range, &sheet)?;
        let mut keys = keys::keys(&table, options, &paint, chunk, true);
        if options.interruptions == Interruptions::Tick && options.style != Style::Bars {
            keys.push(keys::interruption());
        }
        Ok(Listing {
            values: paint.entries(table.values, &used),
            keys,
        })
    }

    fn draw(&self, placement: &Placement) -> Result<Drawn, FigureError> {
        draw(&self.table(), &self.options, placement)
    }
}
