//! Text → [`Script`], with all mistakes of the text at once. The only user of pest.
//!
//! The grammar has a rule for a broken statement, so one mistake does not hide the next; a broken piece
//! is parsed again alone to learn the farthest position reached, and [`super::hint`] says in words what
//! is wrong there. Rule names are never shown.

use super::ast::*;
use super::hint;
use crate::diag::{Diag, Span, code};
use crate::spec::{Decimal, Length, LengthUnit, SizeUnit, TimeUnit};
use pest::Parser;
use pest::error::InputLocation;
use pest::iterators::{Pair, Pairs};
use pest::pratt_parser::{Assoc, Op, PrattParser};
use std::cell::Cell;
use std::num::NonZeroUsize;
use std::sync::LazyLock;

/// What pest makes of the grammar file.
mod grammar {
    #![allow(missing_docs)]

    #[derive(pest_derive::Parser)]
    #[grammar = "../grammar/marey.pest"]
    pub(super) struct Grammar;

    /// The same file as text.
    pub(super) const TEXT: &str = include_str!("../../grammar/marey.pest");
}

use grammar::Grammar;
pub(super) use grammar::Rule;

/// A piece of a text that a rule of the grammar matched, for [`super::format`].
pub(super) type Piece<'a> = Pair<'a, Rule>;

/// Deepest nesting of brackets and of operators in one expression. Far above what people write, far below
/// what a 2 MB stack holds.
const DEPTH_LIMIT: usize = 200;

/// Work for a text of no length, in calls of grammar rules (some 20 ns each).
const CALLS_AT_LEAST: usize = 1_000_000;
/// Work for each byte. Ordinary text needs 10 to 150; more is the grammar trying the same again and again.
const CALLS_PER_BYTE: usize = 500;

/// The grammar on a text, with a limit on the work: what would take exponential time is refused.
fn grammar(rule: Rule, text: &str) -> Result<Pairs<'_, Rule>, Box<pest::error::Error<Rule>>> {
    let calls = text
        .len()
        .saturating_mul(CALLS_PER_BYTE)
        .saturating_add(CALLS_AT_LEAST);
    // Process-wide, but each parse takes it when it begins.
    pest::set_call_limit(NonZeroUsize::new(calls));
    Grammar::parse(rule, text).map_err(Box::new)
}

/// The reserved words, as the rule `keyword` of the grammar lists them.
pub fn keywords() -> Vec<&'static str> {
    let rule = grammar::TEXT
        .lines()
        .find(|line| line.starts_with("keyword "))
        .unwrap_or_default();
    rule.split('"').skip(1).step_by(2).collect()
}

static PRATT: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    let left = |rule| Op::infix(rule, Assoc::Left);
    PrattParser::new()
        .op(left(Rule::or))
        .op(left(Rule::and))
        .op(Op::prefix(Rule::not))
        .op(left(Rule::eq)
            | left(Rule::ne)
            | left(Rule::lt)
            | left(Rule::le)
            | left(Rule::gt)
            | left(Rule::ge)
            | left(Rule::in_op)
            | left(Rule::not_in)
            | left(Rule::matches))
        .op(left(Rule::range) | Op::prefix(Rule::open_below) | Op::postfix(Rule::open_above))
        .op(left(Rule::coalesce))
        .op(left(Rule::add) | left(Rule::sub))
        .op(left(Rule::mul) | left(Rule::div) | left(Rule::rem))
        .op(Op::prefix(Rule::neg))
});

/// What parsing a text gives: the statements that parsed, and a diagnostic for each that did not.
#[derive(Debug, Default)]
pub struct Parsed {
    /// The statements that parsed.
    pub script: Script,
    /// The mistakes, in the order of the text.
    pub diags: Vec<Diag>,
}

/// Whether a text typed so far is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// It can run, or it is wrong in a way that more text does not mend.
    Whole,
    /// More text may complete it.
    Open,
}

/// Parses a script. `source` is the index spans carry.
pub fn parse(text: &str, source: u32) -> Parsed {
    let mut parsed = Parsed::default();
    if let Some(diag) = too_deep(text, source) {
        parsed.diags.push(diag);
        return parsed;
    }
    let blanked = blank_first_line(text);
    let text = blanked.as_deref().unwrap_or(text);
    let mut pairs = match grammar(Rule::script, text) {
        Ok(pairs) => pairs,
        Err(error) => {
            parsed.diags.push(located(text, source, 0, &error));
            return parsed;
        }
    };
    let builder = Builder {
        source,
        base: 0,
        deepest: Cell::new(0),
    };
    if let Some(script) = pairs.next() {
        builder.statements(script.into_inner(), &mut parsed);
    }
    parsed
}

/// The statements of a text without mistakes, as the grammar matched them; none where it refuses the text.
/// A byte-order mark is not accepted.
pub(super) fn pieces(text: &str) -> Option<Vec<Piece<'_>>> {
    let script = grammar(Rule::script, text).ok()?.next()?;
    let statements = script.into_inner();
    Some(
        statements
            .filter(|pair| pair.as_rule() == Rule::statement)
            .collect(),
    )
}

/// Whether the editor should go on to another line.
pub fn completeness(text: &str) -> Completeness {
    if text.trim().is_empty() {
        return Completeness::Whole;
    }
    let Ok(mut pairs) = grammar(Rule::script, text) else {
        return Completeness::Whole;
    };
    let pieces = pairs.next().map(Pair::into_inner).into_iter().flatten();
    let pieces: Vec<Pair<Rule>> = pieces.filter(|pair| pair.as_rule() != Rule::EOI).collect();
    // The lines in an open block are statements by themselves.
    let is_broken = pieces.iter().any(|pair| pair.as_rule() == Rule::broken);
    match pieces.last() {
        Some(pair) if pair.as_rule() == Rule::broken => {
            let end = text.trim_end_matches([' ', '\t']).len();
            match grammar(Rule::alone, pair.as_str()) {
                Err(error)
                    if pair.as_span().start() + farthest(&error) >= end || hint::is_open(text) =>
                {
                    Completeness::Open
                }
                _ => Completeness::Whole,
            }
        }
        _ if is_broken && hint::is_open(text) => Completeness::Open,
        _ => Completeness::Whole,
    }
}

/// A `#!` line counts as a comment already; a byte-order mark before it does not, so it is blanked.
fn blank_first_line(text: &str) -> Option<String> {
    text.strip_prefix('\u{feff}')
        .map(|rest| format!("   {rest}"))
}

/// Brackets, and `if`s inside one another, that pest would recurse into without a limit.
fn too_deep(text: &str, source: u32) -> Option<Diag> {
    // For each open bracket, the `if`s since the last thing that ends an expression.
    let mut levels = vec![0_usize];
    let bytes = text.as_bytes();
    let is_name = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let mut in_string = false;
    let mut in_comment = false;
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate() {
        let before = index.checked_sub(1).and_then(|before| bytes.get(before));
        let mut deeper = false;
        match byte {
            b'\n' | b'\r' => {
                in_string = false;
                in_comment = false;
            }
            _ if in_comment => {}
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'#' if !in_string => in_comment = true,
            b'(' | b'[' | b'{' => {
                levels.push(0);
                deeper = true;
            }
            b')' | b']' | b'}' if levels.len() > 1 => {
                levels.pop();
            }
            b',' | b'|' | b';' => set_last(&mut levels, |_| 0),
            b'=' if bytes.get(index + 1) != Some(&b'=')
                && !before.is_some_and(|b| matches!(b, b'=' | b'!' | b'<' | b'>')) =>
            {
                set_last(&mut levels, |_| 0);
            }
            b'i' if bytes.get(index + 1) == Some(&b'f')
                && !is_name(before)
                && !is_name(bytes.get(index + 2)) =>
            {
                set_last(&mut levels, |ifs| ifs + 1);
                deeper = true;
            }
            _ => {}
        }
        if deeper && levels.len() - 1 + levels.iter().sum::<usize>() > DEPTH_LIMIT {
            return Some(deep_diag(Span::new(source, index, index + 1)));
        }
    }
    None
}

fn set_last(levels: &mut [usize], change: impl Fn(usize) -> usize) {
    if let Some(last) = levels.last_mut() {
        *last = change(*last);
    }
}

fn deep_diag(span: Span) -> Diag {
    Diag::error(
        &code::TOO_DEEP,
        format!("nested more than {DEPTH_LIMIT} levels deep"),
    )
    .at(span, "this level is one too many")
    .help("name a part of it: `let part = …`")
}

fn farthest(error: &pest::error::Error<Rule>) -> usize {
    match error.location {
        InputLocation::Pos(at) => at,
        InputLocation::Span((start, _)) => start,
    }
}

/// The diagnostic for text that pest refused; `base` is where `text` starts in the source.
fn located(text: &str, source: u32, base: usize, error: &pest::error::Error<Rule>) -> Diag {
    let message = error.variant.message();
    let first = text.chars().next().map_or(0, char::len_utf8);
    let start = Span::new(source, base, base + first);
    if message.contains("stack limit") {
        return deep_diag(start);
    }
    if message.contains("call limit") {
        return Diag::error(
            &code::TOO_DEEP,
            "a mistake inside nested brackets or blocks takes too long to find",
        )
        .at(start, "somewhere from here on")
        .help("name a part of it: `let part = …`");
    }
    hint::syntax(text, farthest(error), source, base)
}

/// Turns pairs into the tree; `base` is added to every position.
struct Builder {
    source: u32,
    base: usize,
    /// How deep the expressions inside the present primary go, brackets and operators together: what walks
    /// the tree later needs that much stack.
    deepest: Cell<usize>,
}

/// The whole text that a pair was parsed from.
fn pair_input<'a>(pair: &Pair<'a, Rule>) -> &'a str {
    pair.as_span().get_input()
}

/// The comment on the lines right above a byte: the help text of a `def`. What stands behind another
/// statement on its line has none.
pub(super) fn comment_above(text: &str, at: usize) -> Option<String> {
    let mut rest = Some(text.get(..at)?);
    // From the last line back; lines end as the grammar has it.
    let mut lines = std::iter::from_fn(|| {
        let text = rest?;
        let Some(end) = text.rfind(['\n', '\r']) else {
            rest = None;
            return Some(text);
        };
        let above = text.get(..end)?;
        let line = text.get(end + 1..)?;
        let line_feed = text.as_bytes().get(end) == Some(&b'\n');
        rest = Some(match above.strip_suffix('\r') {
            Some(above) if line_feed => above,
            _ => above,
        });
        Some(line)
    });
    if !lines.next()?.trim_start().is_empty() {
        return None;
    }
    let mut comment: Vec<&str> = lines
        .map_while(|line| line.trim_start().strip_prefix('#'))
        .map(str::trim)
        .collect();
    comment.reverse();
    let comment = comment.join(" ").trim().to_owned();
    (!comment.is_empty()).then_some(comment)
}

/// A failure while building: the grammar's shape fits but the text does not (a unit that is none).
type Built<T> = Result<T, Box<Diag>>;

impl Builder {
    fn span(&self, pair: &Pair<Rule>) -> Span {
        let span = pair.as_span();
        Span::new(
            self.source,
            self.base + span.start(),
            self.base + span.end(),
        )
    }

    /// The span without the blanks and comments that rules swallow at their end.
    fn trimmed(&self, pair: &Pair<Rule>) -> Span {
        let mut span = self.span(pair);
        span.end = span.start + pair.as_str().trim_end().len();
        span
    }

    fn statements(&self, pairs: Pairs<Rule>, parsed: &mut Parsed) {
        for pair in pairs {
            match pair.as_rule() {
                Rule::statement => match self.statement(pair, parsed) {
                    Ok(statement) => parsed.script.statements.push(statement),
                    Err(diag) => parsed.diags.push(*diag),
                },
                Rule::broken => parsed.diags.push(self.broken(&pair)),
                _ => {}
            }
        }
    }

    fn broken(&self, pair: &Pair<Rule>) -> Diag {
        let base = self.base + pair.as_span().start();
        match grammar(Rule::alone, pair.as_str()) {
            Err(error) => located(pair.as_str(), self.source, base, &error),
            // Alone it parses: what follows it on its line was the trouble.
            Ok(_) => hint::syntax(pair.as_str(), pair.as_str().len(), self.source, base),
        }
    }

    fn statement(&self, pair: Pair<Rule>, parsed: &mut Parsed) -> Built<Statement> {
        let span = self.trimmed(&pair);
        let inner = only(pair)?;
        let kind = match inner.as_rule() {
            Rule::param => {
                let mut pairs = words(inner);
                let name = self.name(&next(&mut pairs)?);
                let default = self.expr(next(&mut pairs)?)?;
                let help = pairs
                    .find(|p| p.as_rule() == Rule::help)
                    .and_then(|p| p.into_inner().find(|p| p.as_rule() == Rule::help_text))
                    .map(|p| p.as_str().trim().to_owned())
                    .filter(|help| !help.is_empty());
                StatementKind::Param {
                    name,
                    default,
                    help,
                }
            }
            Rule::import => {
                let path = next(&mut words(inner))?;
                let path = match path.as_rule() {
                    Rule::string => UsePath::File(self.string(path)?),
                    _ => UsePath::Library(
                        path.into_inner()
                            .map(|name| self.name(&name).text)
                            .collect(),
                    ),
                };
                StatementKind::Use { path }
            }
            Rule::def => {
                let help = comment_above(pair_input(&inner), inner.as_span().start());
                let mut formals = Vec::new();
                let mut name = None;
                let mut body = None;
                for pair in words(inner) {
                    match pair.as_rule() {
                        Rule::verb => name = Some(self.name(&pair)),
                        Rule::formal => {
                            let mut parts = pair.into_inner();
                            let formal = self.name(&next(&mut parts)?);
                            let default = parts.next().map(|p| self.expr(p)).transpose()?;
                            formals.push((formal, default));
                        }
                        _ => body = Some(self.pipeline(pair)?),
                    }
                }
                StatementKind::Def {
                    name: name.ok_or_else(broken_shape)?,
                    formals,
                    body: body.ok_or_else(broken_shape)?,
                    help,
                }
            }
            Rule::loop_statement => {
                let mut pairs = words(inner);
                let name = self.name(&next(&mut pairs)?);
                let list = self.expr(next(&mut pairs)?)?;
                let mut inside = Parsed::default();
                for pair in pairs {
                    match pair.as_rule() {
                        Rule::statement => match self.statement(pair, parsed) {
                            Ok(statement) => inside.script.statements.push(statement),
                            Err(diag) => parsed.diags.push(*diag),
                        },
                        Rule::broken => parsed.diags.push(self.broken(&pair)),
                        _ => {}
                    }
                }
                StatementKind::For {
                    name,
                    list,
                    body: inside.script.statements,
                }
            }
            Rule::binding => {
                let mut pairs = words(inner);
                let name = self.name(&next(&mut pairs)?);
                let value = self.bound(next(&mut pairs)?)?;
                StatementKind::Let { name, value }
            }
            _ => StatementKind::Show(self.bound(inner)?),
        };
        Ok(Statement { kind, span })
    }

    fn bound(&self, pair: Pair<Rule>) -> Built<Bound> {
        Ok(match pair.as_rule() {
            Rule::expr => Bound::Expr(self.expr(pair)?),
            _ => Bound::Pipeline(self.pipeline(pair)?),
        })
    }

    fn pipeline(&self, pair: Pair<Rule>) -> Built<Pipeline> {
        let span = self.trimmed(&pair);
        let mut pairs = words(pair);
        let first = next(&mut pairs)?;
        let head = match first.as_rule() {
            Rule::stage => Head::Stage(self.stage(first)?),
            _ => self.head_of(self.group(first)?),
        };
        let stages = pairs.map(|stage| self.stage(stage)).collect::<Built<_>>()?;
        Ok(Pipeline { head, stages, span })
    }

    fn head_of(&self, expr: Expr) -> Head {
        match expr.node {
            Node::Subquery(pipeline) => Head::Nested(pipeline),
            Node::Group(inner) => match column_head(&inner) {
                Some(stage) => Head::Stage(stage),
                None => Head::Expr(*inner),
            },
            node => {
                let expr = Expr {
                    node,
                    span: expr.span,
                };
                match column_head(&expr) {
                    Some(stage) => Head::Stage(stage),
                    None => Head::Expr(expr),
                }
            }
        }
    }

    fn stage(&self, pair: Pair<Rule>) -> Built<Stage> {
        let span = self.trimmed(&pair);
        let mut pairs = words(pair);
        let verb = self.name(&next(&mut pairs)?);
        let mut stage = Stage {
            verb,
            path: Vec::new(),
            arguments: Vec::new(),
            by: Vec::new(),
            by_span: None,
            span,
        };
        for pair in pairs {
            match pair.as_rule() {
                Rule::path => stage.path = pair.into_inner().map(|name| self.name(&name)).collect(),
                Rule::args => {
                    for argument in pair.into_inner() {
                        stage.arguments.push(self.argument(argument)?);
                    }
                }
                Rule::by => {
                    stage.by_span = Some(self.trimmed(&pair));
                    for argument in words(pair) {
                        stage.by.push(self.argument(argument)?);
                    }
                }
                _ => stage.arguments.push(self.argument(pair)?),
            }
        }
        Ok(stage)
    }

    fn argument(&self, pair: Pair<Rule>) -> Built<Argument> {
        let span = self.trimmed(&pair);
        match pair.as_rule() {
            Rule::arg => self.argument(only(pair)?),
            Rule::option => {
                let mut pairs = pair.into_inner();
                let name = self.name(&next(&mut pairs)?);
                let value = self.expr(next(&mut pairs)?)?;
                Ok(Argument {
                    name: Some(name),
                    value,
                    span,
                })
            }
            _ => Ok(Argument {
                name: None,
                value: self.expr(pair)?,
                span,
            }),
        }
    }

    fn name(&self, pair: &Pair<Rule>) -> Name {
        let text = pair.as_str();
        let bare = text
            .strip_prefix('`')
            .and_then(|text| text.strip_suffix('`'));
        Name {
            text: bare.unwrap_or(text).to_owned(),
            quoted: bare.is_some(),
            span: self.span(pair),
        }
    }

    fn expr(&self, pair: Pair<Rule>) -> Built<Expr> {
        let around = self.deepest.replace(0);
        let (expr, depth) = PRATT
            .map_primary(|pair| {
                self.deepest.set(0);
                let expr = self.primary(pair)?;
                match self.deepest.get() {
                    depth if depth > DEPTH_LIMIT => Err(Box::new(deep_diag(expr.span))),
                    depth => Ok((expr, depth)),
                }
            })
            .map_prefix(|operator, operand| self.prefix(operator, operand?))
            .map_postfix(|operand, operator| {
                let (operand, depth) = operand?;
                let span = operand.span.to(self.span(&operator));
                let node = Node::Range(Some(Box::new(operand)), None);
                Ok((Expr { node, span }, depth + 1))
            })
            .map_infix(|left, operator, right| self.infix(left?, operator, right?))
            .parse(pair.into_inner())?;
        self.deepest.set(around.max(depth + 1));
        Ok(expr)
    }

    fn prefix(&self, operator: Pair<Rule>, operand: (Expr, usize)) -> Built<(Expr, usize)> {
        let (operand, depth) = operand;
        let span = self.span(&operator).to(operand.span);
        let operand = Box::new(operand);
        let node = match operator.as_rule() {
            Rule::neg => Node::Unary(UnaryOperator::Negate, operand),
            Rule::not => Node::Unary(UnaryOperator::Not, operand),
            _ => Node::Range(None, Some(operand)),
        };
        Ok((Expr { node, span }, depth + 1))
    }

    fn infix(
        &self,
        left: (Expr, usize),
        operator: Pair<Rule>,
        right: (Expr, usize),
    ) -> Built<(Expr, usize)> {
        let depth = left.1.max(right.1) + 1;
        if depth > DEPTH_LIMIT {
            return Err(Box::new(deep_diag(self.span(&operator))));
        }
        let (left, right) = (left.0, right.0);
        let span = left.span.to(right.span);
        let binary = match operator.as_rule() {
            Rule::range => {
                let node = Node::Range(Some(Box::new(left)), Some(Box::new(right)));
                return Ok((Expr { node, span }, depth));
            }
            Rule::or => BinaryOperator::Or,
            Rule::and => BinaryOperator::And,
            Rule::eq => BinaryOperator::Equal,
            Rule::ne => BinaryOperator::NotEqual,
            Rule::lt => BinaryOperator::Less,
            Rule::le => BinaryOperator::LessEqual,
            Rule::gt => BinaryOperator::Greater,
            Rule::ge => BinaryOperator::GreaterEqual,
            Rule::in_op => BinaryOperator::In,
            Rule::not_in => BinaryOperator::NotIn,
            Rule::matches => BinaryOperator::Matches,
            Rule::coalesce => BinaryOperator::Coalesce,
            Rule::add => BinaryOperator::Add,
            Rule::sub => BinaryOperator::Subtract,
            Rule::mul => BinaryOperator::Multiply,
            Rule::div => BinaryOperator::Divide,
            _ => BinaryOperator::Remainder,
        };
        let chains = |side: &Expr| matches!(&side.node, Node::Binary(o, ..) if o.is_comparison());
        if binary.is_comparison() && (chains(&left) || chains(&right)) {
            let text = |expr: &Expr| {
                let from = expr.span.start.checked_sub(self.base)?;
                operator
                    .get_input()
                    .get(from..expr.span.end.checked_sub(self.base)?)
            };
            return Err(Box::new(hint::chained(&left, binary, &right, &text)));
        }
        let node = Node::Binary(binary, Box::new(left), Box::new(right));
        Ok((Expr { node, span }, depth))
    }

    fn primary(&self, pair: Pair<Rule>) -> Built<Expr> {
        let span = self.trimmed(&pair);
        let node = match pair.as_rule() {
            Rule::quantity => self.quantity(pair)?,
            Rule::string => Node::String(self.string(pair)?),
            Rule::rstring => Node::String(
                pair.into_inner()
                    .map(|raw| raw.as_str().to_owned())
                    .collect(),
            ),
            Rule::fstring => Node::Format(self.format(pair)?),
            Rule::boolean => Node::Bool(pair.as_str() == "true"),
            Rule::null => Node::Null,
            Rule::choice => {
                let mut parts = words(pair);
                let condition = Box::new(self.expr(next(&mut parts)?)?);
                let then = Box::new(self.expr(next(&mut parts)?)?);
                let otherwise = Box::new(self.expr(next(&mut parts)?)?);
                Node::If(condition, then, otherwise)
            }
            Rule::variable => Node::Scalar(self.name(&only(pair)?)),
            Rule::call => {
                let mut parts = pair.into_inner();
                let function = self.name(&next(&mut parts)?);
                let arguments = parts
                    .map(|argument| self.argument(argument))
                    .collect::<Built<_>>()?;
                Node::Call(function, arguments)
            }
            Rule::list => Node::List(
                pair.into_inner()
                    .map(|item| self.expr(item))
                    .collect::<Built<_>>()?,
            ),
            Rule::map => {
                let mut entries = Vec::new();
                for entry in pair.into_inner() {
                    let mut parts = entry.into_inner();
                    let key = next(&mut parts)?;
                    let key = match key.as_rule() {
                        Rule::string => Name {
                            span: self.span(&key),
                            quoted: true,
                            text: self.string(key)?,
                        },
                        _ => self.name(&key),
                    };
                    entries.push((key, self.expr(next(&mut parts)?)?));
                }
                Node::Map(entries)
            }
            Rule::group => return self.group(pair),
            _ => Node::Column(pair.into_inner().map(|name| self.name(&name)).collect()),
        };
        Ok(Expr { node, span })
    }

    /// An expression or pipeline in parentheses.
    fn group(&self, pair: Pair<Rule>) -> Built<Expr> {
        let span = self.trimmed(&pair);
        let mut pairs = words(pair);
        let first = next(&mut pairs)?;
        let head = match first.as_rule() {
            Rule::stage => Head::Stage(self.stage(first)?),
            _ => {
                let expr = self.expr(first)?;
                let mut rest = pairs.clone();
                if rest.next().is_none() {
                    let node = Node::Group(Box::new(expr));
                    return Ok(Expr { node, span });
                }
                self.head_of(expr)
            }
        };
        let stages = pairs.map(|stage| self.stage(stage)).collect::<Built<_>>()?;
        let pipeline = Pipeline { head, stages, span };
        let node = Node::Subquery(Box::new(pipeline));
        Ok(Expr { node, span })
    }

    fn quantity(&self, pair: Pair<Rule>) -> Built<Node> {
        let span = self.span(&pair);
        let mut parts = pair.into_inner();
        let number = next(&mut parts)?.as_str().replace('_', "");
        let Some(unit) = parts.next() else {
            return Ok(Node::Number(number));
        };
        let unit = unit.as_str();
        if let Some(time) = TimeUnit::from_name(unit) {
            return Ok(Node::Time(number, time));
        }
        let float: f64 = number.parse().unwrap_or(f64::INFINITY);
        if let Some(length) = LengthUnit::from_name(unit) {
            return Ok(Node::Length(Length {
                number: float,
                unit: length,
            }));
        }
        if unit == "%" {
            let share = match Decimal::parse(&number) {
                Some(d) if d.exponent.unsigned_abs() < 64 => {
                    Decimal::new(d.digits, d.exponent - 2).to_string()
                }
                // Written out it would be as long as its exponent says.
                Some(d) => format!("{}e{}", d.digits, d.exponent.saturating_sub(2)),
                // More digits than are kept exactly, or an exponent that no float has.
                None if !number.contains(['e', 'E']) => format!("{number}e-2"),
                None if float.is_finite() => format!("{:e}", float / 100.0),
                None => number,
            };
            // A share is always a float, so it keeps a point.
            return Ok(Node::Number(if share.contains(['.', 'e', 'E']) {
                share
            } else {
                format!("{share}.0")
            }));
        }
        if let Some(size) = SizeUnit::from_name(unit) {
            let bytes = Decimal::parse(&number)
                .and_then(|d| d.times_exact(i128::from(size.bytes)))
                .and_then(|bytes| i64::try_from(bytes).ok());
            return bytes.map(Node::Size).ok_or_else(|| {
                Box::new(
                    Diag::error(&code::INVALID_VALUE, "not a whole number of bytes")
                        .at(span, "this size"),
                )
            });
        }
        Err(Box::new(hint::unknown_unit(&number, unit, span)))
    }

    fn string(&self, pair: Pair<Rule>) -> Built<String> {
        let mut text = String::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::escape => text.push(self.escape(&part)?),
                _ => text.push_str(part.as_str()),
            }
        }
        Ok(text)
    }

    fn escape(&self, pair: &Pair<Rule>) -> Built<char> {
        match pair.as_str() {
            "\\n" => Ok('\n'),
            "\\t" => Ok('\t'),
            "\\\\" => Ok('\\'),
            "\\\"" => Ok('"'),
            unicode => {
                let digits = unicode.trim_start_matches("\\u{").trim_end_matches('}');
                u32::from_str_radix(digits, 16)
                    .ok()
                    .and_then(char::from_u32)
                    .ok_or_else(|| {
                        Box::new(
                            Diag::error(&code::SYNTAX, format!("`{unicode}` is no character"))
                                .at(self.span(pair), "this escape"),
                        )
                    })
            }
        }
    }

    fn format(&self, pair: Pair<Rule>) -> Built<Vec<FormatPart>> {
        let mut parts: Vec<FormatPart> = Vec::new();
        for part in pair.into_inner() {
            let text = match part.as_rule() {
                Rule::hole => {
                    let inner = only(only(part)?)?;
                    parts.push(FormatPart::Hole(self.expr(inner)?));
                    continue;
                }
                Rule::brace => part.as_str()[..1].to_owned(),
                Rule::escape => self.escape(&part)?.to_string(),
                _ => part.as_str().to_owned(),
            };
            match parts.last_mut() {
                Some(FormatPart::Text(last)) => last.push_str(&text),
                _ => parts.push(FormatPart::Text(text)),
            }
        }
        Ok(parts)
    }
}

/// A lone column as the head of a pipeline.
pub fn column_head(expr: &Expr) -> Option<Stage> {
    let Node::Column(names) = &expr.node else {
        return None;
    };
    let (first, path) = names.split_first()?;
    Some(Stage {
        verb: first.clone(),
        path: path.to_vec(),
        arguments: Vec::new(),
        by: Vec::new(),
        by_span: None,
        span: expr.span,
    })
}

/// The inner pairs without keywords and operators' helper rules.
type Words<'a> = std::iter::Filter<Pairs<'a, Rule>, fn(&Pair<'a, Rule>) -> bool>;

fn words(pair: Pair<'_, Rule>) -> Words<'_> {
    fn wanted(pair: &Pair<'_, Rule>) -> bool {
        !matches!(
            pair.as_rule(),
            Rule::kw_let
                | Rule::kw_param
                | Rule::kw_def
                | Rule::kw_use
                | Rule::kw_for
                | Rule::kw_in
                | Rule::kw_if
                | Rule::kw_then
                | Rule::kw_else
                | Rule::kw_by
        )
    }
    pair.into_inner()
        .filter(wanted as fn(&Pair<'_, Rule>) -> bool)
}

fn next<'a>(pairs: &mut impl Iterator<Item = Pair<'a, Rule>>) -> Built<Pair<'a, Rule>> {
    pairs.next().ok_or_else(broken_shape)
}

fn only(pair: Pair<'_, Rule>) -> Built<Pair<'_, Rule>> {
    next(&mut pair.into_inner())
}

/// The grammar and this file disagree: a bug, said instead of a panic.
fn broken_shape() -> Box<Diag> {
    Box::new(Diag::error(
        &code::INTERNAL,
        "the parser met a shape it does not know",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes and messages of the mistakes; every span lies in the text.
    fn mistakes(text: &str) -> Vec<(&'static str, String)> {
        let diags = parse(text, 0).diags;
        for label in diags.iter().flat_map(|diag| &diag.labels) {
            assert!(
                text.get(label.span.start..label.span.end).is_some(),
                "{text:?}: {label:?}"
            );
        }
        diags
            .into_iter()
            .map(|diag| (diag.code.name, diag.message))
            .collect()
    }

    #[test]
    fn a_mistake_that_the_grammar_meets_again_and_again_takes_no_time() {
        let nested = [
            format!("{}x y", "(f - ".repeat(60)),
            "for a in b {\n".repeat(60),
            format!("{}{}", "for a in b {\n".repeat(40), "} x\n".repeat(40)),
        ];
        for text in nested {
            let codes: Vec<&str> = mistakes(&text).iter().map(|(code, _)| *code).collect();
            assert_eq!(codes, ["too_deep"], "{text}");
            assert_eq!(completeness(&text), Completeness::Whole);
        }
    }

    #[test]
    fn brackets_and_operators_count_together() {
        let sums = |levels: usize| {
            let sum = ["a"; 20].join("+");
            format!(
                "let x = {}1{}",
                format!("({sum}+").repeat(levels),
                ")".repeat(levels)
            )
        };
        assert_eq!(mistakes(&sums(100))[0].0, "too_deep");
        let plain = format!("let x = {}1{}", "(".repeat(199), ")".repeat(199));
        assert_eq!(mistakes(&plain), []);
        let neighbours = format!(
            "let x = [{}]",
            [sums(9).replace("let x = ", "").as_str(); 50].join(", ")
        );
        assert_eq!(mistakes(&neighbours), []);
    }

    #[test]
    fn shares_of_any_size() {
        let share = |text: &str| match parse(text, 0).script.statements.pop().map(|s| s.kind) {
            Some(StatementKind::Show(Bound::Expr(Expr {
                node: Node::Number(number),
                ..
            }))) => number,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(share("5%"), "0.05");
        assert_eq!(share("500%"), "5.0");
        assert_eq!(share("1e70%"), "1e68");
        assert_eq!(share("1e-70000%"), "1e-70002");
        // Too large for a float: the checker says so.
        assert_eq!(share("1e2000000000%"), "1e1999999998");
        assert_eq!(share("1e9999999999%"), "1e9999999999");
        // More digits than are kept exactly.
        let zeros = "0".repeat(50);
        assert_eq!(share(&format!("1.{zeros}%")), format!("1.{zeros}e-2"));
    }

    #[test]
    fn mistakes_behind_letters_of_many_bytes() {
        for text in [
            "\"é",
            "a \u{a0}?",
            "`é` `é",
            "é//",
            "\u{feff}(é",
            "\u{feff}",
        ] {
            mistakes(text);
        }
    }
}
