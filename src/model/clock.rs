//! Exact time: Int64 ticks read from decimal text, never through a float, and printed back exactly.

use crate::spec::{Decimal, TimeUnit};

/// Digits that fit a 64-bit integer whatever they are.
const PLAIN_DIGITS: usize = 18;

/// How ticks relate to a file's numbers.
///
/// A trace with a unit counts ticks of `resolution`. A trace without one keeps its numbers exactly: a
/// tick is 10^-9 of the file's number, whatever that means (language.md section 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct Clock {
    /// The length of a tick where there is a unit.
    pub resolution: TimeUnit,
    /// The unit of the file's numbers; None for a logical trace.
    pub unit: Option<TimeUnit>,
}

/// Why a text is no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeError {
    /// Nothing there.
    Missing,
    /// Not a decimal number.
    NotANumber,
    /// NaN or infinite.
    NotFinite,
    /// More than 64 bits of ticks.
    OutOfRange,
}

impl TimeError {
    /// The stable reason code of load reports.
    pub fn code(self) -> &'static str {
        match self {
            TimeError::Missing => "time_missing",
            TimeError::NotANumber => "time_not_a_number",
            TimeError::NotFinite => "time_not_finite",
            TimeError::OutOfRange => "time_out_of_range",
        }
    }

    /// The rest of a sentence that begins with the name of the field.
    pub fn about(self) -> &'static str {
        match self {
            TimeError::Missing => "is missing",
            TimeError::NotANumber => "is not a number",
            TimeError::NotFinite => "is not finite",
            TimeError::OutOfRange => "does not fit into 64-bit ticks",
        }
    }
}

/// A time read from text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedTime {
    /// Ticks.
    pub ticks: i64,
    /// True where digits below the resolution were rounded away (half to even).
    pub rounded: bool,
}

impl Clock {
    /// A clock with a unit.
    pub fn physical(unit: TimeUnit, resolution: TimeUnit) -> Clock {
        Clock {
            resolution,
            unit: Some(unit),
        }
    }

    /// A clock without a unit.
    pub fn logical() -> Clock {
        Clock {
            resolution: TimeUnit::Nanosecond,
            unit: None,
        }
    }

    /// True where the trace has no unit.
    pub fn is_logical(self) -> bool {
        self.unit.is_none()
    }

    /// The word for messages: `ms`, or `unit` for a logical trace.
    pub fn unit_name(self) -> &'static str {
        self.unit.map_or("unit", TimeUnit::name)
    }

    /// Ticks in one of the file's unit, as `numerator / denominator` (one of them is 1, but for minutes
    /// and hours at whatever resolution, where the numerator is not a power of ten).
    fn ratio(self) -> (i128, i128) {
        match self.unit {
            None => (1_000_000_000, 1),
            Some(unit) => {
                let (unit, tick) = (unit.picoseconds(), self.resolution.picoseconds());
                if unit >= tick {
                    (unit / tick, 1)
                } else {
                    (1, tick / unit)
                }
            }
        }
    }

    /// Reads a time in the file's unit. Blanks around it are ignored. For many times of one clock a
    /// [`TimeParser`] is several times faster.
    pub fn parse(self, text: &[u8]) -> Result<ParsedTime, TimeError> {
        TimeParser::new(self).parse(text)
    }

    fn parse_any(self, text: &[u8]) -> Result<ParsedTime, TimeError> {
        if text.is_empty() || text.eq_ignore_ascii_case(b"NA") || text.eq_ignore_ascii_case(b"null")
        {
            return Err(TimeError::Missing);
        }
        let text = std::str::from_utf8(text).map_err(|_| TimeError::NotANumber)?;
        let bare = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
        if bare == "nan" {
            return Err(TimeError::NotANumber);
        }
        if bare == "inf" || bare == "infinity" {
            return Err(TimeError::NotFinite);
        }
        if text.contains('_') {
            return Err(TimeError::NotANumber);
        }
        let decimal = match Decimal::parse(text) {
            Some(decimal) => decimal,
            // A decimal number that is merely too long or too large is out of range, not "no number".
            None if text.parse::<f64>().is_ok() => return Err(TimeError::OutOfRange),
            None => return Err(TimeError::NotANumber),
        };
        let (ticks, rounded) = self.ticks_of(decimal).ok_or(TimeError::OutOfRange)?;
        Ok(ParsedTime { ticks, rounded })
    }

    /// A decimal number of the file's unit in ticks, and whether it was rounded (half to even).
    pub fn ticks_of(self, decimal: Decimal) -> Option<(i64, bool)> {
        let (numerator, denominator) = self.ratio();
        let mut numerator = decimal.digits.checked_mul(numerator)?;
        let mut denominator = denominator;
        let mut exponent = decimal.exponent;
        if numerator == 0 {
            return Some((0, false));
        }
        while exponent > 0 {
            numerator = numerator.checked_mul(10)?;
            exponent -= 1;
        }
        while exponent < 0 {
            if numerator % 10 == 0 {
                numerator /= 10;
            } else if let Some(larger) = denominator.checked_mul(10) {
                denominator = larger;
            } else {
                // Far below a tick whatever the digits.
                return Some((0, true));
            }
            exponent += 1;
        }
        let (ticks, rounded) = divide_half_even(numerator, denominator);
        Some((i64::try_from(ticks).ok()?, rounded))
    }

    /// Ticks as an exact decimal of the file's unit.
    pub fn format(self, ticks: i64) -> String {
        self.format_in(ticks, self.unit)
    }

    /// Ticks as an exact decimal of another unit (`save … unit=us`). Minutes and hours, which decimals
    /// cannot always say, get as many digits as read back to the same tick.
    pub fn format_in(self, ticks: i64, unit: Option<TimeUnit>) -> String {
        let clock = Clock {
            unit: if self.unit.is_none() {
                None
            } else {
                unit.or(self.unit)
            },
            ..self
        };
        let (numerator, denominator) = clock.ratio();
        if denominator != 1 {
            return (i128::from(ticks) * denominator).to_string();
        }
        if let Some(places) = power_of_ten(numerator) {
            return Decimal::new(i128::from(ticks), -places).to_string();
        }
        for places in 0..=24 {
            let Some(scaled) = i128::from(ticks).checked_mul(10_i128.pow(places)) else {
                break;
            };
            let (digits, _) = divide_half_even(scaled, numerator);
            let decimal = Decimal::new(digits, -(places as i32));
            if clock.ticks_of(decimal).map(|(back, _)| back) == Some(ticks) {
                return decimal.to_string();
            }
        }
        ticks.to_string()
    }

    /// Ticks as a script would write them: `100ms`, or a bare number where there is no unit.
    pub fn written(self, ticks: i64) -> String {
        if self.is_logical() {
            self.format(ticks)
        } else {
            crate::spec::format_time(self.to_exact(ticks))
        }
    }

    /// Ticks of a physical trace in picoseconds; of a logical one unchanged.
    pub fn to_exact(self, ticks: i64) -> i128 {
        if self.is_logical() {
            i128::from(ticks)
        } else {
            i128::from(ticks) * self.resolution.picoseconds()
        }
    }

    /// Picoseconds (physical) or 10^-9 units (logical) in ticks; None where it is not whole or too large.
    pub fn from_exact(self, exact: i128) -> Option<i64> {
        if self.is_logical() {
            return i64::try_from(exact).ok();
        }
        let tick = self.resolution.picoseconds();
        if exact % tick != 0 {
            return None;
        }
        i64::try_from(exact / tick).ok()
    }
}

/// Reads many times of one clock: the factors of the common form `123.456` are made once.
#[derive(Clone, Copy, Debug)]
pub struct TimeParser {
    clock: Clock,
    /// Ticks in `10^-places` of the unit; 0 where that is no whole number of ticks.
    factors: [i64; PLAIN_DIGITS + 1],
}

impl TimeParser {
    /// A parser of this clock.
    pub fn new(clock: Clock) -> TimeParser {
        let (numerator, denominator) = clock.ratio();
        let mut factors = [0; PLAIN_DIGITS + 1];
        let mut scale: i128 = 1;
        for factor in &mut factors {
            if denominator == 1 && numerator % scale == 0 {
                *factor = i64::try_from(numerator / scale).unwrap_or(0);
            }
            scale *= 10;
        }
        TimeParser { clock, factors }
    }

    /// The clock it reads for.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Reads a time in the file's unit. Blanks around it are ignored.
    #[inline]
    pub fn parse(&self, text: &[u8]) -> Result<ParsedTime, TimeError> {
        let text = text.trim_ascii();
        match self.parse_plain(text) {
            Some(ticks) => Ok(ParsedTime {
                ticks,
                rounded: false,
            }),
            None => self.clock.parse_any(text),
        }
    }

    /// The common form, with at most 18 digits in all, without 128-bit work.
    #[inline]
    fn parse_plain(&self, text: &[u8]) -> Option<i64> {
        let (negative, digits) = match text.split_first()? {
            (b'-', rest) => (true, rest),
            _ => (false, text),
        };
        if digits.len() > PLAIN_DIGITS + 1 {
            return None;
        }
        let mut number: i64 = 0;
        let mut count = 0;
        let mut point = None;
        for byte in digits {
            let digit = byte.wrapping_sub(b'0');
            if digit < 10 {
                // 19 digits without a point may wrap here; they are refused below.
                number = number.wrapping_mul(10).wrapping_add(i64::from(digit));
                count += 1;
            } else if *byte == b'.' && point.is_none() {
                point = Some(count);
            } else {
                return None;
            }
        }
        if count == 0 || count > PLAIN_DIGITS {
            return None;
        }
        let places = point.map_or(0, |point| count - point);
        let factor = *self.factors.get(places)?;
        if factor == 0 {
            return None;
        }
        let ticks = number.checked_mul(factor)?;
        Some(if negative { -ticks } else { ticks })
    }
}

/// `numerator / denominator` rounded half to even, and whether anything was rounded. The denominator is
/// positive.
pub fn divide_half_even(numerator: i128, denominator: i128) -> (i128, bool) {
    let quotient = numerator.div_euclid(denominator);
    let rest = numerator.rem_euclid(denominator);
    let up = match rest.cmp(&(denominator - rest)) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Greater => 1,
        std::cmp::Ordering::Equal => quotient.rem_euclid(2),
    };
    (quotient + up, rest != 0)
}

fn power_of_ten(number: i128) -> Option<i32> {
    let mut rest = number;
    let mut places = 0;
    while rest % 10 == 0 && rest > 1 {
        rest /= 10;
        places += 1;
    }
    (rest == 1).then_some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(clock: Clock, text: &str) -> i64 {
        clock.parse(text.as_bytes()).map(|p| p.ticks).unwrap_or(-1)
    }

    #[test]
    fn decimal_text_becomes_ticks_without_a_float() {
        let ms = Clock::physical(TimeUnit::Millisecond, TimeUnit::Nanosecond);
        assert_eq!(ticks(ms, "40704.498590"), 40_704_498_590);
        assert_eq!(ticks(ms, " 0.1 "), 100_000);
        assert_eq!(ticks(ms, "1e0"), 1_000_000);
        let s = Clock::physical(TimeUnit::Second, TimeUnit::Nanosecond);
        assert_eq!(ticks(s, "1690000000.123456789"), 1_690_000_000_123_456_789);
        assert_eq!(
            ticks(s, "1.690000000123456789e9"),
            1_690_000_000_123_456_789
        );
        assert_eq!(s.format(1_690_000_000_123_456_789), "1690000000.123456789");
    }

    #[test]
    fn digits_below_the_resolution_round_half_to_even_and_say_so() {
        let ns = Clock::physical(TimeUnit::Nanosecond, TimeUnit::Nanosecond);
        for (text, expected) in [
            ("0.5", 0),
            ("1.5", 2),
            ("2.5", 2),
            ("-1.5", -2),
            ("0.51", 1),
        ] {
            let parsed = ns.parse(text.as_bytes());
            assert_eq!(
                parsed,
                Ok(ParsedTime {
                    ticks: expected,
                    rounded: true
                })
            );
        }
    }

    #[test]
    fn what_is_no_time_says_why() {
        let ms = Clock::physical(TimeUnit::Millisecond, TimeUnit::Nanosecond);
        let cases = [
            ("", TimeError::Missing),
            ("NA", TimeError::Missing),
            ("nan", TimeError::NotANumber),
            ("inf", TimeError::NotFinite),
            ("-Infinity", TimeError::NotFinite),
            ("12x", TimeError::NotANumber),
            ("1e300", TimeError::OutOfRange),
            ("99999999999999999999", TimeError::OutOfRange),
            ("1_000", TimeError::NotANumber),
        ];
        for (text, error) in cases {
            assert_eq!(ms.parse(text.as_bytes()), Err(error), "{text}");
        }
    }

    #[test]
    fn every_tick_reads_back() {
        for unit in TimeUnit::ALL {
            let clock = Clock::physical(unit, TimeUnit::Nanosecond);
            for tick in [
                0,
                1,
                -1,
                59,
                60_000_000_001,
                123_456_789_012_345,
                i64::MAX / 4096,
            ] {
                let text = clock.format(tick);
                assert_eq!(ticks(clock, &text), tick, "{text} {}", unit.name());
            }
        }
        let logical = Clock::logical();
        assert_eq!(ticks(logical, "0.000000001"), 1);
        assert_eq!(logical.format(1_500_000_000), "1.5");
    }
}
