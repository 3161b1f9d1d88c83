//! `def`: verbs made of stages. A use is replaced by the stages, with the arguments in the place of `$name`, and checked
//! as if they had been written there.

use super::expr::Place;
use super::{Binding, Checker, Checking};
use crate::diag::{Diag, Span, code};
use crate::lang::ast::{Argument, Expr, Head, Name, Node, Pipeline, Stage};
use crate::lang::substitute::{self, Replacements};
use crate::lang::suggest;
use std::sync::Arc;

/// A verb that a script defines.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its name.
    pub name: Name,
    /// Its arguments: those without a default must be given.
    pub formals: Vec<(Name, Option<Expr>)>,
    /// The stages.
    pub body: Pipeline,
    /// The comment above it.
    pub help: Option<String>,
}

impl Definition {
    /// How it is called: `top key, n=`.
    pub fn signature(&self) -> String {
        let mut out = self.name.text.clone();
        let mut first = true;
        for (name, default) in &self.formals {
            match default {
                None => {
                    out.push_str(if first { " " } else { ", " });
                    out.push_str(&name.text);
                    first = false;
                }
                Some(_) => out.push_str(&format!(" {}=", name.text)),
            }
        }
        out
    }
}

impl Checker<'_> {
    /// Defines a verb.
    pub(crate) fn define(&mut self, definition: Definition) -> Checking<()> {
        let name = &definition.name;
        if self.registry.verb(&name.text).is_some() {
            let diag = Diag::error(
                &code::DUPLICATE_NAME,
                format!("`{}` is a verb of the language already", name.text),
            )
            .at(name.span, "here")
            .help(format!("choose another name, such as `my-{}`", name.text));
            return self.report(diag);
        }
        for (at, (formal, _)) in definition.formals.iter().enumerate() {
            let earlier = definition.formals.iter().take(at);
            if let Some((other, _)) = earlier.clone().find(|(other, _)| other.text == formal.text) {
                let diag = Diag::error(
                    &code::DUPLICATE_NAME,
                    format!("the argument `{}` is declared twice", formal.text),
                )
                .at(formal.span, "again here")
                .at(other.span, "first here");
                return self.report(diag);
            }
        }
        if let Some(Binding::Verb(other)) = self.scope.get(&name.text)
            && other.name.span.source == name.span.source
            && other.name.span != name.span
        {
            let diag = Diag::error(
                &code::DUPLICATE_NAME,
                format!("`{}` is defined twice", name.text),
            )
            .at(name.span, "again here")
            .at(other.name.span, "first here");
            return self.report(diag);
        }
        let definition = self.closed(definition)?;
        let name = definition.name.clone();
        self.bind(&name, Binding::Verb(Arc::new(definition)))
    }

    /// The definition with the scalars of its place in it: what a name means does not change with where the verb is used.
    fn closed(&mut self, mut definition: Definition) -> Checking<Definition> {
        let mut free = Vec::new();
        substitute::scalars(&definition.body, &mut free);
        for (_, default) in &definition.formals {
            if let Some(default) = default {
                substitute::scalars_of(default, &mut free);
            }
        }
        let mut inner: Replacements = Vec::new();
        for name in free {
            let is_formal = definition.formals.iter().any(|(f, _)| f.text == name.text);
            if is_formal || inner.iter().any(|(known, _)| *known == name.text) {
                continue;
            }
            let Some(Binding::Scalar(scalar)) = self.scope.get(&name.text).cloned() else {
                // What is wrong with it is said where expressions are checked.
                let _ = self.scalar_name(&name, name.span, Place::Scalar)?;
                continue;
            };
            // A name that no script can write.
            let hidden = format!("{}{}{}", name.text, super::HIDDEN, self.scope.next_hidden());
            self.scope.bind(&hidden, Binding::Scalar(scalar));
            let node = Node::Scalar(Name {
                text: hidden,
                ..name.clone()
            });
            let span = name.span;
            inner.push((name.text, Expr { node, span }));
        }
        definition.body = substitute::pipeline(&definition.body, &inner);
        for (_, default) in &mut definition.formals {
            if let Some(default) = default {
                *default = substitute::expression(default, &inner);
            }
        }
        Ok(definition)
    }

    /// The verb of this name that the script defines.
    pub(crate) fn definition(&self, name: &str) -> Option<Arc<Definition>> {
        match self.scope.get(name) {
            Some(Binding::Verb(definition)) => Some(definition.clone()),
            _ => None,
        }
    }

    /// The body of a definition with the arguments of a use in it.
    pub(crate) fn expand(&mut self, definition: &Definition, used: &Stage) -> Checking<Pipeline> {
        if let Some(span) = used.by_span {
            let diag = Diag::error(
                &code::EXTRA_ARGUMENT,
                format!("`{}` has no `by`", definition.name.text),
            )
            .at(span, "here")
            .at(definition.name.span, "it is defined here")
            .help(format!("usage: {}", definition.signature()));
            return self.report(diag);
        }
        if let Some(path) = used.path.first() {
            let diag = Diag::error(&code::SYNTAX, "a relation follows a name, not a verb")
                .at(path.span, "here");
            return self.report(diag);
        }
        let mut given: Replacements = Vec::new();
        let mut failed = None;
        for argument in &used.arguments {
            match self.formal(definition, argument, &given) {
                Ok(name) => given.push((name, argument.value.clone())),
                Err(stop) => failed = Some(stop),
            }
        }
        if let Some(stop) = failed {
            return Err(stop);
        }
        let mut all: Replacements = Vec::new();
        for (formal, default) in &definition.formals {
            let written = given.iter().find(|(name, _)| *name == formal.text);
            let value = match (written, default) {
                (Some((_, value)), Some(default)) => {
                    self.same_type(definition, formal, value, default)?;
                    value.clone()
                }
                (Some((_, value)), None) => value.clone(),
                // A default may use the arguments before it.
                (None, Some(default)) => substituted(default, &all),
                (None, None) => {
                    let diag = Diag::error(
                        &code::MISSING_ARGUMENT,
                        format!(
                            "`{}` needs an argument: {}",
                            definition.name.text, formal.text
                        ),
                    )
                    .at(used.verb.span, format!("`{}` is missing", formal.text))
                    .at(formal.span, "it is declared here")
                    .help(format!("usage: {}", definition.signature()));
                    return self.report(diag);
                }
            };
            all.push((formal.text.clone(), value));
        }
        Ok(substitute::pipeline(&definition.body, &all))
    }

    /// The argument of a definition that one of a use is for.
    fn formal(
        &mut self,
        definition: &Definition,
        argument: &Argument,
        given: &Replacements,
    ) -> Checking<String> {
        let names = definition
            .formals
            .iter()
            .map(|(name, _)| name.text.as_str());
        if let Some(name) = &argument.name {
            if !names.clone().any(|known| known == name.text) {
                let diag = Diag::error(
                    &code::UNKNOWN_OPTION,
                    format!("`{}` has no argument `{}`", definition.name.text, name.text),
                )
                .at(name.span, "here")
                .at(definition.name.span, "it is defined here");
                let near = suggest::nearest(&name.text, names.clone());
                return self.report(match near {
                    Some(near) => diag.help(format!("did you mean `{near}`?")),
                    None => diag.help(format!("usage: {}", definition.signature())),
                });
            }
            if given.iter().any(|(known, _)| *known == name.text) {
                let diag = Diag::error(
                    &code::DUPLICATE_OPTION,
                    format!("`{}` is given twice", name.text),
                )
                .at(argument.span, "again here");
                return self.report(diag);
            }
            return Ok(name.text.clone());
        }
        let free = names
            .clone()
            .find(|name| !given.iter().any(|(known, _)| known == name));
        match free {
            Some(name) => Ok(name.to_owned()),
            None => {
                let diag = Diag::error(
                    &code::EXTRA_ARGUMENT,
                    format!(
                        "`{}` takes {} argument{}",
                        definition.name.text,
                        definition.formals.len(),
                        if definition.formals.len() == 1 {
                            ""
                        } else {
                            "s"
                        }
                    ),
                )
                .at(argument.span, "this is one more")
                .help(format!("usage: {}", definition.signature()));
                self.report(diag)
            }
        }
    }

    /// A literal where the default is a literal of another type is a mistake of the use, not of the body.
    fn same_type(
        &mut self,
        definition: &Definition,
        formal: &Name,
        value: &Expr,
        default: &Expr,
    ) -> Checking<()> {
        let (Some(found), Some(wanted)) = (literal(value), literal(default)) else {
            return Ok(());
        };
        if found == wanted {
            return Ok(());
        }
        let diag = Diag::error(
            &code::TYPE_MISMATCH,
            format!(
                "`{}` of `{}` is {wanted}, not {found}",
                formal.text, definition.name.text
            ),
        )
        .at(value.span, "here")
        .at(default.span, "its default says so");
        self.report(diag)
    }

    /// Says of everything that went wrong since `before` where the definition was used.
    pub(crate) fn used_at(&mut self, before: usize, name: &str, span: Span) {
        for diag in self.diags.iter_mut().skip(before) {
            let inside = |label: &crate::diag::Label| {
                label.span.source == span.source
                    && label.span.start >= span.start
                    && label.span.end <= span.end
            };
            if !diag.labels.iter().any(inside) {
                diag.labels.push(crate::diag::Label {
                    span,
                    text: format!("in this use of `{name}`"),
                });
            }
        }
    }
}

/// The body as stages to be piped into: its head is a verb like the others.
pub(super) fn piped(body: Pipeline) -> Result<Vec<Stage>, Span> {
    match body.head {
        Head::Stage(first) => Ok(std::iter::once(first).chain(body.stages).collect()),
        Head::Nested(inner) => Err(inner.span),
        Head::Expr(inner) => Err(inner.span),
    }
}

fn substituted(default: &Expr, given: &Replacements) -> Expr {
    match &default.node {
        Node::Scalar(name) => given
            .iter()
            .find(|(known, _)| *known == name.text)
            .map_or_else(|| default.clone(), |(_, value)| value.clone()),
        _ => default.clone(),
    }
}

/// The type of a literal, in words.
fn literal(expr: &Expr) -> Option<&'static str> {
    Some(match &expr.node {
        Node::Number(_) => "a number",
        Node::Time(..) => "a time",
        Node::Length(_) => "a length",
        Node::Size(_) => "a size",
        Node::String(_) | Node::Format(_) => "a text",
        Node::Bool(_) => "`true` or `false`",
        _ => return None,
    })
}
