//! Intervals cut at the multiples of a width: which bins of the time axis they lie in, and for how long.

/// The bin of a tick: bin `k` is `[k * width, (k + 1) * width)`, also below 0. `width` is above 0.
pub fn bin_of(tick: i64, width: i64) -> i64 {
    tick.div_euclid(width)
}

/// The bins of `[start, end)` with the ticks it has in each, in order; their sum is `end - start`. An instant lies in one
/// bin, with 0 ticks.
#[derive(Clone, Copy, Debug)]
pub struct Slices {
    at: i64,
    end: i64,
    width: i64,
    is_done: bool,
}

impl Slices {
    /// `width` is above 0; an end before the start counts as the start.
    pub fn new(start: i64, end: i64, width: i64) -> Self {
        Self {
            at: start,
            end: end.max(start),
            width: width.max(1),
            is_done: false,
        }
    }
}

impl Iterator for Slices {
    type Item = (i64, i64);

    fn next(&mut self) -> Option<(i64, i64)> {
        if self.is_done {
            return None;
        }
        let bin = bin_of(self.at, self.width);
        let border = (i128::from(bin) + 1) * i128::from(self.width);
        // What lies within one bin is no longer than its width.
        let until = i64::try_from(border.min(i128::from(self.end))).unwrap_or(self.end);
        let slice = (bin, until.saturating_sub(self.at));
        self.at = until;
        self.is_done = until >= self.end;
        Some(slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn instants_and_borders() {
        let slices = |start, end| Slices::new(start, end, 10).collect::<Vec<_>>();
        assert_eq!(slices(10, 10), [(1, 0)]);
        assert_eq!(slices(0, 10), [(0, 10)]);
        assert_eq!(slices(9, 21), [(0, 1), (1, 10), (2, 1)]);
        assert_eq!(slices(-1, 1), [(-1, 1), (0, 1)]);
        let widest: Vec<_> = Slices::new(i64::MAX - 1, i64::MAX, i64::MAX).collect();
        assert_eq!(widest, [(0, 1)]);
    }

    proptest! {
        #[test]
        fn slices_are_the_ticks_counted_by_bin(start in -50..50_i64, length in 1..60_i64, width in 1..20_i64) {
            let mut expected: Vec<(i64, i64)> = Vec::new();
            for tick in start..start + length {
                let bin = (f64::from(tick as i32) / f64::from(width as i32)).floor() as i64;
                match expected.last_mut() {
                    Some((last, count)) if *last == bin => *count += 1,
                    _ => expected.push((bin, 1)),
                }
            }
            let found: Vec<_> = Slices::new(start, start + length, width).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
