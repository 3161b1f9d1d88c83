//! Whether a table can be drawn at all.

use crate::figure::chart::stacked::Table;
use crate::figure::error::FigureError;

/// How far a stack may pass the height of its lane: the error of a sum of shares in doubles.
const STACK_SLACK: f64 = 1e-9;

/// Refuses columns that do not fit together, numbers that are none, and stacks higher than a lane.
pub(super) fn check(table: &Table<'_>) -> Result<(), FigureError> {
    let cells = &table.cells;
    let lengths = [
        cells.start.len(),
        cells.end.len(),
        cells.value.len(),
        cells.low.len(),
        cells.high.len(),
        cells.number.len(),
        cells.pure.len(),
        cells.chunk.len(),
        cells.subchunk.len(),
    ];
    let bad = |row, problem| Err(FigureError::BadTable { row, problem });
    if let Some(shortest) = lengths.iter().copied().find(|&len| len != cells.len()) {
        return bad(shortest.min(cells.len()), "the columns differ in length");
    }
    for row in 0..cells.len() {
        let (low, high) = (cells.low[row], cells.high[row]);
        if cells.track[row] as usize >= table.tracks.len() {
            return bad(row, "there is no such track");
        }
        if cells.value[row] as usize >= table.values.len() {
            return bad(row, "there is no such value");
        }
        if cells.end[row] < cells.start[row] {
            return bad(row, "it ends before it starts");
        }
        if !low.is_finite() || !high.is_finite() || low < 0.0 || high < low {
            return bad(row, "its place in the stack is none");
        }
        if high > 1.0 + STACK_SLACK {
            // The whole stack is named, not how far this one value passes.
            let same = |other: usize| {
                cells.track[other] == cells.track[row]
                    && cells.chunk[other] == cells.chunk[row]
                    && cells.subchunk[other] == cells.subchunk[row]
            };
            let height = (0..cells.len())
                .filter(|&other| same(other))
                .map(|other| cells.high[other])
                .fold(high, f64::max);
            let track = &table.tracks[cells.track[row] as usize];
            return Err(FigureError::StackTooHigh {
                resource: track.resource.clone(),
                kind: track.kind.clone(),
                chunk: cells.chunk[row],
                subchunk: cells.subchunk[row],
                height,
            });
        }
    }
    Ok(())
}
