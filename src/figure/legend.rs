//! The legend: what colours, outlines and tints mean. It wraps, and never leaves the room it is given.
//!
//! Two parts: the values, then the keys (how to read the marks). Where the room ends, values give way before keys do, and
//! "… N more" says so.

use crate::figure::palette::Colour;
use crate::figure::scene::{Anchor, Arrow, Line, Mark, Rect, Stroke, Text};
use crate::figure::text::{self, LABEL_SIZE};

/// Height of a line of the legend, in pixels.
pub const ROW: f64 = 13.0;
/// Side of a swatch, in pixels.
const SWATCH: f64 = 8.5;
/// Between a swatch and its text, in pixels.
const NEAR: f64 = 3.5;
/// Between two entries, in pixels.
const FAR: f64 = 11.0;
/// Colour of the text.
pub const INK: Colour = Colour::grey(0x1A);

/// A sample of what an entry explains.
#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    /// One colour.
    Plain(Colour),
    /// A filled square with an outline.
    Outlined(Colour, Stroke),
    /// Bands on top of each other, the first at the bottom.
    Stacked(Vec<Colour>),
    /// Bands side by side under a slash.
    Slashed(Vec<Colour>, Stroke),
    /// Squares side by side, from the least to the largest number.
    Ramp(Vec<Colour>),
    /// A short upright line.
    Tick(Stroke),
    /// An arrow that points right.
    Arrow(Stroke),
}

impl Sample {
    fn width(&self) -> f64 {
        match self {
            Sample::Ramp(colours) => colours.len() as f64 * SWATCH,
            Sample::Stacked(_) | Sample::Slashed(..) => 1.3 * SWATCH,
            Sample::Tick(_) => 0.5 * SWATCH,
            Sample::Arrow(_) => 1.6 * SWATCH,
            _ => SWATCH,
        }
    }

    fn draw(&self, marks: &mut Vec<Mark>, x: f64, y: f64) {
        let whole = Rect::new(x, y, self.width(), SWATCH);
        let mut fill = |colour: &Colour, rect: Rect| {
            marks.push(Mark::Rects {
                label: String::new(),
                fill: *colour,
                rects: vec![rect],
            });
        };
        match self {
            Sample::Plain(colour) => fill(colour, whole),
            Sample::Outlined(colour, stroke) => {
                fill(colour, whole);
                marks.push(Mark::Outlines {
                    stroke: *stroke,
                    rects: vec![whole.inset(stroke.width / 2.0)],
                });
            }
            Sample::Stacked(colours) => {
                let height = whole.height / colours.len().max(1) as f64;
                for (index, colour) in colours.iter().rev().enumerate() {
                    let top = whole.y + index as f64 * height;
                    fill(colour, Rect::new(x, top, whole.width, height));
                }
            }
            Sample::Ramp(colours) => bands(colours, whole, &mut fill),
            Sample::Slashed(colours, stroke) => {
                bands(colours, whole, &mut fill);
                marks.push(Mark::Lines {
                    stroke: *stroke,
                    lines: vec![Line {
                        from: (whole.x, whole.bottom()),
                        to: (whole.right(), whole.y),
                    }],
                });
            }
            Sample::Tick(stroke) => {
                let middle = x + whole.width / 2.0;
                marks.push(Mark::Lines {
                    stroke: *stroke,
                    lines: vec![Line {
                        from: (middle, y + 1.5),
                        to: (middle, y + SWATCH - 1.5),
                    }],
                });
            }
            Sample::Arrow(stroke) => {
                let middle = y + SWATCH / 2.0;
                let arrow = Arrow::new((whole.x, middle), (whole.right(), middle));
                marks.push(Mark::Lines {
                    stroke: *stroke,
                    lines: vec![arrow.shaft],
                });
                marks.push(Mark::Triangles {
                    fill: stroke.colour,
                    triangles: vec![arrow.head],
                });
            }
        }
    }
}

fn bands(colours: &[Colour], whole: Rect, fill: &mut impl FnMut(&Colour, Rect)) {
    let width = whole.width / colours.len().max(1) as f64;
    for (index, colour) in colours.iter().enumerate() {
        let left = whole.x + index as f64 * width;
        fill(colour, Rect::new(left, whole.y, width, whole.height));
    }
}

/// An entry of the legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Text before the sample; empty for most.
    pub before: String,
    /// The sample.
    pub sample: Option<Sample>,
    /// Text behind the sample.
    pub text: String,
}

impl Entry {
    /// A sample with its text behind it.
    pub fn new(sample: Sample, text: &str) -> Entry {
        Entry {
            before: String::new(),
            sample: Some(sample),
            text: text::clean(text),
        }
    }

    fn width(&self) -> f64 {
        let before = match self.before.is_empty() {
            true => 0.0,
            false => text::width(&self.before, LABEL_SIZE) + NEAR,
        };
        let sample = self.sample.as_ref().map_or(0.0, |s| s.width() + NEAR);
        before + sample + text::width(&self.text, LABEL_SIZE)
    }

    /// The same entry, at most `room` pixels wide.
    fn shortened(&self, room: f64) -> Entry {
        let fixed = self.width() - text::width(&self.text, LABEL_SIZE);
        Entry {
            text: text::shorten(&self.text, LABEL_SIZE, room - fixed),
            ..self.clone()
        }
    }
}

/// An entry with its place.
#[derive(Clone, Debug, PartialEq)]
struct Placed {
    row: usize,
    x: f64,
    entry: Entry,
}

/// A legend that fits a width and a number of rows.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Legend {
    /// Rows used.
    pub rows: usize,
    /// Values that are not listed.
    pub values_left_out: usize,
    /// Keys that are not there.
    pub keys_left_out: usize,
    placed: Vec<Placed>,
}

impl Legend {
    /// Fits entries into `width` pixels and at most `max_rows` rows.
    pub fn fit(values: &[Entry], keys: &[Entry], width: f64, max_rows: usize) -> Legend {
        // Names much longer than the rest would cost a row each.
        let room = (width * 0.3).max(width.min(130.0));
        let listed = values.len();
        let mut values: Vec<Entry> = values.iter().map(|entry| entry.shortened(room)).collect();
        values.retain(|entry| entry.width() <= width);
        let too_narrow = listed - values.len();
        let (keys, too_wide): (Vec<Entry>, Vec<Entry>) = keys
            .iter()
            .cloned()
            .partition(|entry| entry.width() <= width);
        let mut legend = Legend {
            values_left_out: listed,
            keys_left_out: keys.len() + too_wide.len(),
            ..Legend::default()
        };
        if max_rows == 0 || width < SWATCH {
            return legend;
        }
        let key_rows = flow(&keys, width);
        let rows = |placed: &[Placed]| placed.last().map_or(0, |last| last.row + 1);
        let together: Vec<Entry> = values.iter().chain(&keys).cloned().collect();
        let one_row = flow(&together, width - FAR);
        if rows(&one_row) == 1 {
            // Twice the gap between the two parts.
            legend.placed = one_row;
            for placed in legend.placed.iter_mut().skip(values.len()) {
                placed.x += if values.is_empty() { 0.0 } else { FAR };
            }
            legend.rows = 1;
            legend.values_left_out = too_narrow;
            legend.keys_left_out = too_wide.len();
            return legend;
        }
        let value_rows = if values.is_empty() {
            0
        } else {
            max_rows.saturating_sub(rows(&key_rows)).max(1)
        };
        let (placed, left_out) = list(&values, width, value_rows);
        legend.rows = rows(&placed);
        legend.placed = placed;
        legend.values_left_out = left_out + too_narrow;
        let free = max_rows - legend.rows;
        let first = legend.rows;
        for mut placed in key_rows {
            if placed.row < free {
                placed.row += first;
                legend.rows = placed.row + 1;
                legend.keys_left_out -= 1;
                legend.placed.push(placed);
            }
        }
        legend
    }

    /// Height in pixels.
    pub fn height(&self) -> f64 {
        self.rows as f64 * ROW
    }

    /// Marks of the legend, its upper left corner at `x`, `y`.
    pub fn marks(&self, x: f64, y: f64) -> Vec<Mark> {
        let mut marks = Vec::new();
        for placed in &self.placed {
            let top = y + placed.row as f64 * ROW;
            let base = top + ROW / 2.0 + 0.36 * LABEL_SIZE;
            let mut pen = x + placed.x;
            let write = |marks: &mut Vec<Mark>, x: f64, content: &str| {
                if !content.is_empty() {
                    marks.push(Mark::Text(Text {
                        x,
                        y: base,
                        anchor: Anchor::Start,
                        size: LABEL_SIZE,
                        colour: INK,
                        content: content.to_owned(),
                    }));
                }
            };
            let entry = &placed.entry;
            if !entry.before.is_empty() {
                write(&mut marks, pen, &entry.before);
                pen += text::width(&entry.before, LABEL_SIZE) + NEAR;
            }
            if let Some(sample) = &entry.sample {
                sample.draw(&mut marks, pen, top + (ROW - SWATCH) / 2.0);
                pen += sample.width() + NEAR;
            }
            write(&mut marks, pen, &entry.text);
        }
        marks
    }
}

/// Entries one after the other, as in a text.
fn flow(entries: &[Entry], width: f64) -> Vec<Placed> {
    let mut out: Vec<Placed> = Vec::with_capacity(entries.len());
    let (mut row, mut pen) = (0, 0.0);
    for entry in entries {
        let wide = entry.width();
        if pen > 0.0 && pen + wide > width {
            row += 1;
            pen = 0.0;
        }
        out.push(Placed {
            row,
            x: pen,
            entry: entry.clone(),
        });
        pen += wide + FAR;
    }
    out
}

/// Entries in columns where that costs no row more than a flow: a grid is easier to search.
fn arranged(entries: &[Entry], width: f64) -> Vec<Placed> {
    let flowing = flow(entries, width);
    let widest = entries.iter().map(Entry::width).fold(0.0, f64::max);
    let columns = ((width + FAR) / (widest + FAR)).floor().max(1.0) as usize;
    let rows = entries.len().div_ceil(columns);
    if flowing
        .last()
        .is_none_or(|last| last.row == 0 || rows > last.row + 1)
    {
        return flowing;
    }
    // No more columns than the rows need.
    let columns = entries.len().div_ceil(rows);
    let grid = entries.iter().enumerate().map(|(index, entry)| Placed {
        row: index / columns,
        x: (index % columns) as f64 * (widest + FAR),
        entry: entry.clone(),
    });
    grid.collect()
}

/// As many entries as `rows` rows hold, and how many are left out; where some are, the last entry says how many.
fn list(entries: &[Entry], width: f64, rows: usize) -> (Vec<Placed>, usize) {
    let fits = |placed: &[Placed]| placed.last().is_none_or(|last| last.row < rows);
    let whole = arranged(entries, width);
    if fits(&whole) {
        return (whole, 0);
    }
    // The more entries, the more rows: the largest number that fits is found by halving.
    let with_rest = |count: usize| {
        let mut some = entries[..count].to_vec();
        some.push(Entry {
            before: String::new(),
            sample: None,
            text: format!("… {} more", entries.len() - count),
        });
        flow(&some, width)
    };
    let (mut low, mut high) = (0, entries.len());
    while low + 1 < high {
        let middle = low.midpoint(high);
        if fits(&with_rest(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    let placed = with_rest(low);
    let inside = placed
        .iter()
        .all(|one| one.x + one.entry.width() <= width + 1e-9);
    if rows > 0 && inside && fits(&placed) {
        (placed, entries.len() - low)
    } else {
        (Vec::new(), entries.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(count: usize, name: &str) -> Vec<Entry> {
        (0..count)
            .map(|index| Entry::new(Sample::Plain(Colour::grey(9)), &format!("{name}{index}")))
            .collect()
    }

    #[test]
    fn it_never_leaves_its_room() {
        for count in [0, 1, 3, 8, 30, 300] {
            for name in [
                "a",
                "dpotrf",
                "a_kernel_with_a_name_that_is_much_too_long_for_a_legend_",
            ] {
                for width in [0.5, 10.0, 60.0, 140.0, 320.0, 640.0] {
                    for rows in 0..8 {
                        let legend =
                            Legend::fit(&entries(count, name), &entries(3, "key "), width, rows);
                        assert!(legend.rows <= rows);
                        for placed in &legend.placed {
                            assert!(
                                placed.x + placed.entry.width() <= width + 1e-9,
                                "{count} {name} {width} {rows} {placed:?}"
                            );
                        }
                        let values = legend
                            .placed
                            .iter()
                            .filter(|placed| placed.entry.sample.is_some())
                            .count();
                        assert_eq!(
                            values + legend.values_left_out + legend.keys_left_out,
                            count + 3
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_left_out_is_said() {
        let legend = Legend::fit(&entries(30, "value"), &[], 320.0, 2);
        let last = legend.placed.last().map(|placed| placed.entry.text.clone());
        assert_eq!(last, Some(format!("… {} more", legend.values_left_out)));
        assert!(legend.values_left_out > 0 && legend.values_left_out < 30);
    }
}
