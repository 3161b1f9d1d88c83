//! Exact arithmetic as DataFusion functions: DataFusion's own `+` on Int64 wraps and its `5 / 2` is 2, so
//! integers and ticks go through these, which are exact or an overflow error.

use crate::model::Clock;
use crate::model::clock::divide_half_even;
use crate::spec::{Decimal, format_float, format_time};
use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array, Int64Array, StringViewArray};
use datafusion::arrow::compute::kernels::numeric;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::arrow::error::ArrowError;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use std::sync::Arc;

/// What an exact function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exact {
    /// Sum of two integers.
    Add,
    /// Difference of two integers.
    Subtract,
    /// Product of two integers.
    Multiply,
    /// Remainder, null where the divisor is 0.
    Remainder,
    /// The negative.
    Negate,
    /// Ticks times a float, rounded half to even; the float counts as the decimal it prints as.
    Scale,
    /// Ticks divided by an integer, rounded half to even; null where the divisor is 0.
    Divide,
    /// Ticks divided by ticks, a float; null where the divisor is 0.
    Ratio,
    /// `floor(a / b)` of ticks; null where the divisor is 0.
    FloorDivide,
    /// The later of two times.
    Later,
    /// The earlier of two times.
    Earlier,
    /// A number as ticks of a trace without a unit.
    LogicalTicks,
    /// Ticks as an f-string prints them.
    Text(Clock),
    /// A float as an f-string prints it.
    FloatText,
}

/// One exact function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ExactFunction {
    exact: Exact,
    signature: Signature,
}

/// A call of an exact function. Integer arguments must be Int64, float arguments Float64.
pub fn call(exact: Exact, arguments: Vec<Expr>) -> Expr {
    let function = ExactFunction {
        exact,
        signature: Signature::any(arguments.len(), Volatility::Immutable),
    };
    ScalarUDF::new_from_impl(function).call(arguments)
}

impl ScalarUDFImpl for ExactFunction {
    fn name(&self) -> &str {
        match self.exact {
            Exact::Add => "exact_add",
            Exact::Subtract => "exact_subtract",
            Exact::Multiply => "exact_multiply",
            Exact::Remainder => "exact_remainder",
            Exact::Negate => "exact_negate",
            Exact::Scale => "exact_scale",
            Exact::Divide => "exact_divide",
            Exact::Ratio => "exact_ratio",
            Exact::FloorDivide => "exact_floor_divide",
            Exact::Later => "later",
            Exact::Earlier => "earlier",
            Exact::LogicalTicks => "logical_ticks",
            Exact::Text(_) => "time_text",
            Exact::FloatText => "float_text",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(match self.exact {
            Exact::Ratio => DataType::Float64,
            Exact::Text(_) | Exact::FloatText => DataType::Utf8View,
            _ => DataType::Int64,
        })
    }

    /// Moving or clipping all times by a constant keeps their order, so a sorted source needs no new sort.
    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        let keeps = matches!(
            self.exact,
            Exact::Add | Exact::Subtract | Exact::Later | Exact::Earlier
        );
        Ok(match inputs {
            [first, second]
                if keeps && matches!(second.sort_properties, SortProperties::Singleton) =>
            {
                first.sort_properties
            }
            _ => SortProperties::Unordered,
        })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let scalar = args
            .args
            .iter()
            .all(|argument| matches!(argument, ColumnarValue::Scalar(_)));
        let rows = if scalar { 1 } else { args.number_rows };
        let arrays = args
            .args
            .iter()
            .map(|argument| argument.to_array(rows))
            .collect::<Result<Vec<_>>>()?;
        let result = evaluate(self.exact, &arrays)?;
        if scalar {
            let value = datafusion::common::ScalarValue::try_from_array(&result, 0)?;
            return Ok(ColumnarValue::Scalar(value));
        }
        Ok(ColumnarValue::Array(result))
    }
}

fn evaluate(exact: Exact, arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let array = |index: usize| -> Result<&ArrayRef> {
        arrays.get(index).ok_or_else(|| {
            DataFusionError::Internal("an exact function lacks an argument".to_owned())
        })
    };
    Ok(match exact {
        Exact::Add => numeric::add(array(0)?, array(1)?)?,
        Exact::Subtract => numeric::sub(array(0)?, array(1)?)?,
        Exact::Multiply => numeric::mul(array(0)?, array(1)?)?,
        Exact::Negate => numeric::neg(array(0)?)?,
        Exact::Remainder => integers(array(0)?, array(1)?, |a, b| match b {
            0 => Ok(None),
            -1 => Ok(Some(0)),
            _ => Ok(Some(a % b)),
        })?,
        Exact::Later => integers(array(0)?, array(1)?, |a, b| Ok(Some(a.max(b))))?,
        Exact::Earlier => integers(array(0)?, array(1)?, |a, b| Ok(Some(a.min(b))))?,
        Exact::FloorDivide => integers(array(0)?, array(1)?, |a, b| {
            if b == 0 {
                return Ok(None);
            }
            let (a, b) = (i128::from(a), i128::from(b));
            let below = a % b != 0 && (a < 0) != (b < 0);
            narrow(a / b - i128::from(below)).map(Some)
        })?,
        Exact::Divide => integers(array(0)?, array(1)?, |a, b| {
            if b == 0 {
                return Ok(None);
            }
            let (a, b) = (i128::from(a), i128::from(b));
            narrow(divide_half_even(a * b.signum(), b.abs()).0).map(Some)
        })?,
        Exact::Ratio => {
            let left = array(0)?.as_primitive::<Int64Type>();
            let right = array(1)?.as_primitive::<Int64Type>();
            let values: Float64Array = left
                .iter()
                .zip(right)
                .map(|(a, b)| match (a, b) {
                    (Some(_), Some(0)) | (None, _) | (_, None) => None,
                    (Some(a), Some(b)) => Some(a as f64 / b as f64),
                })
                .collect();
            Arc::new(values)
        }
        Exact::Scale => {
            let left = array(0)?.as_primitive::<Int64Type>();
            let right = array(1)?.as_primitive::<Float64Type>();
            let mut values = Vec::with_capacity(left.len());
            for (a, b) in left.iter().zip(right) {
                values.push(match (a, b) {
                    (Some(a), Some(b)) if b.is_finite() => Some(scale(a, b)?),
                    _ => None,
                });
            }
            Arc::new(Int64Array::from(values))
        }
        Exact::LogicalTicks => {
            let numbers = array(0)?.as_primitive::<Float64Type>();
            let mut values = Vec::with_capacity(numbers.len());
            for number in numbers {
                values.push(match number {
                    Some(number) if number.is_finite() => Some(scale(1_000_000_000, number)?),
                    _ => None,
                });
            }
            Arc::new(Int64Array::from(values))
        }
        Exact::Text(clock) => {
            let ticks = array(0)?.as_primitive::<Int64Type>();
            let values: StringViewArray = ticks
                .iter()
                .map(|tick| {
                    tick.map(|tick| {
                        if clock.is_logical() {
                            clock.format(tick)
                        } else {
                            format_time(clock.to_exact(tick))
                        }
                    })
                })
                .collect();
            Arc::new(values)
        }
        Exact::FloatText => {
            let numbers = array(0)?.as_primitive::<Float64Type>();
            let values: StringViewArray = numbers
                .iter()
                .map(|number| number.map(format_float))
                .collect();
            Arc::new(values)
        }
    })
}

fn integers(
    left: &ArrayRef,
    right: &ArrayRef,
    operation: impl Fn(i64, i64) -> Result<Option<i64>>,
) -> Result<ArrayRef> {
    let left = left.as_primitive::<Int64Type>();
    let right = right.as_primitive::<Int64Type>();
    let mut values = Vec::with_capacity(left.len());
    for (a, b) in left.iter().zip(right) {
        values.push(match (a, b) {
            (Some(a), Some(b)) => operation(a, b)?,
            _ => None,
        });
    }
    Ok(Arc::new(Int64Array::from(values)))
}

/// Ticks times the decimal that the float prints as, rounded half to even.
fn scale(ticks: i64, factor: f64) -> Result<i64> {
    let exact = Decimal::parse(&format_float(factor)).and_then(|decimal| {
        let product = i128::from(ticks).checked_mul(decimal.digits)?;
        let power = 10_i128.checked_pow(decimal.exponent.unsigned_abs());
        match (decimal.exponent >= 0, power) {
            (true, Some(power)) => product.checked_mul(power),
            (true, None) => None,
            (false, Some(power)) => Some(divide_half_even(product, power).0),
            // So many decimals that nothing is left of 64-bit ticks.
            (false, None) => Some(0),
        }
    });
    exact.ok_or_else(overflow).and_then(narrow)
}

fn narrow(value: i128) -> Result<i64> {
    i64::try_from(value).map_err(|_| overflow())
}

/// The error that becomes `marey::overflow`.
pub fn overflow() -> DataFusionError {
    ArrowError::ArithmeticOverflow("a time does not fit into 64 bits".to_owned()).into()
}
