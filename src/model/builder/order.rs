//! The order of the rows of a relation.

use super::NO_TIME;
use std::cmp::Ordering;

/// The order of rows by (start, end, row; without ends by start and row), missing times last; None where they are in it already.
pub(super) fn order(starts: &[i64], ends: &[i64], rows: &[i64]) -> Option<Vec<u32>> {
    let key = |time: i64| if time == NO_TIME { i64::MAX } else { time };
    let then = |a: u32, b: u32| {
        let (a, b) = (a as usize, b as usize);
        let missing = |at: usize| starts.get(at) == Some(&NO_TIME);
        let end = |at: usize| ends.get(at).map(|end| (*end == NO_TIME, *end));
        let row = |at: usize| rows.get(at);
        missing(a)
            .cmp(&missing(b))
            .then_with(|| end(a).cmp(&end(b)))
            .then_with(|| row(a).cmp(&row(b)))
    };
    let compare = |a: &(i64, u32), b: &(i64, u32)| a.0.cmp(&b.0).then_with(|| then(a.1, b.1));
    let at = |(index, start): (usize, &i64)| (key(*start), index as u32);
    let sorted = starts
        .iter()
        .enumerate()
        .map(at)
        .is_sorted_by(|a, b| compare(a, b) != Ordering::Greater);
    if sorted {
        return None;
    }
    let mut keys: Vec<(i64, u32)> = starts.iter().enumerate().map(at).collect();
    // Stable, because it finds the sorted runs that most files consist of.
    keys.sort_by(compare);
    Some(keys.into_iter().map(|(_, index)| index).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_sort_by_start_end_row_and_missing_times_come_last() {
        let starts = [5, NO_TIME, 1, 5, 5, i64::MAX];
        let ends = [9, 3, 2, 7, 7, i64::MAX];
        let rows = [1, 2, 3, 6, 5, 4];
        let sorted = order(&starts, &ends, &rows);
        assert_eq!(sorted, Some(vec![2, 4, 3, 0, 5, 1]));
        assert_eq!(order(&[1, 2], &[1, 2], &[1, 2]), None);
    }
}
