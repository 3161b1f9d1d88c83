//! What is wanted at the cursor, told by the parser: a marker is put where the cursor stands, the text is
//! closed and parsed, and the place where the marker turns up in the tree says what could be there.
//!
//! No verb, option or function is known here; names belong to the registries.

use crate::lang::ast::{
    BinaryOperator, Bound, Expr, FormatPart, Head, Name, Node, Pipeline, Stage, Statement,
    StatementKind, UsePath,
};
use crate::lang::parse;

/// A name nobody writes.
const MARKER: &str = "_the_cursor_is_here_";

/// Texts longer than this get no completion: parsing them at each key would be felt.
const LIMIT: usize = 20_000;

/// What could stand at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The start of a pipeline or expression.
    Head,
    /// A verb after a pipe.
    Verb,
    /// A positional argument by its index. `direct` where nothing stands beside it, so that the name of
    /// an option could too.
    Positional { index: usize, direct: bool },
    /// Only the name of an option, or `by`: an argument stands before it without a comma.
    OptionName,
    /// The value of an option.
    Value { option: String },
    /// A key of `by`.
    Key,
    /// `$name`.
    Scalar,
    /// Inside a string that is an argument: the positional's index or the option's name.
    Text { argument: Result<usize, String> },
    /// A relation of this binding.
    Relation { binding: String },
    /// An expression outside any stage.
    Expression,
    /// Behind `use `: a name of the library, or a file where a quote is open.
    Use { quoted: bool },
}

/// The stage the cursor stands in, as far as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// Its verb.
    pub(super) verb: String,
    /// Options given elsewhere in it.
    pub(super) options: Vec<String>,
    /// Positionals given elsewhere in it.
    pub(super) positionals: usize,
    /// Whether it has a `by`.
    pub(super) by: bool,
}

/// The cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// The byte where what is typed begins.
    pub(super) start: usize,
    /// What is typed of it so far.
    pub(super) typed: String,
    /// What could stand there.
    pub(super) place: Place,
    /// The pipeline before the stage; None in a head.
    pub(super) before: Option<String>,
    /// The stage.
    pub(super) stage: Option<Written>,
    /// The function whose argument it is.
    pub(super) function: Option<String>,
    /// The column it is compared with.
    pub(super) compared: Option<String>,
}

/// What is wanted at the end of `text`.
pub(super) fn at_end(text: &str) -> Option<Spot> {
    if text.len() > LIMIT {
        return None;
    }
    // A line that begins with a pipe goes on from the last result.
    const LAST: &str = "it ";
    let continued = text.trim_start().starts_with('|');
    let whole = if continued {
        format!("{LAST}{text}")
    } else {
        text.to_owned()
    };
    let closing = closing(&whole);
    let endings = ["", " = 0", "\"", "`", " then 0 else 0", " else 0"];
    for ending in endings {
        let marked = format!("{whole}{MARKER}{ending}{closing}");
        let parsed = parse::parse(&marked, 0);
        let mut finder = Finder {
            text: &marked,
            end: whole.len(),
            context: Context::default(),
        };
        if let Some(mut spot) = parsed
            .script
            .statements
            .iter()
            .find_map(|s| finder.statement(s))
        {
            if continued {
                spot.start = spot.start.saturating_sub(LAST.len());
            }
            return Some(spot);
        }
    }
    None
}

/// The brackets that are open at the end of a text, closed.
pub(super) fn closing(text: &str) -> String {
    open_at_end(text).0.into_iter().rev().collect()
}

/// True where a text in quotes is open at the end. It cannot go on in the next line.
pub(super) fn ends_in_quotes(text: &str) -> bool {
    open_at_end(text).1
}

/// What closes the open brackets, from the outermost, and whether quotes are open.
fn open_at_end(text: &str) -> (Vec<char>, bool) {
    let mut open = Vec::new();
    let (mut string, mut comment, mut escaped) = (false, false, false);
    let (mut raw, mut before) = (false, ' ');
    for c in text.chars() {
        match c {
            '\n' | '\r' => (string, comment, escaped) = (false, false, false),
            _ if comment => {}
            _ if escaped => escaped = false,
            '\\' if string && !raw => escaped = true,
            '"' => (string, raw) = (!string, before == 'r'),
            _ if string => {}
            '#' => comment = true,
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' => {
                open.pop();
            }
            _ => {}
        }
        before = c;
    }
    (open, string)
}

/// Where the search stands.
#[derive(Clone, Default)]
struct Context {
    place: Option<Place>,
    before: Option<String>,
    stage: Option<Written>,
    function: Option<String>,
    compared: Option<String>,
}

struct Finder<'a> {
    text: &'a str,
    /// Where the cursor stands.
    end: usize,
    context: Context,
}

impl Finder<'_> {
    fn spot(&self, start: usize, place: Place) -> Option<Spot> {
        Some(Spot {
            start,
            typed: self.text.get(start..self.end)?.to_owned(),
            place,
            before: self.context.before.clone(),
            stage: self.context.stage.clone(),
            function: self.context.function.clone(),
            compared: self.context.compared.clone(),
        })
    }

    fn statement(&mut self, statement: &Statement) -> Option<Spot> {
        self.context = Context::default();
        match &statement.kind {
            StatementKind::Show(bound) => self.bound(bound),
            StatementKind::Let { value, .. } => self.bound(value),
            StatementKind::Param { default, .. } => self.expr(default),
            StatementKind::Def { body, .. } => self.pipeline(body),
            StatementKind::Use { path } => self.library(path, statement.span.start),
            StatementKind::For { list, body, .. } => self
                .expr(list)
                .or_else(|| body.iter().find_map(|statement| self.statement(statement))),
        }
    }

    /// The paths of `use` have no place of their own in the tree.
    fn library(&self, path: &UsePath, start: usize) -> Option<Spot> {
        let quoted = match path {
            UsePath::File(file) => file.contains(MARKER).then_some(true)?,
            UsePath::Library(names) => !names.iter().any(|name| name.contains(MARKER)),
        };
        let written = self.text.get(start..self.end)?.strip_prefix("use")?;
        let typed = written
            .trim_start()
            .trim_start_matches(if quoted { "\"" } else { " " });
        let is_marked = quoted == matches!(path, UsePath::File(_));
        is_marked.then(|| self.spot(self.end - typed.len(), Place::Use { quoted }))?
    }

    fn bound(&mut self, bound: &Bound) -> Option<Spot> {
        match bound {
            Bound::Pipeline(pipeline) => self.pipeline(pipeline),
            Bound::Expr(expr) => self.head(expr),
        }
    }

    /// An expression where data may stand.
    fn head(&mut self, expr: &Expr) -> Option<Spot> {
        match &expr.node {
            Node::Column(names) if names.len() == 1 => {
                let name = names.first().filter(|name| is_marked(name))?;
                self.spot(name.span.start, Place::Head)
            }
            Node::Group(inner) => self.head(inner),
            _ => self.expr(expr),
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Option<Spot> {
        let outer = self.context.clone();
        self.context = Context::default();
        let found = match &pipeline.head {
            Head::Stage(stage) if is_marked(&stage.verb) => {
                self.spot(stage.verb.span.start, Place::Head)
            }
            Head::Stage(stage) => match stage.path.iter().find(|name| is_marked(name)) {
                Some(name) => {
                    let binding = stage.verb.text.clone();
                    self.spot(name.span.start, Place::Relation { binding })
                }
                None => self.stage(stage),
            },
            Head::Nested(inner) => self.pipeline(inner),
            Head::Expr(expr) => self.head(expr),
        };
        // The span of a pipeline in parentheses may begin with the bracket.
        let start = match &pipeline.head {
            Head::Stage(stage) => stage.span.start,
            Head::Nested(_) | Head::Expr(_) => pipeline.span.start,
        };
        let found = found.or_else(|| {
            pipeline.stages.iter().find_map(|stage| {
                let before = self.text.get(start..stage.span.start)?;
                self.context.before = Some(before.trim_end().trim_end_matches('|').to_owned());
                if is_marked(&stage.verb) {
                    // The stage before it is done.
                    self.context.stage = None;
                    return self.spot(stage.verb.span.start, Place::Verb);
                }
                self.stage(stage)
            })
        });
        self.context = outer;
        found
    }

    fn stage(&mut self, stage: &Stage) -> Option<Spot> {
        let mut written = Written {
            verb: stage.verb.text.clone(),
            by: !stage.by.is_empty(),
            ..Written::default()
        };
        let holds = |expr: &Expr| {
            self.text
                .get(expr.span.start..expr.span.end)
                .is_none_or(|t| t.contains(MARKER))
        };
        for argument in &stage.arguments {
            match &argument.name {
                Some(name) if is_marked(name) || holds(&argument.value) => {}
                Some(name) => written.options.push(name.text.clone()),
                None if holds(&argument.value) => {}
                None => written.positionals += 1,
            }
        }
        self.context.stage = Some(written);
        let mut index = 0;
        for argument in &stage.arguments {
            let name = argument.name.as_ref();
            if let Some(name) = name.filter(|name| is_marked(name)) {
                return self.spot(name.span.start, Place::OptionName);
            }
            let direct = matches!(&argument.value.node, Node::Column(names) if names.len() == 1);
            self.context.place = Some(match name {
                Some(name) => Place::Value {
                    option: name.text.clone(),
                },
                None => Place::Positional { index, direct },
            });
            if let Some(spot) = self.expr(&argument.value) {
                return Some(spot);
            }
            index += usize::from(name.is_none());
        }
        self.context.place = Some(Place::Key);
        stage.by.iter().find_map(|key| self.expr(&key.value))
    }

    fn expr(&mut self, expr: &Expr) -> Option<Spot> {
        match &expr.node {
            Node::Column(names) => match names.as_slice() {
                [name] if is_marked(name) => {
                    let place = self.context.place.clone().unwrap_or(Place::Expression);
                    self.spot(name.span.start, place)
                }
                [first, name] if is_marked(name) => {
                    let binding = first.text.clone();
                    self.spot(name.span.start, Place::Relation { binding })
                }
                _ => None,
            },
            Node::Scalar(name) if is_marked(name) => self.spot(name.span.start, Place::Scalar),
            Node::String(text) if text.contains(MARKER) => {
                let quote = self.text.get(expr.span.start..)?.find('"')?;
                let argument = match &self.context.place {
                    Some(Place::Positional { index, .. }) => Ok(*index),
                    Some(Place::Value { option }) => Err(option.clone()),
                    // A key of `by` and the like: only what it is compared with says what fits.
                    _ => Err(String::new()),
                };
                self.spot(expr.span.start + quote + 1, Place::Text { argument })
            }
            Node::Call(name, arguments) => {
                let outer = self.context.function.replace(name.text.clone());
                if let Some(Place::Positional { direct, .. }) = &mut self.context.place {
                    *direct = false;
                }
                let found = arguments
                    .iter()
                    .find_map(|argument| self.expr(&argument.value));
                self.context.function = outer;
                found
            }
            Node::Subquery(pipeline) => self.pipeline(pipeline),
            Node::Group(inner) | Node::Unary(_, inner) => self.expr(inner),
            Node::List(items) => items.iter().find_map(|item| self.expr(item)),
            Node::Map(entries) => entries.iter().find_map(|(_, item)| self.expr(item)),
            Node::Binary(operator, left, right) => self.expr(left).or_else(|| {
                use BinaryOperator::{Equal, In, NotEqual, NotIn};
                let column = match &left.node {
                    Node::Column(names) if matches!(operator, Equal | NotEqual | In | NotIn) => {
                        let names: Vec<&str> =
                            names.iter().map(|name| name.text.as_str()).collect();
                        Some(names.join("."))
                    }
                    _ => None,
                };
                let outer = std::mem::replace(&mut self.context.compared, column);
                let found = self.expr(right);
                self.context.compared = outer;
                found
            }),
            Node::Range(low, high) => [low, high]
                .into_iter()
                .flatten()
                .find_map(|side| self.expr(side)),
            Node::If(condition, then, otherwise) => [condition, then, otherwise]
                .into_iter()
                .find_map(|part| self.expr(part)),
            Node::Format(parts) => parts.iter().find_map(|part| match part {
                FormatPart::Hole(expr) => self.expr(expr),
                FormatPart::Text(_) => None,
            }),
            _ => None,
        }
    }
}

fn is_marked(name: &Name) -> bool {
    name.text.contains(MARKER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> (Place, String) {
        let spot = at_end(text).unwrap_or_else(|| panic!("nothing at the end of {text:?}"));
        (spot.place, spot.typed)
    }

    fn positional(index: usize, direct: bool) -> Place {
        Place::Positional { index, direct }
    }

    #[test]
    fn heads_and_verbs() {
        assert_eq!(place(""), (Place::Head, String::new()));
        assert_eq!(place("let a = lo"), (Place::Head, "lo".to_owned()));
        assert_eq!(place("load \"x\" | agg"), (Place::Verb, "agg".to_owned()));
        assert_eq!(place("| plot-st"), (Place::Verb, "plot-st".to_owned()));
        assert_eq!(place("let t = (ru"), (Place::Head, "ru".to_owned()));
        assert_eq!(
            place("broken ==\nload \"x\" | "),
            (Place::Verb, String::new())
        );
    }

    #[test]
    fn arguments() {
        assert_eq!(place("x | sort "), (positional(0, true), String::new()));
        assert_eq!(
            place("x | sort a, -b"),
            (positional(1, false), "b".to_owned())
        );
        assert_eq!(
            place("x | aggregate 1ms ma"),
            (Place::OptionName, "ma".to_owned())
        );
        assert_eq!(
            place("x | plot order="),
            (
                Place::Value {
                    option: "order".to_owned()
                },
                String::new()
            )
        );
        assert_eq!(
            place("x | filter end-st"),
            (positional(0, false), "st".to_owned())
        );
        assert_eq!(
            place("x | filter (a == b and (c"),
            (positional(0, false), "c".to_owned())
        );
        assert_eq!(
            place("x | summarize max(e"),
            (positional(0, false), "e".to_owned())
        );
        assert_eq!(
            place("x | summarize count() by v"),
            (Place::Key, "v".to_owned())
        );
    }

    #[test]
    fn names_and_texts() {
        assert_eq!(place("x | take $n"), (Place::Scalar, "n".to_owned()));
        assert_eq!(
            place("load \"dir/fi"),
            (Place::Text { argument: Ok(0) }, "dir/fi".to_owned())
        );
        assert_eq!(
            place("run.li"),
            (
                Place::Relation {
                    binding: "run".to_owned()
                },
                "li".to_owned()
            )
        );
        assert_eq!(at_end("x # comment"), None);
    }

    #[test]
    fn comparisons_and_uses() {
        for text in [
            "x | filter value == ",
            "x | filter a > 1 and value == \"co",
            "x | filter value in [\"a\", \"b",
            "x | filter value not in [",
            "x | summarize count() by value == \"a",
        ] {
            let spot = at_end(text).unwrap_or_else(|| panic!("nothing at the end of {text:?}"));
            assert_eq!(spot.compared.as_deref(), Some("value"), "{text}");
        }
        let spot = at_end("x | filter value == \"a\" and ").expect("a spot");
        assert_eq!(spot.compared, None);
        assert_eq!(place("use "), (Place::Use { quoted: false }, String::new()));
        assert_eq!(
            place("use std.ga"),
            (Place::Use { quoted: false }, "std.ga".to_owned())
        );
        assert_eq!(
            place("1\nuse \"li/b"),
            (Place::Use { quoted: true }, "li/b".to_owned())
        );
    }

    #[test]
    fn the_pipeline_before_the_stage() {
        let spot = at_end("let t = (run | filter a == 1 | sort b").expect("a spot");
        assert_eq!(spot.before.as_deref(), Some("run | filter a == 1 "));
        assert_eq!(spot.stage.expect("a stage").verb, "sort");
        let spot = at_end("| sort b").expect("a spot");
        assert_eq!((spot.start, spot.before.as_deref()), (7, Some("it ")));
    }
}
