//! Whether a table can be drawn at all.

use crate::figure::chart::gantt::table::{Claim, Table};
use crate::figure::chart::gantt::{Colouring, Options};
use crate::figure::error::FigureError;

/// Refuses columns that do not fit together, and numbers that are none.
pub(super) fn check(table: &Table, options: &Options) -> Result<(), FigureError> {
    let marks = &table.marks;
    let bad = |row, problem| Err(FigureError::BadTable { row, problem });
    let whole = [marks.start.len(), marks.end.len()];
    let partial = [
        marks.value.len(),
        marks.critical.len(),
        marks.label.len(),
        marks.depth.len(),
        marks.claim.len(),
    ];
    let partial = partial.into_iter().filter(|&length| length != 0);
    for length in whole.into_iter().chain(partial) {
        if length != marks.len() {
            let row = length.min(marks.len());
            return bad(row, "the columns differ in length");
        }
    }
    for mark in 0..marks.len() {
        if marks.row[mark] as usize >= table.rows.len() {
            return bad(mark, "there is no such row");
        }
        if marks.end[mark] < marks.start[mark] {
            return bad(mark, "it ends before it starts");
        }
        let value = marks.value.get(mark);
        if value.is_some_and(|&value| value as usize >= table.values.len()) {
            return bad(mark, "there is no such value");
        }
        let label = marks.label(mark);
        if label.is_some_and(|label| label >= table.labels.len()) {
            return bad(mark, "there is no such label");
        }
        if marks.claim(mark).is_some_and(|claim| !is_sane(&claim)) {
            return bad(mark, "its claim is none");
        }
    }
    for (index, link) in table.links.iter().enumerate() {
        for end in [link.from, link.to] {
            if end.row as usize >= table.rows.len() {
                return bad(index, "a link has no such row");
            }
            if end.mark.is_some_and(|mark| mark as usize >= marks.len()) {
                return bad(index, "a link has no such mark");
            }
        }
    }
    let groups = table.rows.iter().map(|row| row.group);
    for (index, group) in groups.enumerate() {
        if group.is_some_and(|group| group as usize >= table.groups.len()) {
            return bad(index, "a row has no such group");
        }
    }
    if let Some(lens) = options.lens
        && !(lens.end > lens.start && lens.factor.is_finite() && lens.factor > 0.0)
    {
        return Err(FigureError::BadLens {
            start: lens.start,
            end: lens.end,
            factor: lens.factor,
        });
    }
    if options.colouring == Colouring::Critical && marks.critical.is_empty() && !marks.is_empty() {
        return bad(0, "its place on the critical path is not known");
    }
    Ok(())
}

fn is_sane(claim: &Claim) -> bool {
    let offset = claim.offset.unwrap_or(0.0);
    let numbers = [claim.amount, claim.capacity, offset];
    numbers.iter().all(|number| number.is_finite())
        && claim.amount >= 0.0
        && claim.capacity > 0.0
        && offset >= 0.0
}
