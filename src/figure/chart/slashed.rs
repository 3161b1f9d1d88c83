//! Style `slashed`, as Paje draws: in an aggregated cell the values stand side by side along the time axis, each as wide as
//! its share, and a slash over the box says that the places within it are not the times of the states.

use std::collections::BTreeMap;

use crate::figure::chart::ink::{Ink, LEAST_OUTLINED, View};
use crate::figure::scene::Line;

/// Draws the cells that can be seen. Area is time here too: width times share, at the full height of the lane.
pub(super) fn draw(view: &View<'_>) -> Ink {
    let mut ink = Ink::default();
    let cells = view.cells;
    let mut boxes: BTreeMap<(u32, i64, i64), (i64, i64)> = BTreeMap::new();
    for row in 0..cells.len() {
        let (start, end) = (cells.start[row], cells.end[row]);
        if !view.is_visible(start, end) {
            continue;
        }
        let value = cells.value[row] as usize;
        let lane = cells.track[row] as usize;
        let colour = view.paint.fill(value, cells.number[row]);
        let (x, width) = view.interval(start, end);
        let (low, high) = (cells.low[row], cells.high[row]);
        let part = view.rect(lane, (x + low * width, (high - low) * width), 0.0, 1.0);
        ink.fill(view.paint.ranks[value], colour, part);
        if cells.pure[row] {
            if view.is_outlined {
                ink.outline(colour, part);
            }
        } else {
            let key = (cells.track[row], cells.chunk[row], cells.subchunk[row]);
            boxes.insert(key, (start, end));
        }
    }
    for ((track, _, _), (start, end)) in boxes {
        let whole = view.rect(track as usize, view.interval(start, end), 0.0, 1.0);
        if view.is_outlined && whole.width.min(whole.height) >= LEAST_OUTLINED {
            ink.line(Line {
                from: (whole.x, whole.bottom()),
                to: (whole.right(), whole.y),
            });
        }
    }
    ink
}
