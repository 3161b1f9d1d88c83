//! The plan: what a script means once every name is resolved and every expression has a type. The engine
//! runs it; nothing in here knows how.

use super::ast::{BinaryOperator, UnaryOperator};
use super::flow::Flow;
use crate::diag::{Diag, Span, code};
use crate::spec::{Length, Param, Type, Value, VerbSpec};
use std::sync::{Arc, OnceLock};

/// One statement, ready to run.
#[derive(Clone, Debug)]
pub enum Step {
    /// Runs a pipeline and shows its result unless an outcome stage did.
    Pipeline(Arc<Pipeline>),
    /// Evaluates an expression and shows it.
    Scalar(Arc<Scalar>),
    /// Binds a pipeline; runs it only where it holds an outcome stage.
    LetPipeline(Arc<Pipeline>),
    /// Binds a scalar; lazy.
    LetScalar(Arc<Scalar>),
}

/// A named or anonymous scalar, evaluated at most once.
#[derive(Debug)]
pub struct Scalar {
    /// The name scripts use, without `$`; empty for an expression of its own.
    pub name: String,
    /// How to get it.
    pub expr: Expr,
    /// The value once known; constants are known from the check on.
    pub value: OnceLock<Value>,
}

/// A checked pipeline.
#[derive(Debug)]
pub struct Pipeline {
    /// Where the data come from.
    pub source: Source,
    /// The stages.
    pub stages: Vec<StageCall>,
    /// What comes out.
    pub flow: Flow,
    /// The text.
    pub span: Span,
}

impl Pipeline {
    /// True where a stage writes, prints or asserts.
    pub fn has_outcome(&self) -> bool {
        let outcome = |stage: &StageCall| stage.verb.section == crate::spec::Section::Outcome;
        self.stages.iter().any(outcome)
            || matches!(&self.source, Source::Verb(stage) if outcome(stage))
    }

    /// The last stage, looking into the pipeline a binding names.
    pub fn last_stage(&self) -> Option<&StageCall> {
        self.stages.last().or(match &self.source {
            Source::Verb(stage) => Some(stage),
            Source::Pipeline { pipeline, .. } => pipeline.last_stage(),
        })
    }
}

/// The head of a pipeline.
#[derive(Clone, Debug)]
pub enum Source {
    /// A verb that needs nothing flowing in.
    Verb(StageCall),
    /// A binding or a pipeline in parentheses, perhaps one relation of it.
    Pipeline {
        /// The pipeline.
        pipeline: Arc<Pipeline>,
        /// `.links`.
        relation: Option<String>,
    },
}

/// A verb with checked arguments.
#[derive(Clone, Debug)]
pub struct StageCall {
    /// The verb.
    pub verb: &'static VerbSpec,
    /// Its arguments.
    pub arguments: Arguments,
    /// What comes out.
    pub flow: Flow,
    /// The stage.
    pub span: Span,
}

/// The arguments of a call, by parameter name.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// Only those that were written.
    pub given: Vec<(&'static str, Argument)>,
    /// The `by` clause.
    pub by: Vec<Named>,
    /// The whole stage, for messages.
    pub span: Span,
}

/// One argument.
#[derive(Clone, Debug)]
pub struct Argument {
    /// What it is.
    pub kind: ArgumentKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of arguments, by the shape of the parameter.
#[derive(Clone, Debug)]
pub enum ArgumentKind {
    /// A scalar that is known.
    Value(Value),
    /// A choice that was written as a word.
    Choice(&'static str),
    /// A scalar that only a run can tell.
    Deferred(Arc<Scalar>),
    /// A condition on the rows.
    Condition(Expr),
    /// Expressions with names.
    Columns(Vec<Named>),
    /// Sort keys; true sorts down.
    SortKeys(Vec<(Expr, bool)>),
    /// Plain names, or new names with the old.
    Names(Vec<(String, String)>),
    /// A relation.
    Relation(String),
    /// Other data.
    Data(Vec<DataArgument>),
}

/// Another trace, table or figure that a verb takes.
#[derive(Clone, Debug)]
pub struct DataArgument {
    /// Where it comes from.
    pub pipeline: Arc<Pipeline>,
    /// Where it stands.
    pub span: Span,
}

/// An expression with the name of the column it makes.
#[derive(Clone, Debug)]
pub struct Named {
    /// The name of the column.
    pub name: String,
    /// Its value.
    pub expr: Expr,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub node: ExprNode,
    /// Its type.
    pub ty: Type,
    /// Where it was written.
    pub span: Span,
}

/// The kinds of typed expressions.
#[derive(Clone, Debug)]
pub enum ExprNode {
    /// A known value.
    Value(Value),
    /// A column of what flows in.
    Column(String),
    /// A scalar that only a run can tell.
    Scalar(Arc<Scalar>),
    /// An operator with one operand.
    Unary(UnaryOperator, Box<Expr>),
    /// An operator with two operands; `In` and `NotIn` have a list, range or list-valued scalar on the right.
    Binary(BinaryOperator, Box<Expr>, Box<Expr>),
    /// `x == null` (true) and `x != null` (false).
    IsNull(Box<Expr>, bool),
    /// A list written out.
    List(Vec<Expr>),
    /// A map written out.
    Map(Vec<(String, Expr)>),
    /// A half-open range.
    Range(Option<Box<Expr>>, Option<Box<Expr>>),
    /// `if … then … else …`.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A function of values, by its canonical name.
    Call(String, Vec<Expr>),
    /// An aggregate function, by its canonical name.
    Aggregate(String, Vec<Expr>),
    /// A function of a whole trace or table (`span(run)`).
    OnData(String, Arc<Pipeline>),
    /// `floor(time / time)`: exact integer division.
    FloorDivide(Box<Expr>, Box<Expr>),
    /// A bare number meeting a time of a trace without a unit.
    ToLogicalTime(Box<Expr>),
    /// An f-string.
    Format(Vec<Expr>),
    /// A pipeline whose one row and column is the value.
    Subquery(Arc<Pipeline>),
}

impl Expr {
    /// Visits every node, parents first.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        match &self.node {
            ExprNode::Unary(_, a) | ExprNode::IsNull(a, _) | ExprNode::ToLogicalTime(a) => {
                a.walk(visit)
            }
            ExprNode::Binary(_, a, b) | ExprNode::FloorDivide(a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            ExprNode::If(a, b, c) => {
                a.walk(visit);
                b.walk(visit);
                c.walk(visit);
            }
            ExprNode::List(items)
            | ExprNode::Call(_, items)
            | ExprNode::Aggregate(_, items)
            | ExprNode::Format(items) => items.iter().for_each(|item| item.walk(visit)),
            ExprNode::Map(entries) => entries.iter().for_each(|(_, item)| item.walk(visit)),
            ExprNode::Range(low, high) => {
                for end in [low, high].into_iter().flatten() {
                    end.walk(visit);
                }
            }
            ExprNode::Value(_)
            | ExprNode::Column(_)
            | ExprNode::Scalar(_)
            | ExprNode::OnData(..)
            | ExprNode::Subquery(_) => {}
        }
    }

    /// True where an aggregate stands anywhere in it.
    pub fn has_aggregate(&self) -> bool {
        let mut found = false;
        self.walk(&mut |expr| found |= matches!(expr.node, ExprNode::Aggregate(..)));
        found
    }

    /// True where it depends on a column.
    pub fn has_column(&self) -> bool {
        let mut found = false;
        self.walk(&mut |expr| {
            found |= matches!(expr.node, ExprNode::Column(_) | ExprNode::Aggregate(..))
        });
        found
    }

    /// True where only a run can tell its value.
    pub fn is_deferred(&self) -> bool {
        let mut found = false;
        self.walk(&mut |expr| {
            found |= match &expr.node {
                ExprNode::Scalar(scalar) => scalar.value.get().is_none(),
                ExprNode::OnData(..) | ExprNode::Subquery(_) => true,
                _ => false,
            }
        });
        found
    }
}

/// A type that an argument can be read as.
pub trait FromArgument: Sized {
    /// The value of what was written; None where nothing was.
    fn from_argument(argument: Option<&ArgumentKind>) -> Option<Self>;
}

impl Arguments {
    /// The argument as it was written.
    pub fn find(&self, name: &str) -> Option<&Argument> {
        self.given
            .iter()
            .find(|(given, _)| *given == name)
            .map(|(_, argument)| argument)
    }

    /// Where an argument stands, or the stage where it was left out.
    pub fn span_of<T>(&self, param: &Param<T>) -> Span {
        self.find(param.spec.name)
            .map_or(self.span, |argument| argument.span)
    }

    /// Reads an argument. The checker has made sure that it fits; a misfit is a bug and says so.
    pub fn get<T: FromArgument>(&self, param: &Param<T>) -> Result<T, Diag> {
        let argument = self.find(param.spec.name);
        T::from_argument(argument.map(|argument| &argument.kind)).ok_or_else(|| {
            Diag::error(
                &code::INTERNAL,
                format!("the argument `{}` has an unexpected form", param.spec.name),
            )
            .at(self.span_of(param), "here")
        })
    }

    /// The same arguments with everything that only a run can tell replaced by its value.
    pub fn bound(&self, evaluate: &mut Evaluate) -> Result<Arguments, Diag> {
        let mut out = self.clone();
        for (_, argument) in &mut out.given {
            match &mut argument.kind {
                ArgumentKind::Deferred(scalar) => {
                    let value = match scalar.value.get() {
                        Some(value) => value.clone(),
                        None => evaluate(&scalar.expr)?,
                    };
                    argument.kind = ArgumentKind::Value(value);
                }
                ArgumentKind::Condition(expr) => expr.bind(evaluate)?,
                ArgumentKind::Columns(list) => {
                    for named in list {
                        named.expr.bind(evaluate)?;
                    }
                }
                ArgumentKind::SortKeys(keys) => {
                    for (expr, _) in keys {
                        expr.bind(evaluate)?;
                    }
                }
                ArgumentKind::Value(_)
                | ArgumentKind::Choice(_)
                | ArgumentKind::Names(_)
                | ArgumentKind::Relation(_)
                | ArgumentKind::Data(_) => {}
            }
        }
        for named in &mut out.by {
            named.expr.bind(evaluate)?;
        }
        Ok(out)
    }
}

/// Gives the value of an expression that only a run can tell.
pub type Evaluate<'a> = dyn FnMut(&Expr) -> Result<Value, Diag> + 'a;

impl Expr {
    /// Gives every direct part to `visit`.
    pub fn children_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match &mut self.node {
            ExprNode::Unary(_, a) | ExprNode::IsNull(a, _) | ExprNode::ToLogicalTime(a) => visit(a),
            ExprNode::Binary(_, a, b) | ExprNode::FloorDivide(a, b) => {
                visit(a);
                visit(b);
            }
            ExprNode::If(a, b, c) => {
                for part in [a, b, c] {
                    visit(part);
                }
            }
            ExprNode::List(items)
            | ExprNode::Call(_, items)
            | ExprNode::Aggregate(_, items)
            | ExprNode::Format(items) => items.iter_mut().for_each(visit),
            ExprNode::Map(entries) => entries.iter_mut().for_each(|(_, item)| visit(item)),
            ExprNode::Range(low, high) => {
                for end in [low, high].into_iter().flatten() {
                    visit(end);
                }
            }
            ExprNode::Value(_)
            | ExprNode::Column(_)
            | ExprNode::Scalar(_)
            | ExprNode::OnData(..)
            | ExprNode::Subquery(_) => {}
        }
    }

    /// Replaces scalars, subqueries and functions of data by their values.
    pub fn bind(&mut self, evaluate: &mut Evaluate) -> Result<(), Diag> {
        if matches!(
            self.node,
            ExprNode::Scalar(_) | ExprNode::OnData(..) | ExprNode::Subquery(_)
        ) {
            self.node = ExprNode::Value(evaluate(self)?);
            return Ok(());
        }
        let mut result = Ok(());
        self.children_mut(&mut |child| {
            if result.is_ok() {
                result = child.bind(evaluate);
            }
        });
        result
    }
}

/// A time argument: picoseconds, or 10^-9 units of a trace without a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeOrLength {
    /// A time, exact.
    Time(i128),
    /// A length of the figure to come.
    Length(Length),
}

impl<T: FromArgument> FromArgument for Option<T> {
    fn from_argument(argument: Option<&ArgumentKind>) -> Option<Self> {
        match argument {
            None | Some(ArgumentKind::Value(Value::Null)) => Some(None),
            some => T::from_argument(some).map(Some),
        }
    }
}

macro_rules! from_value {
    ($($target:ty: $($pattern:pat => $result:expr),+;)*) => {
        $(impl FromArgument for $target {
            fn from_argument(argument: Option<&ArgumentKind>) -> Option<Self> {
                match argument? {
                    $($pattern => $result,)+
                    #[allow(unreachable_patterns)]
                    _ => None,
                }
            }
        })*
    };
}

from_value! {
    String: ArgumentKind::Value(Value::String(text)) => Some(text.clone()), ArgumentKind::Choice(word) => Some((*word).to_owned());
    &'static str: ArgumentKind::Choice(word) => Some(word);
    i64: ArgumentKind::Value(Value::Int(number)) => Some(*number);
    f64: ArgumentKind::Value(Value::Float(number)) => Some(*number), ArgumentKind::Value(Value::Int(number)) => Some(*number as f64);
    bool: ArgumentKind::Value(Value::Bool(value)) => Some(*value);
    Length: ArgumentKind::Value(Value::Length(length)) => Some(*length);
    Value: ArgumentKind::Value(value) => Some(value.clone()), ArgumentKind::Choice(word) => Some(Value::String((*word).to_owned()));
    TimeOrLength: ArgumentKind::Value(Value::Time(time) | Value::LogicalTime(time)) => Some(TimeOrLength::Time(*time)), ArgumentKind::Value(Value::Length(length)) => Some(TimeOrLength::Length(*length));
    i128: ArgumentKind::Value(Value::Time(time) | Value::LogicalTime(time)) => Some(*time);
    Expr: ArgumentKind::Condition(expr) => Some(expr.clone());
    Vec<Named>: ArgumentKind::Columns(list) => Some(list.clone());
    Vec<(Expr, bool)>: ArgumentKind::SortKeys(keys) => Some(keys.clone());
    Vec<(String, String)>: ArgumentKind::Names(names) => Some(names.clone());
}

/// A word of the verb's own, or an expression of the columns.
#[derive(Clone, Debug)]
pub enum ChoiceOrColumn {
    /// The word.
    Choice(&'static str),
    /// The expression, with the name it has by itself.
    Column(Named),
}

impl FromArgument for ChoiceOrColumn {
    fn from_argument(argument: Option<&ArgumentKind>) -> Option<Self> {
        match argument? {
            ArgumentKind::Choice(word) => Some(ChoiceOrColumn::Choice(word)),
            ArgumentKind::Columns(list) => list.first().cloned().map(ChoiceOrColumn::Column),
            _ => None,
        }
    }
}

impl FromArgument for Vec<DataArgument> {
    fn from_argument(argument: Option<&ArgumentKind>) -> Option<Self> {
        match argument? {
            ArgumentKind::Data(list) => Some(list.clone()),
            _ => None,
        }
    }
}

/// The name of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationName(pub String);

impl FromArgument for RelationName {
    fn from_argument(argument: Option<&ArgumentKind>) -> Option<Self> {
        match argument? {
            ArgumentKind::Relation(name) => Some(RelationName(name.clone())),
            _ => None,
        }
    }
}

/// A range of times, half-open; a missing end is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRange {
    /// First time, exact.
    pub low: Option<i128>,
    /// One past the last, exact.
    pub high: Option<i128>,
}

impl FromArgument for TimeRange {
    fn from_argument(argument: Option<&ArgumentKind>) -> Option<Self> {
        let end = |value: &Option<Box<Value>>| match value.as_deref() {
            None => Some(None),
            Some(Value::Time(time) | Value::LogicalTime(time)) => Some(Some(*time)),
            Some(_) => None,
        };
        match argument? {
            ArgumentKind::Value(Value::Range(low, high)) => Some(TimeRange {
                low: end(low)?,
                high: end(high)?,
            }),
            _ => None,
        }
    }
}
