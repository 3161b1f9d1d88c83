//! Style `stack`: in a cell the values stand on top of each other, each as high as its share of the cell's time.

use crate::figure::chart::ink::{Ink, View};

/// Draws the cells that can be seen.
pub(super) fn draw(view: &View<'_>) -> Ink {
    let mut ink = Ink::default();
    let cells = view.cells;
    for row in 0..cells.len() {
        let (start, end) = (cells.start[row], cells.end[row]);
        if !view.is_visible(start, end) {
            continue;
        }
        let value = cells.value[row] as usize;
        let lane = cells.track[row] as usize;
        let rect = view.rect(
            lane,
            view.interval(start, end),
            cells.low[row],
            cells.high[row],
        );
        let colour = view.paint.fill(value, cells.number[row]);
        ink.fill(view.paint.ranks[value], colour, rect);
        if cells.pure[row] && view.is_outlined {
            ink.outline(colour, rect);
        }
    }
    ink
}
