//! The second table of a verb: its columns and whether its times fit those of the first.

use crate::diag::{Diag, Span, code};
use crate::lang::flow::{Column, Columns, Flow};
use crate::lang::plan::DataArgument;
use crate::model::Clock;
use crate::plan::lower;
use crate::spec::Type;
use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::{Expr, cast};

/// The columns of another table, which the checker has made sure of.
pub fn columns(argument: &DataArgument) -> Result<&Columns, Diag> {
    match &argument.pipeline.flow {
        Flow::Trace(_) | Flow::Table(_) => argument.pipeline.flow.columns(),
        _ => None,
    }
    .ok_or_else(|| Diag::error(&code::INTERNAL, "a second table has no columns"))
}

fn has_times(columns: &Columns) -> bool {
    columns.list.iter().any(|column| column.ty.is_time())
}

/// The clock of the rows of both; an error where both have times that count differently.
pub fn clock(left: &Columns, right: &Columns, span: Span) -> Result<Clock, Diag> {
    match (has_times(left), has_times(right)) {
        (false, true) => Ok(right.clock),
        (true, true) => {
            let (a, b) = (left.clock, right.clock);
            if a.is_logical() != b.is_logical() {
                return Err(Diag::error(
                    &code::UNIT_MISMATCH,
                    "one side counts time in a unit, the other has none",
                )
                .at(span, "this side")
                .help("load both with `unit=`"));
            }
            if a.resolution != b.resolution {
                return Err(Diag::error(
                    &code::UNIT_MISMATCH,
                    format!(
                        "the times of one side count {}, those of the other {}",
                        a.resolution.name(),
                        b.resolution.name()
                    ),
                )
                .at(span, "this side")
                .help("load both with the same `resolution=`"));
            }
            Ok(a)
        }
        _ => Ok(left.clock),
    }
}

/// The Arrow type in which the values of a column can be put beside those of another table.
pub fn common(column: &Column) -> Option<DataType> {
    common_type(&column.ty)
}

/// The Arrow type in which values of a type can be put beside those of another table.
pub fn common_type(ty: &Type) -> Option<DataType> {
    Some(match ty {
        Type::Time | Type::LogicalTime | Type::Int | Type::Size => DataType::Int64,
        Type::Float => DataType::Float64,
        Type::String => DataType::Utf8View,
        Type::Bool => DataType::Boolean,
        _ => return None,
    })
}

/// The column in its common type; columns without one stay as they are.
pub fn common_value(column: &Column) -> Expr {
    let value = lower::column(&column.name);
    match common(column) {
        Some(data_type) => cast(value, data_type),
        None => value,
    }
}
