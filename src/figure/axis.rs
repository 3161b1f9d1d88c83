//! The time axis: a unit that suits the range, round ticks, labels without a rounding error.
//!
//! All is counted in whole quanta (picoseconds, or ticks of a logical trace), so a label is the number it says. Placing the
//! labels on the page is here too, because how many fit decides the step.

use crate::figure::scale::{Piece, TimeScale};
use crate::figure::text::{self, LABEL_SIZE};

/// What a tick of the trace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeBase {
    /// Real time.
    Physical {
        /// Picoseconds in one tick, at least 1.
        tick_picoseconds: i64,
    },
    /// Numbers without a unit.
    Logical {
        /// Ticks in 1 of the trace's own numbers, at least 1.
        ticks_per_unit: i64,
    },
}

/// A unit that labels can be in.
struct Unit {
    symbol: &'static str,
    /// Quanta in one of it.
    quanta: i128,
    /// Largest distance from 0 on the axis has to be at least this many quanta.
    from: i128,
    /// Round steps in the unit for units that are not counted by tens; after the last they go on by its 1-2-5 multiples.
    steps: &'static [i128],
}

const SECOND: i128 = 1_000_000_000_000;

const fn tens(symbol: &'static str, quanta: i128) -> Unit {
    Unit {
        symbol,
        quanta,
        from: 0,
        steps: &[],
    }
}

/// Units of real time. Minutes and hours only where seconds have grown long.
static UNITS: [Unit; 7] = [
    tens("ps", 1),
    tens("ns", 1_000),
    tens("µs", 1_000_000),
    tens("ms", 1_000_000_000),
    tens("s", SECOND),
    Unit {
        symbol: "min",
        quanta: 60 * SECOND,
        from: 600 * SECOND,
        steps: &[1, 2, 5, 10, 15, 30, 60],
    },
    Unit {
        symbol: "h",
        quanta: 3600 * SECOND,
        from: 36_000 * SECOND,
        steps: &[1, 2, 3, 6, 12, 24],
    },
];

impl TimeBase {
    fn quanta_per_tick(self) -> i128 {
        match self {
            TimeBase::Physical { tick_picoseconds } => i128::from(tick_picoseconds.max(1)),
            TimeBase::Logical { .. } => 1,
        }
    }

    /// A length of time as text, exact, in the largest unit up to seconds that it holds at least one of: `1.5 ms`.
    pub fn duration_text(self, ticks: i64) -> String {
        let quanta = i128::from(ticks) * self.quanta_per_tick();
        let (symbol, unit) = match self {
            TimeBase::Logical { ticks_per_unit } => ("", i128::from(ticks_per_unit.max(1))),
            TimeBase::Physical { .. } => UNITS[..5]
                .iter()
                .rev()
                .find(|unit| quanta.abs() >= unit.quanta)
                .map_or(("s", SECOND), |unit| (unit.symbol, unit.quanta)),
        };
        let number = decimal(quanta, unit, decimals(quanta, unit).unwrap_or(9));
        if symbol.is_empty() {
            number
        } else {
            format!("{number} {symbol}")
        }
    }
}

/// A tick of the time axis.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeTick {
    /// Where it stands, in pixels.
    pub x: f64,
    /// Its label; empty where the label would leave the page or touch its neighbour.
    pub label: String,
    /// Middle of the label in pixels; beside `x` only where the page ends.
    pub label_x: f64,
}

/// A time axis that is ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeAxis {
    /// What it shows and in which unit: `time [ms]`, or `time` for a logical trace.
    pub title: String,
    /// The ticks, from left to right.
    pub ticks: Vec<TimeTick>,
}

/// Least room between two labels, in pixels.
const LABEL_GAP: f64 = 13.0;

/// Least distance of two ticks, in pixels.
const TICK_DISTANCE: f64 = 46.0;

/// Places ticks and labels on a scale. `name` is what the axis shows; labels stay between the pixels `page.0` and `page.1`.
pub fn time_axis(scale: &TimeScale, base: TimeBase, name: &str, page: (f64, f64)) -> TimeAxis {
    let logical;
    let units: &[Unit] = match base {
        TimeBase::Physical { .. } => &UNITS,
        TimeBase::Logical { ticks_per_unit } => {
            logical = [tens("", i128::from(ticks_per_unit.max(1)))];
            &logical
        }
    };
    let quantum = base.quanta_per_tick();
    let pieces = scale.pieces();
    // The unit is the one that suits the part that is magnified: its ticks are the denser ones.
    let main = pieces
        .iter()
        .find(|piece| piece.is_magnified)
        .or(pieces.first());
    let reach = (i128::from(scale.start) * quantum).abs();
    let reach = reach.max((i128::from(scale.end) * quantum).abs());
    let best = main.and_then(|main| {
        units
            .iter()
            .filter(|unit| reach >= unit.from || quantum >= unit.quanta)
            .filter_map(|unit| labels_in(unit, main, quantum).map(|found| (unit, found)))
            .min_by_key(|(_, found)| found.cost)
    });
    let (Some((unit, best)), Some(main)) = (best, main) else {
        return TimeAxis {
            title: name.to_owned(),
            ticks: Vec::new(),
        };
    };
    let main_range = i128::from(main.start) * quantum..=i128::from(main.end) * quantum;
    let symbol = best.symbol;
    let mut ticks = Vec::new();
    for piece in &pieces {
        if piece == main {
            ticks.extend(place_ticks(&best.labels, piece, quantum));
        } else if let Some(found) = labels_in(unit, piece, quantum) {
            let mut labels = found.labels;
            labels.retain(|(at, _)| !main_range.contains(at));
            ticks.extend(place_ticks(&labels, piece, quantum));
        }
    }
    TimeAxis {
        title: if symbol.is_empty() {
            name.to_owned()
        } else {
            format!("{name} [{symbol}]")
        },
        ticks: place_labels(ticks, page),
    }
}

/// Ticks of labels where they stand on a piece of the scale.
fn place_ticks(labels: &[(i128, String)], piece: &Piece, quantum: i128) -> Vec<TimeTick> {
    let low = i128::from(piece.start) * quantum;
    let high = i128::from(piece.end) * quantum;
    let px_per_quantum = piece.width / (high - low) as f64;
    labels
        .iter()
        .map(|(at, label)| TimeTick {
            x: piece.left + (at - low) as f64 * px_per_quantum,
            label_x: 0.0,
            label: label.clone(),
        })
        .collect()
}

/// Keeps labels on the page; one that would have to move onto its neighbour for it is blanked.
fn place_labels(mut ticks: Vec<TimeTick>, page: (f64, f64)) -> Vec<TimeTick> {
    let mut reached = page.0;
    for tick in &mut ticks {
        let width = text::width(&tick.label, LABEL_SIZE);
        let left = (tick.x - width / 2.0).min(page.1 - width).max(page.0);
        if left < reached || left + width > page.1 + 1e-9 {
            tick.label.clear();
        } else {
            reached = left + width + LABEL_GAP / 2.0;
        }
        tick.label_x = left + width / 2.0;
    }
    ticks
}

/// Labels in one unit, and how hard they are to read.
struct Labels {
    symbol: &'static str,
    labels: Vec<(i128, String)>,
    cost: (usize, u32),
}

fn labels_in(unit: &Unit, piece: &Piece, quantum: i128) -> Option<Labels> {
    let low = i128::from(piece.start) * quantum;
    let high = i128::from(piece.end) * quantum;
    let span = (high - low) as f64;
    let mut crowded = None;
    for step in Steps::new(unit) {
        if step < quantum || (step as f64) < span / 60.0 {
            continue;
        }
        let Some(places) = decimals(step, unit.quanta) else {
            continue;
        };
        let first = low.div_euclid(step) + i128::from(low.rem_euclid(step) != 0);
        let last = high.div_euclid(step);
        if first > last {
            break;
        }
        let label = |number: i128| decimal(number * step, unit.quanta, places);
        let widest = [first, last].map(|number| text::width(&label(number), LABEL_SIZE));
        let needed = widest[0].max(widest[1]) + LABEL_GAP;
        let distance = step as f64 / span * piece.width;
        let ticks = Ticks {
            step,
            places,
            first,
            last,
            every: (needed / distance).ceil() as i128,
        };
        if first < last && distance < TICK_DISTANCE.max(needed) {
            crowded = Some(ticks);
            continue;
        }
        // One label alone says where, not how long: rather more ticks, and a label at some of them.
        return match crowded {
            Some(crowded) if first == last => crowded.labels(unit),
            _ => Ticks { every: 1, ..ticks }.labels(unit),
        };
    }
    None
}

/// Ticks at the multiples of a step.
struct Ticks {
    /// Quanta between two ticks.
    step: i128,
    /// Decimals of the labels.
    places: u32,
    /// First multiple.
    first: i128,
    /// Last multiple.
    last: i128,
    /// Each how many ticks have a label.
    every: i128,
}

impl Ticks {
    fn labels(&self, unit: &Unit) -> Option<Labels> {
        let labels: Vec<(i128, String)> = (self.first..=self.last)
            .map(|number| {
                let at = number * self.step;
                let label = if number.rem_euclid(self.every.max(1)) == 0 {
                    decimal(at, unit.quanta, self.places)
                } else {
                    String::new()
                };
                (at, label)
            })
            .collect();
        let longest = labels
            .iter()
            .map(|(_, label)| label.chars().count())
            .max()?;
        let decimals = if self.places > 0 {
            self.places as usize + 1
        } else {
            0
        };
        // A zoomed axis far from 0 has long labels in any unit: `10.00002` is easier than `10000020`.
        let whole = longest.saturating_sub(decimals).saturating_sub(4);
        let labelled = labels.iter().filter(|(_, label)| !label.is_empty()).count();
        // One label says where, not how long; two are few.
        let scarce = match labelled {
            0 | 1 => 20,
            2 => 3,
            _ => 0,
        };
        let cost = longest + whole + scarce;
        Some(Labels {
            symbol: unit.symbol,
            labels,
            cost: (cost, self.places),
        })
    }
}

/// Round steps of a unit in quanta, from small to large.
struct Steps<'a> {
    unit: &'a Unit,
    listed: usize,
    power: i128,
    digit: usize,
}

impl<'a> Steps<'a> {
    fn new(unit: &'a Unit) -> Steps<'a> {
        let listed = unit.steps.last().map(|last| last * unit.quanta);
        Steps {
            unit,
            listed: 0,
            // By tens from one quantum on, or from the last listed step.
            power: listed.unwrap_or(if is_power_of_ten(unit.quanta) {
                1
            } else {
                unit.quanta
            }),
            digit: usize::from(listed.is_some()),
        }
    }
}

impl Iterator for Steps<'_> {
    type Item = i128;

    fn next(&mut self) -> Option<i128> {
        if let Some(step) = self.unit.steps.get(self.listed) {
            self.listed += 1;
            return Some(step * self.unit.quanta);
        }
        let step = self.power.checked_mul([1, 2, 5][self.digit])?;
        self.digit += 1;
        if self.digit == 3 {
            self.digit = 0;
            self.power = self.power.checked_mul(10)?;
        }
        Some(step)
    }
}

fn is_power_of_ten(mut number: i128) -> bool {
    while number > 1 && number % 10 == 0 {
        number /= 10;
    }
    number == 1
}

/// How many decimals a number of quanta has in a unit; none where it has no end (a second in minutes).
fn decimals(quanta: i128, unit: i128) -> Option<u32> {
    let mut rest = (quanta % unit).abs();
    for places in 0..=18 {
        if rest == 0 {
            return Some(places);
        }
        rest = rest * 10 % unit;
    }
    None
}

/// A number of quanta in a unit, with that many decimals (the rest is cut off).
fn decimal(quanta: i128, unit: i128, places: u32) -> String {
    let sign = if quanta < 0 { "\u{2212}" } else { "" };
    let (size, unit) = (quanta.unsigned_abs(), unit.unsigned_abs());
    let whole = size / unit;
    if places == 0 {
        return format!("{sign}{whole}");
    }
    let part = size % unit * 10_u128.pow(places.min(18)) / unit;
    format!(
        "{sign}{whole}.{part:0width$}",
        width = places.min(18) as usize
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const NS: TimeBase = TimeBase::Physical {
        tick_picoseconds: 1000,
    };
    const LOGICAL: TimeBase = TimeBase::Logical {
        ticks_per_unit: 1_000_000_000,
    };

    fn axis(start: i64, end: i64, width: f64, base: TimeBase) -> TimeAxis {
        let scale = TimeScale::new(start, end, 50.0, width);
        time_axis(&scale, base, "time", (4.0, 50.0 + width + 12.0))
    }

    fn labels(axis: &TimeAxis) -> Vec<&str> {
        axis.ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn the_unit_suits_the_range() {
        for (end, width, title, expected) in [
            (100_000_000, 400.0, "time [ms]", "0 20 40 60 80 100"),
            (9_030_000_000, 560.0, "time [s]", "0 1 2 3 4 5 6 7 8 9"),
            (
                1_200_000_000,
                300.0,
                "time [s]",
                "0.0 0.2 0.4 0.6 0.8 1.0 1.2",
            ),
            (800, 300.0, "time [ns]", "0 200 400 600 800"),
            (5_000, 300.0, "time [µs]", "0 1 2 3 4 5"),
            (1, 300.0, "time [ns]", "0 1"),
            (
                3_600_000_000_000,
                300.0,
                "time [min]",
                "0 10 20 30 40 50 60",
            ),
            (7_200_000_000_000, 300.0, "time [min]", "0 30 60 90 120"),
            (172_800_000_000_000, 300.0, "time [h]", "0 12 24 36 48"),
        ] {
            let axis = axis(0, end, width, NS);
            assert_eq!(
                (axis.title.as_str(), labels(&axis).join(" ").as_str()),
                (title, expected)
            );
        }
    }

    #[test]
    fn logical_times_have_no_unit() {
        let axis = axis(-2_500_000_000, 2_500_000_000, 300.0, LOGICAL);
        assert_eq!(axis.title, "time");
        assert_eq!(labels(&axis), ["−2", "−1", "0", "1", "2"]);
        let three = TimeBase::Logical { ticks_per_unit: 3 };
        assert_eq!(
            labels(&self::axis(0, 30, 300.0, three)),
            ["0", "2", "4", "6", "8", "10"]
        );
    }

    #[test]
    fn a_zoom_far_from_zero_has_exact_labels() {
        let axis = axis(10_000_000_000, 10_000_100_000, 500.0, NS);
        assert_eq!(axis.title, "time [s]");
        assert_eq!(labels(&axis)[..2], ["10.00000", "10.00002"]);
    }

    #[test]
    fn ticks_are_round_and_labels_exact_for_any_range() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            seed >> 8
        };
        let ends = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
        let mut ranges: Vec<(i64, i64)> = ends
            .iter()
            .flat_map(|a| ends.iter().map(|b| (*a, *b)))
            .filter(|(a, b)| a <= b)
            .collect();
        for _ in 0..3000 {
            let start = (random() as i64 - (1 << 55)) >> (random() % 56);
            let length = (random() >> (random() % 56)) as i64;
            ranges.push((start, start.saturating_add(length)));
        }
        let bases = [
            NS,
            LOGICAL,
            TimeBase::Physical {
                tick_picoseconds: 1,
            },
            TimeBase::Physical {
                tick_picoseconds: 60_000_000_000_000,
            },
            TimeBase::Logical { ticks_per_unit: 7 },
        ];
        for (start, end) in ranges {
            for base in bases {
                for width in [0.3, 20.0, 250.0, 600.0, 3000.0] {
                    check(&axis(start, end, width, base), start, end, width, base);
                }
            }
        }
    }

    fn check(axis: &TimeAxis, start: i64, end: i64, width: f64, base: TimeBase) {
        let context = format!("{start}..{end} {width} {base:?} {axis:?}");
        let unit = match base {
            TimeBase::Logical { ticks_per_unit } => i128::from(ticks_per_unit),
            TimeBase::Physical { .. } => UNITS
                .iter()
                .find(|unit| axis.title == format!("time [{}]", unit.symbol))
                .map_or(1, |unit| unit.quanta),
        };
        let scale = TimeScale::new(start, end, 50.0, width);
        let quantum = base.quanta_per_tick();
        let low = i128::from(scale.start) * quantum;
        let high = i128::from(scale.end) * quantum;
        let mut reached = f64::NEG_INFINITY;
        for tick in &axis.ticks {
            assert!(
                tick.x >= 50.0 - 1e-6 && tick.x <= 50.0 + width + 1e-6,
                "{context}"
            );
            if tick.label.is_empty() {
                continue;
            }
            // Read the label back as a fraction: it is where its tick stands, exactly up to the pixels' doubles.
            let digits = tick.label.replace('−', "-").replace('.', "");
            let places = tick
                .label
                .find('.')
                .map_or(0, |dot| tick.label.len() - dot - 1) as u32;
            let number: i128 = digits.parse().unwrap();
            let scaled = number * unit;
            let power = 10_i128.pow(places);
            assert_eq!(scaled % power, 0, "{context}");
            let quanta = scaled / power;
            assert!((low..=high).contains(&quanta), "{context}");
            let x = 50.0 + (quanta - low) as f64 / (high - low) as f64 * width;
            assert!((x - tick.x).abs() < 1e-6, "{context}");
            let half = text::width(&tick.label, LABEL_SIZE) / 2.0;
            assert!(
                tick.label_x - half >= reached && tick.label_x + half <= 50.0 + width + 12.0 + 1e-6,
                "{context}"
            );
            reached = tick.label_x + half;
        }
        // A seventh has no decimals, so a range within one unit has no exact label; times of 10^14 minutes fill the axis.
        let has_labels = matches!(
            base,
            TimeBase::Logical {
                ticks_per_unit: 1_000_000_000
            } | TimeBase::Physical {
                tick_picoseconds: 1 | 1000
            }
        );
        if width >= 250.0 && end > start && has_labels {
            assert!(axis.ticks.len() >= 2 && axis.ticks.len() < 80, "{context}");
        }
    }

    #[test]
    fn a_lens_has_denser_ticks_inside() {
        use crate::figure::scale::Lens;
        let lens = Lens {
            start: 40_000_000,
            end: 50_000_000,
            factor: 20.0,
        };
        let scale = TimeScale::new(0, 100_000_000, 50.0, 580.0).with_lens(lens);
        let axis = time_axis(&scale, NS, "time", (4.0, 640.0));
        assert_eq!(axis.title, "time [ms]");
        // 290 ms' worth in 580 px: 80 px, then 400 px, then 100 px; two ticks are at least 46 px apart where there is more than one.
        assert_eq!(labels(&axis).join(" "), "0 20 40 42 44 46 48 50 100");
        assert!(axis.ticks.windows(2).all(|pair| pair[0].x < pair[1].x));
    }

    #[test]
    fn durations_are_exact() {
        assert_eq!(NS.duration_text(65_536), "65.536 µs");
        assert_eq!(NS.duration_text(1 << 40), "1099.511627776 s");
        assert_eq!(NS.duration_text(0), "0 s");
        assert_eq!(LOGICAL.duration_text(1_500_000_000), "1.5");
    }
}
