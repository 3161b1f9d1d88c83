//! Answers to wrong arguments: the nearest option, choice or spelling.

use super::argument::is_range;
use super::expr;
use crate::diag::{Diag, Span, code};
use crate::lang::ast;
use crate::lang::flow::Columns;
use crate::lang::suggest;
use crate::spec::{Accept, ParamSpec, Shape, Type, Value, VerbSpec};

/// `e-divisive` read as a subtraction of columns.
pub(super) fn spelled_with_minus(expr: &ast::Expr) -> Option<String> {
    match &expr.node {
        ast::Node::Column(path) if path.len() == 1 => path.first().map(|name| name.text.clone()),
        ast::Node::Number(digits) => Some(digits.clone()),
        ast::Node::Binary(ast::BinaryOperator::Subtract, left, right) => Some(format!(
            "{}-{}",
            spelled_with_minus(left)?,
            spelled_with_minus(right)?
        )),
        _ => None,
    }
}

/// The name of an unnamed column: the column itself, or `max_end`, `count`.
pub(super) fn default_name(written: &ast::Expr) -> String {
    match &written.node {
        ast::Node::Column(names) => names
            .iter()
            .map(|name| name.text.as_str())
            .collect::<Vec<_>>()
            .join("."),
        ast::Node::Group(inner) => default_name(inner),
        ast::Node::Call(function, arguments) => {
            let inner = arguments
                .first()
                .and_then(|argument| match &argument.value.node {
                    ast::Node::Column(names) => names.last().map(|name| name.text.clone()),
                    _ => None,
                });
            match inner {
                Some(inner) => format!("{}_{inner}", function.text),
                None => function.text.clone(),
            }
        }
        ast::Node::Scalar(name) => name.text.clone(),
        _ => "value".to_owned(),
    }
}

pub(super) fn unknown_option(
    verb: &'static VerbSpec,
    name: &ast::Name,
    argument: &ast::Argument,
    columns: &Columns,
) -> Diag {
    let diag = Diag::error(
        &code::UNKNOWN_OPTION,
        format!("`{}` has no option `{}`", verb.name, name.text),
    )
    .at(name.span, "here");
    let is_column = columns.has(&name.text)
        || (name.text == crate::model::schema::column::DURATION && columns.has_computed_duration());
    let compares = verb
        .positionals()
        .any(|param| param.shape == Shape::Condition);
    if is_column || compares {
        let mut diag = diag;
        diag.labels.clear();
        return diag
            .at(argument.span, "`=` names an option")
            .help(format!("to compare write `==`: `{} == …`", name.text));
    }
    let names: Vec<&str> = verb.options().map(|option| option.name).collect();
    match suggest::nearest(&name.text, names.iter().copied()) {
        Some(near) => diag.help(format!("did you mean `{near}`?")),
        None if names.is_empty() => diag.help("it has no options"),
        None => diag.help(format!("its options are {}", suggest::listed(names, 20))),
    }
}

pub(super) fn extra(verb: &'static VerbSpec, argument: &ast::Argument) -> Diag {
    let diag = Diag::error(
        &code::EXTRA_ARGUMENT,
        format!("`{}` takes no further argument", verb.name),
    )
    .at(argument.span, "this one");
    if let ast::Node::Column(path) = &argument.value.node
        && let [word] = path.as_slice()
    {
        for option in verb.options() {
            if option.name == word.text {
                return diag.help(format!("options are written `{}=…`", option.name));
            }
            if let Shape::Scalar(accepts) = option.shape
                && accepts.iter().any(|accept| {
                    matches!(accept, Accept::Choice(choices)
                        if choices.iter().any(|choice| choice.name == word.text))
                })
            {
                return diag.help(format!("write `{}={}`", option.name, word.text));
            }
        }
    }
    diag.help(format!("usage: {}", verb.signature()))
}

pub(super) fn unknown_choice(
    param: &ParamSpec,
    word: &str,
    span: Span,
    choices: &[&'static str],
) -> Diag {
    let diag = Diag::error(
        &code::UNKNOWN_CHOICE,
        format!("`{}` has no choice `{word}`", param.name),
    )
    .at(span, "here");
    let listed = suggest::listed(choices.iter().copied(), 12);
    match suggest::nearest(word, choices.iter().copied()) {
        Some(near) => diag.help(format!("did you mean `{near}`? the choices are {listed}")),
        None => diag.help(format!("the choices are {listed}")),
    }
}

pub(super) fn wrong_value(
    verb: &VerbSpec,
    param: &ParamSpec,
    accepts: &[Accept],
    found: &Value,
    span: Span,
    columns: &Columns,
    choices: &[&'static str],
) -> Diag {
    let takes_time = accepts
        .iter()
        .any(|accept| matches!(accept, Accept::Time | Accept::TimeRange));
    let has_number = |value: &Value| matches!(value, Value::Int(_) | Value::Float(_));
    let bare_number = match found {
        Value::Range(low, high) => [low, high].into_iter().flatten().any(|end| has_number(end)),
        value => has_number(value),
    };
    if takes_time && bare_number {
        let unit = columns.clock.unit.map_or("ms", |unit| unit.name());
        let example = match found {
            Value::Range(low, high) => {
                let end = |end: &Option<Box<Value>>| {
                    end.as_ref()
                        .map(|end| format!("{end}{unit}"))
                        .unwrap_or_default()
                };
                format!("{}..{}", end(low), end(high))
            }
            value => format!("{value}{unit}"),
        };
        return Diag::error(
            &code::UNIT_MISMATCH,
            format!(
                "`{}` of `{}` is a time, {found} has no unit",
                param.name, verb.name
            ),
        )
        .at(span, "a number without a unit")
        .help(match columns.clock.unit {
            Some(unit) => format!("the unit of the file is {}: `{example}`", unit.name()),
            None => format!("write a unit: `{example}`"),
        });
    }
    if is_range(param) && found.value_type().is_time() {
        return Diag::error(
            &code::TYPE_MISMATCH,
            format!(
                "`{}` of `{}` is a range, {found} is one time",
                param.name, verb.name
            ),
        )
        .at(span, "here")
        .help(format!(
            "a range has two dots: `{found}..`, `..{found}` or `1s..2s`"
        ));
    }
    if takes_time && columns.clock.is_logical() && matches!(found.value_type(), Type::Time) {
        return expr::no_unit_in_trace(span, &found.to_string());
    }
    if !choices.is_empty() && matches!(found, Value::String(_)) {
        return unknown_choice(param, &found.to_string(), span, choices);
    }
    let wanted: Vec<String> = accepts.iter().map(Accept::describe).collect();
    Diag::error(
        &code::TYPE_MISMATCH,
        format!(
            "`{}` of `{}` is a {} here",
            param.name,
            verb.name,
            found.value_type()
        ),
    )
    .at(span, "here")
    .help(format!("it is {}", wanted.join(" or ")))
}
