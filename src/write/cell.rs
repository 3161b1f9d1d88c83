//! Cells as text: exact times, shortest floats, the same on every machine.

use crate::model::Clock;
use crate::model::schema::clock_of;
use crate::spec::{TimeUnit, format_float};
use arrow::array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use std::io;

/// One column of a batch, ready to give its cells.
pub enum Cells {
    /// Times.
    Time(Int64Array, Clock, Option<TimeUnit>),
    /// Integers.
    Int(Int64Array),
    /// Floats.
    Float(Float64Array),
    /// Text.
    Text(StringViewArray),
    /// Truth values.
    Bool(BooleanArray),
    /// Anything else, as Arrow prints it.
    Other(ArrayRef),
}

/// What a cell is, for formats that tell numbers from text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Nothing.
    Null,
    /// A number or a truth value, as it stands.
    Bare,
    /// Text, to be quoted where the format quotes.
    Text,
}

impl Cells {
    /// The cells of a column; `unit` replaces the unit of the file for times.
    pub fn new(array: &ArrayRef, field: &Field, unit: Option<TimeUnit>) -> io::Result<Cells> {
        let failed = |error: arrow::error::ArrowError| io::Error::other(error.to_string());
        let cast_to = |data_type: &DataType| cast(array, data_type).map_err(failed);
        if let Some(clock) = clock_of(field) {
            let ticks = cast_to(&DataType::Int64)?;
            return Ok(Cells::Time(Int64Array::from(ticks.to_data()), clock, unit));
        }
        Ok(match array.data_type() {
            DataType::Int8
            | DataType::Int16
            | DataType::Int32
            | DataType::Int64
            | DataType::UInt8
            | DataType::UInt16
            | DataType::UInt32 => {
                Cells::Int(Int64Array::from(cast_to(&DataType::Int64)?.to_data()))
            }
            DataType::Float16 | DataType::Float32 | DataType::Float64 => {
                Cells::Float(Float64Array::from(cast_to(&DataType::Float64)?.to_data()))
            }
            DataType::Boolean => Cells::Bool(BooleanArray::from(array.to_data())),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Cells::Text(
                StringViewArray::from(cast_to(&DataType::Utf8View)?.to_data()),
            ),
            DataType::Dictionary(_, value)
                if matches!(
                    **value,
                    DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
                ) =>
            {
                Cells::Text(StringViewArray::from(
                    cast_to(&DataType::Utf8View)?.to_data(),
                ))
            }
            _ => Cells::Other(array.clone()),
        })
    }

    /// Appends a cell to `out` and says what it is; a null appends nothing.
    pub fn append(&self, row: usize, out: &mut String) -> CellKind {
        use std::fmt::Write;
        if self.is_null(row) {
            return CellKind::Null;
        }
        match self {
            Cells::Time(array, clock, unit) => {
                out.push_str(&clock.format_in(array.value(row), *unit));
                CellKind::Bare
            }
            Cells::Int(array) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "{}", array.value(row));
                CellKind::Bare
            }
            Cells::Float(array) => {
                let value = array.value(row);
                out.push_str(&format_float(value));
                if value.is_finite() {
                    CellKind::Bare
                } else {
                    CellKind::Text
                }
            }
            Cells::Bool(array) => {
                out.push_str(if array.value(row) { "true" } else { "false" });
                CellKind::Bare
            }
            Cells::Text(array) => {
                out.push_str(array.value(row));
                CellKind::Text
            }
            Cells::Other(array) => {
                if let Ok(formatter) = ArrayFormatter::try_new(array, &FormatOptions::default()) {
                    let _ = write!(out, "{}", formatter.value(row));
                }
                CellKind::Text
            }
        }
    }

    /// True where there is no value.
    pub fn is_null(&self, row: usize) -> bool {
        match self {
            Cells::Time(array, ..) | Cells::Int(array) => array.is_null(row),
            Cells::Float(array) => array.is_null(row),
            Cells::Text(array) => array.is_null(row),
            Cells::Bool(array) => array.is_null(row),
            // An array of the null type has no bitmap that says so.
            Cells::Other(array) => *array.data_type() == DataType::Null || array.is_null(row),
        }
    }
}

/// All columns of a batch.
pub fn columns(
    batch: &arrow::record_batch::RecordBatch,
    schema: &arrow::datatypes::SchemaRef,
    unit: Option<TimeUnit>,
) -> io::Result<Vec<Cells>> {
    batch
        .columns()
        .iter()
        .zip(schema.fields())
        .map(|(array, field)| Cells::new(array, field, unit))
        .collect()
}
