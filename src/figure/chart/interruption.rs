//! Interruptions: a chunk too narrow to be seen, right beside a long state. It gets a tick above its lane, outside the
//! area, because that it happened matters and how much of the area it has must not be overdrawn.

use crate::figure::chart::ink::View;
use crate::figure::lane::Lanes;
use crate::figure::scene::Line;

/// Below this width, in pixels, a chunk is too narrow; at a smaller distance than this, one is beside another.
const PIXEL: f64 = 1.0;

/// Least free height above a lane that shows a tick, in pixels.
const LEAST_GAP: f64 = 0.6;

struct Chunk {
    track: u32,
    number: i64,
    start: i64,
    end: i64,
    is_pure: bool,
}

/// Whether there are interruptions in the view, room to mark them or not.
pub(super) fn is_there(view: &View<'_>) -> bool {
    !places(view).is_empty()
}

/// Whether the lanes have room for ticks between them.
pub(super) fn fits(lanes: &Lanes) -> bool {
    lanes.gap() >= LEAST_GAP
}

/// The ticks.
pub(super) fn ticks(view: &View<'_>) -> Vec<Line> {
    let gap = view.lanes.gap();
    let tick = |(track, x): (u32, f64)| {
        let foot = view.lanes.y(track as usize, 1.0) - 0.1 * gap;
        Line {
            from: (x, foot),
            to: (x, foot - 0.8 * gap),
        }
    };
    places(view).into_iter().map(tick).collect()
}

/// Lane and pixel of the interruptions in the view, at most one for each pixel of a lane.
fn places(view: &View<'_>) -> Vec<(u32, f64)> {
    let chunks = chunks(view);
    let wide = |chunk: &Chunk| view.scale.span(chunk.start, chunk.end);
    let mut out: Vec<(u32, f64)> = Vec::new();
    for (index, chunk) in chunks.iter().enumerate() {
        let is_seen = chunk.end >= view.scale.start && chunk.start <= view.scale.end;
        if !is_seen || wide(chunk) >= PIXEL {
            continue;
        }
        let is_beside = |other: &Chunk| {
            let (early, late) = if other.number < chunk.number {
                (other, chunk)
            } else {
                (chunk, other)
            };
            other.track == chunk.track
                && other.is_pure
                && wide(other) >= PIXEL
                && view.scale.span(early.end, late.start) < PIXEL
        };
        let before = index.checked_sub(1).and_then(|before| chunks.get(before));
        let after = chunks.get(index + 1);
        if !before.into_iter().chain(after).any(is_beside) {
            continue;
        }
        let x = view.scale.px(chunk.start) + wide(chunk) / 2.0;
        let is_marked = out
            .last()
            .is_some_and(|(track, last)| *track == chunk.track && x - last < PIXEL);
        if !is_marked {
            out.push((chunk.track, x));
        }
    }
    out
}

/// The chunks, by track and number.
fn chunks(view: &View<'_>) -> Vec<Chunk> {
    let cells = view.cells;
    let mut order: Vec<usize> = (0..cells.len()).collect();
    order.sort_by_key(|&row| (cells.track[row], cells.chunk[row], row));
    let mut out: Vec<Chunk> = Vec::new();
    for row in order {
        let (track, number) = (cells.track[row], cells.chunk[row]);
        match out.last_mut() {
            Some(open) if open.track == track && open.number == number => {
                open.start = open.start.min(cells.start[row]);
                open.end = open.end.max(cells.end[row]);
                open.is_pure = false;
            }
            _ => out.push(Chunk {
                track,
                number,
                start: cells.start[row],
                end: cells.end[row],
                is_pure: cells.pure[row],
            }),
        }
    }
    out
}
