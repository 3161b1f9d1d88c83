//! Puts the arguments of a `def` into its stages: `$name` becomes the expression that was written for it.
//!
//! An argument keeps the span it was written at, so that what is wrong with it is shown where it stands.

use super::ast::{Argument, Expr, FormatPart, Head, Name, Node, Pipeline, Stage};

/// The expression for each name.
pub type Replacements = Vec<(String, Expr)>;

/// A pipeline with its names replaced.
pub fn pipeline(pipeline: &Pipeline, with: &Replacements) -> Pipeline {
    Pipeline {
        head: match &pipeline.head {
            Head::Stage(head) => Head::Stage(stage(head, with)),
            Head::Nested(inner) => Head::Nested(Box::new(self::pipeline(inner, with))),
            Head::Expr(inner) => Head::Expr(expr(inner, with)),
        },
        stages: pipeline.stages.iter().map(|s| stage(s, with)).collect(),
        span: pipeline.span,
    }
}

/// A stage with its names replaced.
pub fn stage(stage: &Stage, with: &Replacements) -> Stage {
    let arguments = |list: &[Argument]| list.iter().map(|a| argument(a, with)).collect();
    Stage {
        arguments: arguments(&stage.arguments),
        by: arguments(&stage.by),
        ..stage.clone()
    }
}

/// An expression with its names replaced.
pub fn expression(written: &Expr, with: &Replacements) -> Expr {
    expr(written, with)
}

/// The `$names` of a pipeline.
pub fn scalars(pipeline: &Pipeline, out: &mut Vec<Name>) {
    match &pipeline.head {
        Head::Stage(stage) => scalars_of_stage(stage, out),
        Head::Nested(inner) => scalars(inner, out),
        Head::Expr(inner) => scalars_of(inner, out),
    }
    for stage in &pipeline.stages {
        scalars_of_stage(stage, out);
    }
}

fn scalars_of_stage(stage: &Stage, out: &mut Vec<Name>) {
    for argument in stage.arguments.iter().chain(&stage.by) {
        scalars_of(&argument.value, out);
    }
}

/// The `$names` of an expression.
pub fn scalars_of(written: &Expr, out: &mut Vec<Name>) {
    match &written.node {
        Node::Scalar(name) => out.push(name.clone()),
        Node::Format(parts) => parts.iter().for_each(|part| match part {
            FormatPart::Text(_) => {}
            FormatPart::Hole(hole) => scalars_of(hole, out),
        }),
        Node::List(items) => items.iter().for_each(|item| scalars_of(item, out)),
        Node::Map(entries) => entries.iter().for_each(|(_, e)| scalars_of(e, out)),
        Node::Call(_, arguments) => arguments.iter().for_each(|a| scalars_of(&a.value, out)),
        Node::Unary(_, a) | Node::Group(a) => scalars_of(a, out),
        Node::Binary(_, a, b) => {
            scalars_of(a, out);
            scalars_of(b, out);
        }
        Node::Range(low, high) => {
            for end in [low, high].into_iter().flatten() {
                scalars_of(end, out);
            }
        }
        Node::If(a, b, c) => {
            for part in [a, b, c] {
                scalars_of(part, out);
            }
        }
        Node::Subquery(inner) => scalars(inner, out),
        Node::Null
        | Node::Bool(_)
        | Node::Number(_)
        | Node::Time(..)
        | Node::Length(_)
        | Node::Size(_)
        | Node::String(_)
        | Node::Column(_) => {}
    }
}

fn argument(argument: &Argument, with: &Replacements) -> Argument {
    Argument {
        value: expr(&argument.value, with),
        ..argument.clone()
    }
}

fn expr(written: &Expr, with: &Replacements) -> Expr {
    let one = |inner: &Expr| expr(inner, with);
    let boxed = |inner: &Expr| Box::new(expr(inner, with));
    let node = match &written.node {
        Node::Scalar(name) => {
            let found = with.iter().find(|(known, _)| *known == name.text);
            return match found {
                Some((_, given)) => closed(given),
                None => written.clone(),
            };
        }
        Node::Format(parts) => Node::Format(
            parts
                .iter()
                .map(|part| match part {
                    FormatPart::Text(text) => FormatPart::Text(text.clone()),
                    FormatPart::Hole(hole) => FormatPart::Hole(one(hole)),
                })
                .collect(),
        ),
        Node::List(items) => Node::List(items.iter().map(one).collect()),
        Node::Map(entries) => Node::Map(
            entries
                .iter()
                .map(|(key, e)| (key.clone(), one(e)))
                .collect(),
        ),
        Node::Call(function, arguments) => Node::Call(
            function.clone(),
            arguments.iter().map(|a| argument(a, with)).collect(),
        ),
        Node::Unary(operator, a) => Node::Unary(*operator, boxed(a)),
        Node::Binary(operator, a, b) => Node::Binary(*operator, boxed(a), boxed(b)),
        Node::Range(low, high) => {
            Node::Range(low.as_deref().map(boxed), high.as_deref().map(boxed))
        }
        Node::If(a, b, c) => Node::If(boxed(a), boxed(b), boxed(c)),
        Node::Group(a) => Node::Group(boxed(a)),
        Node::Subquery(inner) => Node::Subquery(Box::new(pipeline(inner, with))),
        Node::Null
        | Node::Bool(_)
        | Node::Number(_)
        | Node::Time(..)
        | Node::Length(_)
        | Node::Size(_)
        | Node::String(_)
        | Node::Column(_) => written.node.clone(),
    };
    Expr {
        node,
        span: written.span,
    }
}

/// In brackets where an operator beside it could take it apart.
fn closed(given: &Expr) -> Expr {
    match given.node {
        Node::Unary(..) | Node::Binary(..) | Node::If(..) => Expr {
            node: Node::Group(Box::new(given.clone())),
            span: given.span,
        },
        _ => given.clone(),
    }
}
