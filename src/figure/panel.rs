//! Panels: several charts on one page, below or beside each other, with what they share said once.

use std::collections::BTreeMap;

use crate::figure::chart::frame::{block, group};
use crate::figure::chart::placement::{Chart, Drawn, Listing, Placement};
use crate::figure::chart::sheet::legend_warnings;
use crate::figure::error::{FigureError, Warning};
use crate::figure::layout::{
    AXIS_TITLE_ROW, CAPTION_LINE, Columns, EDGE, GAP, TICK_ROW, TITLE_LINE,
};
use crate::figure::legend::{Entry, Legend, ROW, Sample};
use crate::figure::scene::{Group, Mark, Scene};
use crate::figure::size::{Length, LengthUnit, Size};
use crate::figure::text::{self, SMALL_SIZE, TITLE_SIZE};

/// How the charts stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Layout {
    /// Below each other.
    #[default]
    Column,
    /// Beside each other.
    Row,
}

/// What the charts have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Share {
    /// One range of time: in a column also one time axis, below the last chart. One legend, one scale of tints.
    #[default]
    Time,
    /// A tick is equally wide in all, each chart begins at its own start: for runs of different lengths. One legend, one scale
    /// of tints.
    Scale,
    /// Nothing: each chart is complete by itself.
    None,
}

/// How a column divides its height.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Heights {
    /// Lanes are equally high; a chart of few lanes keeps a quarter of an equal share.
    #[default]
    Lanes,
    /// As the heights that the charts have on pages of their own.
    Own,
    /// By these weights of the plots, one for each chart.
    Given(Vec<f64>),
}

/// How a panel is made.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Size of the page; where none is given, as wide as the widest chart and as high as all together, or the other way
    /// round for a row.
    pub size: Option<Size>,
    /// How the charts stand.
    pub layout: Layout,
    /// What they have in common.
    pub share: Share,
    /// How a column divides its height.
    pub heights: Heights,
    /// Title above all; each chart keeps its own besides.
    pub title: Option<String>,
    /// What travels in the metadata; the facts of the charts are put behind it.
    pub facts: Vec<(String, String)>,
}

/// Least part of the page that the plots of a column have together before titles and captions give way.
const LEAST_PLOTS: f64 = 0.4;

/// Largest part of the page that the common legend has.
const MOST_LEGEND: f64 = 0.3;

/// Makes the figure.
///
/// Errors: no charts, weights that are not one positive number for each chart, charts that cannot share their time, and what
/// the charts themselves refuse.
pub fn panel(
    charts: &[&dyn Chart],
    options: &Options,
) -> Result<(Scene, Vec<Warning>), FigureError> {
    check(charts, options)?;
    let size = options.size.unwrap_or_else(|| own_size(charts, options));
    size.check()?;
    let listings: Result<Vec<Listing>, FigureError> =
        charts.iter().map(|chart| chart.listing()).collect();
    let listings = listings?;
    let page = Page::new(charts, options, size, &listings);

    let mut drawn: Vec<Drawn> = Vec::with_capacity(charts.len());
    for (chart, part) in charts.iter().zip(&page.parts) {
        drawn.push(chart.draw(&part.placement)?);
    }
    let mut warnings: Vec<Warning> = Vec::new();
    let mut warn = |warning: Warning| {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    };
    let mut groups = vec![group("title", page.title_marks())];
    if options.share != Share::None {
        let (listing, differing) = merge(drawn.iter().map(|drawn| &drawn.listing));
        let legend = page.legend(&listing, page.legend_rows);
        differing
            .into_iter()
            .map(|value| Warning::ColoursDiffer { value })
            .chain(legend_warnings(&listing, &legend))
            .for_each(&mut warn);
        let marks = legend.marks(page.legend_left, page.legend_top);
        groups.push(group("legend", marks));
    }
    let mut facts = options.facts.clone();
    let mut descriptions = Vec::new();
    for (index, (drawn, part)) in drawn.into_iter().zip(&page.parts).enumerate() {
        let shift = |group: Group| group.shifted(part.at);
        groups.extend(drawn.scene.groups.into_iter().map(shift));
        let number = index + 1;
        facts.extend(
            drawn
                .scene
                .facts
                .into_iter()
                .map(|(name, value)| (format!("chart {number}: {name}"), value)),
        );
        descriptions.push(format!(
            "{}: {}",
            drawn.scene.title, drawn.scene.description
        ));
        drawn.warnings.into_iter().for_each(&mut warn);
    }
    let scene = Scene {
        size,
        title: if page.title.is_empty() {
            "panel of charts over time".to_owned()
        } else {
            page.title.clone()
        },
        description: descriptions.join(" "),
        facts,
        groups,
    };
    Ok((scene, warnings))
}

fn check(charts: &[&dyn Chart], options: &Options) -> Result<(), FigureError> {
    let bad = |problem| Err(FigureError::BadPanel { problem });
    let Some((first, others)) = charts.split_first() else {
        return bad("it has no charts");
    };
    if let Heights::Given(weights) = &options.heights {
        if weights.len() != charts.len() {
            return bad("there is not one weight for each chart");
        }
        if !weights
            .iter()
            .all(|weight| weight.is_finite() && *weight > 0.0)
        {
            return bad("a weight is not above 0");
        }
    }
    if options.share == Share::None {
        return Ok(());
    }
    for (index, other) in others.iter().enumerate() {
        let problem = if other.time() != first.time() {
            "their times have different units or ticks"
        } else if other.lens() != first.lens() {
            "they magnify different parts of the time axis"
        } else {
            continue;
        };
        let chart = index + 2;
        return Err(FigureError::NoCommonTime { chart, problem });
    }
    Ok(())
}

/// The size of a panel that gives each chart about its own, in the units of the first chart.
pub fn own_size(charts: &[&dyn Chart], options: &Options) -> Size {
    let sides = |side: fn(Size) -> f64| charts.iter().map(move |chart| side(chart.size()));
    let sum = |side| sides(side).sum::<f64>();
    let most = |side| sides(side).fold(0.0, f64::max);
    let (width, height) = match options.layout {
        Layout::Column => (most(Size::width_px), sum(Size::height_px)),
        Layout::Row => (sum(Size::width_px), most(Size::height_px)),
    };
    let units = charts.first().map_or(Size::DEFAULT, |chart| chart.size());
    let length = |px: f64, unit: LengthUnit| Length::new(px / unit.px(), unit);
    Size {
        width: length(width, units.width.unit),
        height: length(height, units.height.unit),
    }
}

/// The time ranges of the charts: one for all, or equally long ones.
fn ranges(charts: &[&dyn Chart], share: Share) -> Vec<Option<(i64, i64)>> {
    let own: Vec<Option<(i64, i64)>> = charts.iter().map(|chart| chart.extent()).collect();
    let shown = || own.iter().flatten();
    match share {
        Share::None => vec![None; charts.len()],
        Share::Time => {
            let start = shown().map(|(start, _)| *start).min();
            let end = shown().map(|(_, end)| *end).max();
            vec![start.zip(end); charts.len()]
        }
        Share::Scale => {
            let length = |&(start, end): &(i64, i64)| i128::from(end) - i128::from(start);
            let longest = shown().map(length).max().unwrap_or(0);
            let longest = i64::try_from(longest).unwrap_or(i64::MAX);
            let range = |(start, _): (i64, i64)| (start, start.saturating_add(longest));
            own.into_iter().map(|own| own.map(range)).collect()
        }
    }
}

/// One legend of several, by place in the domain, and the values that have several colours.
fn merge<'a>(listings: impl Iterator<Item = &'a Listing>) -> (Listing, Vec<String>) {
    let mut merged = Listing::default();
    for listing in listings {
        for value in &listing.values {
            if !merged.values.iter().any(|(_, entry)| *entry == value.1) {
                merged.values.push(value.clone());
            }
        }
        for (index, key) in listing.keys.iter().enumerate() {
            if merged.keys.contains(key) {
                continue;
            }
            // Before the next one that is there already: the order is that of the charts where it can be.
            let later = listing.keys.iter().skip(index + 1);
            let mut places = later.filter_map(|key| merged.keys.iter().position(|k| k == key));
            let place = places.next().unwrap_or(merged.keys.len());
            merged.keys.insert(place, key.clone());
        }
    }
    let is_arrow = |key: &Entry| matches!(key.sample, Some(Sample::Arrow(_)));
    merged.keys.sort_by_key(is_arrow);
    merged.values.sort_by_key(|(rank, _)| *rank);
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, entry) in &merged.values {
        *times.entry(&entry.text).or_insert(0) += 1;
    }
    let differing = times.into_iter().filter(|(_, times)| *times > 1);
    let differing = differing.map(|(value, _)| value.to_owned()).collect();
    (merged, differing)
}

/// Where a chart stands.
struct Part {
    placement: Placement,
    /// Its upper left corner, in pixels.
    at: (f64, f64),
}

/// The page of a panel.
struct Page {
    title: String,
    title_lines: usize,
    edge: f64,
    width: f64,
    legend_left: f64,
    legend_top: f64,
    legend_rows: usize,
    parts: Vec<Part>,
}

impl Page {
    fn new(charts: &[&dyn Chart], options: &Options, size: Size, listings: &[Listing]) -> Page {
        let (width, height) = (size.width_px(), size.height_px());
        let edge = EDGE.min(width.min(height) * 0.02);
        let is_shared = options.share != Share::None;
        let is_column = options.layout == Layout::Column;
        let count = charts.len() as f64;
        let part_width = if is_column { width } else { width / count };
        let columns = columns(charts, Size::px(part_width, height));
        let title = text::clean(options.title.as_deref().unwrap_or_default());
        let title_lines = text::wrap(&title, TITLE_SIZE, width - 2.0 * edge, 2).len();
        let mut page = Page {
            title,
            title_lines: title_lines.min((height * 0.2 / TITLE_LINE) as usize),
            edge,
            width,
            legend_left: if is_column { columns.note_left() } else { edge },
            legend_top: 0.0,
            legend_rows: 0,
            parts: Vec::new(),
        };
        if is_shared {
            let rows = page.legend(&merge(listings.iter()).0, usize::MAX).rows;
            page.legend_rows = rows.min((height * MOST_LEGEND / ROW) as usize);
        }
        let legend = match page.legend_rows {
            0 => 0.0,
            rows => rows as f64 * ROW + GAP,
        };
        page.legend_top = height - edge - legend + GAP;
        let head = match page.title_lines {
            0 => 0.0,
            lines => edge + lines as f64 * TITLE_LINE,
        };
        let room = height - head - legend;
        let ranges = ranges(charts, options.share);
        let largest = charts.iter().filter_map(|chart| chart.largest_number());
        let largest = largest.max().filter(|_| is_shared);
        let last = charts.len() - 1;
        let placement = |index: usize, part: Size, reserved: (usize, usize)| Placement {
            size: Some(part),
            columns: is_shared.then_some(columns),
            time_range: ranges.get(index).copied().flatten(),
            largest_number: largest,
            is_axis_elsewhere: is_column && options.share == Share::Time && index != last,
            is_legend_elsewhere: is_shared,
            title_lines: reserved.0,
            caption_lines: reserved.1,
        };
        if is_column {
            let notes = charts.iter().map(|chart| lines(*chart, width));
            let mut fixed = Vec::with_capacity(charts.len());
            for (index, ((titles, captions), listing)) in notes.zip(listings).enumerate() {
                let has_axis = options.share != Share::Time || index == last;
                let legend = if is_shared {
                    0
                } else {
                    page.legend(listing, usize::MAX).rows
                };
                fixed.push(overhead(titles, captions, legend, has_axis));
            }
            let heights = heights(charts, &options.heights, &fixed, room);
            let mut top = head;
            for (index, height) in heights.into_iter().enumerate() {
                page.parts.push(Part {
                    placement: placement(index, Size::px(width, height), (0, 0)),
                    at: (0.0, top),
                });
                top += height;
            }
        } else {
            // Plots beside each other begin and end at the same heights.
            let notes = charts.iter().map(|chart| lines(*chart, part_width));
            let reserved = notes.fold((0, 0), |most, lines| {
                (most.0.max(lines.0), most.1.max(lines.1))
            });
            for index in 0..charts.len() {
                let part = Size::px(part_width, room.max(1.0));
                page.parts.push(Part {
                    placement: placement(index, part, reserved),
                    at: (index as f64 * part_width, head),
                });
            }
        }
        page
    }

    /// The common legend in at most so many rows.
    fn legend(&self, listing: &Listing, rows: usize) -> Legend {
        let values: Vec<Entry> = listing.values.iter().map(|(_, e)| e.clone()).collect();
        let width = self.width - self.edge - self.legend_left;
        Legend::fit(&values, &listing.keys, width, rows)
    }

    fn title_marks(&self) -> Vec<Mark> {
        let room = self.width - 2.0 * self.edge;
        let lines = text::wrap(&self.title, TITLE_SIZE, room, self.title_lines);
        let first = self.edge + TITLE_SIZE * 0.95;
        block(&lines, (self.edge, first), TITLE_SIZE, TITLE_LINE)
    }
}

/// Columns that hold the names of all charts.
fn columns(charts: &[&dyn Chart], size: Size) -> Columns {
    let (mut lanes, mut groups) = (Vec::new(), Vec::new());
    for chart in charts {
        let (more_lanes, more_groups) = chart.names();
        lanes.extend(more_lanes);
        groups.extend(more_groups);
    }
    Columns::grouped(size, &lanes, &groups)
}

/// Lines of title and caption of a chart that is so wide.
fn lines(chart: &dyn Chart, width: f64) -> (usize, usize) {
    let room = width - 2.0 * EDGE;
    let count = |text: Option<&str>, size: f64, most: usize| {
        text::wrap(&text::clean(text.unwrap_or_default()), size, room, most).len()
    };
    (
        count(chart.title(), TITLE_SIZE, 2),
        count(chart.caption(), SMALL_SIZE, 3),
    )
}

/// Height of what stands around the plot of a chart, in pixels.
fn overhead(titles: usize, captions: usize, legend: usize, has_axis: bool) -> f64 {
    let part = |count: usize, line: f64, gap: f64| match count {
        0 => 0.0,
        _ => count as f64 * line + gap,
    };
    part(titles, TITLE_LINE, 0.0)
        + part(captions, CAPTION_LINE, GAP)
        + part(legend, ROW, GAP)
        + if has_axis {
            TICK_ROW + AXIS_TITLE_ROW
        } else {
            0.0
        }
        + 2.0 * EDGE
}

/// Heights of the parts of a column, in pixels.
fn heights(charts: &[&dyn Chart], heights: &Heights, fixed: &[f64], room: f64) -> Vec<f64> {
    let weights: Vec<f64> = match heights {
        Heights::Given(weights) => weights.clone(),
        Heights::Own => charts.iter().map(|c| c.size().height_px()).collect(),
        Heights::Lanes => {
            let lanes: Vec<f64> = charts.iter().map(|chart| chart.lanes().max(1.0)).collect();
            let least = 0.25 * lanes.iter().sum::<f64>() / lanes.len().max(1) as f64;
            lanes.into_iter().map(|lanes| lanes.max(least)).collect()
        }
    };
    let total: f64 = weights.iter().sum();
    let plots = room - fixed.iter().sum::<f64>();
    let parts = weights.iter().zip(fixed);
    // `Own` are the heights of whole charts; and on a small page the charts decide what gives way.
    let is_whole = *heights == Heights::Own || plots < LEAST_PLOTS * room;
    let height = |(weight, fixed): (&f64, &f64)| {
        let height = if is_whole {
            room * weight / total
        } else {
            fixed + plots * weight / total
        };
        height.max(1.0)
    };
    parts.map(height).collect()
}

#[cfg(test)]
mod tests;
