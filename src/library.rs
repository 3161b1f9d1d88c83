//! The files that `use` brings in: those of the user, and the library that comes with the program (`queries/`).

use crate::diag::{Diag, code};
use crate::lang::ast::UsePath;
use crate::lang::suggest;
use crate::write::provenance::UsedFile;
use std::path::{Path, PathBuf};

/// A file of the library.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name behind `std.`.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! library {
    ($($name:literal),* $(,)?) => {
        /// The library, by name. To add to it, a file in `queries/` and a name here.
        pub static LIBRARY: &[Entry] = &[
            $(Entry { name: $name, text: include_str!(concat!("../queries/", $name, ".marey")) }),*
        ];
    };
}

library![
    "comparison",
    "critical",
    "gantt",
    "longest",
    "utilization",
    "waiting"
];

/// Reads what a `use` names: a key that tells it from all others, its name for messages, its text. `using` is the script
/// that uses it; a path is relative to the folder of that. Where a script runs again, files are as `recorded`.
pub fn read(
    path: &UsePath,
    using: Option<&str>,
    recorded: Option<&[UsedFile]>,
) -> Result<(String, String, String), Diag> {
    match path {
        UsePath::Library(names) => of_library(names),
        UsePath::File(written) => of_file(&place_of(written, using), recorded),
    }
}

fn of_library(names: &[String]) -> Result<(String, String, String), Diag> {
    let full = names.join(".");
    let entry = match names {
        [std, name] if std == "std" => LIBRARY.iter().find(|entry| entry.name == name),
        _ => None,
    };
    if let Some(entry) = entry {
        return Ok((full.clone(), full, entry.text.to_owned()));
    }
    let known = LIBRARY.iter().map(|entry| format!("std.{}", entry.name));
    let known: Vec<String> = known.collect();
    let diag = Diag::error(&code::UNKNOWN_NAME, format!("the library has no `{full}`"));
    let near = suggest::nearest(&full, known.iter().map(String::as_str));
    Err(match near {
        Some(near) => diag.help(format!("did you mean `use {near}`?")),
        None => diag.help(format!(
            "it has {}; a file is written in quotes: `use \"lib.marey\"`",
            suggest::listed(known.iter().map(String::as_str), 12)
        )),
    })
}

fn place_of(written: &str, using: Option<&str>) -> PathBuf {
    let folder = using.map(Path::new).and_then(Path::parent);
    match folder {
        Some(folder) if Path::new(written).is_relative() => folder.join(written),
        _ => PathBuf::from(written),
    }
}

fn of_file(path: &Path, recorded: Option<&[UsedFile]>) -> Result<(String, String, String), Diag> {
    let name = path.display().to_string();
    let failed = |why: &str| {
        Diag::error(
            &code::INPUT_MISSING,
            format!("`{name}` cannot be used: {why}"),
        )
    };
    if let Some(files) = recorded {
        // Two paths of one file have one text, which is all that is left to tell them by.
        let file = files.iter().find(|file| file.path == name);
        let text = file.map(|file| file.text.clone());
        let text = text.ok_or_else(|| failed("it is not among the files that were recorded"))?;
        return Ok((text.clone(), name, text));
    }
    let key = std::fs::canonicalize(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            failed("there is no such file").help("the path is relative to the script that uses it")
        }
        _ => failed(&error.to_string()),
    })?;
    let bytes = std::fs::read(path).map_err(|error| failed(&error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8 text"))?;
    Ok((key.display().to_string(), name, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_library_is_in_the_table() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .expect("the library")
            .map(|entry| entry.expect("a file").path())
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "marey")
            })
            .filter_map(|path| {
                path.file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned())
            })
            .collect();
        files.sort();
        let names: Vec<&str> = LIBRARY.iter().map(|entry| entry.name).collect();
        assert_eq!(files, names);
    }

    #[test]
    fn a_name_that_is_none_gets_the_nearest() {
        let path = UsePath::Library(vec!["std".to_owned(), "gant".to_owned()]);
        let diag = read(&path, None, None).expect_err("no such name");
        assert_eq!(diag.help.as_deref(), Some("did you mean `use std.gantt`?"));
    }
}
