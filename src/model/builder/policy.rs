//! What the load policy says to rows that cannot be used as they are.

use super::{Bound, TraceBuilder};
use crate::diag::{Diag, code, printable};
use crate::model::Policy;
use crate::model::clock::TimeError;

/// Rejected rows keep this many characters of their text.
const REJECT_TEXT: usize = 4096;

impl TraceBuilder {
    /// A point in time that a row needs, by the load policy. `field` is what the file calls it; `raw` is
    /// the text of the row.
    pub fn bound(&mut self, text: &[u8], field: &str, raw: &[u8]) -> Result<Bound, Diag> {
        match self.time(text) {
            Ok(ticks) => Ok(Bound::At(ticks)),
            Err(error) => self.no_time(error, field, raw),
        }
    }

    /// What the load policy says to a time that is none.
    #[cold]
    pub fn no_time(&mut self, error: TimeError, field: &str, raw: &[u8]) -> Result<Bound, Diag> {
        if error == TimeError::Missing && self.policy == Policy::Keep {
            return Ok(Bound::Null);
        }
        let message = format!("`{field}` {}", error.about());
        if error == TimeError::OutOfRange && self.policy == Policy::Fail {
            return Err(self
                .place(Diag::error(&code::TIME_RANGE, message), raw)
                .help("a coarser `resolution=` reaches further: 64-bit ticks of 1us last 292,000 years"));
        }
        self.reject(error.code(), &message, raw)?;
        Ok(Bound::Rejected)
    }

    /// Turns the present record down: an error under `policy=fail`, else a row of `rejects` under a stable
    /// reason code.
    #[cold]
    pub fn reject(&mut self, reason: &'static str, message: &str, raw: &[u8]) -> Result<(), Diag> {
        self.broken_text = false;
        if self.policy == Policy::Fail {
            return Err(self.bad_row(message, raw));
        }
        let file = self.files.last().map_or("", |file| file.name.as_str());
        self.report.reject(reason, file, self.line);
        let file = self.files.len().saturating_sub(1) as u32;
        self.rejects.file.push(file);
        self.rejects.line.push(self.line);
        self.rejects.code.push(reason);
        let text =
            String::from_utf8_lossy(raw.get(..raw.len().min(REJECT_TEXT * 4)).unwrap_or(raw));
        self.rejects.text.push(printable(&text, REJECT_TEXT));
        Ok(())
    }

    /// Counts that the present record was mended: an error under `policy=fail`.
    #[cold]
    pub fn repair(&mut self, reason: &'static str, message: &str, raw: &[u8]) -> Result<(), Diag> {
        if self.policy == Policy::Fail {
            return Err(self.bad_row(message, raw));
        }
        let file = self.files.last().map_or("", |file| file.name.as_str());
        self.report.repair(reason, file, self.line);
        Ok(())
    }

    /// Says a thing once in the load report.
    pub fn note(&mut self, text: impl Into<String>) {
        self.report.note(text);
    }

    /// The error about the present record.
    pub fn bad_row(&self, message: &str, raw: &[u8]) -> Diag {
        self.place(Diag::error(&code::BAD_ROW, message), raw)
            .help("`policy=repair` counts such rows and sets them aside in `rejects`")
    }

    fn place(&self, diag: Diag, raw: &[u8]) -> Diag {
        let text = String::from_utf8_lossy(raw.get(..raw.len().min(1024)).unwrap_or(raw));
        diag.in_file(self.file_name(), self.line, &text)
    }

    /// Counts bytes that were no UTF-8, once per row.
    pub(super) fn check_text(&mut self, raw: &[u8]) -> Result<(), Diag> {
        if self.broken_text {
            self.broken_text = false;
            self.repair("not_utf8", "the text is not UTF-8", raw)?;
        }
        Ok(())
    }
}
