//! Two sides of a comparison, each of one or several runs: what a side has of a key, and whether two sides differ.
//!
//! A side is summed up by medians over all its runs, where a run that lacks the key has 0 of it: a median does not move
//! with one odd run, and the lowest and the highest run say how far the runs lie apart. Time n log n in the runs of a key.

/// What one run has of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Rows.
    pub number: i64,
    /// The sum of what is measured: ticks, or whole numbers.
    pub amount: i64,
}

/// What a side has of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// The runs that have the key.
    pub runs: usize,
    /// Twice the median number of rows: the mean of two whole numbers may be a half.
    pub twice_number: i128,
    /// The median amount, rounded half to even.
    pub amount: i64,
    /// The least amount of a run.
    pub lowest: i64,
    /// The largest amount of a run.
    pub highest: i64,
}

/// Sums up what the runs that have the key hold; `runs` is how many the side has in all. The parts are reordered.
pub fn side(parts: &mut [Part], runs: usize) -> Side {
    let runs = runs.max(parts.len());
    let lacking = runs - parts.len();
    let mut out = Side {
        runs: parts.len(),
        ..Side::default()
    };
    if runs == 0 {
        return out;
    }
    out.twice_number = twice_median(parts, lacking, |part| part.number);
    let twice = twice_median(parts, lacking, |part| part.amount);
    out.amount = half(twice);
    let amounts = || {
        let none = (lacking > 0).then_some(0);
        parts.iter().map(|part| part.amount).chain(none)
    };
    out.lowest = amounts().min().unwrap_or(0);
    out.highest = amounts().max().unwrap_or(0);
    out
}

/// Half of it, rounded half to even: the mean of two 64-bit numbers, which is one.
fn half(twice: i128) -> i64 {
    let below = twice.div_euclid(2);
    (below + twice.rem_euclid(2) * below.rem_euclid(2)) as i64
}

/// Twice the median of what `of` says of the parts and of as many zeros as runs are `lacking`.
fn twice_median(parts: &mut [Part], lacking: usize, of: impl Fn(&Part) -> i64) -> i128 {
    parts.sort_unstable_by_key(|part| of(part));
    let below = parts.partition_point(|part| of(part) < 0);
    let at = |place: usize| {
        let part = if place < below {
            parts.get(place)
        } else if place < below + lacking {
            None
        } else {
            parts.get(place - lacking)
        };
        part.map_or(0, |part| i128::from(of(part)))
    };
    let runs = parts.len() + lacking;
    at((runs - 1) / 2) + at(runs / 2)
}

/// How far two numbers may lie apart and still count as the same: a share of the first, exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct Tolerance {
    /// Of the share, at least 0.
    pub numerator: i128,
    /// Of the share, at least 1.
    pub denominator: i128,
}

impl Tolerance {
    /// Nothing but equal numbers.
    pub const NONE: Tolerance = Tolerance {
        numerator: 0,
        denominator: 1,
    };

    fn covers(self, a: i128, b: i128) -> bool {
        // What does not fit is larger than any difference of 64-bit numbers can be.
        let distance = a.abs_diff(b).checked_mul(self.denominator.unsigned_abs());
        let allowed = a
            .unsigned_abs()
            .saturating_mul(self.numerator.unsigned_abs());
        distance.is_some_and(|distance| distance <= allowed)
    }
}

/// How a key stands on the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Only on the second.
    Added,
    /// Only on the first.
    Removed,
    /// On both, and different.
    Changed,
    /// On both, and the same within the tolerance.
    Matched,
}

impl Status {
    /// Every status.
    pub const ALL: [Status; 4] = [
        Status::Added,
        Status::Removed,
        Status::Changed,
        Status::Matched,
    ];

    /// The word in the result.
    pub fn name(self) -> &'static str {
        match self {
            Status::Added => "added",
            Status::Removed => "removed",
            Status::Changed => "changed",
            Status::Matched => "matched",
        }
    }

    /// The status of a key; the tolerance holds for the number of rows and for the amount.
    pub fn of(a: &Side, b: &Side, tolerance: Tolerance) -> Status {
        match (a.runs, b.runs) {
            (0, _) => Status::Added,
            (_, 0) => Status::Removed,
            _ => {
                let same = tolerance.covers(a.twice_number, b.twice_number)
                    && tolerance.covers(i128::from(a.amount), i128::from(b.amount));
                if same {
                    Status::Matched
                } else {
                    Status::Changed
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(amounts: &[i64], runs: usize) -> Side {
        let mut parts: Vec<Part> = amounts
            .iter()
            .map(|amount| Part {
                number: amount.saturating_abs().saturating_add(1),
                amount: *amount,
            })
            .collect();
        side(&mut parts, runs)
    }

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_the_two_in_the_middle() {
        let cases: &[(&[i64], usize, i64)] = &[
            (&[7], 1, 7),
            (&[9, 1, 5], 3, 5),
            (&[1, 9, 5, 7], 4, 6),
            // 0.5, 1.5 and -1.5 go to the even neighbour.
            (&[0, 1], 2, 0),
            (&[1, 2], 2, 2),
            (&[-1, -2], 2, -2),
            (&[i64::MAX, i64::MAX - 2], 2, i64::MAX - 1),
            (&[i64::MIN, i64::MIN], 2, i64::MIN),
        ];
        for (amounts, runs, expected) in cases {
            assert_eq!(of(amounts, *runs).amount, *expected, "{amounts:?}");
        }
    }

    #[test]
    fn a_run_without_the_key_has_nothing_of_it() {
        let half = of(&[6], 2);
        assert_eq!(
            (half.runs, half.amount, half.lowest, half.highest),
            (1, 3, 0, 6)
        );
        // Seven rows in one run of two.
        assert_eq!(half.twice_number, 7);
        let one_of_three = of(&[6], 3);
        assert_eq!((one_of_three.amount, one_of_three.twice_number), (0, 0));
        // -4, 0, 2: zeros stand between what is below and above.
        let mixed = of(&[2, -4], 3);
        assert_eq!((mixed.amount, mixed.lowest, mixed.highest), (0, -4, 2));
        assert_eq!(of(&[-4, -2], 4).amount, -1);
        assert_eq!(of(&[], 0), Side::default());
        assert_eq!(of(&[], 5), Side::default());
    }

    #[test]
    fn a_tolerance_is_exact_at_its_edge() {
        let percent = |numerator| Tolerance {
            numerator,
            denominator: 100,
        };
        // 0.29 * 100 is below 29 in floats.
        assert!(percent(29).covers(100, 129) && percent(29).covers(100, 71));
        assert!(!percent(29).covers(100, 130));
        assert!(Tolerance::NONE.covers(5, 5) && !Tolerance::NONE.covers(0, 1));
        assert!(percent(100).covers(i128::from(i64::MAX), 0));
        let fine = Tolerance {
            numerator: i128::MAX,
            denominator: i128::MAX,
        };
        assert!(!fine.covers(1, i128::from(i64::MAX)));
    }

    #[test]
    fn the_status_says_on_which_sides_a_key_is() {
        let (none, five, six) = (of(&[], 1), of(&[5], 1), of(&[6], 1));
        let status = |a, b| Status::of(a, b, Tolerance::NONE);
        assert_eq!(status(&none, &five), Status::Added);
        assert_eq!(status(&five, &none), Status::Removed);
        assert_eq!(status(&five, &six), Status::Changed);
        assert_eq!(status(&six, &six), Status::Matched);
        // As much time in more rows is a change as well.
        let split = Side {
            twice_number: 40,
            ..six
        };
        assert_eq!(status(&six, &split), Status::Changed);
    }
}
