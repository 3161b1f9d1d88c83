//! The layers of the crate: who may import whom, which crate is named where, how long a file may be.
//!
//! ```text
//! 1 diag  spec  algo        4 plan              7 repl  cli
//! 2 model                   5 func  verb        8 main
//! 3 lang  read  write  figure   6 session  run  page
//! ```
//!
//! A module may import those of lower levels. What else it imports is listed with the reason.

use crate::support::root;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Module, level.
const LEVELS: &[(&str, u8)] = &[
    ("diag", 1),
    ("spec", 1),
    ("algo", 1),
    ("model", 2),
    ("lang", 3),
    ("read", 3),
    ("write", 3),
    ("figure", 3),
    ("plan", 4),
    ("func", 5),
    ("library", 4),
    ("verb", 5),
    ("session", 6),
    ("run", 6),
    ("page", 6),
    ("repl", 7),
    ("cli", 7),
    ("main", 8),
];

/// Edges that go up or sideways and are meant: from, to, why. A listed edge that no longer exists fails.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "verb",
        "func",
        "verbs evaluate and lower expressions, in which functions stand",
    ),
    (
        "session",
        "run",
        "the run is the second half of the session; it has no other user",
    ),
    (
        "run",
        "session",
        "the value of a call of constants is computed in one place, for check and run",
    ),
    ("cli", "repl", "the command line starts the REPL"),
    ("repl", "cli", "the REPL shows results on the same console"),
];

/// Edges that lower levels would allow and that are not wanted: from, to, why.
const FORBIDDEN: &[(&str, &str, &str)] = &[
    ("lang", "plan", "the checker knows no engine"),
    (
        "algo",
        "diag",
        "algorithms work on slices and know nothing of the program",
    ),
    (
        "algo",
        "spec",
        "algorithms work on slices and know nothing of the program",
    ),
    (
        "figure",
        "model",
        "a figure is made of arrays and numbers and knows no trace",
    ),
    (
        "diag",
        "spec",
        "the words of the tables and the diagnostics are independent",
    ),
];

/// A crate and the files that may name it: a file, or a folder that ends in `/`.
const NAMED_IN: &[(&str, &[&str])] = &[
    ("pest", &["lang/parse.rs"]),
    ("pest_derive", &["lang/parse.rs"]),
    ("rustyline", &["repl/"]),
    ("resvg", &["figure/raster.rs", "figure/text.rs"]),
    ("usvg", &["figure/raster.rs", "figure/text.rs"]),
    ("tiny_skia", &["figure/raster.rs", "figure/text.rs"]),
    ("fontdb", &["figure/raster.rs", "figure/text.rs"]),
    ("miette", &["diag/render.rs"]),
    ("clap", &["cli/"]),
    (
        "datafusion",
        &[
            "plan/",
            "func/",
            "verb/",
            "session.rs",
            "session/",
            "run.rs",
            "run/",
        ],
    ),
];

/// Most lines of a file.
const LONGEST: usize = 700;

/// Files that are longer: path, why.
const LONGER: &[(&str, &str)] = &[(
    "lang/parse.rs",
    "the one walk over pest's pairs; a rule of the grammar is a function of ten lines",
)];

struct Source {
    /// Below `src`, with `/`.
    path: String,
    /// Without comments.
    code: String,
    lines: usize,
}

impl Source {
    /// The module at the top of the crate that the file belongs to.
    fn module(&self) -> &str {
        let first = self.path.split('/').next().unwrap();
        first.trim_end_matches(".rs")
    }

    fn is_in(&self, places: &[&str]) -> bool {
        places.iter().any(|place| {
            self.path == *place || place.ends_with('/') && self.path.starts_with(place)
        })
    }

    /// True where the crate `name` is used, by path or by attribute.
    fn names(&self, name: &str) -> bool {
        self.code.match_indices(name).any(|(at, _)| {
            let before = self.code[..at].chars().next_back();
            let after = &self.code[at + name.len()..];
            let starts = before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '.');
            let inner = before == Some(':')
                && !self.code[..at]
                    .trim_end_matches("::")
                    .ends_with([' ', '(', '<', '&', '{', ',', '\n']);
            let derive = name.starts_with("pest") && after.starts_with(']');
            starts
                && !inner
                && (after.starts_with("::")
                    || derive
                    || after.starts_with(';') && self.code[..at].trim_end().ends_with("use"))
        })
    }
}

/// A source without the comments in it; lines keep their place.
fn without_comments(text: &str) -> String {
    text.lines()
        .map(|line| match line.find("//") {
            // A URL or `"//"` in a text is code.
            Some(at) if !line[..at].contains('"') => &line[..at],
            _ => line,
        })
        .collect::<Vec<_>>()
        .join("\n")
}

fn sources() -> Vec<Source> {
    let folder = root().join("src");
    let mut files = Vec::new();
    rust_files(&folder, &mut files);
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let text = std::fs::read_to_string(&file).unwrap();
            let path = file.strip_prefix(&folder).unwrap();
            Source {
                path: path.to_str().unwrap().replace('\\', "/"),
                code: without_comments(&text),
                lines: text.lines().count(),
            }
        })
        .collect()
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The modules at the top of the crate that a source names after `crate::` (`marey::` in the program).
fn imports(source: &Source) -> BTreeSet<String> {
    let root = if source.path == "main.rs" {
        "marey::"
    } else {
        "crate::"
    };
    let mut out = BTreeSet::new();
    for (at, _) in source.code.match_indices(root) {
        let rest = &source.code[at + root.len()..];
        let groups = match rest.strip_prefix('{') {
            // `use crate::{a::b, c};`: the first word of each part at depth one.
            Some(group) => first_words(group),
            None => vec![word(rest)],
        };
        out.extend(groups.into_iter().filter(|word| !word.is_empty()));
    }
    out
}

fn word(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

fn first_words(group: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut depth = 0;
    let mut fresh = true;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => fresh = true,
            c if fresh && c.is_alphanumeric() => {
                words.push(word(&group[at..]));
                fresh = false;
            }
            _ => {}
        }
    }
    words
}

fn level(module: &str) -> Option<u8> {
    LEVELS
        .iter()
        .find(|(name, _)| *name == module)
        .map(|(_, level)| *level)
}

#[test]
fn modules_import_only_those_below_them() {
    let mut wrong = Vec::new();
    let mut used = BTreeSet::new();
    for source in sources() {
        let from = source.module();
        if from == "lib" {
            continue;
        }
        let Some(own) = level(from) else {
            wrong.push(format!(
                "{}: `{from}` has no level in this test",
                source.path
            ));
            continue;
        };
        for to in imports(&source) {
            if to == from {
                continue;
            }
            let Some(other) = level(&to) else {
                wrong.push(format!(
                    "{}: `crate::{to}` has no level in this test",
                    source.path
                ));
                continue;
            };
            let is_exception = EXCEPTIONS
                .iter()
                .any(|(a, b, _)| (*a, *b) == (from, to.as_str()));
            if is_exception {
                used.insert((from.to_owned(), to.clone()));
            }
            let forbidden = FORBIDDEN
                .iter()
                .find(|(a, b, _)| (*a, *b) == (from, to.as_str()));
            if let Some((_, _, why)) = forbidden {
                wrong.push(format!("{} imports `{to}`: {why}", source.path));
            } else if other >= own && !is_exception {
                wrong.push(format!(
                    "{} (level {own}) imports `{to}` (level {other})",
                    source.path
                ));
            }
        }
    }
    let present: BTreeSet<String> = sources().iter().map(|s| s.module().to_owned()).collect();
    for (from, to, _) in EXCEPTIONS {
        let exists = present.contains(*from) && present.contains(*to);
        if exists && !used.contains(&((*from).to_owned(), (*to).to_owned())) {
            wrong.push(format!("the exception {from} → {to} has no use any more"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn algorithms_know_nothing_of_the_crate() {
    for source in sources().iter().filter(|source| source.module() == "algo") {
        let imports = imports(source);
        let foreign: Vec<&String> = imports.iter().filter(|module| *module != "algo").collect();
        assert!(foreign.is_empty(), "{} imports {foreign:?}", source.path);
        for engine in ["datafusion", "arrow"] {
            assert!(!source.names(engine), "{} names {engine}", source.path);
        }
    }
}

#[test]
fn each_heavy_crate_is_named_in_one_place() {
    let mut wrong = Vec::new();
    let sources = sources();
    for (name, places) in NAMED_IN {
        for source in &sources {
            if source.names(name) && !source.is_in(places) {
                wrong.push(format!(
                    "{} names {name}; its place is {}",
                    source.path,
                    places.join(", ")
                ));
            }
        }
    }
    // A check that finds nothing anywhere checks nothing.
    for name in ["pest", "miette", "datafusion", "resvg", "clap"] {
        assert!(
            sources.iter().any(|source| source.names(name)),
            "{name} is named nowhere"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_file_is_too_long() {
    let mut wrong = Vec::new();
    for source in sources() {
        let reason = LONGER.iter().find(|(path, _)| *path == source.path);
        match reason {
            None if source.lines > LONGEST => {
                wrong.push(format!("{} has {} lines", source.path, source.lines));
            }
            Some(_) if source.lines <= LONGEST => {
                wrong.push(format!(
                    "{} is short again: take it off the list",
                    source.path
                ));
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_front_ends_print() {
    let macros = ["println!", "eprintln!", "print!(", "eprint!(", "dbg!("];
    let mut wrong = Vec::new();
    for source in sources() {
        if ["cli", "repl"].contains(&source.module()) || is_test(&source.path) {
            continue;
        }
        let hits = macros.iter().filter(|name| {
            source.code.match_indices(*name).any(|(at, _)| {
                !source.code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
            })
        });
        wrong.extend(hits.map(|name| format!("{} has {name}", source.path)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn is_test(path: &str) -> bool {
    path.ends_with("tests.rs") || path.contains("/tests/")
}

#[test]
fn every_module_says_what_it_is_for() {
    for entry in sources() {
        let text = std::fs::read_to_string(root().join("src").join(&entry.path)).unwrap();
        assert!(
            text.starts_with("//!"),
            "{} does not begin with `//!`",
            entry.path
        );
    }
}

#[test]
fn the_reading_of_imports_is_right() {
    let source = |code: &str| Source {
        path: "verb/x.rs".to_owned(),
        code: without_comments(code),
        lines: 1,
    };
    let found = |code: &str| imports(&source(code)).into_iter().collect::<Vec<_>>();
    assert_eq!(found("use crate::diag::{Diag, code};"), ["diag"]);
    assert_eq!(
        found("use crate::{\n    diag::{Diag, code},\n    plan,\n};"),
        ["diag", "plan"]
    );
    assert_eq!(found("crate::run::EXACT // crate::cli"), ["run"]);
    assert!(source("use pest::Parser;").names("pest"));
    assert!(source("#[derive(pest_derive::Parser)]").names("pest_derive"));
    assert!(!source("let a = \"x\"; my_pest::y").names("pest"));
    assert!(!source("// pest::Parser").names("pest"));
    assert!(!source("use crate::datafusion::x;").names("datafusion"));
}
