//! Scalar values of the language, with exact time.

use super::{LengthUnit, TimeUnit, Type};

/// A length of a figure, as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    /// How many of `unit`; finite.
    pub number: f64,
    /// The unit.
    pub unit: LengthUnit,
}

impl Length {
    /// The length in pixels of 1/96 inch.
    pub fn pixels(self) -> f64 {
        self.number * self.unit.pixels()
    }
}

/// One value of the language.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// No value.
    Null,
    /// True or false.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// Text.
    String(String),
    /// A time in picoseconds, the smallest unit of the language; independent of any trace.
    Time(i128),
    /// A time of a trace without a unit, in 10^-9 of the file's unit.
    LogicalTime(i128),
    /// A length of a figure.
    Length(Length),
    /// A number of bytes.
    Size(i64),
    /// A list.
    List(Vec<Value>),
    /// A map, in the order written.
    Map(Vec<(String, Value)>),
    /// A half-open range; a missing end is open.
    Range(Option<Box<Value>>, Option<Box<Value>>),
}

impl Value {
    /// Its type; a list of mixed types has the type of its first item that is not null.
    pub fn value_type(&self) -> Type {
        let item = |values: &mut dyn Iterator<Item = &Value>| {
            values
                .map(Value::value_type)
                .find(|item| *item != Type::Null)
                .unwrap_or(Type::Null)
        };
        match self {
            Value::Null => Type::Null,
            Value::Bool(_) => Type::Bool,
            Value::Int(_) => Type::Int,
            Value::Float(_) => Type::Float,
            Value::String(_) => Type::String,
            Value::Time(_) => Type::Time,
            Value::LogicalTime(_) => Type::LogicalTime,
            Value::Length(_) => Type::Length,
            Value::Size(_) => Type::Size,
            Value::List(values) => Type::List(Box::new(item(&mut values.iter()))),
            Value::Map(entries) => Type::Map(Box::new(item(&mut entries.iter().map(|(_, v)| v)))),
            Value::Range(low, high) => Type::Range(Box::new(item(
                &mut low.as_deref().into_iter().chain(high.as_deref()),
            ))),
        }
    }
}

/// Values as f-strings and messages print them: a time in the largest unit of `s ms us ns ps` that makes
/// it a whole number, floats shortest round-trip.
impl Value {
    /// The value as a script writes it: as [`Display`](std::fmt::Display), with texts in quotes.
    pub fn literal(&self) -> String {
        match self {
            Value::String(text) => quoted(text),
            Value::List(values) => {
                let values: Vec<String> = values.iter().map(Value::literal).collect();
                format!("[{}]", values.join(", "))
            }
            Value::Map(entries) => {
                let entries: Vec<String> = entries
                    .iter()
                    .map(|(key, value)| format!("{}: {}", quoted(key), value.literal()))
                    .collect();
                format!("{{{}}}", entries.join(", "))
            }
            other => other.to_string(),
        }
    }
}

/// A text in quotes, with the escapes of the language.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Float(value) => f.write_str(&format_float(*value)),
            Value::String(value) => f.write_str(value),
            Value::Time(value) => f.write_str(&format_time(*value)),
            Value::LogicalTime(value) => f.write_str(&Decimal::new(*value, -9).to_string()),
            Value::Length(value) => {
                write!(f, "{}{}", format_float(value.number), value.unit.name())
            }
            Value::Size(value) => write!(f, "{value}B"),
            Value::List(values) => {
                f.write_str("[")?;
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{value}")?;
                }
                f.write_str("]")
            }
            Value::Map(entries) => {
                f.write_str("{")?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{key}: {value}")?;
                }
                f.write_str("}")
            }
            Value::Range(low, high) => {
                if let Some(low) = low {
                    write!(f, "{low}")?;
                }
                f.write_str("..")?;
                if let Some(high) = high {
                    write!(f, "{high}")?;
                }
                Ok(())
            }
        }
    }
}

/// A time as a script would write it: the largest of `s ms us ns ps` that makes it whole.
pub fn format_time(picoseconds: i128) -> String {
    let units = [
        TimeUnit::Second,
        TimeUnit::Millisecond,
        TimeUnit::Microsecond,
        TimeUnit::Nanosecond,
    ];
    for unit in units {
        if picoseconds % unit.picoseconds() == 0 {
            return format!("{}{}", picoseconds / unit.picoseconds(), unit.name());
        }
    }
    format!("{picoseconds}ps")
}

/// A float in the shortest text that reads back as itself. A whole number keeps no `.0`.
pub fn format_float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    if value != 0.0 && (value.abs() < 1e-6 || value.abs() >= 1e17) {
        return format!("{value:e}");
    }
    format!("{value}")
}

/// An exact decimal number: `digits * 10^exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// All significant digits, with the sign.
    pub digits: i128,
    /// The power of ten.
    pub exponent: i32,
}

impl Decimal {
    /// `digits * 10^exponent`.
    pub fn new(digits: i128, exponent: i32) -> Self {
        Decimal { digits, exponent }
    }

    /// Reads `12`, `-0.5`, `1_000`, `1e-3`. None where the text is no decimal number or has more than 36
    /// significant digits.
    pub fn parse(text: &str) -> Option<Decimal> {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (negative, mantissa) = match mantissa.as_bytes().first()? {
            b'-' => (true, &mantissa[1..]),
            b'+' => (false, &mantissa[1..]),
            _ => (false, mantissa),
        };
        let mut digits: i128 = 0;
        let mut places: i32 = 0;
        let mut seen_point = false;
        let mut seen_digit = false;
        for byte in mantissa.bytes() {
            match byte {
                b'0'..=b'9' => {
                    seen_digit = true;
                    digits = digits
                        .checked_mul(10)?
                        .checked_add(i128::from(byte - b'0'))?;
                    places += i32::from(seen_point);
                }
                b'.' if !seen_point => seen_point = true,
                b'_' if seen_digit => {}
                _ => return None,
            }
        }
        if !seen_digit {
            return None;
        }
        Some(Decimal {
            digits: if negative { -digits } else { digits },
            exponent: exponent.checked_sub(places)?,
        })
    }

    /// `self * factor` as an integer; None where it is not whole or does not fit.
    pub fn times_exact(self, factor: i128) -> Option<i128> {
        let mut number = self.digits.checked_mul(factor)?;
        if number == 0 {
            return Some(0);
        }
        let mut exponent = self.exponent;
        while exponent > 0 {
            number = number.checked_mul(10)?;
            exponent -= 1;
        }
        while exponent < 0 {
            if number % 10 != 0 {
                return None;
            }
            number /= 10;
            exponent += 1;
        }
        Some(number)
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.digits < 0 { "-" } else { "" };
        let digits = self.digits.unsigned_abs().to_string();
        if self.exponent >= 0 {
            let zeros = if self.digits == 0 { 0 } else { self.exponent };
            return write!(f, "{sign}{digits}{}", "0".repeat(zeros as usize));
        }
        let places = self.exponent.unsigned_abs() as usize;
        let padded = format!("{digits:0>width$}", width = places + 1);
        let (whole, part) = padded.split_at(padded.len() - places);
        let part = part.trim_end_matches('0');
        if part.is_empty() {
            write!(f, "{sign}{whole}")
        } else {
            write!(f, "{sign}{whole}.{part}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_print_in_the_largest_whole_unit() {
        let cases = [
            (100_000_000_000, "100ms"),
            (1_500_000_000_000, "1500ms"),
            (1_000_000_000_000, "1s"),
            (0, "0s"),
            (-250_000, "-250ns"),
            (7, "7ps"),
        ];
        for (time, text) in cases {
            assert_eq!(format_time(time), text);
        }
    }

    #[test]
    fn decimals_are_exact() {
        let cases = [
            ("0.1", "0.1"),
            ("1_000", "1000"),
            ("1e-3", "0.001"),
            ("-2.50", "-2.5"),
            ("1e3", "1000"),
            ("0.000", "0"),
        ];
        for (text, shown) in cases {
            assert_eq!(
                Decimal::parse(text).map(|d| d.to_string()).as_deref(),
                Some(shown)
            );
        }
        assert_eq!(Decimal::parse("1.2.3"), None);
        assert_eq!(Decimal::parse(""), None);
        assert_eq!(
            Decimal::parse("0.1").and_then(|d| d.times_exact(1000)),
            Some(100)
        );
        assert_eq!(Decimal::parse("0.1").and_then(|d| d.times_exact(1)), None);
    }
}
