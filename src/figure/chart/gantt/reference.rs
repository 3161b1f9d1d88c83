//! Reference lines: vertical lines at given times, with a word each above the plot.

use crate::figure::chart::frame;
use crate::figure::chart::gantt::table::Table;
use crate::figure::layout::{Columns, REFERENCE_LINE, Rows};
use crate::figure::legend::INK;
use crate::figure::scale::TimeScale;
use crate::figure::scene::{Anchor, Group, Line, Mark, Stroke};
use crate::figure::text::{self, SMALL_SIZE};

/// Most lines of labels above each other.
const MOST_LINES: usize = 3;

/// Free room between two labels, in pixels.
const GAP: f64 = 6.0;

const PEN: Stroke = Stroke {
    colour: INK,
    width: 0.8,
};

/// A reference line with its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    /// Where it stands, in pixels.
    pub(super) x: f64,
    /// Its label, and where that begins.
    pub(super) label: String,
    pub(super) left: f64,
    /// Line of labels, 0 right above the plot; none where there was no room.
    pub(super) line: Option<usize>,
}

/// Places the lines that the scale shows. Those at one time share a label; one stands over its line, or beside it, where it
/// would touch another; what does not fit there goes one up.
pub(super) fn place(table: &Table, scale: &TimeScale, columns: &Columns) -> Vec<Placed> {
    let mut lines: Vec<(i64, String)> = Vec::new();
    let mut given = table.references.clone();
    given.sort();
    given.dedup();
    for line in given
        .iter()
        .filter(|line| scale.shows(line.time, line.time))
    {
        let label = text::clean(&line.label);
        match lines.last_mut() {
            Some((time, joint)) if *time == line.time => {
                joint.push_str(", ");
                joint.push_str(&label);
            }
            _ => lines.push((line.time, label)),
        }
    }
    let (first, last) = (columns.edge, columns.page - columns.edge);
    let mut taken: Vec<Vec<(f64, f64)>> = vec![Vec::new(); MOST_LINES];
    let place = |(time, label): (i64, String)| {
        let x = scale.px(time);
        let label = text::shorten_end(&label, SMALL_SIZE, (last - first) * 0.6);
        let width = text::width(&label, SMALL_SIZE);
        let middle = (x - width / 2.0).min(last - width).max(first);
        let lefts = [middle, x, x - width];
        let lefts = lefts.map(|left| left.min(last - width).max(first));
        for (line, taken) in taken.iter_mut().enumerate() {
            for left in lefts {
                let is_free = taken
                    .iter()
                    .all(|(from, to)| left >= to + GAP || left + width + GAP <= *from);
                if is_free && !label.is_empty() {
                    taken.push((left, left + width));
                    return Placed {
                        x,
                        label,
                        left,
                        line: Some(line),
                    };
                }
            }
        }
        Placed {
            x,
            label,
            left: x,
            line: None,
        }
    };
    lines.into_iter().map(place).collect()
}

/// How many lines of labels there are.
pub(super) fn lines(placed: &[Placed]) -> usize {
    let lines = placed.iter().filter_map(|line| line.line);
    lines.max().map_or(0, |line| line + 1)
}

/// The lines, and the labels that have room.
pub(super) fn draw(placed: &[Placed], rows: &Rows) -> Option<Group> {
    if placed.is_empty() {
        return None;
    }
    let bottom = rows.plot_top + rows.plot_height;
    let pens = placed.iter().map(|line| Line {
        from: (line.x, rows.plot_top),
        to: (line.x, bottom),
    });
    let mut marks = vec![Mark::Lines {
        stroke: PEN,
        lines: pens.collect(),
    }];
    for line in placed {
        let Some(number) = line.line.filter(|&number| number < rows.reference_lines) else {
            continue;
        };
        let base = rows.plot_top - 0.32 * SMALL_SIZE - number as f64 * REFERENCE_LINE;
        let at = (line.left, base);
        marks.push(frame::write(at, Anchor::Start, SMALL_SIZE, &line.label));
    }
    Some(frame::group("references", marks))
}
