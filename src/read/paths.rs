//! From what the user wrote to files in order: patterns, natural order, and the part of each name that
//! tells it from the others.

use crate::diag::{Diag, code};
use std::path::{Path, PathBuf};

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputPath {
    /// Where it is.
    pub path: PathBuf,
    /// What messages call it: as the user wrote it, lossy where it is not UTF-8.
    pub name: String,
    /// What tells its name from the other files', see [`expand`].
    pub part: String,
}

/// The files that `written` names: lists stay in the order written, what a pattern matches comes in
/// natural order (`rank2` before `rank10`). A file named twice is read once.
pub fn expand(written: &[String]) -> Result<Vec<InputPath>, Diag> {
    if written.is_empty() {
        return Err(Diag::error(&code::INPUT_MISSING, "no file is named"));
    }
    let mut paths: Vec<PathBuf> = Vec::new();
    for text in written {
        let literal = Path::new(text);
        if text == "-" || literal.exists() || !text.contains(['*', '?', '[']) {
            paths.push(literal.to_owned());
            continue;
        }
        let pattern = glob::glob(text).map_err(|error| {
            Diag::error(
                &code::INPUT_MISSING,
                format!("`{text}` is no file and no pattern: {}", error.msg),
            )
        })?;
        // What cannot be looked at is no match; if nothing else is, the error below says so.
        let mut found: Vec<PathBuf> = pattern.flatten().filter(|path| !path.is_dir()).collect();
        if found.is_empty() {
            return Err(
                Diag::error(&code::INPUT_MISSING, format!("`{text}` matches no file"))
                    .maybe_help(nearest(literal)),
            );
        }
        found.sort_by(|a, b| {
            let (a, b) = (a.to_string_lossy(), b.to_string_lossy());
            natord::compare(&a, &b).then_with(|| a.cmp(&b))
        });
        paths.append(&mut found);
    }
    let mut unique: Vec<PathBuf> = Vec::with_capacity(paths.len());
    let mut seen = rustc_hash::FxHashSet::default();
    for path in paths {
        if seen.insert(path.clone()) {
            unique.push(path);
        }
    }
    let parts = parts(&unique);
    Ok(unique
        .into_iter()
        .zip(parts)
        .map(|(path, part)| InputPath {
            name: path.to_string_lossy().into_owned(),
            path,
            part,
        })
        .collect())
}

/// The error for a path that does not exist, with the nearest name beside it.
pub(super) fn missing(path: &Path, name: &str) -> Diag {
    Diag::error(&code::INPUT_MISSING, format!("`{name}` does not exist")).maybe_help(nearest(path))
}

/// A name in the same folder that the user may have meant.
fn nearest(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_string_lossy().into_owned();
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let mut best: Option<(f64, String)> = None;
    for entry in entries.flatten().take(2_000) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let score = strsim::jaro_winkler(&wanted, &name);
        let better = best
            .as_ref()
            .is_none_or(|(known, other)| score > *known || (score == *known && name < *other));
        if score > 0.85 && better {
            best = Some((score, name));
        }
    }
    let name = best.map(|(_, name)| name)?;
    let near = folder.map_or(PathBuf::from(&name), |folder| folder.join(&name));
    Some(format!("there is `{}`", near.display()))
}

/// What tells each name from the others: without folder, extensions, and what all names share at both
/// ends, cut only between words and numbers (`run-rank2.csv.gz`, `run-rank10.csv.gz`: `2`, `10`).
/// A single file gives its only number, else its whole stem.
fn parts(paths: &[PathBuf]) -> Vec<String> {
    let mut stems: Vec<String> = paths.iter().map(|path| stem(path)).collect();
    if let [only] = stems.as_slice() {
        let numbers: Vec<&str> = only
            .split(|c: char| !c.is_ascii_digit())
            .filter(|run| !run.is_empty())
            .collect();
        return match numbers.as_slice() {
            [number] => vec![(*number).to_owned()],
            _ => stems,
        };
    }
    if has_repeats(&stems) {
        // Equal names in different folders: the folder tells them apart.
        stems = paths
            .iter()
            .map(|path| match path.parent() {
                Some(folder) => folder.join(stem(path)).to_string_lossy().into_owned(),
                None => stem(path),
            })
            .collect();
    }
    let short = without_common(&stems);
    if has_repeats(&short) || short.iter().any(String::is_empty) {
        stems
    } else {
        short
    }
}

fn has_repeats(texts: &[String]) -> bool {
    let distinct: rustc_hash::FxHashSet<&String> = texts.iter().collect();
    distinct.len() < texts.len()
}

fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy();
    let mut stem: &str = &name;
    // Two extensions at most: `.csv.gz`.
    for _ in 0..2 {
        match stem.rsplit_once('.') {
            Some((front, extension))
                if !front.is_empty()
                    && extension.len() <= 8
                    && extension.starts_with(|c: char| c.is_ascii_alphabetic()) =>
            {
                stem = front;
            }
            _ => break,
        }
    }
    stem.to_owned()
}

/// Cuts what all texts begin and end with, at a boundary between kinds of characters.
fn without_common(texts: &[String]) -> Vec<String> {
    let words: Vec<Vec<&str>> = texts.iter().map(|text| words(text)).collect();
    let shortest = words.iter().map(Vec::len).min().unwrap_or(0);
    let same = |get: &dyn Fn(&Vec<&str>) -> Option<String>| {
        let mut all = words.iter().map(get);
        let first = all.next().flatten();
        first.is_some() && all.all(|word| word == first)
    };
    let mut front = 0;
    while front < shortest && same(&|w| w.get(front).map(|s| (*s).to_owned())) {
        front += 1;
    }
    let mut back = 0;
    while front + back < shortest && same(&|w| w.iter().rev().nth(back).map(|s| (*s).to_owned())) {
        back += 1;
    }
    words
        .iter()
        .map(|words| {
            let middle = words.get(front..words.len().saturating_sub(back));
            middle.unwrap_or_default().concat()
        })
        .collect()
}

/// Runs of letters, runs of digits, and single other characters.
fn words(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_ascii_digit() => 0,
        c if c.is_alphabetic() => 1,
        _ => 2,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut before: Option<i32> = None;
    for (at, c) in text.char_indices() {
        let kind = class(c);
        if before.is_some_and(|before| before != kind || kind == 2) {
            words.push(text.get(start..at).unwrap_or(""));
            start = at;
        }
        before = Some(kind);
    }
    if start < text.len() {
        words.push(text.get(start..).unwrap_or(""));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts_of(names: &[&str]) -> Vec<String> {
        parts(&names.iter().map(PathBuf::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_part_is_what_tells_names_apart() {
        let cases: [(&[&str], &[&str]); 8] = [
            (&["d/run-rank2.csv.gz", "d/run-rank10.csv.gz"], &["2", "10"]),
            (&["rank10.csv", "rank12.csv"], &["10", "12"]),
            (&["10_x.csv", "20_x.csv"], &["10", "20"]),
            (&["alpha.csv", "alps.csv"], &["alpha", "alps"]),
            (&["a/trace.csv", "b/trace.csv"], &["a", "b"]),
            (&["rank3.csv"], &["3"]),
            (&["lu.paje.trace"], &["lu"]),
            (&["run.csv", "run-2.csv"], &["run", "run-2"]),
        ];
        for (names, wanted) in cases {
            assert_eq!(parts_of(names), wanted, "{names:?}");
        }
    }

    #[test]
    fn patterns_come_in_natural_order_and_once() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        for name in ["r10.csv", "r2.csv", "r1.csv", "other.txt"] {
            std::fs::write(folder.path().join(name), "")?;
        }
        let text = |name: &str| folder.path().join(name).display().to_string();
        let found = expand(&[text("r*.csv"), text("r1.csv")]).map_err(|d| d.message)?;
        let names: Vec<&str> = found.iter().map(|file| file.part.as_str()).collect();
        assert_eq!(names, ["1", "2", "10"]);
        let none = expand(&[text("x*.csv")]).map_err(|diag| diag.code.name);
        assert_eq!(none, Err("input_missing"));
        let diag = missing(&folder.path().join("r1.cvs"), "r1.cvs");
        assert!(diag.help.is_some_and(|help| help.contains("r1.csv")));
        Ok(())
    }
}
