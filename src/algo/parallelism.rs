//! How many intervals run at each time, as a step function: a heap of the ends of those that are open.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The machine. Intervals go in by start; steps come out by time, as soon as nothing can change them.
#[derive(Debug, Default)]
pub struct Parallelism {
    ends: BinaryHeap<Reverse<i64>>,
    /// The time that is being counted; None before the first interval.
    at: Option<i64>,
    /// What the latest step said.
    said: i64,
}

impl Parallelism {
    /// Takes `[start, end)`, which starts no earlier than the one before; an instant runs at no time. O(log n).
    pub fn push(&mut self, start: i64, end: i64, steps: &mut Vec<(i64, i64)>) {
        if end <= start {
            return;
        }
        self.close(Some(start), steps);
        self.settle(start, steps);
        self.ends.push(Reverse(end));
    }

    /// Closes all that is open.
    pub fn finish(&mut self, steps: &mut Vec<(i64, i64)>) {
        self.close(None, steps);
        if let Some(at) = self.at {
            // A step at the very time again, so that it is said.
            self.say(at, steps);
        }
    }

    /// Bytes on the heap.
    pub fn memory(&self) -> usize {
        self.ends.capacity() * size_of::<i64>()
    }

    /// Closes what ends at `until` or before.
    fn close(&mut self, until: Option<i64>, steps: &mut Vec<(i64, i64)>) {
        while let Some(&Reverse(end)) = self.ends.peek() {
            if until.is_some_and(|until| end > until) {
                break;
            }
            self.settle(end, steps);
            self.ends.pop();
        }
    }

    /// Goes on to `time`; what was counted before it is final.
    fn settle(&mut self, time: i64, steps: &mut Vec<(i64, i64)>) {
        if let Some(at) = self.at.filter(|at| *at != time) {
            self.say(at, steps);
        }
        self.at = Some(time);
    }

    fn say(&mut self, at: i64, steps: &mut Vec<(i64, i64)>) {
        let running = self.ends.len() as i64;
        if running != self.said {
            steps.push((at, running));
            self.said = running;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn steps(mut intervals: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
        intervals.sort_unstable_by_key(|interval| interval.0);
        let (mut machine, mut out) = (Parallelism::default(), Vec::new());
        for (start, end) in intervals {
            machine.push(start, end, &mut out);
        }
        machine.finish(&mut out);
        out
    }

    #[test]
    fn neighbours_make_no_step() {
        assert_eq!(steps(vec![(0, 10), (10, 20)]), [(0, 1), (20, 0)]);
        assert_eq!(
            steps(vec![(0, 10), (0, 5), (5, 5), (7, 9)]),
            [(0, 2), (5, 1), (7, 2), (9, 1), (10, 0)]
        );
        assert_eq!(steps(vec![(3, 3)]), []);
        assert_eq!(steps(vec![]), []);
    }

    proptest! {
        #[test]
        fn steps_are_the_counts_at_every_tick(
            list in prop::collection::vec((0..30_i64, 0..10_i64), 0..30)
        ) {
            let intervals: Vec<(i64, i64)> = list.iter().map(|(s, l)| (*s, s + l)).collect();
            let mut expected = Vec::new();
            let mut before = 0;
            for tick in 0..=45 {
                let count = intervals.iter().filter(|(s, e)| *s <= tick && tick < *e).count() as i64;
                if count != before {
                    expected.push((tick, count));
                    before = count;
                }
            }
            prop_assert_eq!(steps(intervals), expected);
        }
    }
}
