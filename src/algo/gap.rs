//! Gaps of a track: the intervals between the first start and the last end in which no state is.
//!
//! A state machine that takes the states of one track by start. What it gives does not depend on the order of states that
//! start together: of those that could stand before or after a gap the one is named that is nearest to it, then the one
//! whose name comes first.

use std::cmp::Ordering;

/// An interval without a state. Its length is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// First tick: the end of all states before.
    pub start: i64,
    /// Tick after the last one: the start of the next state.
    pub end: i64,
    /// Value of the state before: of those that end last the one that starts last, then by name.
    pub before: u32,
    /// Value of the state after: of those that start first the one that ends last, then by name.
    pub after: u32,
}

/// The states so far as one stretch.
#[derive(Clone, Copy, Debug)]
struct Covered {
    /// Start of the state named.
    start: i64,
    /// Latest end.
    end: i64,
    value: u32,
}

/// A gap that waits for all states that start at its end.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    gap: Gap,
    /// End of the state named after it.
    after_end: i64,
}

/// The machine of one track.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gaps {
    covered: Option<Covered>,
    waiting: Option<Waiting>,
}

impl Gaps {
    /// Takes the next state; no start may be before the one ahead of it, no end before its start. Gives the gap that is
    /// complete by it, if any. `names` compares values by name.
    pub fn push(
        &mut self,
        start: i64,
        end: i64,
        value: u32,
        names: &impl Fn(u32, u32) -> Ordering,
    ) -> Option<Gap> {
        let mut complete = None;
        if let Some(waiting) = &mut self.waiting {
            if start > waiting.gap.end {
                complete = Some(waiting.gap);
                self.waiting = None;
            } else {
                let order = end
                    .cmp(&waiting.after_end)
                    .then_with(|| names(waiting.gap.after, value));
                if order == Ordering::Greater {
                    waiting.gap.after = value;
                    waiting.after_end = end;
                }
            }
        }
        let state = Covered { start, end, value };
        self.covered = Some(match self.covered {
            None => state,
            Some(covered) => {
                if start > covered.end {
                    let gap = Gap {
                        start: covered.end,
                        end: start,
                        before: covered.value,
                        after: value,
                    };
                    self.waiting = Some(Waiting {
                        gap,
                        after_end: end,
                    });
                }
                let order = end
                    .cmp(&covered.end)
                    .then(start.cmp(&covered.start))
                    .then_with(|| names(covered.value, value));
                if order == Ordering::Greater {
                    state
                } else {
                    covered
                }
            }
        });
        complete
    }

    /// The last gap, once all states of the track have come.
    pub fn finish(&mut self) -> Option<Gap> {
        self.waiting.take().map(|waiting| waiting.gap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gaps(states: &[(i64, i64, u32)]) -> Vec<Gap> {
        let mut machine = Gaps::default();
        let names = |left: u32, right: u32| left.cmp(&right);
        let mut found: Vec<Gap> = states
            .iter()
            .filter_map(|&(start, end, value)| machine.push(start, end, value, &names))
            .collect();
        found.extend(machine.finish());
        found
    }

    fn gap(start: i64, end: i64, before: u32, after: u32) -> Gap {
        Gap {
            start,
            end,
            before,
            after,
        }
    }

    #[test]
    fn nested_and_overlapping_states_leave_no_gap_inside() {
        let states = [(0, 10, 0), (2, 3, 1), (5, 12, 2), (15, 15, 3), (15, 20, 4)];
        assert_eq!(gaps(&states), [gap(12, 15, 2, 4)]);
        assert_eq!(gaps(&[(0, 5, 0), (5, 6, 1)]), []);
        assert_eq!(gaps(&[]), []);
    }

    #[test]
    fn an_instant_divides_a_gap() {
        let states = [(0, 1, 0), (5, 5, 1), (9, 10, 2)];
        assert_eq!(gaps(&states), [gap(1, 5, 0, 1), gap(5, 9, 1, 2)]);
    }

    proptest! {
        #[test]
        fn gaps_are_the_ticks_without_a_state_whatever_the_order(
            states in prop::collection::vec((0_i64..40, 0_i64..6, 0_u32..4), 1..14),
            seed in any::<u64>(),
        ) {
            let mut states: Vec<_> = states
                .into_iter()
                .map(|(start, length, value)| (start, start + length, value))
                .collect();
            states.sort_unstable();
            let found = gaps(&states);
            let first = states.iter().map(|s| s.0).min().unwrap_or(0);
            let last = states.iter().map(|s| s.1).max().unwrap_or(0);
            for tick in first..last {
                let busy = states.iter().any(|s| s.0 <= tick && tick < s.1);
                let idle = found.iter().filter(|g| g.start <= tick && tick < g.end).count();
                prop_assert_eq!(idle, usize::from(!busy), "at {}", tick);
            }
            for gap in &found {
                prop_assert!(gap.start < gap.end);
                let before = states.iter().filter(|s| s.1 == gap.start);
                let named = before.max_by(|a, b| a.0.cmp(&b.0).then(b.2.cmp(&a.2)));
                prop_assert_eq!(named.map(|s| s.2), Some(gap.before));
            }
            // States that start together, in another order.
            let mut other = states.clone();
            let rank = |s: &(i64, i64, u32)| (s.1 as u64 * 31 + u64::from(s.2)).wrapping_mul(seed | 1);
            other.sort_by(|a, b| a.0.cmp(&b.0).then(rank(a).cmp(&rank(b))));
            prop_assert_eq!(gaps(&other), found);
        }
    }
}
