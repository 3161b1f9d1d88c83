//! Aggregates that are exact for times: sums in 128 bits, means and quantiles rounded half to even to the
//! tick, an overflow error instead of a wrap. Sums of integers take the same way.

use super::FunctionSpec;
use crate::diag::{Diag, code};
use crate::lang::check::FunctionKind;
use crate::model::clock::divide_half_even;
use crate::plan::checked::overflow;
use crate::spec::{Decimal, Type, format_float};
use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Float64Type, Int64Type};
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Expr, Signature, Volatility, cast,
};
use std::sync::Arc;

/// The family.
pub static FUNCTIONS: &[FunctionSpec] = &[
    FunctionSpec {
        name: "sum",
        kind: FunctionKind::Aggregate,
        signature: "sum(x)",
        summary: "The sum; exact for times and integers, an error where it does not fit into 64 bits.",
        example: ("sum(duration)", "122"),
        null: "nulls are left out; no values give null",
        result: |types| match types {
            [ty] if ty.is_time() || ty.is_number() => Ok(ty.clone()),
            _ => Err("it takes one number or time".to_owned()),
        },
        lower: Some(|arguments, types| match types {
            [Type::Float] => Ok(datafusion::functions_aggregate::expr_fn::sum(only(
                arguments,
            )?)),
            _ => Ok(exact(Kind::Sum, cast(only(arguments)?, DataType::Int64))),
        }),
    },
    FunctionSpec {
        name: "avg",
        kind: FunctionKind::Aggregate,
        signature: "avg(x)",
        summary: "The mean (also `mean`); a time is rounded half to even to the tick.",
        example: ("avg(duration)", "12.2"),
        null: "nulls are left out; no values give null",
        result: average_type,
        lower: Some(|arguments, types| match types {
            [ty] if ty.is_time() => Ok(exact(Kind::Mean, only(arguments)?)),
            _ => Ok(datafusion::functions_aggregate::expr_fn::avg(cast(
                only(arguments)?,
                DataType::Float64,
            ))),
        }),
    },
    FunctionSpec {
        name: "median",
        kind: FunctionKind::Aggregate,
        signature: "median(x)",
        summary: "The value in the middle; the mean of the two middle ones where their number is even.",
        example: ("median(duration)", "4.5"),
        null: "nulls are left out; no values give null",
        result: average_type,
        lower: Some(|arguments, types| quantile(only(arguments)?, types.first(), 0.5)),
    },
    FunctionSpec {
        name: "quantile",
        kind: FunctionKind::Aggregate,
        signature: "quantile(x, share)",
        summary: "The value below which a share (0 to 1) of the values lies, interpolated linearly (R type 7).",
        example: ("quantile(duration, 0.9)", "31"),
        null: "nulls are left out; no values give null",
        result: |types| match types {
            [ty, share] if share.is_number() => average_type(std::slice::from_ref(ty)),
            _ => Err("it takes a number or time, and a share from 0 to 1".to_owned()),
        },
        lower: Some(|arguments, types| {
            let share = match arguments.get(1) {
                Some(Expr::Literal(ScalarValue::Float64(Some(share)), _)) => Some(*share),
                Some(Expr::Literal(ScalarValue::Int64(Some(share)), _)) => Some(*share as f64),
                _ => None,
            };
            match share {
                Some(share) if (0.0..=1.0).contains(&share) => {
                    quantile(only(arguments)?, types.first(), share)
                }
                _ => Err(Diag::error(
                    &code::INVALID_VALUE,
                    "the share of `quantile` is a constant from 0 to 1",
                )),
            }
        }),
    },
];

fn average_type(types: &[Type]) -> std::result::Result<Type, String> {
    match types {
        [ty] if ty.is_time() => Ok(ty.clone()),
        [ty] if ty.is_number() => Ok(Type::Float),
        _ => Err("it takes one number or time".to_owned()),
    }
}

/// The type that DataFusion's function `name` gives where one of its arguments is a time. Most of its
/// functions would treat ticks as plain numbers and give nonsense, so only those listed may.
pub fn result_of_engine_function(
    name: &str,
    time: &Type,
    arguments: &[Type],
) -> std::result::Result<Type, String> {
    match name {
        "count" | "approx_distinct" => Ok(Type::Int),
        "min" | "max" | "first_value" | "last_value" | "any_value" if arguments.len() == 1 => {
            Ok(time.clone())
        }
        "abs" if arguments.len() == 1 => Ok(time.clone()),
        "greatest" | "least" | "coalesce" | "nullif" => {
            if arguments.iter().all(|ty| ty == time || *ty == Type::Null) {
                Ok(time.clone())
            } else {
                Err("all its arguments are times, or none".to_owned())
            }
        }
        _ => Err(format!("it takes numbers, not a {time}")),
    }
}

fn only(arguments: Vec<Expr>) -> std::result::Result<Expr, Diag> {
    arguments
        .into_iter()
        .next()
        .ok_or_else(|| Diag::error(&code::INTERNAL, "an aggregate lacks its argument"))
}

fn quantile(value: Expr, ty: Option<&Type>, share: f64) -> std::result::Result<Expr, Diag> {
    let share = share.to_bits();
    Ok(match ty {
        Some(ty) if ty.is_time() => exact(Kind::Quantile(share), value),
        _ => exact(Kind::FloatQuantile(share), cast(value, DataType::Float64)),
    })
}

/// What an exact aggregate computes. Shares are kept as bits, so that plans can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Sum,
    Mean,
    Quantile(u64),
    FloatQuantile(u64),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ExactAggregate {
    kind: Kind,
    signature: Signature,
}

fn exact(kind: Kind, value: Expr) -> Expr {
    let function = ExactAggregate {
        kind,
        signature: Signature::any(1, Volatility::Immutable),
    };
    AggregateUDF::new_from_impl(function).call(vec![value])
}

const TOTAL: DataType = DataType::Decimal128(38, 0);

impl AggregateUDFImpl for ExactAggregate {
    fn name(&self) -> &str {
        match self.kind {
            Kind::Sum => "exact_sum",
            Kind::Mean => "exact_mean",
            Kind::Quantile(_) => "exact_quantile",
            Kind::FloatQuantile(_) => "quantile",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(match self.kind {
            Kind::FloatQuantile(_) => DataType::Float64,
            _ => DataType::Int64,
        })
    }

    fn accumulator(&self, _arguments: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(match self.kind {
            Kind::Sum => Box::new(Total {
                sum: 0,
                count: 0,
                mean: false,
            }),
            Kind::Mean => Box::new(Total {
                sum: 0,
                count: 0,
                mean: true,
            }),
            Kind::Quantile(share) => Box::new(Ordered::<Int64Type> {
                values: Vec::new(),
                share: f64::from_bits(share),
            }),
            Kind::FloatQuantile(share) => Box::new(Ordered::<Float64Type> {
                values: Vec::new(),
                share: f64::from_bits(share),
            }),
        })
    }

    fn state_fields(&self, arguments: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let list = |item: DataType| DataType::List(Arc::new(Field::new_list_field(item, true)));
        let name = arguments.name;
        Ok(match self.kind {
            Kind::Sum | Kind::Mean => vec![
                Arc::new(Field::new(format!("{name}_sum"), TOTAL, true)),
                Arc::new(Field::new(format!("{name}_count"), DataType::Int64, true)),
            ],
            Kind::Quantile(_) => vec![Arc::new(Field::new(
                format!("{name}_values"),
                list(DataType::Int64),
                true,
            ))],
            Kind::FloatQuantile(_) => vec![Arc::new(Field::new(
                format!("{name}_values"),
                list(DataType::Float64),
                true,
            ))],
        })
    }
}

/// A sum in 128 bits with a count.
#[derive(Debug)]
struct Total {
    sum: i128,
    count: i64,
    mean: bool,
}

impl Total {
    fn add(&mut self, value: i128) -> Result<()> {
        self.sum = self.sum.checked_add(value).ok_or_else(overflow)?;
        Ok(())
    }
}

impl Accumulator for Total {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for value in values
            .iter()
            .flat_map(|a| a.as_primitive::<Int64Type>())
            .flatten()
        {
            self.add(i128::from(value))?;
            self.count += 1;
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        if self.count == 0 {
            return Ok(ScalarValue::Int64(None));
        }
        let result = if self.mean {
            divide_half_even(self.sum, i128::from(self.count)).0
        } else {
            self.sum
        };
        let result = i64::try_from(result).map_err(|_| overflow())?;
        Ok(ScalarValue::Int64(Some(result)))
    }

    fn size(&self) -> usize {
        size_of_val(self)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![
            ScalarValue::Decimal128(Some(self.sum), 38, 0),
            ScalarValue::Int64(Some(self.count)),
        ])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        if let [sums, counts] = states {
            let sums = sums.as_primitive::<datafusion::arrow::datatypes::Decimal128Type>();
            for sum in sums.iter().flatten() {
                self.add(sum)?;
            }
            for count in counts.as_primitive::<Int64Type>().iter().flatten() {
                self.count += count;
            }
        }
        Ok(())
    }
}

/// A number type that can be ordered and interpolated.
trait Interpolated: std::fmt::Debug + datafusion::arrow::datatypes::ArrowPrimitiveType {
    /// The value at `share` (0 to 1) of sorted values, between two of them where it lies there (R type 7).
    fn at(values: &[Self::Native], share: f64) -> Option<Self::Native>;
    /// Total order.
    fn order(a: &Self::Native, b: &Self::Native) -> std::cmp::Ordering;
    /// As a scalar.
    fn scalar(value: Option<Self::Native>) -> ScalarValue;
}

impl Interpolated for Int64Type {
    fn at(values: &[i64], share: f64) -> Option<i64> {
        let last = i128::try_from(values.len().checked_sub(1)?).ok()?;
        // The share counts as the decimal it prints as, so that 0.9 of ten steps is nine of them exactly.
        let decimal = Decimal::parse(&format_float(share))?;
        let scale = 10_i128.checked_pow(decimal.exponent.min(0).unsigned_abs())?;
        let position = decimal.digits.checked_mul(last)?;
        let (low, part) = (position / scale, position % scale);
        let value = |at: i128| {
            let at = usize::try_from(at.min(last)).ok()?;
            values.get(at).map(|value| i128::from(*value))
        };
        let (a, b) = (value(low)?, value(low + 1)?);
        // Half to even holds for the result: the division comes last. Shares have at most 17 digits, so the
        // products fit.
        let sum = a
            .checked_mul(scale)?
            .checked_add((b - a).checked_mul(part)?)?;
        i64::try_from(divide_half_even(sum, scale).0).ok()
    }

    fn order(a: &i64, b: &i64) -> std::cmp::Ordering {
        a.cmp(b)
    }

    fn scalar(value: Option<i64>) -> ScalarValue {
        ScalarValue::Int64(value)
    }
}

impl Interpolated for Float64Type {
    fn at(values: &[f64], share: f64) -> Option<f64> {
        let last = values.len().checked_sub(1)?;
        let position = share * last as f64;
        let low = (position.floor() as usize).min(last);
        let (a, b) = (*values.get(low)?, *values.get((low + 1).min(last))?);
        let part = position - low as f64;
        Some(if part == 0.0 { a } else { a + (b - a) * part })
    }

    fn order(a: &f64, b: &f64) -> std::cmp::Ordering {
        a.total_cmp(b)
    }

    fn scalar(value: Option<f64>) -> ScalarValue {
        ScalarValue::Float64(value)
    }
}

/// All values, for quantiles.
#[derive(Debug)]
struct Ordered<T: Interpolated> {
    values: Vec<T::Native>,
    share: f64,
}

impl<T: Interpolated> Accumulator for Ordered<T> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for array in values {
            self.values
                .extend(array.as_primitive::<T>().iter().flatten());
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.values.sort_unstable_by(T::order);
        let value = T::at(&self.values, self.share);
        Ok(T::scalar(value))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.values.capacity() * size_of::<T::Native>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let values: Vec<ScalarValue> = self.values.iter().map(|v| T::scalar(Some(*v))).collect();
        let list = ScalarValue::new_list(&values, &T::DATA_TYPE, true);
        Ok(vec![ScalarValue::List(list)])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for state in states {
            for values in state.as_list::<i32>().iter().flatten() {
                self.values
                    .extend(values.as_primitive::<T>().iter().flatten());
            }
        }
        Ok(())
    }
}
