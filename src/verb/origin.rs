//! What output files are made from and where they go.

use super::PlanContext;
use crate::diag::{Diag, code};
use crate::write::atomic::AtomicFile;
use crate::write::provenance::{InputFile, Provenance, Setting, UsedFile};
use std::path::{Path, PathBuf};

/// What runs, as far as output files tell of it.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The script.
    pub script: String,
    /// The parameters that have other values than the script gives them.
    pub parameters: Vec<Setting>,
    /// The files of definitions that it uses.
    pub used: Vec<UsedFile>,
}

/// Where output files go.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The folder; None for the current one.
    pub folder: Option<PathBuf>,
    /// Refuse to write over a file.
    pub keep_files: bool,
    /// Write this one only, and there: what makes a file again must not touch any other.
    pub only: Option<(String, PathBuf)>,
}

impl Output {
    /// Where the file that a script calls `name` goes; None where it is not written.
    pub fn place(&self, name: &str) -> Option<PathBuf> {
        match (&self.only, &self.folder) {
            (Some((only, place)), _) => (only == name).then(|| place.clone()),
            (None, Some(folder)) => Some(folder.join(name)),
            (None, None) => Some(PathBuf::from(name)),
        }
    }

    /// Refuses a place where a file is that must stay.
    pub fn check(&self, path: &Path) -> Result<(), Diag> {
        if !self.keep_files || !path.exists() {
            return Ok(());
        }
        Err(Diag::error(
            &code::OUTPUT,
            format!("`{}` exists already", path.display()),
        )
        .help(
            "`--no-clobber` keeps it: remove it first, or write with `--out` into another folder",
        ))
    }

    /// Starts a file.
    pub fn create(&self, path: &Path) -> Result<AtomicFile, Diag> {
        self.check(path)?;
        Ok(AtomicFile::create(path)?.keeping(self.keep_files))
    }
}

/// Standard input as a path.
const STANDARD_INPUT: &str = "-";

impl PlanContext<'_> {
    /// How the output file `name` is made. Reads the inputs once more, for their digests.
    pub fn provenance(&mut self, name: &str) -> Result<Provenance, Diag> {
        let mut inputs = Vec::new();
        for file in self.sources.files() {
            let written = file.path.to_string_lossy();
            let mut input = InputFile {
                path: self.sources.moved().written(&written),
                bytes: file.state.map_or(0, |(_, bytes)| bytes),
                blake3: String::new(),
            };
            // What came through standard input is gone.
            if input.path == STANDARD_INPUT {
                input.bytes = 0;
            } else {
                self.host.stage(&format!("digesting {written}"));
                input.blake3 = self.sources.digest(&file, self.engine.cancel())?;
            }
            inputs.push(input);
        }
        inputs.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Provenance {
            marey: env!("CARGO_PKG_VERSION").to_owned(),
            output: name.to_owned(),
            script: self.origin.script.clone(),
            parameters: self.origin.parameters.clone(),
            used: self.origin.used.clone(),
            inputs,
        })
    }
}

/// The path of a file of definitions, relative to the script that uses it.
pub fn relative_to(script: &str, path: &str) -> String {
    let folder = Path::new(script).parent();
    let relative = folder.and_then(|folder| Path::new(path).strip_prefix(folder).ok());
    relative.map_or_else(
        || path.to_owned(),
        |path| path.to_string_lossy().into_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_files_go_where_they_are_told() {
        let mut output = Output::default();
        assert_eq!(output.place("a.svg"), Some(PathBuf::from("a.svg")));
        output.folder = Some(PathBuf::from("out"));
        assert_eq!(output.place("a.svg"), Some(PathBuf::from("out/a.svg")));
        output.only = Some(("a.svg".to_owned(), PathBuf::from("/tmp/again")));
        assert_eq!(output.place("a.svg"), Some(PathBuf::from("/tmp/again")));
        assert_eq!(output.place("b.svg"), None);
    }

    #[test]
    fn definitions_are_named_from_the_script() {
        assert_eq!(
            relative_to("runs/a.marey", "runs/lib/b.marey"),
            "lib/b.marey"
        );
        assert_eq!(relative_to("a.marey", "lib/b.marey"), "lib/b.marey");
        assert_eq!(relative_to("-c", "../b.marey"), "../b.marey");
        assert_eq!(relative_to("runs/a.marey", "/lib/b.marey"), "/lib/b.marey");
    }
}
