//! The types of operators: what may be added to, compared with and divided by what.

use super::{Checker, Checking};
use crate::diag::{Diag, Span, code};
use crate::lang::ast::{BinaryOperator, UnaryOperator};
use crate::lang::check::expr::{logical_time, no_unit_in_trace, unify};
use crate::lang::plan::{Expr, ExprNode};
use crate::spec::{TimeUnit, Type, Value};

impl Checker<'_> {
    pub(crate) fn unary(
        &mut self,
        operator: UnaryOperator,
        operand: Expr,
        span: Span,
    ) -> Checking<Expr> {
        let fits = match operator {
            UnaryOperator::Negate => {
                operand.ty.is_number() || operand.ty.is_time() || operand.ty == Type::Null
            }
            UnaryOperator::Not => matches!(operand.ty, Type::Bool | Type::Null),
        };
        if !fits {
            let (word, wanted) = match operator {
                UnaryOperator::Negate => ("-", "a number or a time"),
                UnaryOperator::Not => ("not", "a condition"),
            };
            return self.report(
                Diag::error(
                    &code::TYPE_MISMATCH,
                    format!("`{word}` takes {wanted}, not {}", operand.ty.with_article()),
                )
                .at(operand.span, "here"),
            );
        }
        // A negated number is a number: it keeps literals whole for everything that asks for one.
        let node = match (operator, &operand.node) {
            (UnaryOperator::Negate, ExprNode::Value(Value::Int(number))) => {
                number.checked_neg().map(|n| ExprNode::Value(Value::Int(n)))
            }
            (UnaryOperator::Negate, ExprNode::Value(Value::Float(number))) => {
                Some(ExprNode::Value(Value::Float(-number)))
            }
            (UnaryOperator::Negate, ExprNode::Value(Value::Time(time))) => {
                time.checked_neg().map(|t| ExprNode::Value(Value::Time(t)))
            }
            _ => None,
        };
        let ty = operand.ty.clone();
        let node = node.unwrap_or_else(|| ExprNode::Unary(operator, Box::new(operand)));
        Ok(Expr { node, ty, span })
    }

    pub(crate) fn binary(
        &mut self,
        operator: BinaryOperator,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Checking<Expr> {
        use BinaryOperator::*;
        let null = |expr: &Expr| matches!(expr.node, ExprNode::Value(Value::Null));
        // `x == null` with the literal means is-null.
        if matches!(operator, Equal | NotEqual) && (null(&left) || null(&right)) {
            let operand = if null(&left) { right } else { left };
            return Ok(Expr {
                node: ExprNode::IsNull(Box::new(operand), operator == Equal),
                ty: Type::Bool,
                span,
            });
        }
        let (left, right, ty) = match operator {
            And | Or => {
                for side in [&left, &right] {
                    if !matches!(side.ty, Type::Bool | Type::Null) {
                        return self.mismatch(
                            format!(
                                "`{}` joins conditions, this is a {}",
                                operator.symbol(),
                                side.ty
                            ),
                            side.span,
                        );
                    }
                }
                (left, right, Type::Bool)
            }
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => {
                let (left, right) = self.comparable(left, right, operator.symbol())?;
                (left, right, Type::Bool)
            }
            In | NotIn => {
                let right = self.membership(&left, right, operator)?;
                (left, right, Type::Bool)
            }
            Matches => {
                for side in [&left, &right] {
                    if !matches!(side.ty, Type::String | Type::Null) {
                        return self.mismatch(
                            format!(
                                "`matches` compares text with a regular expression, this is {}",
                                side.ty.with_article()
                            ),
                            side.span,
                        );
                    }
                }
                self.pattern(&right)?;
                (left, right, Type::Bool)
            }
            Coalesce => {
                let (left, right) = self.same_time_kind(left, right)?;
                let ty = self.unified(&left.ty, &right.ty, right.span, "both sides of `??`")?;
                (left, right, ty)
            }
            Add | Subtract | Multiply | Divide | Remainder => {
                return self.arithmetic(operator, left, right, span);
            }
        };
        let node = ExprNode::Binary(operator, Box::new(left), Box::new(right));
        Ok(Expr { node, ty, span })
    }

    /// A pattern that is known must be one.
    fn pattern(&mut self, expr: &Expr) -> Checking<()> {
        let ExprNode::Value(Value::String(text)) = &expr.node else {
            return Ok(());
        };
        match regex::Regex::new(text) {
            Ok(_) => Ok(()),
            Err(error) => {
                // Its last line says what is wrong; the lines before it draw the pattern.
                let why = error.to_string();
                let why = why.lines().last().unwrap_or_default();
                let why = why.trim_start_matches("error: ");
                self.report(
                    Diag::error(
                        &code::INVALID_VALUE,
                        format!("this is no regular expression: {}", crate::diag::printable(why, 160)),
                    )
                    .at(expr.span, "here")
                    .help("a character with a meaning is taken as itself behind a backslash: r\"\\[\""),
                )
            }
        }
    }

    fn mismatch<T>(&mut self, message: String, span: Span) -> Checking<T> {
        self.report(Diag::error(&code::TYPE_MISMATCH, message).at(span, "here"))
    }

    /// Both sides of a comparison, of one type, a bare number made a time where the trace has no unit.
    fn comparable(&mut self, left: Expr, right: Expr, symbol: &str) -> Checking<(Expr, Expr)> {
        let (left, right) = self.same_time_kind(left, right)?;
        if unify(&left.ty, &right.ty).is_some() {
            return Ok((left, right));
        }
        let diag = Diag::error(
            &code::TYPE_MISMATCH,
            format!(
                "`{symbol}` compares one type, not {} with {}",
                left.ty, right.ty
            ),
        )
        .at(left.span, left.ty.with_article())
        .at(right.span, right.ty.with_article());
        let number_as_text = match (&left.ty, &right.ty) {
            (Type::String, Type::Int | Type::Float) => Some(&right),
            (Type::Int | Type::Float, Type::String) => Some(&left),
            _ => None,
        };
        let help = number_as_text.and_then(|side| match &side.node {
            ExprNode::Value(value) => Some(format!("text is written \"{value}\"")),
            _ => None,
        });
        self.report(diag.maybe_help(help))
    }

    /// Makes a bare number a time where the other side is a time of a trace without a unit, and reports
    /// the other meetings of times and numbers.
    pub(crate) fn same_time_kind(&mut self, left: Expr, right: Expr) -> Checking<(Expr, Expr)> {
        match (&left.ty, &right.ty) {
            (Type::LogicalTime, number) if number.is_number() => {
                let right = self.made_logical(right)?;
                Ok((left, right))
            }
            (number, Type::LogicalTime) if number.is_number() => {
                let left = self.made_logical(left)?;
                Ok((left, right))
            }
            (Type::Time, number) if number.is_number() => {
                let diag = no_unit_in_number(&right, self.unit);
                self.report(diag)
            }
            (number, Type::Time) if number.is_number() => {
                let diag = no_unit_in_number(&left, self.unit);
                self.report(diag)
            }
            (Type::LogicalTime, Type::Time) => {
                let diag = no_unit_in_trace(right.span, &shown(&right));
                self.report(diag)
            }
            (Type::Time, Type::LogicalTime) => {
                let diag = no_unit_in_trace(left.span, &shown(&left));
                self.report(diag)
            }
            _ => Ok((left, right)),
        }
    }

    fn made_logical(&mut self, expr: Expr) -> Checking<Expr> {
        let span = expr.span;
        let node = match &expr.node {
            ExprNode::Value(value) => match logical_time(value) {
                Some(time) => ExprNode::Value(Value::LogicalTime(time)),
                None => {
                    return self.report(
                        Diag::error(
                            &code::INVALID_VALUE,
                            "times of a trace without a unit have at most nine decimals",
                        )
                        .at(span, "here"),
                    );
                }
            },
            _ => ExprNode::ToLogicalTime(Box::new(expr)),
        };
        Ok(Expr {
            node,
            ty: Type::LogicalTime,
            span,
        })
    }

    fn membership(&mut self, left: &Expr, right: Expr, operator: BinaryOperator) -> Checking<Expr> {
        let symbol = operator.symbol();
        let span = right.span;
        match right.node {
            ExprNode::List(items) => {
                let mut out = Vec::new();
                for item in items {
                    let (_, item) = self.comparable(left.clone(), item, symbol)?;
                    out.push(item);
                }
                Ok(Expr {
                    node: ExprNode::List(out),
                    ty: right.ty,
                    span,
                })
            }
            ExprNode::Range(low, high) => {
                let mut ends = [None, None];
                for (slot, end) in ends.iter_mut().zip([low, high]) {
                    if let Some(end) = end {
                        *slot = Some(Box::new(self.comparable(left.clone(), *end, symbol)?.1));
                    }
                }
                let [low, high] = ends;
                Ok(Expr {
                    node: ExprNode::Range(low, high),
                    ty: right.ty,
                    span,
                })
            }
            // A list or range that a name stands for: written out, it is checked the same way.
            ExprNode::Value(Value::List(values)) => {
                let items = values.into_iter().map(|value| known(value, span)).collect();
                let list = Expr {
                    node: ExprNode::List(items),
                    ty: right.ty,
                    span,
                };
                self.membership(left, list, operator)
            }
            ExprNode::Value(Value::Range(low, high)) => {
                let end = |end: Option<Box<Value>>| end.map(|end| Box::new(known(*end, span)));
                let range = Expr {
                    node: ExprNode::Range(end(low), end(high)),
                    ty: right.ty,
                    span,
                };
                self.membership(left, range, operator)
            }
            _ => {
                let text = matches!(right.ty, Type::String);
                let diag = Diag::error(
                    &code::TYPE_MISMATCH,
                    format!(
                        "`{symbol}` takes a list or a range, not {}",
                        right.ty.with_article()
                    ),
                )
                .at(span, "here");
                self.report(if text {
                    diag.help(
                        "a list is written [\"a\", \"b\"]; a pattern is tested with `matches`",
                    )
                } else {
                    diag.help("write `[…]` or `a..b`")
                })
            }
        }
    }

    fn arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Checking<Expr> {
        use BinaryOperator::*;
        let scaling = matches!(operator, Multiply | Divide);
        let (left, right) = if scaling {
            (left, right)
        } else {
            self.same_time_kind(left, right)?
        };
        let number = |ty: &Type| ty.is_number() || *ty == Type::Null;
        let ty = match (operator, &left.ty, &right.ty) {
            (Divide, a, b) if number(a) && number(b) => Some(Type::Float),
            (_, Type::Int, Type::Int) => Some(Type::Int),
            (_, a, b) if number(a) && number(b) => unify(a, b),
            (Add | Subtract | Remainder, a, b) if a.is_time() => unify(a, b),
            (Add | Subtract | Remainder, Type::Null, b) if b.is_time() => Some(b.clone()),
            (Multiply, a, b) if a.is_time() && number(b) => Some(a.clone()),
            (Multiply, a, b) if number(a) && b.is_time() => Some(b.clone()),
            (Divide, a, b) if a.is_time() && a == b => Some(Type::Float),
            (Divide, a, b) if a.is_time() && number(b) => Some(a.clone()),
            _ => None,
        };
        let Some(ty) = ty else {
            let diag = Diag::error(
                &code::TYPE_MISMATCH,
                format!(
                    "`{}` has no meaning for {} and {}",
                    operator.symbol(),
                    left.ty,
                    right.ty
                ),
            )
            .at(left.span, left.ty.with_article())
            .at(right.span, right.ty.with_article());
            let help = match (operator, &left.ty, &right.ty) {
                (Add, Type::String, _) | (Add, _, Type::String) => {
                    Some("text is joined in an f-string: f\"{a}{b}\"".to_owned())
                }
                (Multiply, a, b) if a.is_time() && b.is_time() => {
                    Some("make one of them a number: `x / 1s`".to_owned())
                }
                _ => None,
            };
            return self.report(diag.maybe_help(help));
        };
        let node = ExprNode::Binary(operator, Box::new(left), Box::new(right));
        Ok(Expr { node, ty, span })
    }
}

fn known(value: Value, span: Span) -> Expr {
    Expr {
        ty: value.value_type(),
        node: ExprNode::Value(value),
        span,
    }
}

fn shown(expr: &Expr) -> String {
    match &expr.node {
        ExprNode::Value(value) => value.to_string(),
        _ => "a time".to_owned(),
    }
}

/// `duration > 100` in a trace with a unit; `unit` is that of its file.
fn no_unit_in_number(number: &Expr, unit: Option<TimeUnit>) -> Diag {
    let name = unit.map_or("ms", TimeUnit::name);
    let lead = match unit {
        Some(_) => format!("the unit of the file is {name}: "),
        None => "write a unit: ".to_owned(),
    };
    let diag = Diag::error(&code::UNIT_MISMATCH, "a time meets a number without a unit");
    match &number.node {
        ExprNode::Value(value) => diag
            .at(number.span, format!("`{value}` has no unit"))
            .help(format!("{lead}`{value}{name}`")),
        _ => diag
            .at(number.span, "this number has no unit")
            .help(format!("{lead}`… * 1{name}`")),
    }
}
