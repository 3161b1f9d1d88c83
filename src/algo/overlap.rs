//! Pairs of intervals of two sets that overlap, as a sweep over both in order of their starts.
//!
//! Whichever interval starts first looks ahead in the other set for those that start before it ends, so that every look
//! but the last one gives a pair: O(n log n + pairs) time and O(n) memory, with no structure of open intervals. Pairs are
//! made as they are asked for.

use std::ops::Range;

/// An interval `[start, end)` of a group; only intervals of one group overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interval {
    /// The group.
    pub group: u32,
    /// First tick.
    pub start: i64,
    /// One past the last tick, at least `start`.
    pub end: i64,
    /// The row that it comes from.
    pub row: u32,
}

/// Two intervals that overlap, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// Row of the left interval.
    pub left: u32,
    /// Row of the right interval.
    pub right: u32,
    /// First tick of the intersection.
    pub start: i64,
    /// One past its last tick; equal to `start` where one of the two is an instant.
    pub end: i64,
}

/// The pairs of two sets, each once.
///
/// Of two intervals the one that starts later must start before the other ends, or both start together. So an instant
/// (an interval of length 0) overlaps what it lies in, what starts with it and its like, and not what ends there.
#[derive(Debug)]
pub struct Overlaps {
    left: Vec<Interval>,
    right: Vec<Interval>,
    /// The first interval of each side that was not the first to start yet.
    next: (usize, usize),
    /// The interval that looks ahead, whether it is a left one, and where it looks.
    ahead: Option<(Interval, bool, Range<usize>)>,
}

impl Overlaps {
    /// Sorts both sides; the order of the pairs follows from the intervals and their rows alone.
    pub fn new(mut left: Vec<Interval>, mut right: Vec<Interval>) -> Self {
        left.sort_unstable();
        right.sort_unstable();
        Self {
            left,
            right,
            next: (0, 0),
            ahead: None,
        }
    }
}

impl Iterator for Overlaps {
    type Item = Pair;

    fn next(&mut self) -> Option<Pair> {
        loop {
            if let Some((first, is_left, places)) = &mut self.ahead {
                let others = if *is_left { &self.right } else { &self.left };
                let met = places.next().and_then(|at| others.get(at)).filter(|other| {
                    other.group == first.group
                        && (other.start < first.end || other.start == first.start)
                });
                if let Some(other) = met {
                    let (left, right) = if *is_left {
                        (first.row, other.row)
                    } else {
                        (other.row, first.row)
                    };
                    return Some(Pair {
                        left,
                        right,
                        start: other.start,
                        end: first.end.min(other.end),
                    });
                }
                self.ahead = None;
            }
            // Once one side is used up, all that overlaps the rest of the other has been met.
            let (a, b) = (self.left.get(self.next.0)?, self.right.get(self.next.1)?);
            if (a.group, a.start) <= (b.group, b.start) {
                self.next.0 += 1;
                self.ahead = Some((*a, true, self.next.1..self.right.len()));
            } else {
                self.next.1 += 1;
                self.ahead = Some((*b, false, self.next.0..self.left.len()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn interval(group: u32, start: i64, end: i64, row: u32) -> Interval {
        Interval {
            group,
            start,
            end,
            row,
        }
    }

    /// The definition, pair by pair: the ticks of `[start, end)`, an instant counting as the tick it stands at.
    fn naive(left: &[Interval], right: &[Interval]) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for a in left {
            for b in right {
                let ends = |x: &Interval| if x.end == x.start { x.start + 1 } else { x.end };
                let common = (a.start.max(b.start)..ends(a).min(ends(b))).count();
                if a.group == b.group && common > 0 {
                    pairs.push(Pair {
                        left: a.row,
                        right: b.row,
                        start: a.start.max(b.start),
                        end: a.end.min(b.end),
                    });
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    fn found(left: &[Interval], right: &[Interval]) -> Vec<Pair> {
        let mut pairs: Vec<Pair> = Overlaps::new(left.to_vec(), right.to_vec()).collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn instants_overlap_what_they_lie_in_and_what_starts_with_them() {
        let instant = [interval(0, 10, 10, 0)];
        for (start, end, overlaps) in [
            (0, 20, true),
            (10, 20, true),
            (0, 10, false),
            (10, 10, true),
            (0, 11, true),
            (11, 20, false),
        ] {
            let other = [interval(0, start, end, 0)];
            assert_eq!(found(&instant, &other).len(), usize::from(overlaps));
            assert_eq!(found(&other, &instant).len(), usize::from(overlaps));
        }
    }

    #[test]
    fn neighbours_and_other_groups_do_not_overlap() {
        let left = [interval(0, 0, 10, 0)];
        assert_eq!(found(&left, &[interval(0, 10, 20, 0)]), []);
        assert_eq!(found(&left, &[interval(1, 0, 10, 0)]), []);
        let edge = [interval(0, i64::MIN, i64::MAX, 0)];
        assert_eq!(found(&edge, &edge).len(), 1);
    }

    fn intervals() -> impl Strategy<Value = Vec<Interval>> {
        prop::collection::vec((0..3_u32, 0..20_i64, 0..8_i64), 0..25).prop_map(|list| {
            let numbered = list.into_iter().enumerate();
            numbered
                .map(|(row, (group, start, length))| {
                    interval(group, start, start + length, row as u32)
                })
                .collect()
        })
    }

    proptest! {
        #[test]
        fn the_sweep_finds_what_all_pairs_give(left in intervals(), right in intervals()) {
            prop_assert_eq!(found(&left, &right), naive(&left, &right));
        }
    }
}
