//! From time to page: a linear scale that stays exact far from tick 0.

/// Maps ticks of time to horizontal pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeScale {
    /// First tick of the axis.
    pub start: i64,
    /// Last tick of the axis; at least `start`.
    pub end: i64,
    /// Pixel of `start`.
    pub left: f64,
    /// Pixels from `start` to `end`.
    pub width: f64,
}

impl TimeScale {
    /// A scale from `start` to `end` ticks over `width` pixels from `left`. A range of no length is widened to one tick,
    /// so that every scale has a slope.
    pub fn new(start: i64, end: i64, left: f64, width: f64) -> TimeScale {
        let (start, end) = if end > start {
            (start, end)
        } else if let Some(next) = start.checked_add(1) {
            (start, next)
        } else {
            (start - 1, start)
        };
        TimeScale {
            start,
            end,
            left,
            width,
        }
    }

    /// Pixels that one tick covers.
    pub fn px_per_tick(&self) -> f64 {
        self.width / (i128::from(self.end) - i128::from(self.start)) as f64
    }

    /// Pixel of a tick. The origin is taken off in whole numbers, before anything is rounded: times late in a long trace
    /// lose nothing.
    pub fn px(&self, tick: i64) -> f64 {
        self.left + self.span(self.start, tick)
    }

    /// Pixels from one tick to another; negative where `to` is before `from`.
    pub fn span(&self, from: i64, to: i64) -> f64 {
        (i128::from(to) - i128::from(from)) as f64 * self.px_per_tick()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_ticks_are_as_exact_as_early_ones() {
        let early = TimeScale::new(0, 1000, 10.0, 500.0);
        let late = TimeScale::new(i64::MAX - 1000, i64::MAX, 10.0, 500.0);
        for tick in [0, 1, 333, 999, 1000] {
            assert_eq!(early.px(tick), late.px(i64::MAX - 1000 + tick));
        }
    }

    #[test]
    fn the_whole_range_of_ticks_has_a_scale() {
        let all = TimeScale::new(i64::MIN, i64::MAX, 0.0, 100.0);
        assert!((all.px(i64::MAX) - 100.0).abs() < 1e-9);
        assert!((all.px(0) - 50.0).abs() < 1e-9);
        for point in [i64::MIN, 0, i64::MAX] {
            let scale = TimeScale::new(point, point, 0.0, 100.0);
            assert!(scale.px_per_tick().is_finite() && scale.end > scale.start);
        }
    }
}
