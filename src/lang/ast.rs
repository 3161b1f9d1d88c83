//! What was written: statements, pipelines and expressions with their spans. Names are not resolved and
//! nothing has a type; [`super::check`] does that.

use crate::diag::Span;
use crate::spec::{Length, TimeUnit};

/// A name with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// Without backquotes.
    pub text: String,
    /// Whether it stood in backquotes, which forces a column.
    pub quoted: bool,
    /// Where.
    pub span: Span,
}

/// A script.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// In order.
    pub statements: Vec<Statement>,
}

/// One statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// A pipeline or expression whose result is shown.
    Show(Bound),
    /// `let name = …`.
    Let {
        /// The name bound.
        name: Name,
        /// To what.
        value: Bound,
    },
    /// `param name = literal  # help`.
    Param {
        /// The name.
        name: Name,
        /// The default; its type is the parameter's type.
        default: Expr,
        /// The comment behind it.
        help: Option<String>,
    },
    /// `def verb(arguments) = stages`.
    Def {
        /// The verb defined.
        name: Name,
        /// Its arguments with defaults.
        formals: Vec<(Name, Option<Expr>)>,
        /// The stages.
        body: Pipeline,
        /// The comment above it.
        help: Option<String>,
    },
    /// `use "file"` or `use std.name`.
    Use {
        /// The file or the dotted name.
        path: UsePath,
    },
    /// `for name in list { … }`.
    For {
        /// The loop variable.
        name: Name,
        /// What it runs over.
        list: Expr,
        /// The statements.
        body: Vec<Statement>,
    },
}

/// What `use` names.
#[derive(Clone, Debug, PartialEq)]
pub enum UsePath {
    /// A file.
    File(String),
    /// A library, `std.gantt`.
    Library(Vec<String>),
}

/// What a name is bound to or a statement shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// An expression up to the end of the statement; a lone column is a pipeline of one head.
    Expr(Expr),
    /// Anything with a pipe, or a head with arguments.
    Pipeline(Pipeline),
}

/// `head | stage | …`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// Where the data come from.
    pub head: Head,
    /// The stages after it.
    pub stages: Vec<Stage>,
    /// Where.
    pub span: Span,
}

/// The start of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub enum Head {
    /// A binding or a verb, decided by the checker.
    Stage(Stage),
    /// A pipeline in parentheses.
    Nested(Box<Pipeline>),
    /// An expression in parentheses where data should stand; the checker says so.
    Expr(Expr),
}

/// One stage: a verb with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The verb, or a binding where the stage is a head.
    pub verb: Name,
    /// `.links` behind a head.
    pub path: Vec<Name>,
    /// Positionals and options in the order written.
    pub arguments: Vec<Argument>,
    /// The `by` clause.
    pub by: Vec<Argument>,
    /// Where `by` stands.
    pub by_span: Option<Span>,
    /// Where the stage stands.
    pub span: Span,
}

/// A positional (`name` is None) or `name = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The name before `=`.
    pub name: Option<Name>,
    /// The value.
    pub value: Expr,
    /// Name and value.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub node: Node,
    /// Where.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// `null`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// A number without a unit, as written without underscores.
    Number(String),
    /// A time, exact: the number as written and its unit.
    Time(String, TimeUnit),
    /// A length of a figure.
    Length(Length),
    /// A number of bytes.
    Size(i64),
    /// `"…"` or `r"…"`.
    String(String),
    /// `f"…"`.
    Format(Vec<FormatPart>),
    /// `[…]`.
    List(Vec<Expr>),
    /// `{key: value}`.
    Map(Vec<(Name, Expr)>),
    /// `name` or `a.b`.
    Column(Vec<Name>),
    /// `$name`.
    Scalar(Name),
    /// `function(…)`.
    Call(Name, Vec<Argument>),
    /// `-x`, `not x`.
    Unary(UnaryOperator, Box<Expr>),
    /// `x + y` and so on.
    Binary(BinaryOperator, Box<Expr>, Box<Expr>),
    /// `a..b`; an end may be missing.
    Range(Option<Box<Expr>>, Option<Box<Expr>>),
    /// `if c then a else b`.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// An expression in parentheses.
    Group(Box<Expr>),
    /// A pipeline in parentheses.
    Subquery(Box<Pipeline>),
}

/// A piece of an f-string.
#[derive(Clone, Debug, PartialEq)]
pub enum FormatPart {
    /// Literal text.
    Text(String),
    /// `{expression}`.
    Hole(Expr),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-x`.
    Negate,
    /// `not x`.
    Not,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `or`.
    Or,
    /// `and`.
    And,
    /// `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
    /// `in`.
    In,
    /// `not in`.
    NotIn,
    /// `matches`: an unanchored regular expression.
    Matches,
    /// `??`.
    Coalesce,
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `%`.
    Remainder,
}

impl BinaryOperator {
    /// As scripts write it.
    pub fn symbol(self) -> &'static str {
        use BinaryOperator::*;
        match self {
            Or => "or",
            And => "and",
            Equal => "==",
            NotEqual => "!=",
            Less => "<",
            LessEqual => "<=",
            Greater => ">",
            GreaterEqual => ">=",
            In => "in",
            NotIn => "not in",
            Matches => "matches",
            Coalesce => "??",
            Add => "+",
            Subtract => "-",
            Multiply => "*",
            Divide => "/",
            Remainder => "%",
        }
    }

    /// True for `== != < <= > >=`.
    pub fn is_comparison(self) -> bool {
        use BinaryOperator::*;
        matches!(
            self,
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual
        )
    }
}
