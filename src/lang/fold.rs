//! Values of scalar expressions, exact for times. Functions, and whatever needs data, are asked of the
//! caller.

use super::ast::{BinaryOperator, UnaryOperator};
use super::plan::{Expr, ExprNode};
use crate::diag::{Diag, code};
use crate::model::clock::divide_half_even;
use crate::spec::{Decimal, Value, format_float};
use std::cmp::Ordering;

/// Asked for the value of a node that is not arithmetic: a call (with its evaluated arguments), a scalar
/// of a run, a subquery, a function of data.
pub type Ask<'a> = dyn FnMut(&ExprNode, &[Value]) -> Result<Value, Diag> + 'a;

/// The value of an expression without columns.
pub fn fold(expr: &Expr, ask: &mut Ask) -> Result<Value, Diag> {
    let value = match &expr.node {
        ExprNode::Value(value) => value.clone(),
        ExprNode::Scalar(scalar) => match scalar.value.get() {
            Some(value) => value.clone(),
            None => ask(&expr.node, &[])?,
        },
        ExprNode::Call(_, arguments) => {
            let values = all(arguments, ask)?;
            ask(&expr.node, &values)?
        }
        ExprNode::OnData(..)
        | ExprNode::Subquery(_)
        | ExprNode::Aggregate(..)
        | ExprNode::Column(_) => ask(&expr.node, &[])?,
        ExprNode::List(items) => Value::List(all(items, ask)?),
        ExprNode::Map(entries) => {
            let mut out = Vec::new();
            for (key, item) in entries {
                out.push((key.clone(), fold(item, ask)?));
            }
            Value::Map(out)
        }
        ExprNode::Range(low, high) => {
            let mut end = |end: &Option<Box<Expr>>| match end {
                Some(end) => fold(end, ask).map(|value| Some(Box::new(value))),
                None => Ok(None),
            };
            let low = end(low)?;
            Value::Range(low, end(high)?)
        }
        ExprNode::Format(parts) => {
            let mut text = String::new();
            for part in parts {
                text.push_str(&fold(part, ask)?.to_string());
            }
            Value::String(text)
        }
        ExprNode::IsNull(operand, wanted) => {
            Value::Bool((fold(operand, ask)? == Value::Null) == *wanted)
        }
        ExprNode::If(condition, then, otherwise) => match fold(condition, ask)? {
            Value::Bool(true) => fold(then, ask)?,
            _ => fold(otherwise, ask)?,
        },
        ExprNode::ToLogicalTime(operand) => match fold(operand, ask)? {
            Value::Null => Value::Null,
            value => super::check::logical_time_of(&value)
                .map(Value::LogicalTime)
                .ok_or_else(|| overflow(expr))?,
        },
        ExprNode::FloorDivide(left, right) => match (fold(left, ask)?, fold(right, ask)?) {
            (Value::Time(a) | Value::LogicalTime(a), Value::Time(b) | Value::LogicalTime(b)) => {
                floor_divide(a, b).map_or(Value::Null, Value::Int)
            }
            _ => Value::Null,
        },
        ExprNode::Unary(operator, operand) => {
            let value = fold(operand, ask)?;
            unary(*operator, value).ok_or_else(|| overflow(expr))?
        }
        ExprNode::Binary(operator, left, right) => {
            let left = fold(left, ask)?;
            // `and`, `or` and `??` look at the right side only where it matters.
            match (operator, &left) {
                (BinaryOperator::And, Value::Bool(false)) => return Ok(Value::Bool(false)),
                (BinaryOperator::Or, Value::Bool(true)) => return Ok(Value::Bool(true)),
                (BinaryOperator::Coalesce, value) if *value != Value::Null => return Ok(left),
                _ => {}
            }
            let right = fold(right, ask)?;
            binary(expr, *operator, left, right)?
        }
    };
    Ok(value)
}

fn all(items: &[Expr], ask: &mut Ask) -> Result<Vec<Value>, Diag> {
    items.iter().map(|item| fold(item, ask)).collect()
}

fn overflow(expr: &Expr) -> Diag {
    Diag::error(&code::OVERFLOW, "the result does not fit").at(expr.span, "here")
}

fn unary(operator: UnaryOperator, value: Value) -> Option<Value> {
    Some(match (operator, value) {
        (UnaryOperator::Negate, Value::Int(number)) => Value::Int(number.checked_neg()?),
        (UnaryOperator::Negate, Value::Float(number)) => Value::Float(-number),
        (UnaryOperator::Negate, Value::Time(time)) => Value::Time(time.checked_neg()?),
        (UnaryOperator::Negate, Value::LogicalTime(time)) => {
            Value::LogicalTime(time.checked_neg()?)
        }
        (UnaryOperator::Not, Value::Bool(value)) => Value::Bool(!value),
        _ => Value::Null,
    })
}

fn floor_divide(left: i128, right: i128) -> Option<i64> {
    if right == 0 {
        return None;
    }
    // Floor, not Euclid: the sign of the divisor counts.
    let quotient = left.checked_div(right)?;
    let below = left % right != 0 && (left < 0) != (right < 0);
    i64::try_from(quotient - i128::from(below)).ok()
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

/// `time * number`, rounded half to even: the number as the exact decimal it prints as.
fn scale(time: i128, number: &Value) -> Option<i128> {
    match number {
        Value::Int(factor) => time.checked_mul(i128::from(*factor)),
        Value::Float(factor) => {
            let decimal = Decimal::parse(&format_float(*factor))?;
            let product = time.checked_mul(decimal.digits)?;
            if decimal.exponent >= 0 {
                product.checked_mul(10_i128.checked_pow(decimal.exponent.unsigned_abs())?)
            } else {
                let divisor = 10_i128.checked_pow(decimal.exponent.unsigned_abs())?;
                Some(divide_half_even(product, divisor).0)
            }
        }
        _ => None,
    }
}

/// How two values of one type order; None where they do not.
pub fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) | (Value::Size(a), Value::Size(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Time(a), Value::Time(b)) | (Value::LogicalTime(a), Value::LogicalTime(b)) => {
            Some(a.cmp(b))
        }
        (Value::Length(a), Value::Length(b)) => a.pixels().partial_cmp(&b.pixels()),
        _ => float(left)?.partial_cmp(&float(right)?),
    }
}

fn binary(expr: &Expr, operator: BinaryOperator, left: Value, right: Value) -> Result<Value, Diag> {
    use BinaryOperator::*;
    if operator == Coalesce {
        return Ok(right);
    }
    if operator.is_comparison() {
        return Ok(match compare(&left, &right) {
            None if left == Value::Null || right == Value::Null => Value::Null,
            None => Value::Bool((left == right) == (operator == Equal)),
            Some(order) => Value::Bool(match operator {
                Equal => order.is_eq(),
                NotEqual => order.is_ne(),
                Less => order.is_lt(),
                LessEqual => order.is_le(),
                Greater => order.is_gt(),
                _ => order.is_ge(),
            }),
        });
    }
    if matches!(operator, And | Or) {
        return Ok(match (operator, &left, &right) {
            (And, Value::Bool(a), Value::Bool(b)) => Value::Bool(*a && *b),
            (And, _, Value::Bool(false)) => Value::Bool(false),
            (Or, Value::Bool(a), Value::Bool(b)) => Value::Bool(*a || *b),
            (Or, _, Value::Bool(true)) => Value::Bool(true),
            _ => Value::Null,
        });
    }
    if left == Value::Null || right == Value::Null {
        return Ok(Value::Null);
    }
    if operator == Matches {
        let (Value::String(text), Value::String(pattern)) = (&left, &right) else {
            return Ok(Value::Null);
        };
        let pattern = regex::Regex::new(pattern).map_err(|_| {
            Diag::error(&code::INVALID_VALUE, "this is no regular expression").at(expr.span, "here")
        })?;
        return Ok(Value::Bool(pattern.is_match(text)));
    }
    if matches!(operator, In | NotIn) {
        let found = match &right {
            Value::List(items) => items
                .iter()
                .any(|item| compare(&left, item).is_some_and(Ordering::is_eq)),
            Value::Range(low, high) => {
                let above = low
                    .as_ref()
                    .is_none_or(|low| compare(&left, low).is_some_and(Ordering::is_ge));
                above
                    && high
                        .as_ref()
                        .is_none_or(|high| compare(&left, high).is_some_and(Ordering::is_lt))
            }
            _ => false,
        };
        return Ok(Value::Bool(found == (operator == In)));
    }
    arithmetic(operator, &left, &right).ok_or_else(|| overflow(expr))
}

fn arithmetic(operator: BinaryOperator, left: &Value, right: &Value) -> Option<Value> {
    use BinaryOperator::*;
    type Wrap = fn(i128) -> Value;
    let exact = |time: i128, other: i128, wrap: Wrap| {
        Some(match operator {
            Add => wrap(time.checked_add(other)?),
            Subtract => wrap(time.checked_sub(other)?),
            Divide if other == 0 => Value::Null,
            Divide => Value::Float(time as f64 / other as f64),
            Remainder if other == 0 => Value::Null,
            Remainder => wrap(time.checked_rem(other)?),
            _ => return None,
        })
    };
    let scaled = |time: i128, number: &Value, wrap: Wrap| match operator {
        Multiply => scale(time, number).map(wrap),
        Divide => match number {
            Value::Int(0) => Some(Value::Null),
            Value::Int(divisor) => {
                let divisor = i128::from(*divisor);
                let sign = divisor.signum();
                Some(wrap(
                    divide_half_even(time.checked_mul(sign)?, divisor * sign).0,
                ))
            }
            Value::Float(divisor) if *divisor != 0.0 => {
                scale(time, &Value::Float(1.0 / divisor)).map(wrap)
            }
            _ => Some(Value::Null),
        },
        _ => None,
    };
    match (left, right) {
        (Value::Time(a), Value::Time(b)) => exact(*a, *b, Value::Time),
        (Value::LogicalTime(a), Value::LogicalTime(b)) => exact(*a, *b, Value::LogicalTime),
        (Value::Time(time), number) => scaled(*time, number, Value::Time),
        (Value::LogicalTime(time), number) => scaled(*time, number, Value::LogicalTime),
        (number, Value::Time(time)) if operator == Multiply => {
            scale(*time, number).map(Value::Time)
        }
        (number, Value::LogicalTime(time)) if operator == Multiply => {
            scale(*time, number).map(Value::LogicalTime)
        }
        (Value::Int(a), Value::Int(b)) => Some(match operator {
            Add => Value::Int(a.checked_add(*b)?),
            Subtract => Value::Int(a.checked_sub(*b)?),
            Multiply => Value::Int(a.checked_mul(*b)?),
            Divide if *b == 0 => Value::Null,
            Divide => Value::Float(*a as f64 / *b as f64),
            Remainder if *b == 0 => Value::Null,
            _ => Value::Int(a.checked_rem(*b)?),
        }),
        _ => {
            let (a, b) = (float(left)?, float(right)?);
            Some(Value::Float(match operator {
                Add => a + b,
                Subtract => a - b,
                Multiply => a * b,
                Divide if b == 0.0 => return Some(Value::Null),
                Divide => a / b,
                _ => a % b,
            }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Span;
    use crate::spec::Type;

    #[test]
    fn the_least_time_by_minus_one_does_not_fit() {
        let known = |value: Value| {
            Box::new(Expr {
                ty: value.value_type(),
                node: ExprNode::Value(value),
                span: Span::default(),
            })
        };
        let least = || known(Value::Time(i128::MIN));
        let nodes = [
            ExprNode::Binary(BinaryOperator::Remainder, least(), known(Value::Time(-1))),
            ExprNode::Binary(BinaryOperator::Divide, least(), known(Value::Int(-1))),
            ExprNode::Unary(UnaryOperator::Negate, least()),
        ];
        for node in nodes {
            let expr = Expr {
                node,
                ty: Type::Time,
                span: Span::default(),
            };
            let result = fold(&expr, &mut |_, _| Ok(Value::Null));
            assert_eq!(result.map_err(|diag| diag.code.name), Err("overflow"));
        }
        assert_eq!(floor_divide(i128::MIN, -1), None);
    }
}
