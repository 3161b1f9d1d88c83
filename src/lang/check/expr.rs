//! Expressions: names, types, functions, literals.

use super::{Binding, Checker, Checking, FunctionKind};
use crate::diag::{Diag, Span, code};
use crate::lang::ast::{self, Node};
use crate::lang::flow::{Columns, Flow};
use crate::lang::plan::{Expr, ExprNode};
use crate::lang::suggest;
use crate::model::Clock;
use crate::spec::{Accept, Decimal, Type, Value, format_float};

/// Where an expression stands.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    /// Column expressions are evaluated per row; true allows aggregates.
    Rows(&'a Columns, bool),
    /// One value; bare names are no columns.
    Scalar,
}

impl Checker<'_> {
    pub(crate) fn is_scalar(&self, name: &str) -> bool {
        matches!(self.scope.get(name), Some(Binding::Scalar(_)))
    }

    pub(crate) fn expr(&mut self, expr: &ast::Expr, place: Place) -> Checking<Expr> {
        let span = expr.span;
        let value = |value: Value| {
            let ty = value.value_type();
            Ok(Expr {
                node: ExprNode::Value(value),
                ty,
                span,
            })
        };
        match &expr.node {
            Node::Null => value(Value::Null),
            Node::Bool(known) => value(Value::Bool(*known)),
            Node::Number(text) => {
                let known = self.number(text, span)?;
                value(known)
            }
            Node::Time(text, unit) => {
                let exact = Decimal::parse(text).and_then(|d| d.times_exact(unit.picoseconds()));
                match exact {
                    Some(time) => value(Value::Time(time)),
                    None => self.report(
                        Diag::error(
                            &code::INVALID_VALUE,
                            "a time is a whole number of picoseconds",
                        )
                        .at(span, "this one is finer or does not fit"),
                    ),
                }
            }
            Node::Length(length) => value(Value::Length(*length)),
            Node::Size(bytes) => value(Value::Size(*bytes)),
            Node::String(text) => value(Value::String(text.clone())),
            Node::Format(parts) => {
                let mut items = Vec::new();
                for part in parts {
                    items.push(match part {
                        ast::FormatPart::Text(text) => Expr {
                            node: ExprNode::Value(Value::String(text.clone())),
                            ty: Type::String,
                            span,
                        },
                        ast::FormatPart::Hole(hole) => self.expr(hole, place)?,
                    });
                }
                Ok(Expr {
                    node: ExprNode::Format(items),
                    ty: Type::String,
                    span,
                })
            }
            Node::List(items) => {
                let mut out = Vec::new();
                let mut ty = Type::Null;
                for item in items {
                    let item = self.expr(item, place)?;
                    ty = self.unified(&ty, &item.ty, item.span, "the items of a list")?;
                    out.push(item);
                }
                Ok(Expr {
                    node: ExprNode::List(out),
                    ty: Type::List(Box::new(ty)),
                    span,
                })
            }
            Node::Map(entries) => {
                let mut out: Vec<(String, Expr)> = Vec::new();
                let mut ty = Type::Null;
                for (key, item) in entries {
                    if out.iter().any(|(other, _)| *other == key.text) {
                        return self.report(
                            Diag::error(
                                &code::DUPLICATE_NAME,
                                format!("the map has `{}` twice", key.text),
                            )
                            .at(key.span, "again here"),
                        );
                    }
                    let item = self.expr(item, place)?;
                    ty = self.unified(&ty, &item.ty, item.span, "the values of a map")?;
                    out.push((key.text.clone(), item));
                }
                Ok(Expr {
                    node: ExprNode::Map(out),
                    ty: Type::Map(Box::new(ty)),
                    span,
                })
            }
            Node::Column(names) => match place {
                Place::Rows(columns, _) => self.column(names, span, columns),
                Place::Scalar => {
                    let diag = self.bare_name(names, span);
                    self.report(diag)
                }
            },
            Node::Scalar(name) => self.scalar_name(name, span, place),
            Node::Call(name, arguments) => self.call(name, arguments, span, place),
            Node::Unary(operator, operand) => {
                let operand = self.expr(operand, place)?;
                self.unary(*operator, operand, span)
            }
            Node::Binary(operator, left, right) => {
                let left = self.expr(left, place);
                let right = self.expr(right, place);
                self.binary(*operator, left?, right?, span)
            }
            Node::Range(low, high) => {
                let mut ends = [None, None];
                let mut ty = Type::Null;
                for (slot, end) in ends.iter_mut().zip([low, high]) {
                    if let Some(end) = end {
                        let end = self.expr(end, place)?;
                        ty = self.unified(&ty, &end.ty, end.span, "the ends of a range")?;
                        *slot = Some(Box::new(end));
                    }
                }
                let [low, high] = ends;
                Ok(Expr {
                    node: ExprNode::Range(low, high),
                    ty: Type::Range(Box::new(ty)),
                    span,
                })
            }
            Node::If(condition, then, otherwise) => {
                let condition = self.expr(condition, place)?;
                if !matches!(condition.ty, Type::Bool | Type::Null) {
                    return self.report(
                        Diag::error(
                            &code::TYPE_MISMATCH,
                            format!(
                                "a condition is true or false, this is {}",
                                condition.ty.with_article()
                            ),
                        )
                        .at(condition.span, "here"),
                    );
                }
                let then = self.expr(then, place)?;
                let otherwise = self.expr(otherwise, place)?;
                let (then, otherwise) = self.same_time_kind(then, otherwise)?;
                let ty = self.unified(&then.ty, &otherwise.ty, otherwise.span, "both branches")?;
                Ok(Expr {
                    node: ExprNode::If(Box::new(condition), Box::new(then), Box::new(otherwise)),
                    ty,
                    span,
                })
            }
            Node::Group(inner) => self.expr(inner, place),
            Node::Subquery(pipeline) => {
                let pipeline = self.pipeline(pipeline)?;
                let ty = match &pipeline.flow {
                    Flow::Table(columns) => {
                        let mut visible = columns.visible();
                        match (visible.next(), visible.next()) {
                            (Some(only), None) => only.ty.clone(),
                            _ => {
                                let names: Vec<&str> =
                                    columns.visible().map(|c| c.name.as_str()).collect();
                                let message = format!(
                                    "one value is wanted, the pipeline gives {} columns: {}",
                                    names.len(),
                                    suggest::listed(names, 6)
                                );
                                return self.report(
                                    Diag::error(&code::NOT_A_SCALAR, message)
                                        .at(span, "here")
                                        .help("end it with `select` or `summarize` of one column"),
                                );
                            }
                        }
                    }
                    flow => {
                        let kind = flow.kind().word();
                        return self.report(
                            Diag::error(
                                &code::NOT_A_SCALAR,
                                format!("one value is wanted, this is a {kind}"),
                            )
                            .at(span, "here")
                            .help("end the pipeline with `summarize` of one aggregate"),
                        );
                    }
                };
                Ok(Expr {
                    node: ExprNode::Subquery(pipeline),
                    ty,
                    span,
                })
            }
        }
    }

    fn number(&mut self, text: &str, span: Span) -> Checking<Value> {
        if !text.contains(['.', 'e', 'E']) {
            return match text.parse::<i64>() {
                Ok(number) => Ok(Value::Int(number)),
                Err(_) => self.report(
                    Diag::error(&code::INVALID_VALUE, "the number does not fit into 64 bits")
                        .at(span, "here")
                        .help(format!("write it as a float: `{text}.0`")),
                ),
            };
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Float(number)),
            _ => self.report(
                Diag::error(&code::INVALID_VALUE, "the number is too large for a float")
                    .at(span, "here"),
            ),
        }
    }

    fn bare_name(&self, names: &[ast::Name], span: Span) -> Diag {
        let name: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
        let name = name.join(".");
        let diag = Diag::error(
            &code::NOT_A_SCALAR,
            format!("`{name}` is a column or data, one value is wanted here"),
        )
        .at(span, "a bare name");
        if self.is_scalar(&name) {
            return diag.help(format!("the scalar is written `${name}`"));
        }
        match self.scope.get(&name) {
            Some(_) => diag.help(format!(
                "a pipeline in parentheses gives a value: `({name} | summarize count())`"
            )),
            None => diag.help(format!("text is written \"{name}\"")),
        }
    }

    pub(super) fn scalar_name(
        &mut self,
        name: &ast::Name,
        span: Span,
        place: Place,
    ) -> Checking<Expr> {
        match self.scope.get(&name.text).cloned() {
            Some(Binding::Scalar(scalar)) => {
                let ty = scalar.expr.ty.clone();
                let node = match scalar.value.get() {
                    Some(value) => ExprNode::Value(value.clone()),
                    None => ExprNode::Scalar(scalar),
                };
                Ok(Expr { node, ty, span })
            }
            Some(Binding::Data(_)) => self.report(
                Diag::error(
                    &code::NOT_A_SCALAR,
                    format!("`{}` is data, not a scalar", name.text),
                )
                .at(span, "here")
                .help(format!(
                    "data is named without `$`; one value of it is `({} | summarize …)`",
                    name.text
                )),
            ),
            Some(Binding::Verb(definition)) => self.report(
                Diag::error(
                    &code::NOT_A_SCALAR,
                    format!("`{}` is a verb, not a scalar", name.text),
                )
                .at(span, "here")
                .at(definition.name.span, "it is defined here"),
            ),
            None if self.broken.contains(&name.text) => Err(super::Stop),
            None => {
                let diag = Diag::error(
                    &code::UNKNOWN_NAME,
                    format!("no scalar is called `${}`", name.text),
                )
                .at(span, "here");
                let is_column = matches!(place, Place::Rows(columns, _) if columns.has(&name.text));
                let names = self
                    .scope
                    .names_of(|binding| matches!(binding, Binding::Scalar(_)));
                let diag = if is_column {
                    diag.help(format!("the column is written `{}`", name.text))
                } else if let Some(near) = suggest::nearest(&name.text, names.iter().copied()) {
                    diag.help(format!("did you mean `${near}`?"))
                } else {
                    diag.help("scalars come from `let`, `param` or `for`")
                };
                self.report(diag)
            }
        }
    }

    fn call(
        &mut self,
        name: &ast::Name,
        arguments: &[ast::Argument],
        span: Span,
        place: Place,
    ) -> Checking<Expr> {
        let Some((function, kind)) = self.registry.function(&name.text) else {
            let diag = Diag::error(
                &code::UNKNOWN_FUNCTION,
                format!("no function is called `{}`", name.text),
            )
            .at(name.span, "here");
            let names = self.registry.function_names();
            let diag = match suggest::nearest(&name.text, names.iter().map(String::as_str)) {
                Some(near) => diag.help(format!("did you mean `{near}`?")),
                None if self.registry.verb(&name.text).is_some() => {
                    diag.help(format!("`{0}` is a verb: `… | {0} …`", name.text))
                }
                None => diag,
            };
            return self.report(diag);
        };
        if let Some(option) = arguments.iter().find_map(|argument| argument.name.as_ref()) {
            let span = option.span;
            return self.report(
                Diag::error(&code::UNKNOWN_OPTION, "functions take values by position")
                    .at(span, "here")
                    .help("to compare write `==`"),
            );
        }
        if kind == FunctionKind::OnData {
            return self.on_data(function, arguments, span);
        }
        let inner = match (kind, place) {
            (FunctionKind::Aggregate, Place::Rows(columns, true)) => Place::Rows(columns, false),
            (FunctionKind::Aggregate, Place::Rows(_, false)) => {
                return self.report(
                    Diag::error(
                        &code::AGGREGATE_MISPLACED,
                        format!(
                            "`{}` is an aggregate and stands where rows are looked at one by one",
                            name.text
                        ),
                    )
                    .at(span, "here")
                    .help("use it in `summarize … by …`, or in `filter … by …`"),
                );
            }
            (FunctionKind::Aggregate, Place::Scalar) => {
                return self.report(
                    Diag::error(
                        &code::AGGREGATE_MISPLACED,
                        format!("`{}` needs the rows of a table", name.text),
                    )
                    .at(span, "here")
                    .help(format!("write `(run | summarize {}(…))`", name.text)),
                );
            }
            (_, place) => place,
        };
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.expr(&argument.value, inner)?);
        }
        // floor(time / time) counts whole units exactly.
        if function == "floor"
            && let [
                Expr {
                    node: ExprNode::Binary(ast::BinaryOperator::Divide, left, right),
                    ..
                },
            ] = values.as_slice()
            && left.ty.is_time()
            && left.ty == right.ty
        {
            return Ok(Expr {
                node: ExprNode::FloorDivide(left.clone(), right.clone()),
                ty: Type::Int,
                span,
            });
        }
        let types: Vec<Type> = values.iter().map(|value| value.ty.clone()).collect();
        let ty = match self.registry.result_type(&function, &types) {
            Ok(ty) => ty,
            Err(why) => {
                let timed = types.iter().any(Type::is_time);
                return self.report(
                    Diag::error(&code::TYPE_MISMATCH, format!("`{}`: {why}", name.text))
                        .at(span, "in this call")
                        .maybe_help(timed.then(|| {
                            "a time becomes a number by dividing it: `duration / 1ms`".to_owned()
                        })),
                );
            }
        };
        let node = match kind {
            FunctionKind::Aggregate => ExprNode::Aggregate(function, values),
            _ => ExprNode::Call(function, values),
        };
        Ok(Expr { node, ty, span })
    }

    fn on_data(
        &mut self,
        function: String,
        arguments: &[ast::Argument],
        span: Span,
    ) -> Checking<Expr> {
        let [argument] = arguments else {
            return self.report(
                Diag::error(
                    &code::MISSING_ARGUMENT,
                    format!("`{function}` takes one trace or table"),
                )
                .at(span, "here")
                .help(format!("write `{function}(run)`")),
            );
        };
        let pipeline = match (&argument.value.node, self.data_head(&argument.value)) {
            (Node::Subquery(pipeline), _) => self.pipeline(pipeline)?,
            (_, Some(head)) => self.pipeline(&head)?,
            _ => {
                return self.report(
                    Diag::error(
                        &code::TYPE_MISMATCH,
                        format!("`{function}` takes a trace or table, not a value"),
                    )
                    .at(argument.span, "here"),
                );
            }
        };
        let ty = match pipeline.flow.columns() {
            Some(columns) => columns.time_type(),
            None => {
                return self.report(
                    Diag::error(
                        &code::KIND_MISMATCH,
                        format!("`{function}` takes a trace or table"),
                    )
                    .at(argument.span, "this is a figure"),
                );
            }
        };
        Ok(Expr {
            node: ExprNode::OnData(function, pipeline),
            ty,
            span,
        })
    }

    /// The common type of two, where there is one.
    pub(crate) fn unified(
        &mut self,
        left: &Type,
        right: &Type,
        span: Span,
        what: &str,
    ) -> Checking<Type> {
        match unify(left, right) {
            Some(ty) => Ok(ty),
            None => self.report(
                Diag::error(
                    &code::TYPE_MISMATCH,
                    format!("{what} have one type, not {left} and {right}"),
                )
                .at(span, format!("this is {}", right.with_article())),
            ),
        }
    }
}

/// The type that both fit into.
pub(crate) fn unify(left: &Type, right: &Type) -> Option<Type> {
    match (left, right) {
        (a, b) if a == b => Some(a.clone()),
        (Type::Null, other) | (other, Type::Null) => Some(other.clone()),
        (Type::Int, Type::Float) | (Type::Float, Type::Int) => Some(Type::Float),
        (Type::LogicalTime, number) | (number, Type::LogicalTime) if number.is_number() => {
            Some(Type::LogicalTime)
        }
        (Type::List(a), Type::List(b)) => unify(a, b).map(|item| Type::List(Box::new(item))),
        (Type::Range(a), Type::Range(b)) => unify(a, b).map(|item| Type::Range(Box::new(item))),
        (Type::Map(a), Type::Map(b)) => unify(a, b).map(|item| Type::Map(Box::new(item))),
        _ => None,
    }
}

/// True where a value of type `found` can stand for `wanted` (a parameter's default type).
pub(crate) fn fits(found: &Type, wanted: &Type) -> bool {
    *wanted == Type::Null || unify(found, wanted).is_some_and(|ty| ty == *wanted)
}

/// A number as a time of a trace without a unit, exact.
pub(crate) fn logical_time(value: &Value) -> Option<i128> {
    let decimal = match value {
        Value::Int(number) => Decimal::new(i128::from(*number), 0),
        Value::Float(number) => Decimal::parse(&format_float(*number))?,
        Value::LogicalTime(time) => return Some(*time),
        _ => return None,
    };
    decimal.times_exact(1_000_000_000)
}

/// The value as the parameter wants it; None where it does not fit. `clock` is of what flows in.
pub(crate) fn accept_value(
    value: &Value,
    accepts: &[Accept],
    clock: Option<Clock>,
) -> Option<Value> {
    let logical = clock.is_some_and(Clock::is_logical);
    for accept in accepts {
        let fit = match (accept, value) {
            (_, Value::Null) => Some(Value::Null),
            // A zero needs no unit to be understood only where it is a time of either kind.
            (Accept::Time, Value::Time(_)) if !logical => Some(value.clone()),
            (Accept::Time, value) if logical => logical_time(value).map(Value::LogicalTime),
            (Accept::Int, Value::Int(_)) | (Accept::Number, Value::Int(_) | Value::Float(_)) => {
                Some(value.clone())
            }
            (Accept::Text, Value::String(_))
            | (Accept::Bool, Value::Bool(_))
            | (Accept::Length, Value::Length(_)) => Some(value.clone()),
            (Accept::Choice(choices), Value::String(text)) => choices
                .iter()
                .any(|choice| choice.name == text)
                .then(|| value.clone()),
            (Accept::TimeList, Value::List(items)) => items
                .iter()
                .map(|item| accept_value(item, &[Accept::Time], clock))
                .collect::<Option<Vec<Value>>>()
                .map(Value::List),
            (Accept::TextList, Value::List(items)) => items
                .iter()
                .all(|item| matches!(item, Value::String(_)))
                .then(|| value.clone()),
            (Accept::TextMap, Value::Map(entries)) => entries
                .iter()
                .all(|(_, item)| matches!(item, Value::String(_)))
                .then(|| value.clone()),
            (Accept::TimeRange, Value::Range(low, high)) => {
                let end = |end: &Option<Box<Value>>| match end {
                    None => Some(None),
                    Some(end) => {
                        accept_value(end, &[Accept::Time], clock).map(|end| Some(Box::new(end)))
                    }
                };
                match (end(low), end(high)) {
                    (Some(low), Some(high)) => Some(Value::Range(low, high)),
                    _ => None,
                }
            }
            _ => None,
        };
        if fit.is_some() {
            return fit;
        }
    }
    None
}

/// True where a value of this type may fit, for scalars that only a run can tell.
pub(crate) fn accepts_type(accept: &Accept, ty: &Type) -> bool {
    match accept {
        Accept::Time => ty.is_time(),
        Accept::Int => *ty == Type::Int,
        Accept::Number => ty.is_number(),
        Accept::Text | Accept::Choice(_) => *ty == Type::String,
        Accept::Bool => *ty == Type::Bool,
        Accept::Length => *ty == Type::Length,
        Accept::TimeRange => matches!(ty, Type::Range(end) if end.is_time()),
        Accept::TimeList => matches!(ty, Type::List(item) if item.is_time()),
        Accept::TextList => matches!(ty, Type::List(item) if **item == Type::String),
        Accept::TextMap => matches!(ty, Type::Map(item) if **item == Type::String),
    }
}

/// A time with a unit meets a trace without one.
pub(crate) fn no_unit_in_trace(span: Span, shown: &str) -> Diag {
    Diag::error(
        &code::UNIT_MISMATCH,
        "the trace has no unit of time, this time has one",
    )
    .at(span, format!("`{shown}`"))
    .help("say the unit of the file, `load … unit=ms`, or write a bare number")
}
