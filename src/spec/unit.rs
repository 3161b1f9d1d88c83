//! Units of time, length and size: their names and exact factors.

/// A unit of time that scripts and files use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimeUnit {
    /// 10^-12 s.
    Picosecond,
    /// 10^-9 s.
    Nanosecond,
    /// 10^-6 s.
    Microsecond,
    /// 10^-3 s.
    Millisecond,
    /// 1 s.
    Second,
    /// 60 s.
    Minute,
    /// 3600 s.
    Hour,
}

impl TimeUnit {
    /// Every unit, smallest first.
    pub const ALL: [TimeUnit; 7] = [
        TimeUnit::Picosecond,
        TimeUnit::Nanosecond,
        TimeUnit::Microsecond,
        TimeUnit::Millisecond,
        TimeUnit::Second,
        TimeUnit::Minute,
        TimeUnit::Hour,
    ];

    /// Other spellings of microseconds, with either letter mu.
    pub const MICROSECONDS: [&str; 2] = ["µs", "μs"];

    /// The unit as scripts write it.
    pub fn name(self) -> &'static str {
        match self {
            TimeUnit::Picosecond => "ps",
            TimeUnit::Nanosecond => "ns",
            TimeUnit::Microsecond => "us",
            TimeUnit::Millisecond => "ms",
            TimeUnit::Second => "s",
            TimeUnit::Minute => "min",
            TimeUnit::Hour => "h",
        }
    }

    /// Finds a unit by the name that scripts write; `µs` (either mu) is `us`.
    pub fn from_name(name: &str) -> Option<TimeUnit> {
        if Self::MICROSECONDS.contains(&name) {
            return Some(TimeUnit::Microsecond);
        }
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }

    /// How many picoseconds one of it lasts.
    pub fn picoseconds(self) -> i128 {
        match self {
            TimeUnit::Picosecond => 1,
            TimeUnit::Nanosecond => 1_000,
            TimeUnit::Microsecond => 1_000_000,
            TimeUnit::Millisecond => 1_000_000_000,
            TimeUnit::Second => 1_000_000_000_000,
            TimeUnit::Minute => 60_000_000_000_000,
            TimeUnit::Hour => 3_600_000_000_000_000,
        }
    }
}

/// A unit of length of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthUnit {
    /// 1/96 inch.
    Pixel,
    /// 1/72 inch.
    Point,
    /// 1/25.4 inch.
    Millimetre,
    /// 1/2.54 inch.
    Centimetre,
    /// One inch.
    Inch,
}

impl LengthUnit {
    /// Every unit.
    pub const ALL: [LengthUnit; 5] = [
        LengthUnit::Pixel,
        LengthUnit::Point,
        LengthUnit::Millimetre,
        LengthUnit::Centimetre,
        LengthUnit::Inch,
    ];

    /// The unit as scripts write it.
    pub fn name(self) -> &'static str {
        match self {
            LengthUnit::Pixel => "px",
            LengthUnit::Point => "pt",
            LengthUnit::Millimetre => "mm",
            LengthUnit::Centimetre => "cm",
            LengthUnit::Inch => "in",
        }
    }

    /// Finds a unit by name.
    pub fn from_name(name: &str) -> Option<LengthUnit> {
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }

    /// Pixels (1/96 inch) in one of it.
    pub fn pixels(self) -> f64 {
        match self {
            LengthUnit::Pixel => 1.0,
            LengthUnit::Point => 96.0 / 72.0,
            LengthUnit::Millimetre => 96.0 / 25.4,
            LengthUnit::Centimetre => 96.0 / 2.54,
            LengthUnit::Inch => 96.0,
        }
    }
}

/// A unit of data size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeUnit {
    /// The unit as scripts write it.
    pub name: &'static str,
    /// Bytes in one of it.
    pub bytes: i64,
}

impl SizeUnit {
    /// Every unit.
    pub const ALL: [SizeUnit; 7] = [
        SizeUnit {
            name: "B",
            bytes: 1,
        },
        SizeUnit {
            name: "kB",
            bytes: 1_000,
        },
        SizeUnit {
            name: "MB",
            bytes: 1_000_000,
        },
        SizeUnit {
            name: "GB",
            bytes: 1_000_000_000,
        },
        SizeUnit {
            name: "KiB",
            bytes: 1 << 10,
        },
        SizeUnit {
            name: "MiB",
            bytes: 1 << 20,
        },
        SizeUnit {
            name: "GiB",
            bytes: 1 << 30,
        },
    ];

    /// Finds a unit by name.
    pub fn from_name(name: &str) -> Option<SizeUnit> {
        Self::ALL.into_iter().find(|unit| unit.name == name)
    }
}
