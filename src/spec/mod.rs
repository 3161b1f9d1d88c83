//! The words all tables are written in: kinds, types, units, values, and the shape of a verb's entry.
//!
//! Data only. Behaviour lives with the verbs, functions, readers and figures that these entries describe.

mod unit;
mod value;
mod verb;

pub use unit::{LengthUnit, SizeUnit, TimeUnit};
pub use value::{Decimal, Length, Value, format_float, format_time};
pub(crate) use verb::option;
pub use verb::{Accept, Choice, Example, Param, ParamSpec, Place, Section, Shape, VerbSpec};

/// What flows through a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A bundle of relations with one in focus.
    Trace,
    /// One relation.
    Table,
    /// A picture not yet written.
    Figure,
    /// One value.
    Scalar,
}

impl Kind {
    /// The word used in messages.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Trace => "trace",
            Kind::Table => "table",
            Kind::Figure => "figure",
            Kind::Scalar => "scalar",
        }
    }
}

/// The type of a value or column, as users see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A time with a physical unit; in columns, Int64 ticks of the trace's resolution.
    Time,
    /// A time of a trace without a unit; in columns, Int64 counts of 10^-9 of the file's unit.
    LogicalTime,
    /// A 64-bit integer.
    Int,
    /// A 64-bit float.
    Float,
    /// Text.
    String,
    /// True or false.
    Bool,
    /// A length of the figure to come.
    Length,
    /// A number of bytes.
    Size,
    /// The literal `null`; fits everywhere.
    Null,
    /// A list of one type (`Null` for the empty list).
    List(Box<Type>),
    /// A map from text.
    Map(Box<Type>),
    /// A half-open range; either end may be missing.
    Range(Box<Type>),
    /// A column the language has no operations on (nested data of foreign files).
    Other,
}

impl Type {
    /// True for both kinds of time.
    pub fn is_time(&self) -> bool {
        matches!(self, Type::Time | Type::LogicalTime)
    }

    /// With its article: `an int`, `a time`.
    pub fn with_article(&self) -> String {
        let name = self.to_string();
        let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) {
            "an"
        } else {
            "a"
        };
        format!("{article} {name}")
    }

    /// True for int and float.
    pub fn is_number(&self) -> bool {
        matches!(self, Type::Int | Type::Float)
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Time => f.write_str("time"),
            Type::LogicalTime => f.write_str("time without a unit"),
            Type::Int => f.write_str("int"),
            Type::Float => f.write_str("float"),
            Type::String => f.write_str("string"),
            Type::Bool => f.write_str("bool"),
            Type::Length => f.write_str("length"),
            Type::Size => f.write_str("size"),
            Type::Null => f.write_str("null"),
            Type::List(item) => write!(f, "list of {item}"),
            Type::Map(item) => write!(f, "map of {item}"),
            Type::Range(item) => write!(f, "range of {item}"),
            Type::Other => f.write_str("nested data"),
        }
    }
}
