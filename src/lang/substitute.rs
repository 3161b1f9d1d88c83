//! Puts the arguments of a `def` into its stages: `$name` becomes the expression that was written for it.
//!
//! An argument keeps the span it was written at, so that what is wrong with it is shown where it stands.

use super::ast::{Argument, Expr, FormatPart, Head, Node, Pipeline, Stage};

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
