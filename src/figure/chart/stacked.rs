//! The chart of `plot-stacked`: one lane per track, a rectangle per value of each cell, coloured area is time.
//!
//! A pure function from columns to a scene. It draws what the table says and regroups nothing (style `bars` excepted, which
//! is about regrouping); what no longer fits a lane is an error, never an overdrawn neighbour.

mod owned;

use std::collections::BTreeSet;

use crate::figure::axis::TimeBase;
use crate::figure::chart::frame::Frame;
use crate::figure::chart::ink::{Ink, LEAST_OUTLINED, Paint, THIN, View};
use crate::figure::chart::placement::{Drawn, Listing, Placement};
use crate::figure::chart::sheet::{Sheet, Wording};
use crate::figure::chart::{bars, check, interruption, keys, slashed, stack};
use crate::figure::error::{FigureError, Warning};
use crate::figure::lane::{self, Lanes, Track};
use crate::figure::palette::Palette;
use crate::figure::scale::TimeScale;
use crate::figure::scene::{Group, Line, Mark, Rect, Scene};
use crate::figure::size::{Length, LengthUnit, Size};

pub use owned::{CellColumns, Stacked};

/// The cells, column by column; all columns have one length.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cells<'a> {
    /// Index of the track, which is the lane: 0 at the bottom.
    pub track: &'a [u32],
    /// First tick.
    pub start: &'a [i64],
    /// Tick after the last one.
    pub end: &'a [i64],
    /// Index of the value.
    pub value: &'a [u32],
    /// Lower edge in the stack, 0 to 1.
    pub low: &'a [f64],
    /// Upper edge in the stack, 0 to 1.
    pub high: &'a [f64],
    /// How many states it stands for.
    pub number: &'a [u64],
    /// Whether its subchunk is one state, this one.
    pub pure: &'a [bool],
    /// Number of the chunk in its track.
    pub chunk: &'a [i64],
    /// Number of the subchunk in its chunk.
    pub subchunk: &'a [i64],
}

impl Cells<'_> {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.track.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.track.is_empty()
    }
}

/// What is plotted.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    /// The lanes from the bottom up; [`lane::natural_order`] gives the order.
    pub tracks: &'a [Track],
    /// Names of the values.
    pub values: &'a [String],
    /// Values in the order of the profile, most time first: it fixes colours and legend. A value that is missing here is
    /// taken to follow, by its bytes.
    pub domain: &'a [String],
    /// The cells.
    pub cells: Cells<'a>,
    /// What a tick is.
    pub time: TimeBase,
}

/// Whether the number of states shows as lightness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Opacity {
    /// The more states, the paler.
    #[default]
    Number,
    /// Full colours.
    Off,
}

/// Whether interruptions that are too narrow to be seen are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Interruptions {
    /// By a tick above the lane.
    #[default]
    Tick,
    /// Not at all.
    Off,
}

/// How an aggregated cell is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Style {
    /// Values on top of each other.
    #[default]
    Stack,
    /// Values side by side under a slash (Paje).
    Slashed,
    /// Bars in fixed chunks of time (Jumpshot); without opacity and interruptions.
    Bars,
}

/// How it is plotted.
#[derive(Clone, Debug)]
pub struct Options {
    /// Size of the page.
    pub size: Size,
    /// First and last tick of the time axis; where none is given, those of the table.
    pub time_range: Option<(i64, i64)>,
    /// Colours.
    pub palette: Palette,
    /// Whether the number of states shows.
    pub opacity: Opacity,
    /// Whether interruptions show.
    pub interruptions: Interruptions,
    /// How an aggregated cell is drawn.
    pub style: Style,
    /// Style `bars`: least width of a chunk, and of a state that is drawn by itself.
    pub min_width: Length,
    /// Title above the plot.
    pub title: Option<String>,
    /// Caption below the figure, such as the threshold of the aggregation.
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
            palette: Palette::Default,
            opacity: Opacity::default(),
            interruptions: Interruptions::default(),
            style: Style::default(),
            min_width: Length::new(4.0, LengthUnit::Px),
            title: None,
            caption: None,
            time_title: "time".to_owned(),
            facts: Vec::new(),
        }
    }
}

/// Makes the figure.
pub fn stacked(table: &Table<'_>, options: &Options) -> Result<(Scene, Vec<Warning>), FigureError> {
    let drawn = draw(table, options, &Placement::default())?;
    Ok((drawn.scene, drawn.warnings))
}

/// Draws the chart where it is told.
fn draw(table: &Table<'_>, options: &Options, placement: &Placement) -> Result<Drawn, FigureError> {
    let lane_labels = lane::labels(table.tracks);
    let sheet = Sheet::new(&options.wording(), placement, &lane_labels, &[])?;
    let columns = sheet.columns;
    check::check(table)?;
    let used = used(table);
    let largest = placement.largest_number.filter(|_| options.has_tints());
    let largest = largest.unwrap_or(table.largest(options));
    let (paint, mut warnings) =
        Paint::new(table.values, table.domain, &used, &options.palette, largest)?;
    let cells = &table.cells;
    let min_width = options.min_width_px();
    let time_range = placement.time_range.or(options.time_range);
    let (scale, chunk) = scale(table, options, time_range, &sheet)?;
    let axis = sheet.axis(
        &scale,
        table.time,
        !cells.is_empty() || time_range.is_some(),
    );
    let values = paint.entries(table.values, &used);
    let arrange = |is_outlined: bool, has_ticks: bool| {
        let mut keys = keys::keys(table, options, &paint, chunk, is_outlined);
        if has_ticks {
            keys.push(keys::interruption());
        }
        let listing = Listing {
            values: values.clone(),
            keys,
        };
        let (rows, legend) = sheet.arrange(&listing, 0);
        let bottom = rows.plot_top + rows.plot_height;
        let lanes = Lanes::new(table.tracks.len(), bottom, rows.plot_height);
        (rows, legend, lanes, listing)
    };
    let view = |lanes: Lanes, is_outlined: bool| View {
        cells,
        scale,
        lanes,
        plot: Rect::new(
            columns.axis_left,
            lanes.bottom - lanes.pitch * table.tracks.len().max(1) as f64,
            columns.axis_width,
            lanes.pitch * table.tracks.len().max(1) as f64,
        ),
        paint: &paint,
        is_outlined,
    };
    // Outlines and ticks of interruptions need room in and between the lanes, that hangs on the legend, and that on whether
    // it has to explain them. They are drawn if there is room with the explanation in place.
    let asks_ticks = options.interruptions == Interruptions::Tick && options.style != Style::Bars;
    let (mut rows, mut legend, mut lanes, mut listing) = arrange(true, asks_ticks);
    let is_outlined = lanes.height >= LEAST_OUTLINED || cells.is_empty();
    let first = view(lanes, is_outlined);
    let is_interrupted = asks_ticks && interruption::is_there(&first);
    let has_ticks = is_interrupted && interruption::fits(&lanes);
    if !is_outlined || has_ticks != asks_ticks {
        (rows, legend, lanes, listing) = arrange(is_outlined, has_ticks);
    }
    if !is_outlined && cells.pure.contains(&true) {
        rows.left_out.push("the outlines of single states");
    }
    if is_interrupted && !has_ticks {
        rows.left_out.push("the ticks of interruptions");
    }
    let view = view(lanes, is_outlined);
    let interruptions = if has_ticks {
        interruption::ticks(&view)
    } else {
        Vec::new()
    };
    let names = lane::place_labels(&lane_labels, &lanes, columns.label_room, rows.page);
    let frame = Frame {
        sheet: &sheet,
        rows: &rows,
        axis: &axis,
        legend: &legend,
        names: &names,
        separators: &lanes.separators(lane_labels.len()),
        groups: &[],
        boundaries: &[],
        band: None,
    };
    let ink = match options.style {
        Style::Stack => stack::draw(&view),
        Style::Slashed => slashed::draw(&view),
        Style::Bars => bars::draw(&view, chunk, min_width),
    };
    let drawn = ink.count();
    let mut groups = vec![frame.behind()];
    groups.extend(mark_groups(&view, &frame, ink, interruptions));
    groups.extend(frame.around());
    let scene = Scene {
        size: sheet.size,
        title: sheet.title_or("states over time"),
        description: format!(
            "{} lanes, {} rectangles; coloured area is time. {}",
            table.tracks.len(),
            drawn,
            sheet.caption
        ),
        facts: facts(table, options, &scale, chunk, drawn),
        groups,
    };
    warnings.extend(sheet.warnings(&scene, &listing, &legend, &rows));
    Ok(Drawn {
        scene,
        listing,
        warnings,
    })
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

    /// Whether the number of states shows.
    fn has_tints(&self) -> bool {
        self.opacity == Opacity::Number && self.style != Style::Bars
    }

    /// Style `bars`: least width of a chunk in pixels.
    fn min_width_px(&self) -> f64 {
        match self.min_width.px() {
            width if width.is_finite() && width > 0.0 => width,
            _ => 1.0,
        }
    }
}

impl Table<'_> {
    /// The largest number of states of a cell; 1 where it is not shown.
    fn largest(&self, options: &Options) -> u64 {
        let numbers = self.cells.number.iter().copied();
        let largest = numbers.max().filter(|_| options.has_tints());
        largest.unwrap_or(1)
    }

    /// First start and last end.
    fn extent(&self) -> Option<(i64, i64)> {
        let start = self.cells.start.iter().copied().min();
        start.zip(self.cells.end.iter().copied().max())
    }
}

/// Indices of the values that occur.
fn used(table: &Table<'_>) -> BTreeSet<u32> {
    table.cells.value.iter().copied().collect()
}

/// The marks in their clip, or a word where there are none.
fn mark_groups(
    view: &View<'_>,
    frame: &Frame<'_>,
    ink: Ink,
    interruptions: Vec<Line>,
) -> Vec<Group> {
    let clip = Some(view.plot);
    if ink.count() == 0 {
        return vec![frame.notice(view.cells.is_empty(), view.plot)];
    }
    let mut groups = vec![Group {
        role: "marks",
        clip,
        marks: ink.marks(&view.paint.names),
    }];
    if !interruptions.is_empty() {
        groups.push(Group {
            role: "interruptions",
            clip,
            marks: vec![Mark::Lines {
                stroke: THIN,
                lines: interruptions,
            }],
        });
    }
    groups
}

/// The time scale, and for style `bars` the width of its chunks in ticks.
fn scale(
    table: &Table<'_>,
    options: &Options,
    time_range: Option<(i64, i64)>,
    sheet: &Sheet,
) -> Result<(TimeScale, i64), FigureError> {
    let scale = sheet.scale(time_range, table.extent())?;
    let chunk = bars::chunk_ticks(&scale, options.min_width_px());
    if options.style == Style::Bars && time_range.is_none() {
        let whole = bars::whole_chunks(scale.start, scale.end, chunk);
        return Ok((sheet.scale(Some(whole), None)?, chunk));
    }
    Ok((scale, chunk))
}

fn facts(
    table: &Table<'_>,
    options: &Options,
    scale: &TimeScale,
    chunk: i64,
    drawn: usize,
) -> Vec<(String, String)> {
    let mut facts = options.facts.clone();
    let mut add = |name: &str, value: String| facts.push((name.to_owned(), value));
    add("cells", table.cells.len().to_string());
    add("rectangles", drawn.to_string());
    add(
        "time axis in ticks",
        format!("{}..{}", scale.start, scale.end),
    );
    add("time axis in px", scale.width.to_string());
    if options.style == Style::Bars {
        add("chunk in ticks", chunk.to_string());
    }
    facts
}
