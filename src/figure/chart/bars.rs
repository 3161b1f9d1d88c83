//! Style `bars`, as Jumpshot draws: time is cut into chunks of 2^k ticks that hang on tick 0, whatever the states do. In a
//! chunk each value is a bar as long as the chunk and as high as its share of it, so that area is time.
//!
//! A chunk opens into its states where all of them are known one by one and at least as wide as the chunk must be to be seen
//! (`min_width`): then they are drawn as they are. A cell that is aggregated already is spread evenly over its length.

use std::collections::BTreeMap;

use crate::figure::chart::ink::{Ink, View};
use crate::figure::scale::TimeScale;

/// Width of the chunks in ticks: the least power of two that is at least `min_width` pixels wide.
pub(super) fn chunk_ticks(scale: &TimeScale, min_width: f64) -> i64 {
    let per_tick = scale.px_per_tick();
    let mut exponent = 0;
    while exponent < 62 && per_tick * ((1_i64 << exponent) as f64) < min_width {
        exponent += 1;
    }
    1 << exponent
}

/// A range of ticks widened to whole chunks, so that the last chunk is not cut by the frame and loses no area.
pub(super) fn whole_chunks(start: i64, end: i64, chunk: i64) -> (i64, i64) {
    let low = start.div_euclid(chunk).saturating_mul(chunk);
    let high = match end.rem_euclid(chunk) {
        0 => end,
        _ => (end.div_euclid(chunk) + 1).saturating_mul(chunk),
    };
    (low, high)
}

/// One chunk of one lane.
struct Slot {
    /// Ticks in each value, by place in the domain; its index beside it.
    time: BTreeMap<usize, (usize, f64)>,
    is_open: bool,
}

/// Draws the chunks that can be seen; `chunk` is their width in ticks, `min_width` in pixels.
pub(super) fn draw(view: &View<'_>, chunk: i64, min_width: f64) -> Ink {
    let mut ink = Ink::default();
    let cells = view.cells;
    let mut rows: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for row in 0..cells.len() {
        if view.is_visible(cells.start[row], cells.end[row]) && cells.high[row] > cells.low[row] {
            rows.entry(cells.track[row]).or_default().push(row);
        }
    }
    for (track, rows) in rows {
        let lane = track as usize;
        let slots = fill_slots(view, &rows, chunk, min_width);
        for (number, slot) in slots.iter().filter(|(_, slot)| !slot.is_open) {
            let start = number.saturating_mul(chunk);
            let interval = view.interval(start, start.saturating_add(chunk));
            let mut low = 0.0;
            for (rank, (value, time)) in &slot.time {
                let high = low + time / chunk as f64;
                let colour = view.paint.colours[*value];
                ink.fill(*rank, colour, view.rect(lane, interval, low, high));
                low = high;
            }
        }
        for row in rows {
            if cells.pure[row] {
                draw_opened(view, &mut ink, row, &slots, chunk);
            }
        }
    }
    ink
}

/// Numbers of the chunks that a row reaches into, within the view.
fn reach(view: &View<'_>, row: usize, chunk: i64) -> std::ops::RangeInclusive<i64> {
    let start = view.cells.start[row].max(view.scale.start);
    let end = view.cells.end[row].min(view.scale.end);
    start.div_euclid(chunk)..=end.saturating_sub(1).div_euclid(chunk)
}

/// Ticks of a row that lie in a chunk, as first and last.
fn overlap(view: &View<'_>, row: usize, number: i64, chunk: i64) -> (i64, i64) {
    let first = number.saturating_mul(chunk);
    let last = first.saturating_add(chunk);
    (
        view.cells.start[row].max(first),
        view.cells.end[row].min(last),
    )
}

fn fill_slots(view: &View<'_>, rows: &[usize], chunk: i64, min_width: f64) -> BTreeMap<i64, Slot> {
    let cells = view.cells;
    let mut slots: BTreeMap<i64, Slot> = BTreeMap::new();
    for &row in rows {
        let width = view.scale.span(cells.start[row], cells.end[row]);
        let is_single = cells.pure[row] && width >= min_width;
        let value = cells.value[row] as usize;
        let rank = view.paint.ranks[value];
        for number in reach(view, row, chunk) {
            let (first, last) = overlap(view, row, number, chunk);
            let ticks = (i128::from(last) - i128::from(first)) as f64;
            let slot = slots.entry(number).or_insert(Slot {
                time: BTreeMap::new(),
                is_open: true,
            });
            slot.is_open &= is_single;
            slot.time.entry(rank).or_insert((value, 0.0)).1 +=
                ticks * (cells.high[row] - cells.low[row]);
        }
    }
    slots
}

/// Draws a single state in the open chunks it reaches, neighbours in one piece.
fn draw_opened(
    view: &View<'_>,
    ink: &mut Ink,
    row: usize,
    slots: &BTreeMap<i64, Slot>,
    chunk: i64,
) {
    let value = view.cells.value[row] as usize;
    let lane = view.cells.track[row] as usize;
    let colour = view.paint.colours[value];
    let mut piece: Option<(i64, i64)> = None;
    let mut finish = |piece: &mut Option<(i64, i64)>| {
        if let Some((start, end)) = piece.take() {
            let (low, high) = (view.cells.low[row], view.cells.high[row]);
            let rect = view.rect(lane, view.interval(start, end), low, high);
            ink.fill(view.paint.ranks[value], colour, rect);
            if view.is_outlined {
                ink.outline(colour, rect);
            }
        }
    };
    for number in reach(view, row, chunk) {
        if slots.get(&number).is_some_and(|slot| slot.is_open) {
            let (first, last) = overlap(view, row, number, chunk);
            piece = Some((piece.map_or(first, |(start, _)| start), last));
        } else {
            finish(&mut piece);
        }
    }
    finish(&mut piece);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_the_least_power_of_two_that_is_seen() {
        let scale = TimeScale::new(0, 1000, 0.0, 500.0);
        assert_eq!(chunk_ticks(&scale, 4.0), 8);
        assert_eq!(chunk_ticks(&scale, 4.1), 16);
        assert_eq!(chunk_ticks(&scale, 0.1), 1);
        let all = TimeScale::new(i64::MIN, i64::MAX, 0.0, 1e-3);
        assert_eq!(chunk_ticks(&all, 4.0), 1 << 62);
    }

    #[test]
    fn ranges_are_widened_to_whole_chunks() {
        assert_eq!(whole_chunks(3, 17, 8), (0, 24));
        assert_eq!(whole_chunks(-3, 16, 8), (-8, 16));
        assert_eq!(
            whole_chunks(i64::MIN, i64::MAX, 1 << 62),
            (i64::MIN, i64::MAX)
        );
    }
}
