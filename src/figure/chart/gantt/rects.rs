//! Style `Rects`: a filled rectangle a state, exactly as wide as it is long.

use crate::figure::chart::gantt::draw::View;
use crate::figure::chart::ink::{Ink, LEAST_OUTLINED};
use crate::figure::scene::{Mark, Stroke};

/// Least width of a state with an outline, in pixels: many narrow ones would be more outline than colour.
const LEAST_PARTED: f64 = 6.0;

/// The marks, outer ones first.
pub(super) fn draw(view: &View<'_>) -> Vec<Mark> {
    let mut levels: Vec<Ink> = Vec::new();
    // Over all states, as they have no time of their own to be seen by.
    let mut ticks = Ink::default();
    for place in 0..view.order.len() {
        let depth = view.depth(place);
        if levels.len() <= depth {
            levels.resize_with(depth + 1, Ink::default);
        }
        let Some(ink) = levels.get_mut(depth) else {
            continue;
        };
        let look = view.look(place);
        if view.is_tick(place) {
            ticks.fill(
                view.paint.ranks[look],
                view.paint.colours[look],
                view.rect(place),
            );
            continue;
        }
        let (colour, rect) = (view.paint.colours[look], view.rect(place));
        ink.fill(view.paint.ranks[look], colour, rect);
        let side = rect.width.min(rect.height);
        match view.outline(place) {
            Some(stroke) if side >= LEAST_OUTLINED => {
                let width = stroke.width.min(side / 6.0);
                ink.outline_with(Stroke { width, ..stroke }, rect);
            }
            // Two states of one value side by side would else look like one.
            _ if rect.width >= LEAST_PARTED => ink.outline(colour, rect),
            _ => {}
        }
    }
    let marks = levels.into_iter().chain([ticks]);
    marks.flat_map(|ink| ink.marks(&view.paint.names)).collect()
}
