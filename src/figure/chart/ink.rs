//! What the styles of the stacked chart share: colours of cells, and marks gathered by look.

use std::collections::{BTreeMap, BTreeSet};

use crate::figure::chart::stacked::Cells;
use crate::figure::error::{FigureError, Warning};
use crate::figure::lane::Lanes;
use crate::figure::legend::{Entry, INK, Sample};
use crate::figure::palette::{self, Colour, Palette};
use crate::figure::scale::TimeScale;
use crate::figure::scene::{Line, Mark, Rect, Stroke};

/// Width of the outline of a state that is alone, in pixels (0.3 pt).
pub(super) const OUTLINE: f64 = 0.4;

/// Least side of a rectangle with an outline or a slash, in pixels: on a smaller one there would be more outline than colour to see.
pub(super) const LEAST_OUTLINED: f64 = 6.0 * OUTLINE;

/// Pen of slashes and of interruptions.
pub(super) const THIN: Stroke = Stroke {
    colour: INK,
    width: 0.6,
};

/// The least opacity, at the largest number of the table.
const FAINTEST: f64 = 0.1;

/// Opacity of a rectangle that stands for `number` states where `largest` is the largest number of the table: linear in
/// the logarithm, 1 at 1.
pub(super) fn opacity(number: u64, largest: u64) -> f64 {
    if largest <= 1 || number <= 1 {
        return 1.0;
    }
    let share = (number.min(largest) as f64).log10() / (largest as f64).log10();
    1.0 - (1.0 - FAINTEST) * share
}

/// How values look.
pub(super) struct Paint {
    /// Colour by index of the value.
    pub(super) colours: Vec<Colour>,
    /// Place in the domain by index of the value.
    pub(super) ranks: Vec<usize>,
    /// Name by place in the domain.
    pub(super) names: Vec<String>,
    /// The largest number of the table; 1 where opacity is off.
    pub(super) largest: u64,
}

impl Paint {
    /// Colours the values: those of the domain in its order, then those that are used without being in it, by their bytes.
    /// `used` holds indices into `values`.
    pub(super) fn new(
        values: &[String],
        domain: &[String],
        used: &BTreeSet<u32>,
        palette: &Palette,
        largest: u64,
    ) -> Result<(Paint, Vec<Warning>), FigureError> {
        let mut names: Vec<String> = Vec::new();
        let mut known: BTreeSet<&str> = BTreeSet::new();
        for value in domain {
            if known.insert(value) {
                names.push(value.clone());
            }
        }
        let occurring: BTreeSet<&str> = used
            .iter()
            .map(|&value| values[value as usize].as_str())
            .collect();
        names.extend(
            occurring
                .into_iter()
                .filter(|value| !known.contains(value))
                .map(str::to_owned),
        );
        let (colours, warnings) = palette::assign(palette, &names)?;
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
        let ranks = values.iter().map(rank).collect();
        let paint = Paint {
            colours: values.iter().map(|value| colours.of(value)).collect(),
            ranks,
            names,
            largest,
        };
        Ok((paint, warnings))
    }

    /// The values that are used, in the order of the domain, for the legend.
    pub(super) fn entries(&self, values: &[String], used: &BTreeSet<u32>) -> Vec<(usize, Entry)> {
        let mut listed: Vec<(usize, usize)> = used
            .iter()
            .map(|&value| (self.ranks[value as usize], value as usize))
            .collect();
        listed.sort_unstable();
        listed.dedup_by_key(|(rank, _)| *rank);
        let entry = |value: usize| Entry::new(Sample::Plain(self.colours[value]), &values[value]);
        let listed = listed.into_iter();
        listed.map(|(rank, value)| (rank, entry(value))).collect()
    }

    /// Colour of a value that stands for `number` states.
    pub(super) fn fill(&self, value: usize, number: u64) -> Colour {
        self.colours[value].on_white(opacity(number, self.largest))
    }
}

/// What is to be drawn, and where.
pub(super) struct View<'a> {
    /// The table.
    pub(super) cells: &'a Cells<'a>,
    /// Time to pixels.
    pub(super) scale: TimeScale,
    /// Lanes to pixels.
    pub(super) lanes: Lanes,
    /// The frame of the plot.
    pub(super) plot: Rect,
    /// How values look.
    pub(super) paint: &'a Paint,
    /// Whether states that are alone have an outline, and slashed boxes their slash.
    pub(super) is_outlined: bool,
}

impl View<'_> {
    /// Whether something that lasts from `start` to `end` can be seen.
    pub(super) fn is_visible(&self, start: i64, end: i64) -> bool {
        end > start && self.scale.shows(start, end)
    }

    /// Left edge and width of an interval.
    pub(super) fn interval(&self, start: i64, end: i64) -> (f64, f64) {
        self.scale.interval(start, end)
    }

    /// A rectangle in a lane, from height `low` to `high` (0 to 1).
    pub(super) fn rect(&self, lane: usize, (x, width): (f64, f64), low: f64, high: f64) -> Rect {
        Rect {
            x,
            y: self.lanes.y(lane, high),
            width,
            height: (high - low) * self.lanes.height,
        }
    }
}

/// Marks by look. Rectangles do not overlap, so their order is free: by value, then by tint.
#[derive(Default)]
pub(super) struct Ink {
    fills: BTreeMap<(usize, Colour), Vec<Rect>>,
    /// By colour, then width of the pen in thousandths of a pixel.
    outlines: BTreeMap<(Colour, u32), Vec<Rect>>,
    lines: Vec<Line>,
}

impl Ink {
    /// A filled rectangle of the value at a place of the domain. Nothing is drawn where there is no area.
    pub(super) fn fill(&mut self, rank: usize, colour: Colour, rect: Rect) {
        if rect.width > 0.0 && rect.height > 0.0 {
            self.fills.entry((rank, colour)).or_default().push(rect);
        }
    }

    /// The outline of a state that is alone, inside its rectangle, unless that is too small.
    pub(super) fn outline(&mut self, colour: Colour, rect: Rect) {
        let stroke = Stroke {
            colour: colour.darker(),
            width: OUTLINE,
        };
        self.outline_with(stroke, rect);
    }

    /// The same with another pen; a rectangle has to be as much larger as the pen is wider.
    pub(super) fn outline_with(&mut self, stroke: Stroke, rect: Rect) {
        if rect.width.min(rect.height) >= 6.0 * stroke.width {
            let key = (stroke.colour, (stroke.width * 1000.0).round() as u32);
            let rects = self.outlines.entry(key).or_default();
            rects.push(rect.inset(stroke.width / 2.0));
        }
    }

    /// A slash.
    pub(super) fn line(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// Filled rectangles so far.
    pub(super) fn count(&self) -> usize {
        self.fills.values().map(Vec::len).sum()
    }

    /// The marks, fills first.
    pub(super) fn marks(self, names: &[String]) -> Vec<Mark> {
        let fills = self
            .fills
            .into_iter()
            .map(|((rank, fill), rects)| Mark::Rects {
                label: names.get(rank).cloned().unwrap_or_default(),
                fill,
                rects,
            });
        let outlines = self
            .outlines
            .into_iter()
            .map(|((colour, width), rects)| Mark::Outlines {
                stroke: Stroke {
                    colour,
                    width: f64::from(width) / 1000.0,
                },
                rects,
            });
        let mut marks: Vec<Mark> = fills.chain(outlines).collect();
        if !self.lines.is_empty() {
            marks.push(Mark::Lines {
                stroke: THIN,
                lines: self.lines,
            });
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opacity_is_linear_in_the_logarithm() {
        assert_eq!(opacity(1, 1000), 1.0);
        assert!((opacity(10, 1000) - 0.7).abs() < 1e-12);
        assert!((opacity(1000, 1000) - 0.1).abs() < 1e-12);
        assert_eq!(opacity(1, 1), 1.0);
        assert_eq!(opacity(0, 5), 1.0);
        assert!((opacity(u64::MAX, u64::MAX) - 0.1).abs() < 1e-12);
    }
}
