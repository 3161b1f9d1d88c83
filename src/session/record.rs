//! The inputs of the REPL that succeeded, as a script that gives the same results.
//!
//! What a line goes on from is a name there: `it` is bound where a later line uses it. A file that was saved several times
//! is saved once, by the last.

use crate::lang::ast::{Bound, Node, Pipeline, Statement, StatementKind, UsePath};
use crate::spec::Section;
use crate::verb;
use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

/// What `it` is after a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    /// What it was before.
    Nothing,
    /// A trace, table or figure.
    Data,
    /// A scalar.
    Scalar,
}

/// A statement that succeeded.
#[derive(Clone, Debug)]
struct Entry {
    /// As it was written.
    text: String,
    gives: Gives,
    /// The stages that write, print or assert, with the pipe before each: places in the text, and what is saved.
    outcomes: Vec<(Range<usize>, Option<String>)>,
    /// It writes, prints or asserts, so that it shows nothing else.
    is_silent: bool,
    /// The file that a `use` names.
    used: Option<String>,
    /// The parameter that it declares.
    parameter: Option<String>,
}

/// The statements that succeeded, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    entries: Vec<Entry>,
}

impl Record {
    /// Adds a statement of `input`.
    pub(super) fn add(
        &mut self,
        input: &str,
        statement: &Statement,
        gives: Gives,
        is_silent: bool,
    ) {
        let span = statement.span;
        let mut text = input
            .get(span.start..span.end)
            .unwrap_or_default()
            .to_owned();
        let mut parameter = None;
        match &statement.kind {
            StatementKind::Param {
                name,
                default,
                help,
            } => {
                let value = input.get(default.span.start..default.span.end);
                let value = value.unwrap_or_default();
                let declared = |entry: &Entry| entry.parameter.as_ref() == Some(&name.text);
                // A script declares a parameter once; a second value is a `let` there.
                text = if self.entries.iter().any(declared) {
                    format!("let {} = {value}", name.text)
                } else {
                    let help = help
                        .as_ref()
                        .map_or(String::new(), |help| format!("  # {help}"));
                    format!("param {} = {value}{help}", name.text)
                };
                parameter = Some(name.text.clone());
            }
            StatementKind::Def {
                help: Some(help), ..
            } => {
                let lines: String = help.lines().map(|line| format!("# {line}\n")).collect();
                text = lines + &text;
            }
            _ => {}
        }
        let outcomes = match &statement.kind {
            StatementKind::Show(Bound::Pipeline(pipeline)) => {
                outcomes(&text, pipeline, span.start, input)
            }
            _ => Vec::new(),
        };
        let used = match &statement.kind {
            StatementKind::Use {
                path: UsePath::File(path),
            } => Some(path.clone()),
            _ => None,
        };
        self.entries.push(Entry {
            text,
            gives,
            outcomes,
            is_silent,
            used,
            parameter,
        });
    }

    /// The script. `next` is an input that is about to run behind it; `folder` is where the script will stand, if not in the
    /// current folder: what it uses is named from there.
    pub(super) fn script(&self, next: &str, folder: Option<&Path>) -> String {
        let mut saved: HashSet<&str> = HashSet::new();
        let mut superseded: Vec<Vec<usize>> = vec![Vec::new(); self.entries.len()];
        for (entry, out) in self.entries.iter().zip(&mut superseded).rev() {
            for (index, (_, path)) in entry.outcomes.iter().enumerate().rev() {
                if let Some(path) = path
                    && !saved.insert(path)
                {
                    out.push(index);
                }
            }
        }
        let mut out = String::new();
        for (index, (entry, superseded)) in self.entries.iter().zip(&superseded).enumerate() {
            let later = self.entries.get(index + 1..).unwrap_or_default();
            entry.write(superseded, is_needed(later, next), folder, &mut out);
        }
        out
    }
}

/// True where a line uses `it` before it is bound anew.
fn is_needed(later: &[Entry], next: &str) -> bool {
    for entry in later {
        if has_word(&entry.text, "it") {
            return true;
        }
        if entry.gives != Gives::Nothing {
            return false;
        }
    }
    has_word(next, "it")
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text
            .get(at + word.len()..)
            .and_then(|after| after.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

impl Entry {
    fn write(
        &self,
        superseded: &[usize],
        is_needed: bool,
        folder: Option<&Path>,
        out: &mut String,
    ) {
        let mut line = |text: &str| {
            out.push_str(text);
            out.push('\n');
        };
        if let (Some(path), Some(folder)) = (&self.used, folder) {
            line(&format!(
                "use {}",
                crate::spec::Value::String(moved(path, folder)).literal()
            ));
            return;
        }
        match self.gives {
            Gives::Scalar if is_needed => line(&format!("let it = {}\n$it", self.text)),
            Gives::Data if is_needed && !self.is_silent => {
                line(&format!("let it = {}\nit", self.text));
            }
            // The stages that act are inside a definition and cannot be taken out.
            Gives::Data if is_needed && self.outcomes.is_empty() => {
                line(&format!("let it = {}", self.text));
            }
            _ => {
                if superseded.len() < self.outcomes.len() || self.outcomes.is_empty() {
                    line(&self.without(|index| superseded.contains(&index)));
                }
                if self.gives == Gives::Data && is_needed {
                    line(&format!("let it = {}", self.without(|_| true)));
                }
            }
        }
    }

    /// The text without some of its outcomes.
    fn without(&self, taken: impl Fn(usize) -> bool) -> String {
        let mut out = String::new();
        let mut from = 0;
        for (index, (range, _)) in self.outcomes.iter().enumerate() {
            if taken(index) {
                out.push_str(
                    self.text
                        .get(from..range.start)
                        .unwrap_or_default()
                        .trim_end(),
                );
                from = range.end;
            }
        }
        out.push_str(self.text.get(from..).unwrap_or_default());
        out
    }
}

/// The path of a file from another folder. Nothing is known of how the folders will move, so it is the whole path.
fn moved(path: &str, folder: &Path) -> String {
    if folder.as_os_str().is_empty() || Path::new(path).is_absolute() {
        return path.to_owned();
    }
    std::path::absolute(path).map_or_else(
        |_| path.to_owned(),
        |path| path.to_string_lossy().into_owned(),
    )
}

/// The stages of a pipeline that act, with the pipe before each.
fn outcomes(
    text: &str,
    pipeline: &Pipeline,
    start: usize,
    input: &str,
) -> Vec<(Range<usize>, Option<String>)> {
    let mut out = Vec::new();
    for stage in &pipeline.stages {
        let is_outcome = verb::find(&stage.verb.text)
            .is_some_and(|verb| verb.spec().section == Section::Outcome);
        let (Some(from), Some(to)) = (
            stage.span.start.checked_sub(start),
            stage.span.end.checked_sub(start),
        ) else {
            continue;
        };
        let pipe = text.get(..from).and_then(|before| before.rfind('|'));
        if let (true, Some(pipe)) = (is_outcome, pipe) {
            let path = stage
                .arguments
                .iter()
                .find(|argument| argument.name.is_none());
            let path = path
                .filter(|_| stage.verb.text == "save")
                .and_then(|argument| match &argument.value.node {
                    Node::String(path) => Some(path.clone()),
                    _ => input
                        .get(argument.value.span.start..argument.value.span.end)
                        .map(ToOwned::to_owned),
                });
            out.push((pipe..to, path));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::parse;

    /// A record of inputs of one statement; `$` before one makes its result a scalar, `!` nothing.
    fn record(inputs: &[&str]) -> Record {
        let mut record = Record::default();
        for input in inputs {
            let (gives, text) = match input.split_at(1) {
                ("$", text) => (Gives::Scalar, text),
                ("!", text) => (Gives::Nothing, text),
                _ => (Gives::Data, *input),
            };
            let parsed = parse::parse(text, 0);
            let is_silent = ["| save", "| print", "| assert"]
                .iter()
                .any(|stage| text.contains(stage));
            for statement in &parsed.script.statements {
                record.add(text, statement, gives, is_silent);
            }
        }
        record
    }

    fn script(inputs: &[&str]) -> String {
        record(inputs).script("", None)
    }

    #[test]
    fn it_is_bound_only_where_a_later_line_uses_it() {
        assert_eq!(script(&["run", "run | profile"]), "run\nrun | profile\n");
        assert_eq!(
            script(&["run", "it | profile", "it | take 1", "$1 + 2", "$$it * 2"]),
            "let it = run\nit\nlet it = it | profile\nit\nit | take 1\nlet it = 1 + 2\n$it\n$it * 2\n"
        );
        // A column whose name has the letters is none.
        assert_eq!(
            script(&["run", "run | filter unit == 1"]),
            "run\nrun | filter unit == 1\n"
        );
        assert_eq!(
            record(&["run"]).script("it | take 1", None),
            "let it = run\nit\n"
        );
    }

    #[test]
    fn what_acts_acts_once() {
        assert_eq!(
            script(&["run | save \"a.csv\" | take 1", "it | profile"]),
            "run | save \"a.csv\" | take 1\nlet it = run | take 1\nit | profile\n"
        );
        assert_eq!(
            script(&[
                "run | save \"a.csv\"",
                "run | take 1 | save \"a.csv\"",
                "it | take 2"
            ]),
            "run | take 1 | save \"a.csv\"\nlet it = run | take 1\nit | take 2\n"
        );
        assert_eq!(
            script(&[
                "run | save \"a.csv\" | save \"b.csv\"",
                "run | save \"a.csv\""
            ]),
            "run | save \"b.csv\"\nrun | save \"a.csv\"\n"
        );
    }

    #[test]
    fn definitions_and_parameters_are_kept() {
        assert_eq!(
            script(&[
                "!param n = 3  # how many",
                "!param n = 5",
                "!# The first.\ndef first() = take $n",
                "!for x in [1, 2] {\n    run | take $x\n}",
                "!use \"lib.marey\"",
                "!use std.gantt",
            ]),
            "param n = 3  # how many\nlet n = 5\n# The first.\ndef first() = take $n\nfor x in [1, 2] {\n    run | take $x\n}\nuse \"lib.marey\"\nuse std.gantt\n"
        );
        let elsewhere = record(&["!use \"lib.marey\""]).script("", Some(Path::new("saved")));
        let place = std::path::absolute("lib.marey").expect("a folder");
        assert_eq!(elsewhere, format!("use \"{}\"\n", place.display()));
    }
}
