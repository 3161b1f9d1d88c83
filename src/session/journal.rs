//! The statements of the REPL that succeeded, and the script they make: run, it gives what the session gave.
//!
//! The last result is a name in that script only where something goes on from it. A path is written once in a
//! script, so of several `save` stages for one path, typed at different times, the last one stays.

use crate::diag::Span;
use crate::lang::ast::{self, Bound, Head, StatementKind, UsePath};
use crate::lang::plan::{Pipeline, Source, StageCall, Step};
use crate::spec::{Section, Value};
use crate::verb::{self, outcome::save};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// The name of the last result.
pub(super) const LAST: &str = "it";

/// A statement that was typed.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    text: String,
    kind: Kind,
    stages: Vec<WrittenStage>,
    shows: Vec<Shown>,
    saves: Vec<Saved>,
}

#[derive(Clone, Debug)]
enum Kind {
    /// Its result is `it`, or `$it` where it is a scalar.
    Show {
        scalar: bool,
        /// A stage of a definition writes, prints or asserts.
        has_inner_outcome: bool,
    },
    Param {
        name: String,
        value: String,
        help: Option<String>,
    },
    /// A file, where it is as seen from the current folder, and the folder it was written relative to.
    Use {
        file: PathBuf,
        from: PathBuf,
    },
    Def {
        help: Option<String>,
    },
    /// `let`, `for`, `use` of the library.
    Other,
}

/// A stage as it is written in the text.
#[derive(Clone, Debug)]
struct WrittenStage {
    span: Range<usize>,
    /// With the pipe before it.
    cut: Range<usize>,
    is_outcome: bool,
    /// The statement whose result it decides on, among `shows`.
    show: Option<usize>,
}

/// A statement in the text whose result is shown unless an outcome stage does that.
#[derive(Clone, Debug)]
struct Shown {
    span: Range<usize>,
    is_whole: bool,
}

/// A path that a `save` writes.
#[derive(Clone, Debug)]
struct Saved {
    path: String,
    /// The stage, where it stands in the text itself.
    stage: Option<usize>,
}

impl Entry {
    /// A checked statement of `input`, which `name` is the file of; `steps` are those it came to.
    pub(super) fn new(
        statement: &ast::Statement,
        input: &str,
        name: &str,
        steps: &[(Step, Span)],
    ) -> Entry {
        let base = statement.span.start;
        let text = input.get(base..statement.span.end).unwrap_or_default();
        let mut places = Places {
            text,
            base,
            stages: Vec::new(),
            shows: Vec::new(),
        };
        places.statement(statement, true);
        let Places { stages, shows, .. } = places;
        let calls = steps
            .iter()
            .flat_map(|(step, _)| calls_within(step, statement.span));
        let (mut saves, mut hidden_outcomes) = (Vec::new(), false);
        for call in calls {
            let own = call.span.source == statement.span.source;
            let at = call.span.start.saturating_sub(base);
            // The innermost stage there is the last that begins before it.
            let stage = stages
                .iter()
                .rposition(|stage| own && stage.span.contains(&at) && stage.is_outcome);
            let is_outcome = call.verb.section == Section::Outcome;
            hidden_outcomes |= is_outcome && stage.is_none();
            if call.verb.name == save::NAME
                && let Ok(path) = call.arguments.get(&save::PATH)
            {
                saves.push(Saved { path, stage });
            }
        }
        let kind = match &statement.kind {
            StatementKind::Show(_) => Kind::Show {
                scalar: matches!(steps.last(), Some((Step::Scalar(_), _))),
                has_inner_outcome: hidden_outcomes,
            },
            StatementKind::Param {
                name,
                default,
                help,
            } => Kind::Param {
                name: name.text.clone(),
                value: input
                    .get(default.span.start..default.span.end)
                    .unwrap_or_default()
                    .to_owned(),
                help: help.clone(),
            },
            StatementKind::Use {
                path: UsePath::File(written),
            } => {
                let from = folder_of(Path::new(name));
                Kind::Use {
                    file: from.join(written),
                    from,
                }
            }
            StatementKind::Def { help, .. } => Kind::Def { help: help.clone() },
            StatementKind::Use { .. } | StatementKind::Let { .. } | StatementKind::For { .. } => {
                Kind::Other
            }
        };
        Entry {
            text: text.trim_end().to_owned(),
            kind,
            stages,
            shows,
            saves,
        }
    }

    /// True where a word of the text is the name of the last result.
    fn mentions_last(&self) -> bool {
        self.text
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .any(|word| word == LAST)
    }

    /// The text without some stages; None where nothing is left to do but to show what was not shown.
    fn without(&self, dropped: &dyn Fn(usize) -> bool) -> Option<String> {
        let mut cuts: Vec<Range<usize>> = Vec::new();
        for (index, show) in self.shows.iter().enumerate() {
            let mut outcomes = (0..self.stages.len()).filter(|at| {
                self.stages
                    .get(*at)
                    .is_some_and(|stage| stage.is_outcome && stage.show == Some(index))
            });
            let silent = outcomes.clone().next().is_some() && outcomes.all(dropped);
            if silent && show.is_whole {
                return None;
            }
            if silent {
                cuts.push(show.span.clone());
            }
        }
        cuts.extend(
            self.stages
                .iter()
                .enumerate()
                .filter(|(at, _)| dropped(*at))
                .map(|(_, stage)| stage.cut.clone()),
        );
        let left = cut(&self.text, cuts);
        // A loop that does nothing any more.
        let body = left.rsplit_once('{').map(|(_, rest)| rest.trim());
        let is_empty = self.shows.first().is_some_and(|show| !show.is_whole) && body == Some("}");
        (!is_empty).then_some(left)
    }

    /// The data that a shown pipeline comes to, without the stages that write, print or assert.
    fn data(&self) -> String {
        let outcomes = self
            .stages
            .iter()
            .filter(|stage| stage.is_outcome && stage.show == Some(0));
        cut(
            &self.text,
            outcomes.map(|stage| stage.cut.clone()).collect(),
        )
    }
}

/// A text without some of its parts.
fn cut(text: &str, mut parts: Vec<Range<usize>>) -> String {
    parts.sort_by_key(|part| (part.start, part.end));
    let mut out = String::new();
    let mut at = 0;
    for part in parts {
        if part.start >= at {
            out.push_str(text.get(at..part.start).unwrap_or_default());
        }
        at = at.max(part.end);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out.trim_end().to_owned()
}

/// Where the stages and shown statements of a text are.
struct Places<'a> {
    text: &'a str,
    base: usize,
    stages: Vec<WrittenStage>,
    shows: Vec<Shown>,
}

impl Places<'_> {
    fn range(&self, span: Span) -> Range<usize> {
        span.start.saturating_sub(self.base)..span.end.saturating_sub(self.base)
    }

    fn statement(&mut self, statement: &ast::Statement, is_whole: bool) {
        match &statement.kind {
            StatementKind::Show(bound) => {
                self.shows.push(Shown {
                    span: self.range(statement.span),
                    is_whole,
                });
                self.bound(bound, Some(self.shows.len() - 1));
            }
            StatementKind::Let { value, .. } => self.bound(value, None),
            StatementKind::For { body, .. } => {
                for statement in body {
                    self.statement(statement, false);
                }
            }
            StatementKind::Param { .. } | StatementKind::Def { .. } | StatementKind::Use { .. } => {
            }
        }
    }

    fn bound(&mut self, bound: &Bound, show: Option<usize>) {
        if let Bound::Pipeline(pipeline) = bound {
            self.pipeline(pipeline, show);
        }
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline, show: Option<usize>) {
        let mut before = match &pipeline.head {
            Head::Stage(stage) => stage.span.end,
            Head::Nested(inner) => {
                self.pipeline(inner, None);
                inner.span.end
            }
            Head::Expr(expr) => expr.span.end,
        };
        for stage in &pipeline.stages {
            let span = self.range(stage.span);
            let pipe = self.pipe_between(before.saturating_sub(self.base), span.start);
            self.stages.push(WrittenStage {
                cut: pipe..span.end,
                span,
                is_outcome: is_outcome(&stage.verb.text),
                show,
            });
            before = stage.span.end;
        }
    }

    /// The pipe between two stages; one in a comment is none.
    fn pipe_between(&self, from: usize, to: usize) -> usize {
        let mut comment = false;
        for (at, c) in self.text.get(from..to).unwrap_or_default().char_indices() {
            match c {
                '\n' | '\r' => comment = false,
                '#' => comment = true,
                '|' if !comment => return from + at,
                _ => {}
            }
        }
        to
    }
}

fn is_outcome(verb: &str) -> bool {
    verb::find(verb).is_some_and(|verb| verb.spec().section == Section::Outcome)
}

/// The calls of a step that belong to the statement at `span`: not those of the bindings it uses.
fn calls_within(step: &Step, span: Span) -> Vec<&StageCall> {
    let mut out = Vec::new();
    let (Step::Pipeline(pipeline) | Step::LetPipeline(pipeline)) = step else {
        return out;
    };
    let mut pipeline: &Pipeline = pipeline;
    loop {
        out.extend(&pipeline.stages);
        match &pipeline.source {
            Source::Pipeline {
                pipeline: inner, ..
            } if inner.span.source == span.source
                && inner.span.start >= span.start
                && inner.span.end <= span.end =>
            {
                pipeline = inner;
            }
            _ => return out,
        }
    }
}

fn folder_of(file: &Path) -> PathBuf {
    file.parent().map(Path::to_path_buf).unwrap_or_default()
}

/// A session as a script.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// The text.
    pub(super) text: String,
    /// Paths that it writes more than once all the same.
    pub(super) twice: Vec<String>,
}

/// The script of `entries`, for a file in `folder`.
pub(super) fn script(entries: &[Entry], folder: &Path) -> Written {
    let mut out = Written::default();
    let mut declared: Vec<&str> = Vec::new();
    let is_last_used_by_verbs = entries
        .iter()
        .any(|entry| matches!(entry.kind, Kind::Def { .. }) && entry.mentions_last());
    for (at, entry) in entries.iter().enumerate() {
        let later = entries.get(at + 1..).unwrap_or_default();
        let again = |saved: &Saved| {
            later
                .iter()
                .any(|entry| entry.saves.iter().any(|other| other.path == saved.path))
        };
        // A stage goes where all it writes is written again; in a loop it writes several files.
        let dropped = |stage: usize| {
            let mut own = entry
                .saves
                .iter()
                .filter(|saved| saved.stage == Some(stage))
                .peekable();
            own.peek().is_some() && own.all(again)
        };
        for saved in &entry.saves {
            if again(saved) && !saved.stage.is_some_and(dropped) && !out.twice.contains(&saved.path)
            {
                out.twice.push(saved.path.clone());
            }
        }
        let next = later
            .iter()
            .position(|entry| matches!(entry.kind, Kind::Show { .. }))
            .map_or(later.len(), |next| next + 1);
        let goes_on = is_last_used_by_verbs || later.iter().take(next).any(Entry::mentions_last);
        let line = match &entry.kind {
            Kind::Show {
                scalar,
                has_inner_outcome,
            } => shown(entry, &dropped, goes_on, *scalar, *has_inner_outcome),
            Kind::Param { name, value, help } => {
                if declared.contains(&name.as_str()) {
                    // A script declares one once.
                    format!("let {name} = {value}")
                } else {
                    declared.push(name);
                    let help = help
                        .as_ref()
                        .map_or(String::new(), |help| format!("  # {help}"));
                    format!("param {name} = {value}{help}")
                }
            }
            Kind::Use { file, from } => used(&entry.text, file, from, folder),
            Kind::Def { help } => {
                let lines = help.iter().flat_map(|help| help.lines());
                let comment: String = lines.map(|line| format!("# {line}\n")).collect();
                format!("{comment}{}", entry.text)
            }
            Kind::Other => entry.without(&dropped).unwrap_or_default(),
        };
        if !line.is_empty() {
            out.text.push_str(&line);
            out.text.push('\n');
        }
    }
    out
}

/// A statement whose result is shown.
fn shown(
    entry: &Entry,
    dropped: &dyn Fn(usize) -> bool,
    goes_on: bool,
    scalar: bool,
    has_inner_outcome: bool,
) -> String {
    let text = entry.without(dropped);
    if !goes_on || entry.text == LAST {
        return text.unwrap_or_default();
    }
    let has_outcome = entry
        .stages
        .iter()
        .any(|stage| stage.is_outcome && stage.show == Some(0));
    match text {
        // The outcome of a definition comes with the binding, and only once.
        Some(text) if has_inner_outcome => format!("let {LAST} = {text}"),
        Some(text) if has_outcome => format!("{text}\nlet {LAST} = {}", entry.data()),
        Some(text) if scalar => format!("let {LAST} = {text}\n${LAST}"),
        Some(text) => format!("let {LAST} = {text}\n{LAST}"),
        None => format!("let {LAST} = {}", entry.data()),
    }
}

/// A `use` of a file as a script in `folder` writes it.
fn used(text: &str, file: &Path, from: &Path, folder: &Path) -> String {
    if file.is_absolute() && !from.is_absolute() || from == folder {
        return text.to_owned();
    }
    let path = relative(file, folder).or_else(|| std::path::absolute(file).ok());
    match path.as_deref().and_then(Path::to_str) {
        Some(path) => format!("use {}", Value::String(path.to_owned()).literal()),
        None => text.to_owned(),
    }
}

/// The way from a folder to a file.
fn relative(file: &Path, folder: &Path) -> Option<PathBuf> {
    let here = Path::new(".");
    let folder = if folder.as_os_str().is_empty() {
        here
    } else {
        folder
    };
    let folder = std::fs::canonicalize(folder).ok()?;
    let file = std::fs::canonicalize(file).ok()?;
    let common = folder
        .components()
        .zip(file.components())
        .take_while(|(a, b)| a == b)
        .count();
    let mut out: PathBuf = folder
        .components()
        .skip(common)
        .map(|_| Component::ParentDir)
        .collect();
    out.extend(file.components().skip(common));
    Some(out)
}
