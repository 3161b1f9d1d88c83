//! From time to page: a scale that stays exact far from tick 0, with or without a part that is magnified.

/// A part of the time axis that is drawn larger than the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// First tick of the part.
    pub start: i64,
    /// Last tick of the part, after `start`.
    pub end: i64,
    /// How many times as many pixels a tick has inside as outside; positive and finite.
    pub factor: f64,
}

/// A stretch of a scale on which all ticks are equally wide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// First tick.
    pub start: i64,
    /// Last tick, after `start`.
    pub end: i64,
    /// Pixel of `start`.
    pub left: f64,
    /// Pixels from `start` to `end`.
    pub width: f64,
    /// Whether it is the magnified part.
    pub is_magnified: bool,
}

/// Maps ticks of time to horizontal pixels: linear, or linear in three pieces that meet where there is a lens.
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
    /// The magnified part, within `start..end`.
    pub lens: Option<Lens>,
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
            lens: None,
        }
    }

    /// The same scale with a part magnified: the whole keeps its width, what is outside of the part becomes narrower. The
    /// part is cut to the scale; none is left where it lies beside it or its factor is no positive number.
    pub fn with_lens(mut self, lens: Lens) -> TimeScale {
        let (start, end) = (lens.start.max(self.start), lens.end.min(self.end));
        let is_lens = end > start && lens.factor.is_finite() && lens.factor > 0.0;
        self.lens = is_lens.then_some(Lens { start, end, ..lens });
        self
    }

    /// Pixels that one tick covers, outside of a lens.
    pub fn px_per_tick(&self) -> f64 {
        self.width / self.weight(self.start, self.end)
    }

    /// Length of a time in ticks, those in the lens counted by its factor.
    fn weight(&self, from: i64, to: i64) -> f64 {
        let whole = (i128::from(to) - i128::from(from)) as f64;
        let Some(lens) = self.lens else { return whole };
        let (low, high) = (from.min(to), from.max(to));
        let inside = (i128::from(high.min(lens.end)) - i128::from(low.max(lens.start))).max(0);
        whole
            + (lens.factor - 1.0)
                * if to < from {
                    -(inside as f64)
                } else {
                    inside as f64
                }
    }

    /// Pixel of a tick. The origin is taken off in whole numbers, before anything is rounded: times late in a long trace
    /// lose nothing.
    pub fn px(&self, tick: i64) -> f64 {
        self.left + self.span(self.start, tick)
    }

    /// Pixels from one tick to another; negative where `to` is before `from`.
    pub fn span(&self, from: i64, to: i64) -> f64 {
        self.weight(from, to) * self.px_per_tick()
    }

    /// Left edge and width of an interval. One that reaches far beyond the scale is cut there: nobody sees it, and renderers
    /// count in single precision, which would move the edge that can be seen.
    pub fn interval(&self, start: i64, end: i64) -> (f64, f64) {
        let (left, width) = (self.px(start), self.span(start, end));
        let far = 2.0 * self.width;
        let (first, last) = (self.left - far, self.left + self.width + far);
        if left >= first && left + width <= last {
            return (left, width);
        }
        // Not `left + width`: both are huge in a deep zoom, and the edge in view would be their rounding error.
        let right = self.px(end).min(last);
        let left = left.max(first);
        (left, right - left)
    }

    /// Whether a time can be seen; `start` and `end` are equal for an instant, which is seen at both ends of the scale.
    pub fn shows(&self, start: i64, end: i64) -> bool {
        if start == end {
            (self.start..=self.end).contains(&start)
        } else {
            end > self.start && start < self.end
        }
    }

    /// The stretches of the scale from left to right: one without a lens.
    pub fn pieces(&self) -> Vec<Piece> {
        let Some(lens) = self.lens else {
            return vec![Piece {
                start: self.start,
                end: self.end,
                left: self.left,
                width: self.width,
                is_magnified: false,
            }];
        };
        let ends = [
            (self.start, lens.start, false),
            (lens.start, lens.end, true),
            (lens.end, self.end, false),
        ];
        let ends = ends.into_iter().filter(|(start, end, _)| end > start);
        ends.map(|(start, end, is_magnified)| Piece {
            start,
            end,
            left: self.px(start),
            width: self.span(start, end),
            is_magnified,
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    #[test]
    fn a_lens_magnifies_by_its_factor_and_keeps_the_ends() {
        let lens = Lens {
            start: 200,
            end: 300,
            factor: 10.0,
        };
        let scale = TimeScale::new(0, 1000, 50.0, 950.0).with_lens(lens);
        // 900 ticks outside and 100 that count ten times share 950 pixels: half a pixel and five.
        assert!((scale.px(200) - 150.0).abs() < 1e-9);
        assert!((scale.px(300) - 650.0).abs() < 1e-9);
        assert!((scale.px(1000) - 1000.0).abs() < 1e-9);
        assert!((scale.span(300, 200) + 500.0).abs() < 1e-9);
        assert!((scale.px(-100) - 0.0).abs() < 1e-9);
        let beside = Lens {
            start: 2000,
            end: 3000,
            factor: 4.0,
        };
        assert_eq!(TimeScale::new(0, 10, 0.0, 9.0).with_lens(beside).lens, None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_lens_is_monotone_and_continuous(
            start in any::<i64>(),
            length in 1..=i64::MAX,
            part in (0.0..1.0_f64, 0.0..1.0_f64),
            factor in 0.01..1e4_f64,
            times in proptest::collection::vec(any::<i64>(), 2..20),
        ) {
            let end = start.saturating_add(length);
            let at = |share: f64| start.saturating_add((share * (end as f64 - start as f64)) as i64);
            let lens = Lens { start: at(part.0.min(part.1)), end: at(part.0.max(part.1)), factor };
            let scale = TimeScale::new(start, end, 10.0, 500.0).with_lens(lens);
            let mut times = times;
            times.extend([scale.start, scale.end, lens.start, lens.end]);
            times.sort_unstable();
            for pair in times.windows(2) {
                prop_assert!(scale.span(pair[0], pair[1]) >= 0.0);
                let step = scale.px(pair[1]) - scale.px(pair[0]);
                let slack = 1e-9 * (scale.px(pair[1]).abs() + scale.px(pair[0]).abs() + 1.0);
                prop_assert!((step - scale.span(pair[0], pair[1])).abs() <= slack, "{step}");
            }
            prop_assert!((scale.px(scale.start) - 10.0).abs() < 1e-6);
            prop_assert!((scale.px(scale.end) - 510.0).abs() < 1e-6);
            // Where one piece ends the next begins.
            let pieces = scale.pieces();
            for pair in pieces.windows(2) {
                prop_assert_eq!(pair[0].end, pair[1].start);
                prop_assert!((pair[0].left + pair[0].width - pair[1].left).abs() < 1e-6);
            }
        }
    }
}
