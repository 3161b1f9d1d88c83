//! Ast → [`Plan`](crate::lang::plan): resolves names, checks kinds, types and units against the registries,
//! and reports every mistake of a script at once, before anything runs.

mod answer;
mod argument;
mod column;
mod define;
mod expr;
mod import;
mod operator;
mod repeat;
mod stage;

use super::ast;
use super::flow::Flow;
use super::plan::{Arguments, ExprNode, Pipeline, Scalar, Step};
use crate::diag::{Diag, Span, code};
use crate::spec::{Type, Value, VerbSpec};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

pub use define::Definition;
pub(crate) use expr::logical_time as logical_time_of;
pub use import::Import;

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// Of values, row by row.
    Scalar,
    /// Of the values of many rows.
    Aggregate,
    /// Of a trace or table, giving one value.
    OnData,
}

/// What the checker asks of the rest of the program. The session implements it over the registries.
pub trait Registry {
    /// A verb by name.
    fn verb(&self, name: &str) -> Option<&'static VerbSpec>;
    /// All verbs, for suggestions.
    fn verb_names(&self) -> Vec<&'static str>;
    /// What comes out of a verb; sources open their input for it.
    fn flow(
        &mut self,
        verb: &'static VerbSpec,
        input: Option<&Flow>,
        arguments: &Arguments,
    ) -> Result<Flow, Diag>;
    /// A function by name: its canonical name and kind.
    fn function(&self, name: &str) -> Option<(String, FunctionKind)>;
    /// All functions, for suggestions.
    fn function_names(&self) -> Vec<String>;
    /// The type of a call, or why it is wrong (a sentence).
    fn result_type(&self, function: &str, arguments: &[Type]) -> Result<Type, String>;
    /// The file or library that a `use` in the script `from` names, read and parsed.
    fn import(&mut self, path: &ast::UsePath, from: u32) -> Result<Import, Diag>;
    /// What messages call a script.
    fn source_name(&self, source: u32) -> String;
    /// The value of a call of constants.
    fn call(&mut self, function: &str, arguments: &[Value], ty: &Type) -> Result<Value, Diag>;
}

/// What a name of the script stands for.
#[derive(Clone, Debug)]
pub enum Binding {
    /// Data.
    Data(Arc<Pipeline>),
    /// A scalar, used as `$name`.
    Scalar(Arc<Scalar>),
    /// A verb that the script defines.
    Verb(Arc<Definition>),
}

/// Stands in the names that definitions keep for themselves; no script can write it.
const HIDDEN: char = '\u{0}';

/// The names of a script or session.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    names: HashMap<String, Binding>,
    /// Names that came in by `use`, with the script that defines them.
    origins: HashMap<String, u32>,
    /// Files that were used.
    imports: Vec<String>,
}

impl Scope {
    /// Binds a name; a later binding wins.
    pub fn bind(&mut self, name: &str, binding: Binding) {
        self.origins.remove(name);
        self.names.insert(name.to_owned(), binding);
    }

    /// Whether a file was used before.
    fn has_imported(&self, key: &str) -> bool {
        self.imports.iter().any(|known| known == key)
    }

    /// Remembers that a file was used.
    fn imported(&mut self, key: &str) {
        self.imports.push(key.to_owned());
    }

    /// What a name stands for.
    pub fn get(&self, name: &str) -> Option<&Binding> {
        self.names.get(name)
    }

    /// A number for the next hidden name.
    fn next_hidden(&self) -> usize {
        self.names.len()
    }

    /// Every name with its binding, sorted by name.
    pub fn sorted(&self) -> Vec<(&str, &Binding)> {
        let names = self.names.iter().filter(|(name, _)| !name.contains(HIDDEN));
        let mut all: Vec<_> = names.map(|(n, b)| (n.as_str(), b)).collect();
        all.sort_by_key(|(name, _)| *name);
        all
    }

    fn names_of(&self, wanted: fn(&Binding) -> bool) -> Vec<&str> {
        self.sorted()
            .into_iter()
            .filter(|(_, binding)| wanted(binding))
            .map(|(name, _)| name)
            .collect()
    }
}

/// A `param` of a script.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The default as written.
    pub default: Value,
    /// Its value: the default, or that of `--param`.
    pub value: Value,
    /// The comment behind it.
    pub help: Option<String>,
    /// Where it is declared.
    pub span: Span,
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct Checked {
    /// The statements that can run, in order, with the span of each.
    pub steps: Vec<(Step, Span)>,
    /// Mistakes and warnings.
    pub diags: Vec<Diag>,
    /// The parameters the script declares.
    pub parameters: Vec<Parameter>,
}

/// Checks a script. `overrides` are the values of `--param`, already read as literals where they are any.
pub fn check(
    script: &ast::Script,
    scope: &mut Scope,
    overrides: &[(String, ParameterText)],
    registry: &mut dyn Registry,
) -> Checked {
    check_each(script, scope, overrides, registry, &mut |_, _, _| {})
}

/// Sees a statement once it is checked, with the names that are bound then and the steps so far. It may bind more.
pub type After<'a> = dyn FnMut(&ast::Statement, &mut Scope, &[(Step, Span)]) + 'a;

/// Checks a script as [`check`] does, and tells of each statement.
pub fn check_each(
    script: &ast::Script,
    scope: &mut Scope,
    overrides: &[(String, ParameterText)],
    registry: &mut dyn Registry,
    after: &mut After,
) -> Checked {
    let mut checker = Checker {
        scope,
        registry,
        diags: Vec::new(),
        broken: Vec::new(),
        importing: Vec::new(),
        lacks_import: false,
        expanding: Vec::new(),
        unit: None,
    };
    let mut out = Statements {
        steps: Vec::new(),
        parameters: Vec::new(),
        overrides,
    };
    for statement in &script.statements {
        // A mistake is in the list; the statements behind it are looked at all the same.
        let _ = checker.statement(statement, &mut out);
        after(statement, checker.scope, &out.steps);
    }
    let diags = std::mem::take(&mut checker.diags);
    let mut checked = Checked {
        steps: out.steps,
        diags,
        parameters: out.parameters,
    };
    for (name, text) in overrides {
        if !checked.parameters.iter().any(|p| p.name == *name) {
            let known: Vec<&str> = checked.parameters.iter().map(|p| p.name.as_str()).collect();
            let mut diag = Diag::error(
                &code::UNKNOWN_PARAM,
                format!(
                    "the script has no parameter `{name}` (--param {name}={})",
                    text.raw
                ),
            );
            diag.help = match super::suggest::nearest(name, known.iter().copied()) {
                Some(near) => Some(format!("did you mean `{near}`?")),
                None if known.is_empty() => Some("it declares none".to_owned()),
                None => Some(format!("it declares {}", super::suggest::listed(known, 8))),
            };
            checked.diags.push(diag);
        }
    }
    checked
}

/// The text of a `--param`, as given and as an expression where it parses as one.
#[derive(Clone, Debug)]
pub struct ParameterText {
    /// The text after `=`.
    pub raw: String,
    /// The text read as a marey literal.
    pub expr: Option<ast::Expr>,
}

/// What the statements so far have come to.
pub(crate) struct Statements<'a> {
    steps: Vec<(Step, Span)>,
    parameters: Vec<Parameter>,
    /// The values of `--param`.
    overrides: &'a [(String, ParameterText)],
}

/// Checking of this part stops; the diagnostic is in the list already.
pub(crate) struct Stop;

type Checking<T> = Result<T, Stop>;

pub(crate) struct Checker<'a> {
    pub(crate) scope: &'a mut Scope,
    pub(crate) registry: &'a mut dyn Registry,
    diags: Vec<Diag>,
    /// Names whose definition was wrong: using them is not a second mistake.
    broken: Vec<String>,
    /// The files that are being brought in, outermost first: key and name.
    importing: Vec<(String, String)>,
    /// A file could not be brought in, so that names may be missing.
    lacks_import: bool,
    /// The definitions that are being put in, outermost first.
    expanding: Vec<String>,
    /// The unit of the file whose rows are being looked at, for the help of unit mistakes.
    pub(crate) unit: Option<crate::spec::TimeUnit>,
}

impl Checker<'_> {
    fn report<T>(&mut self, diag: Diag) -> Checking<T> {
        self.diags.push(diag);
        Err(Stop)
    }

    fn take<T>(&mut self, result: Result<T, Diag>) -> Checking<T> {
        result.or_else(|diag| self.report(diag))
    }

    pub(crate) fn statement(
        &mut self,
        statement: &ast::Statement,
        out: &mut Statements,
    ) -> Checking<()> {
        let step = match &statement.kind {
            ast::StatementKind::Show(bound) => match self.bound(bound, "")? {
                Outcome::Pipeline(pipeline) => Step::Pipeline(pipeline),
                Outcome::Scalar(scalar) => Step::Scalar(scalar),
            },
            ast::StatementKind::Let { name, value } => self.binding(name, value)?,
            ast::StatementKind::Param {
                name,
                default,
                help,
            } => {
                let outcome = self.parameter(name, default, help, out);
                if outcome.is_err() {
                    self.broken.push(name.text.clone());
                }
                return outcome;
            }
            ast::StatementKind::Def {
                name,
                formals,
                body,
                help,
            } => {
                let definition = Definition {
                    name: name.clone(),
                    formals: formals.clone(),
                    body: body.clone(),
                    help: help.clone(),
                };
                let outcome = self.define(definition);
                if outcome.is_err() {
                    self.broken.push(name.text.clone());
                }
                return outcome;
            }
            ast::StatementKind::Use { path } => return self.import(path, statement.span, out),
            ast::StatementKind::For { name, list, body } => {
                return self.repeat(name, list, body, out);
            }
        };
        out.steps.push((step, statement.span));
        Ok(())
    }

    /// `let`.
    fn binding(&mut self, name: &ast::Name, value: &ast::Bound) -> Checking<Step> {
        if self.registry.verb(&name.text).is_some() {
            self.diags.push(
                Diag::warning(
                    &code::BINDING_SHADOWS_VERB,
                    format!("`{}` is also a verb", name.text),
                )
                .at(
                    name.span,
                    "without arguments this name now means the binding",
                ),
            );
        }
        match self.bound(value, &name.text) {
            Ok(Outcome::Pipeline(pipeline)) => {
                self.bind(name, Binding::Data(pipeline.clone()))?;
                Ok(Step::LetPipeline(pipeline))
            }
            Ok(Outcome::Scalar(scalar)) => {
                self.bind(name, Binding::Scalar(scalar.clone()))?;
                Ok(Step::LetScalar(scalar))
            }
            Err(Stop) => {
                self.broken.push(name.text.clone());
                Err(Stop)
            }
        }
    }

    /// Binds a name. In a file that is used it must not be there already: nobody could say which one is meant.
    fn bind(&mut self, name: &ast::Name, binding: Binding) -> Checking<()> {
        let is_used = !self.importing.is_empty();
        if is_used && self.scope.get(&name.text).is_some() {
            let here = self.registry.source_name(name.span.source);
            let other = self.scope.origins.get(&name.text).copied();
            // A second `let` of one file is no clash.
            if other != Some(name.span.source) {
                let other = other.map(|source| self.registry.source_name(source));
                let diag = Diag::error(
                    &code::DUPLICATE_NAME,
                    match other {
                        Some(other) => {
                            format!("`{}` is defined by `{other}` and by `{here}`", name.text)
                        }
                        None => format!("`{}` is defined by the script and by `{here}`", name.text),
                    },
                )
                .at(name.span, "defined here")
                .help("rename one of them, or leave one `use` out");
                return self.report(diag);
            }
        }
        self.scope.bind(&name.text, binding);
        if is_used {
            self.scope
                .origins
                .insert(name.text.clone(), name.span.source);
        }
        Ok(())
    }

    fn bound(&mut self, bound: &ast::Bound, name: &str) -> Checking<Outcome> {
        match bound {
            ast::Bound::Pipeline(pipeline) => self.pipeline(pipeline).map(Outcome::Pipeline),
            ast::Bound::Expr(expr) => {
                // A lone name, or one in parentheses, is data where it can be: `let f = name`.
                if let Some(head) = self.data_head(expr) {
                    return self.pipeline(&head).map(Outcome::Pipeline);
                }
                self.scalar(expr, name).map(Outcome::Scalar)
            }
        }
    }

    /// The pipeline that an expression stands for where data may stand.
    pub(crate) fn data_head(&self, expr: &ast::Expr) -> Option<ast::Pipeline> {
        match &expr.node {
            ast::Node::Column(_) => {
                let stage = super::parse::column_head(expr)?;
                Some(ast::Pipeline {
                    head: ast::Head::Stage(stage),
                    stages: Vec::new(),
                    span: expr.span,
                })
            }
            ast::Node::Group(inner) => self.data_head(inner),
            _ => None,
        }
    }

    /// A scalar expression; folded at once where it is constant.
    pub(crate) fn scalar(&mut self, expr: &ast::Expr, name: &str) -> Checking<Arc<Scalar>> {
        let typed = self.expr(expr, expr::Place::Scalar)?;
        let value = OnceLock::new();
        if !typed.is_deferred() {
            let known = self.fold(&typed)?;
            // The cell is new, so setting it cannot fail.
            let _ = value.set(known);
        }
        Ok(Arc::new(Scalar {
            name: name.to_owned(),
            expr: typed,
            value,
        }))
    }

    pub(crate) fn fold(&mut self, expr: &super::plan::Expr) -> Checking<Value> {
        let registry = &mut *self.registry;
        let result = super::fold::fold(expr, &mut |node, values| match node {
            ExprNode::Call(function, _) => registry.call(function, values, &expr.ty),
            _ => Err(Diag::error(
                &code::INTERNAL,
                "a constant depends on something that is not constant",
            )
            .at(expr.span, "here")),
        });
        self.take(result)
    }

    fn parameter(
        &mut self,
        name: &ast::Name,
        default: &ast::Expr,
        help: &Option<String>,
        out: &mut Statements,
    ) -> Checking<()> {
        if out.parameters.iter().any(|p| p.name == name.text) {
            return self.report(
                Diag::error(
                    &code::DUPLICATE_NAME,
                    format!("the parameter `{}` is declared twice", name.text),
                )
                .at(name.span, "again here"),
            );
        }
        let declared = self.scalar(default, &name.text)?;
        let Some(value) = declared.value.get().cloned() else {
            return self.report(
                Diag::error(
                    &code::INVALID_VALUE,
                    "the default of a parameter is a literal",
                )
                .at(default.span, "this depends on data"),
            );
        };
        let given = out
            .overrides
            .iter()
            .rev()
            .find(|(given, _)| *given == name.text);
        let scalar = match given {
            None => Ok(declared),
            Some((_, text)) => self.overridden(name, &value, text),
        };
        let given = scalar.as_ref().ok().and_then(|scalar| scalar.value.get());
        out.parameters.push(Parameter {
            name: name.text.clone(),
            default: value.clone(),
            value: given.unwrap_or(&value).clone(),
            help: help.clone(),
            span: name.span,
        });
        let scalar = scalar?;
        self.bind(name, Binding::Scalar(scalar))
    }

    /// A `--param` value, checked against the type of the default.
    fn overridden(
        &mut self,
        name: &ast::Name,
        default: &Value,
        text: &ParameterText,
    ) -> Checking<Arc<Scalar>> {
        let wanted = default.value_type();
        let literal = match &text.expr {
            Some(expr) => {
                let before = self.diags.len();
                let folded = self
                    .scalar(expr, &name.text)
                    .ok()
                    .and_then(|scalar| scalar.value.get().cloned());
                self.diags.truncate(before);
                folded
            }
            None => None,
        };
        let value = match (literal, &wanted) {
            (Some(value @ Value::String(_)), Type::String) => value,
            // A string parameter also takes raw text.
            (_, Type::String) => Value::String(text.raw.clone()),
            (Some(Value::Int(number)), Type::Float) => Value::Float(number as f64),
            (Some(value), wanted) if expr::fits(&value.value_type(), wanted) => value,
            (found, wanted) => {
                let found = match found {
                    Some(value) => value.value_type().with_article(),
                    None => "no literal".to_owned(),
                };
                return self.report(
                    Diag::error(
                        &code::UNKNOWN_PARAM,
                        format!(
                            "--param {}={} is {found}, but {} is wanted",
                            name.text,
                            text.raw,
                            wanted.with_article()
                        ),
                    )
                    .at(name.span, format!("declared here as {default}"))
                    .maybe_help(
                        (*wanted == Type::Time && text.raw.parse::<f64>().is_ok()).then(|| {
                            format!("a time has a unit: --param {}={}ms", name.text, text.raw)
                        }),
                    ),
                );
            }
        };
        let cell = OnceLock::new();
        let ty = value.value_type();
        let _ = cell.set(value.clone());
        Ok(Arc::new(Scalar {
            name: name.text.clone(),
            expr: super::plan::Expr {
                node: ExprNode::Value(value),
                ty,
                span: name.span,
            },
            value: cell,
        }))
    }
}

/// What a statement's right side turned out to be.
enum Outcome {
    Pipeline(Arc<Pipeline>),
    Scalar(Arc<Scalar>),
}
