//! Diagnostics as data: what went wrong, where, and the nearest right thing.
//!
//! Every layer makes [`Diag`] values; only [`render`] turns them into text. A diagnostic carries a
//! stable code (`marey::unit_mismatch`) from the one table in [`code`], labelled spans into the
//! script, and, for input files, the place (file, line, text) that offended.

pub mod code;
pub mod render;

pub use code::{Class, Code};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A byte range of one script source. `source` is the index that [`Sources`] handed out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Which source the range belongs to.
    pub source: u32,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// A range of source 0-based index `source`.
    pub fn new(source: u32, start: usize, end: usize) -> Self {
        Span { source, start, end }
    }

    /// The smallest range that covers both.
    pub fn to(self, other: Span) -> Span {
        Span {
            source: self.source,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// How bad it is. Errors stop what they concern; warnings inform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The script, file or run cannot go on.
    Error,
    /// Something was repaired, dropped, rounded or looks unintended.
    Warning,
}

/// A span with the sentence shown beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is seen there; lower case, no full stop.
    pub text: String,
}

/// A place in an input file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as the user named it.
    pub file: String,
    /// 1-based line, 0 where lines make no sense (a binary file).
    pub line: u64,
    /// The offending text, shortened to something printable.
    pub text: String,
}

/// One diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diag {
    /// Its entry in the code table.
    pub code: &'static Code,
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, in the user's words; lower case.
    pub message: String,
    /// Where in the script, most important first.
    pub labels: Vec<Label>,
    /// Where in an input file.
    pub place: Option<Place>,
    /// The nearest right thing, with the text to write where there is one.
    pub help: Option<String>,
    /// The verb that met it while rows flowed, where no place in the script is known yet.
    pub verb: Option<String>,
}

impl Diag {
    /// An error of this code.
    pub fn error(code: &'static Code, message: impl Into<String>) -> Self {
        Diag {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            place: None,
            help: None,
            verb: None,
        }
    }

    /// A warning of this code.
    pub fn warning(code: &'static Code, message: impl Into<String>) -> Self {
        Diag {
            severity: Severity::Warning,
            ..Diag::error(code, message)
        }
    }

    /// Adds a labelled span.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Adds a labelled span only where the diagnostic says no place yet, in the script or in a file.
    pub fn or_at(self, span: Span, text: impl Into<String>) -> Self {
        if self.labels.is_empty() && self.place.is_none() {
            self.at(span, text)
        } else {
            self
        }
    }

    /// Sets the help text.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the help text where there is something to say.
    pub fn maybe_help(mut self, help: Option<String>) -> Self {
        if help.is_some() {
            self.help = help;
        }
        self
    }

    /// Says which line of an input file is meant. Control characters and overlong text are shortened.
    pub fn in_file(mut self, file: impl Into<String>, line: u64, text: &str) -> Self {
        self.place = Some(Place {
            file: file.into(),
            line,
            text: printable(text, 160),
        });
        self
    }

    /// True for errors.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Shortens `text` to `limit` characters and replaces control characters, so that a message can quote
/// whatever a file holds.
pub fn printable(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for (index, c) in text.chars().enumerate() {
        if index >= limit {
            out.push('…');
            break;
        }
        out.push(match c {
            '\t' => ' ',
            c if c.is_control() => '\u{fffd}',
            c => c,
        });
    }
    out
}

/// Name and text of a script.
type Source = (Arc<str>, Arc<str>);

/// The scripts that spans point into: name and text, by index. A clone is the same list: what is added to one is seen
/// by the other, so that whoever shows diagnostics knows the files that a script brought in meanwhile.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    entries: Arc<Mutex<Vec<Source>>>,
}

impl Sources {
    /// Adds a source and returns its index for [`Span::source`].
    pub fn add(&self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> u32 {
        let mut entries = self.entries();
        entries.push((name.into(), text.into()));
        (entries.len() - 1) as u32
    }

    /// The index that the next source will have.
    pub fn next(&self) -> u32 {
        self.entries().len() as u32
    }

    /// Name and text of a source.
    pub fn get(&self, index: u32) -> Option<Source> {
        self.entries().get(index as usize).cloned()
    }

    /// 1-based line number of a byte position.
    pub fn line_of(&self, span: Span) -> usize {
        self.get(span.source).map_or(0, |(_, text)| {
            1 + text
                .as_bytes()
                .iter()
                .take(span.start)
                .filter(|b| **b == b'\n')
                .count()
        })
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Source>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
