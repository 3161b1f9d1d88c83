//! Typed expressions → DataFusion expressions. Names are never parsed again: columns go in as they are.

use super::checked::{self, Exact};
use super::fault;
use crate::diag::{Diag, Span, code};
use crate::lang::ast::{BinaryOperator, UnaryOperator};
use crate::lang::plan::{Expr, ExprNode};
use crate::model::Clock;
use crate::spec::{Type, Value};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, ScalarValue};
use datafusion::logical_expr::{self as df, Operator, binary_expr, cast, lit, when};

/// What lowering asks of the rest of the program.
pub trait Lowering {
    /// A call of a function of values or of an aggregate, by canonical name.
    fn function(
        &self,
        name: &str,
        arguments: Vec<df::Expr>,
        types: &[Type],
    ) -> Result<df::Expr, Diag>;
}

/// A column by its exact name.
pub fn column(name: &str) -> df::Expr {
    df::Expr::Column(Column::new_unqualified(name))
}

/// The DataFusion expression of `expr` over rows whose ticks count by `clock`.
pub fn lower(expr: &Expr, clock: Clock, cx: &dyn Lowering) -> Result<df::Expr, Diag> {
    let sub = |expr: &Expr| lower(expr, clock, cx);
    let all = |items: &[Expr]| items.iter().map(sub).collect::<Result<Vec<_>, Diag>>();
    Ok(match &expr.node {
        ExprNode::Value(value) => literal(value, clock, expr.span)?,
        ExprNode::Column(name) => column(name),
        ExprNode::Scalar(_) | ExprNode::OnData(..) | ExprNode::Subquery(_) => {
            return Err(Diag::error(
                &code::INTERNAL,
                "a value was not computed before it was needed",
            )
            .at(expr.span, "here"));
        }
        ExprNode::Unary(UnaryOperator::Not, operand) => df::not(sub(operand)?),
        ExprNode::Unary(UnaryOperator::Negate, operand) => {
            let inner = sub(operand)?;
            if operand.ty == Type::Float {
                df::Expr::Negative(Box::new(inner))
            } else {
                checked::call(Exact::Negate, vec![integer(inner)])
            }
        }
        ExprNode::IsNull(operand, true) => sub(operand)?.is_null(),
        ExprNode::IsNull(operand, false) => sub(operand)?.is_not_null(),
        ExprNode::If(condition, then, otherwise) => {
            let (then, otherwise) = match expr.ty {
                Type::Float => (float(sub(then)?), float(sub(otherwise)?)),
                _ => (sub(then)?, sub(otherwise)?),
            };
            when(sub(condition)?, then)
                .otherwise(otherwise)
                .map_err(fault::diag)?
        }
        ExprNode::Call(name, arguments) | ExprNode::Aggregate(name, arguments) => {
            let types: Vec<Type> = arguments.iter().map(|a| a.ty.clone()).collect();
            cx.function(name, all(arguments)?, &types)?
        }
        ExprNode::FloorDivide(left, right) => {
            checked::call(Exact::FloorDivide, vec![sub(left)?, sub(right)?])
        }
        ExprNode::ToLogicalTime(operand) => {
            checked::call(Exact::LogicalTicks, vec![float(sub(operand)?)])
        }
        ExprNode::Format(parts) => {
            let mut texts = Vec::new();
            for part in parts {
                texts.push(text(part, sub(part)?, clock));
            }
            cx.function("concat", texts, &[])?
        }
        ExprNode::Binary(operator, left, right) => {
            return binary(*operator, left, right, &expr.ty, &sub);
        }
        ExprNode::List(_) | ExprNode::Map(_) | ExprNode::Range(..) => {
            return Err(Diag::error(
                &code::TYPE_MISMATCH,
                format!("a {} is no value of a column", expr.ty),
            )
            .at(expr.span, "here"));
        }
    })
}

type Sub<'a> = dyn Fn(&Expr) -> Result<df::Expr, Diag> + 'a;

fn binary(
    operator: BinaryOperator,
    left: &Expr,
    right: &Expr,
    ty: &Type,
    sub: &Sub,
) -> Result<df::Expr, Diag> {
    use BinaryOperator::*;
    let plain = |operator: Operator| -> Result<df::Expr, Diag> {
        let (mut a, mut b) = (sub(left)?, sub(right)?);
        if left.ty.is_number() && right.ty.is_number() && left.ty != right.ty {
            (a, b) = (float(a), float(b));
        }
        Ok(binary_expr(a, operator, b))
    };
    match operator {
        Or => plain(Operator::Or),
        And => plain(Operator::And),
        Equal => plain(Operator::Eq),
        NotEqual => plain(Operator::NotEq),
        Less => plain(Operator::Lt),
        LessEqual => plain(Operator::LtEq),
        Greater => plain(Operator::Gt),
        GreaterEqual => plain(Operator::GtEq),
        Matches => plain(Operator::RegexMatch),
        Coalesce => {
            let (a, b) = (sub(left)?, sub(right)?);
            let (a, b) = match ty {
                Type::Float => (float(a), float(b)),
                _ => (a, b),
            };
            when(a.clone().is_not_null(), a)
                .otherwise(b)
                .map_err(fault::diag)
        }
        In | NotIn => membership(operator == NotIn, left, right, sub),
        Add | Subtract | Multiply | Divide | Remainder => {
            arithmetic(operator, left, right, ty, sub)
        }
    }
}

fn membership(negated: bool, left: &Expr, right: &Expr, sub: &Sub) -> Result<df::Expr, Diag> {
    let value = sub(left)?;
    let mixed = |item: &Expr, lowered: df::Expr| {
        if item.ty.is_number() && item.ty != left.ty {
            float(lowered)
        } else {
            lowered
        }
    };
    let inside = match &right.node {
        ExprNode::List(items) => {
            let floats = items
                .iter()
                .any(|item| item.ty == Type::Float && left.ty == Type::Int);
            let value = if floats { float(value) } else { value };
            let items = items
                .iter()
                .map(|item| {
                    let lowered = sub(item)?;
                    Ok(if floats {
                        float(lowered)
                    } else {
                        mixed(item, lowered)
                    })
                })
                .collect::<Result<Vec<_>, Diag>>()?;
            return Ok(value.in_list(items, negated));
        }
        ExprNode::Range(low, high) => {
            let bound = |operator, end: &Option<Box<Expr>>| -> Result<Option<df::Expr>, Diag> {
                let Some(end) = end else { return Ok(None) };
                let mut value = value.clone();
                let mut bound = sub(end)?;
                if end.ty.is_number() && end.ty != left.ty {
                    (value, bound) = (float(value), float(bound));
                }
                Ok(Some(binary_expr(value, operator, bound)))
            };
            match (bound(Operator::GtEq, low)?, bound(Operator::Lt, high)?) {
                (Some(low), Some(high)) => low.and(high),
                (Some(one), None) | (None, Some(one)) => one,
                (None, None) => value.is_not_null(),
            }
        }
        _ => {
            return Err(Diag::error(
                &code::TYPE_MISMATCH,
                "a list or range that only a run can tell does not stand here",
            )
            .at(right.span, "here")
            .help("write the list out"));
        }
    };
    Ok(if negated { df::not(inside) } else { inside })
}

fn arithmetic(
    operator: BinaryOperator,
    left: &Expr,
    right: &Expr,
    ty: &Type,
    sub: &Sub,
) -> Result<df::Expr, Diag> {
    use BinaryOperator::*;
    let (a, b) = (sub(left)?, sub(right)?);
    let times = (left.ty.is_time(), right.ty.is_time());
    let exact = |exact: Exact, a: df::Expr, b: df::Expr| checked::call(exact, vec![a, b]);
    Ok(match (operator, times) {
        (Divide, (true, true)) => exact(Exact::Ratio, a, b),
        (Divide, (true, false)) if right.ty == Type::Int => exact(Exact::Divide, a, integer(b)),
        (Divide, (true, false)) => {
            let one = binary_expr(lit(1.0_f64), Operator::Divide, not_zero(float(b)));
            exact(Exact::Scale, a, one)
        }
        (Multiply, (true, false)) if right.ty == Type::Float => exact(Exact::Scale, a, b),
        (Multiply, (false, true)) if left.ty == Type::Float => exact(Exact::Scale, b, a),
        (Divide, _) => binary_expr(float(a), Operator::Divide, not_zero(float(b))),
        _ if *ty == Type::Float => {
            let (a, b) = (float(a), float(b));
            match operator {
                Add => binary_expr(a, Operator::Plus, b),
                Subtract => binary_expr(a, Operator::Minus, b),
                Multiply => binary_expr(a, Operator::Multiply, b),
                _ => binary_expr(a, Operator::Modulo, not_zero(b)),
            }
        }
        _ => {
            let kind = match operator {
                Add => Exact::Add,
                Subtract => Exact::Subtract,
                Multiply => Exact::Multiply,
                _ => Exact::Remainder,
            };
            exact(kind, integer(a), integer(b))
        }
    })
}

/// Null instead of a zero divisor.
fn not_zero(expr: df::Expr) -> df::Expr {
    datafusion::functions::core::expr_fn::nullif(expr, lit(0.0_f64))
}

fn float(expr: df::Expr) -> df::Expr {
    cast(expr, DataType::Float64)
}

fn integer(expr: df::Expr) -> df::Expr {
    cast(expr, DataType::Int64)
}

fn text(part: &Expr, lowered: df::Expr, clock: Clock) -> df::Expr {
    match part.ty {
        Type::Time | Type::LogicalTime => checked::call(Exact::Text(clock), vec![lowered]),
        Type::Float => checked::call(Exact::FloatText, vec![lowered]),
        _ => cast(lowered, DataType::Utf8View),
    }
}

/// A value as a literal; times in ticks of `clock`.
pub fn literal(value: &Value, clock: Clock, span: Span) -> Result<df::Expr, Diag> {
    Ok(match value {
        Value::Null => lit(ScalarValue::Null),
        Value::Bool(value) => lit(*value),
        Value::Int(value) | Value::Size(value) => lit(*value),
        Value::Float(value) => lit(*value),
        Value::String(value) => lit(ScalarValue::Utf8View(Some(value.clone()))),
        Value::Time(exact) | Value::LogicalTime(exact) => lit(ticks(*exact, clock, span)?),
        Value::Length(_) | Value::List(_) | Value::Map(_) | Value::Range(..) => {
            return Err(Diag::error(
                &code::TYPE_MISMATCH,
                format!("a {} is no value of a column", value.value_type()),
            )
            .at(span, "here"));
        }
    })
}

/// An exact time in ticks of `clock`.
pub fn ticks(exact: i128, clock: Clock, span: Span) -> Result<i64, Diag> {
    clock.from_exact(exact).ok_or_else(|| {
        let fits = exact
            .checked_div(if clock.is_logical() {
                1
            } else {
                clock.resolution.picoseconds()
            })
            .is_some_and(|ticks| i64::try_from(ticks).is_ok());
        let diag = if fits {
            Diag::error(
                &code::INVALID_VALUE,
                format!(
                    "this time is finer than the resolution of the trace, {}",
                    clock.resolution.name()
                ),
            )
            .help("load the trace with a finer resolution: `load … resolution=ps`")
        } else {
            Diag::error(
                &code::INVALID_VALUE,
                "this time does not fit into the ticks of the trace",
            )
        };
        diag.at(span, "here")
    })
}
