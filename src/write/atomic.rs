//! Output files that appear whole or not at all: written beside, then renamed.

use crate::diag::{Diag, code};
use std::io::{BufWriter, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// A file being written beside its place.
#[derive(Debug)]
pub struct AtomicFile {
    writer: BufWriter<NamedTempFile>,
    path: std::path::PathBuf,
    keep: bool,
}

impl AtomicFile {
    /// Starts a file that will appear at `path`. The folder must exist.
    pub fn create(path: &Path) -> Result<AtomicFile, Diag> {
        let shown = path.display().to_string();
        if path.is_dir() {
            return Err(Diag::error(&code::OUTPUT, format!("`{shown}` is a folder"))
                .help("name a file in it"));
        }
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            return Err(Diag::error(
                &code::OUTPUT,
                format!(
                    "`{shown}` cannot be written: the folder `{}` does not exist",
                    folder.display()
                ),
            )
            .help(format!("create it first: mkdir -p {}", folder.display())));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".marey-").suffix(".part");
        // Temporary files are private by default; an output file has the rights of any new file.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder
            .tempfile_in(folder)
            .map_err(|error| super::output_error(&shown, &error))?;
        Ok(AtomicFile {
            writer: BufWriter::with_capacity(1 << 20, file),
            path: path.to_owned(),
            keep: false,
        })
    }

    /// Never takes the place of a file that is there, be it one that came while this was written.
    pub fn keeping(mut self, keep: bool) -> AtomicFile {
        self.keep = keep;
        self
    }

    /// Where to write.
    pub fn writer(&mut self) -> &mut (dyn Write + Send) {
        &mut self.writer
    }

    /// Puts the file in its place.
    pub fn commit(self) -> Result<(), Diag> {
        let shown = self.path.display().to_string();
        let file = self
            .writer
            .into_inner()
            .map_err(|error| super::output_error(&shown, error.error()))?;
        file.as_file()
            .sync_all()
            .map_err(|error| super::output_error(&shown, &error))?;
        let placed = match self.keep {
            true => file.persist_noclobber(&self.path),
            false => file.persist(&self.path),
        };
        placed.map_err(|error| super::output_error(&shown, &error.error))?;
        Ok(())
    }
}
