//! How long intervals take together: the length of their union, and the share of a capacity that they claim.

/// Parts of an amount that are told apart: six decimals.
pub const PARTS: i128 = 1_000_000;

/// One resource. Intervals go in by start, clipped to the span that counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Busy {
    /// One past the last tick that is covered.
    covered: Option<i64>,
    /// Length of the union.
    union: i128,
    /// Sum of length times amount in parts.
    claimed: i128,
}

impl Busy {
    /// Takes `[start, end)` with an amount in parts. None where a sum does not fit into 128 bits.
    pub fn push(&mut self, start: i64, end: i64, amount: i128) -> Option<()> {
        if end <= start {
            return Some(());
        }
        let fresh = self.covered.map_or(start, |covered| covered.max(start));
        if end > fresh {
            self.union += i128::from(end) - i128::from(fresh);
            self.covered = Some(end);
        }
        let length = i128::from(end) - i128::from(start);
        self.claimed = self.claimed.checked_add(length.checked_mul(amount)?)?;
        Some(())
    }

    /// Length of the union, in ticks.
    pub fn union(&self) -> i128 {
        self.union
    }

    /// Sum of length times amount in parts.
    pub fn claimed(&self) -> i128 {
        self.claimed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_union_is_the_number_of_covered_ticks(
            list in prop::collection::vec((-10..30_i64, 0..10_i64, 0..5_i64), 0..20)
        ) {
            let mut sorted = list.clone();
            sorted.sort_unstable();
            let mut busy = Busy::default();
            for (start, length, amount) in sorted {
                busy.push(start, start + length, i128::from(amount) * PARTS).expect("small numbers");
            }
            let covered = (-10..45)
                .filter(|tick| list.iter().any(|(s, l, _)| *s <= *tick && *tick < s + l))
                .count();
            let claimed: i64 = list.iter().map(|(_, l, a)| l * a).sum();
            prop_assert_eq!(busy.union(), covered as i128);
            prop_assert_eq!(busy.claimed(), i128::from(claimed) * PARTS);
        }
    }
}
