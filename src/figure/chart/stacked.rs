//! The chart of `plot-stacked`: one lane per track, a rectangle per value of each cell, coloured area is time.
//!
//! A pure function from columns to a scene. It draws what the table says and regroups nothing (style `bars` excepted, which
//! is about regrouping); what no longer fits a lane is an error, never an overdrawn neighbour.

use std::collections::BTreeSet;

use crate::figure::axis::{self, TimeAxis, TimeBase};
use crate::figure::chart::frame::Frame;
use crate::figure::chart::ink::{Ink, LEAST_OUTLINED, Paint, THIN, View};
use crate::figure::chart::{bars, check, interruption, keys, slashed, stack};
use crate::figure::error::{FigureError, Warning};
use crate::figure::lane::{self, Lanes, Track};
use crate::figure::layout::{Columns, Rows, Wanted};
use crate::figure::legend::Legend;
use crate::figure::palette::{self, Palette};
use crate::figure::scale::TimeScale;
use crate::figure::scene::{Group, Line, Mark, Rect, Scene};
use crate::figure::size::{Length, LengthUnit, Size};
use crate::figure::text;

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
    options.size.check()?;
    check::check(table)?;
    let (paint, mut warnings) = paint(table, options)?;
    let cells = &table.cells;
    let lane_labels = lane::labels(table.tracks);
    let columns = Columns::new(options.size, &lane_labels);
    let min_width = match options.min_width.px() {
        width if width.is_finite() && width > 0.0 => width,
        _ => 1.0,
    };
    let (scale, chunk) = scale(table, options, &columns, min_width)?;
    let has_axis = !cells.is_empty() || options.time_range.is_some();
    let axis = if has_axis {
        let page = (columns.edge, columns.page - columns.edge);
        axis::time_axis(&scale, table.time, &text::clean(&options.time_title), page)
    } else {
        TimeAxis {
            title: text::clean(&options.time_title),
            ticks: Vec::new(),
        }
    };

    // Under the axis where the lane names are short, under the whole page where that would waste it.
    let note_left = if columns.axis_left < columns.page * 0.15 {
        columns.axis_left
    } else {
        columns.edge
    };
    let note_width = columns.page - columns.edge - note_left;
    let title = text::clean(options.title.as_deref().unwrap_or_default());
    let caption = text::clean(options.caption.as_deref().unwrap_or_default());
    let values = keys::values(table, &paint);
    let arrange = |is_outlined: bool, has_ticks: bool| {
        let mut keys = keys::keys(table, options, &paint, chunk, is_outlined);
        if has_ticks {
            keys.push(keys::interruption());
        }
        let wanted = Wanted {
            title_lines: text::wrap(&title, text::TITLE_SIZE, columns.text_width(), 2).len(),
            legend_rows: Legend::fit(&values, &keys, note_width, usize::MAX).rows,
            caption_lines: text::wrap(&caption, text::SMALL_SIZE, note_width, 3).len(),
        };
        let rows = Rows::new(options.size, wanted);
        let legend = Legend::fit(&values, &keys, note_width, rows.legend_rows);
        let bottom = rows.plot_top + rows.plot_height;
        let lanes = Lanes::new(table.tracks.len(), bottom, rows.plot_height);
        (rows, legend, lanes)
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
    let (mut rows, mut legend, mut lanes) = arrange(true, asks_ticks);
    let is_outlined = lanes.height >= LEAST_OUTLINED || cells.is_empty();
    let first = view(lanes, is_outlined);
    let is_interrupted = asks_ticks && interruption::is_there(&first);
    let has_ticks = is_interrupted && interruption::fits(&lanes);
    if !is_outlined || has_ticks != asks_ticks {
        (rows, legend, lanes) = arrange(is_outlined, has_ticks);
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
    let frame = Frame {
        columns,
        rows: &rows,
        lanes,
        lane_labels: &lane_labels,
        axis: &axis,
        legend: &legend,
        note_left,
        note_width,
        title: &title,
        caption: &caption,
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
        size: options.size,
        title: if title.is_empty() {
            "states over time".to_owned()
        } else {
            title.clone()
        },
        description: format!(
            "{} lanes, {} rectangles; coloured area is time. {caption}",
            table.tracks.len(),
            drawn
        ),
        facts: facts(table, options, &scale, chunk, drawn),
        groups,
    };
    if values.len() > palette::DISTINCT {
        warnings.push(Warning::ManyValues {
            values: values.len(),
            distinct: palette::DISTINCT,
        });
    }
    if legend.values_left_out + legend.keys_left_out > 0 {
        warnings.push(Warning::LegendShortened {
            values: legend.values_left_out,
            keys: legend.keys_left_out,
        });
    }
    if !rows.left_out.is_empty() {
        warnings.push(Warning::PageTooSmall {
            left_out: rows.left_out.clone(),
        });
    }
    warnings.extend(scene.glyph_warning());
    Ok((scene, warnings))
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
        let notice = if view.cells.is_empty() {
            "no states"
        } else {
            "no states in this range"
        };
        return vec![Group {
            role: "notice",
            clip,
            marks: vec![frame.notice(notice)],
        }];
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

/// Colours and places of the values.
fn paint(table: &Table<'_>, options: &Options) -> Result<(Paint, Vec<Warning>), FigureError> {
    let mut names: Vec<String> = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for value in table.domain {
        if known.insert(value) {
            names.push(value.clone());
        }
    }
    let occurring: BTreeSet<&str> = table
        .cells
        .value
        .iter()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|&value| table.values[value as usize].as_str())
        .collect();
    names.extend(
        occurring
            .into_iter()
            .filter(|value| !known.contains(value))
            .map(str::to_owned),
    );
    let (colours, warnings) = palette::assign(&options.palette, &names)?;
    let mut order: Vec<(&str, usize)> = names
        .iter()
        .enumerate()
        .map(|(rank, name)| (name.as_str(), rank))
        .collect();
    order.sort_unstable();
    let rank = |value: &String| {
        let found = order.binary_search_by(|(name, _)| (*name).cmp(value.as_str()));
        found.map_or(names.len(), |index| order[index].1)
    };
    let ranks = table.values.iter().map(rank).collect();
    let largest = match options.opacity {
        Opacity::Number if options.style != Style::Bars => {
            table.cells.number.iter().copied().max().unwrap_or(1)
        }
        _ => 1,
    };
    let paint = Paint {
        colours: table.values.iter().map(|value| colours.of(value)).collect(),
        ranks,
        names,
        largest,
    };
    Ok((paint, warnings))
}

/// The time scale, and for style `bars` the width of its chunks in ticks.
fn scale(
    table: &Table<'_>,
    options: &Options,
    columns: &Columns,
    min_width: f64,
) -> Result<(TimeScale, i64), FigureError> {
    let cells = &table.cells;
    let (start, end) = match options.time_range {
        Some((start, end)) if end < start => {
            return Err(FigureError::BadTimeRange { start, end });
        }
        Some(range) => range,
        None => (
            cells.start.iter().copied().min().unwrap_or(0),
            cells.end.iter().copied().max().unwrap_or(0),
        ),
    };
    let scale = TimeScale::new(start, end, columns.axis_left, columns.axis_width);
    let chunk = bars::chunk_ticks(&scale, min_width);
    if options.style == Style::Bars && options.time_range.is_none() {
        let (start, end) = bars::whole_chunks(scale.start, scale.end, chunk);
        let wider = TimeScale::new(start, end, columns.axis_left, columns.axis_width);
        return Ok((wider, chunk));
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
