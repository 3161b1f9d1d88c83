//! Style `Segments`: a state is a piece of a line drawn with a wide pen and cut off squarely at its ends (`butt`).
//!
//! A renderer that draws lines shows something of each, however short: here each is at least a pixel long. Pieces are drawn
//! in the order of their starts, so where two meet in a pixel the later one covers the earlier one.

use crate::figure::chart::gantt::draw::View;
use crate::figure::scene::{Line, Mark, Stroke};

/// Least length of a piece, in pixels.
const LEAST: f64 = 1.0;

/// The marks, outer ones first, each row in the order of the starts.
pub(super) fn draw(view: &View<'_>) -> Vec<Mark> {
    let mut order: Vec<usize> = (0..view.order.len()).collect();
    order.sort_by_key(|&place| view.depth(place));
    let mut marks: Vec<Mark> = Vec::new();
    for place in order {
        let rect = view.rect(place);
        let length = rect.width.max(LEAST);
        let left = rect.x - (length - rect.width) / 2.0;
        let middle = rect.y + rect.height / 2.0;
        let line = Line {
            from: (left, middle),
            to: (left + length, middle),
        };
        let pen = Stroke {
            colour: view.paint.colours[view.look(place)],
            width: view.pen.unwrap_or(rect.height),
        };
        // The order is what counts; pieces of one colour that follow each other may still share a path.
        match marks.last_mut() {
            Some(Mark::Lines { stroke, lines }) if *stroke == pen => lines.push(line),
            _ => marks.push(Mark::Lines {
                stroke: pen,
                lines: vec![line],
            }),
        }
    }
    marks
}
