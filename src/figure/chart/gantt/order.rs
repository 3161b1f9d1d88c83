//! Orders that hang on what the table says and not on the order in which it says it: of marks, rows and groups.

use std::cmp::{Ordering, Reverse};

use crate::figure::chart::gantt::table::{Claim, Table};
use crate::figure::chart::gantt::{FirstRow, Options, RowOrder};
use crate::figure::lane;
use crate::figure::scale::TimeScale;

/// The marks that the scale shows, by row from the top down and by start; at one start outer ones before those nested in them, instants before
/// states, long states before short ones. Marks that are alike in all columns keep their order.
pub(super) fn marks(table: &Table, rows: &[usize], scale: &TimeScale) -> Vec<u32> {
    let marks = &table.marks;
    let mut place_of = vec![0_usize; table.rows.len()];
    for (place, &row) in rows.iter().enumerate() {
        place_of[row] = place;
    }
    let seen = |&mark: &u32| {
        let mark = mark as usize;
        scale.shows(marks.start[mark], marks.end[mark])
    };
    let mut order: Vec<u32> = (0..marks.len() as u32).filter(seen).collect();
    let head = |mark: u32| {
        let mark = mark as usize;
        let (start, end) = (marks.start[mark], marks.end[mark]);
        (
            place_of[marks.row[mark] as usize],
            start,
            marks.depth(mark),
            end > start,
            Reverse(end),
        )
    };
    order.sort_unstable_by(|&one, &two| {
        head(one)
            .cmp(&head(two))
            .then_with(|| tail(table, one as usize, two as usize))
            .then_with(|| one.cmp(&two))
    });
    order
}

/// Compares what marks look like.
fn tail(table: &Table, one: usize, two: usize) -> Ordering {
    let marks = &table.marks;
    let value = |mark: usize| {
        marks
            .value
            .get(mark)
            .map(|&value| &table.values[value as usize])
    };
    let label = |mark: usize| marks.label(mark).map(|label| &table.labels[label]);
    value(one)
        .cmp(&value(two))
        .then_with(|| marks.critical(one).cmp(&marks.critical(two)))
        .then_with(|| label(one).cmp(&label(two)))
        .then_with(|| claims(marks.claim(one), marks.claim(two)))
}

/// The order in which claims that are equally long and start together take their places: large ones first.
fn claims(one: Option<Claim>, two: Option<Claim>) -> Ordering {
    let numbers = |claim: Option<Claim>| {
        claim.map_or([f64::NEG_INFINITY; 3], |claim| {
            [
                claim.offset.unwrap_or(f64::NEG_INFINITY),
                -claim.amount,
                claim.capacity,
            ]
        })
    };
    let pairs = numbers(one).into_iter().zip(numbers(two));
    pairs.fold(Ordering::Equal, |order, (one, two)| {
        order.then_with(|| one.total_cmp(&two))
    })
}

/// Indices of the rows from the top of the plot to its bottom.
pub(super) fn rows(table: &Table, options: &Options) -> Vec<usize> {
    let mut order: Vec<usize> = (0..table.rows.len()).collect();
    // Rows without a group come behind the groups.
    let group = |row: usize| table.rows[row].group.unwrap_or(u32::MAX);
    order.sort_by(|&one, &two| {
        let by_group = group(one).cmp(&group(two));
        match options.row_order {
            RowOrder::Given => by_group,
            RowOrder::Natural => {
                by_group.then_with(|| lane::natural(&table.rows[one].label, &table.rows[two].label))
            }
        }
    });
    if options.first_row == FirstRow::Bottom {
        order.reverse();
    }
    order
}
