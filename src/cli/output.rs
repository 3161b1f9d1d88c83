//! Standard output as results see it: buffered, clears the progress line before it writes, and remembers
//! that the reader went away, so that `marey … | head` ends quietly.

use super::progress::Progress;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where results are written.
#[derive(Clone, Debug)]
pub(super) struct Output {
    progress: Progress,
    closed: Arc<AtomicBool>,
}

impl Output {
    pub(super) fn new(progress: Progress) -> Output {
        Output {
            progress,
            closed: Arc::new(AtomicBool::new(false)),
        }
    }

    /// True once a write found nobody reading.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// A buffered writer for one result.
    pub(super) fn writer(&self) -> BufWriter<Output> {
        BufWriter::with_capacity(1 << 16, self.clone())
    }

    /// Writes a text with a line end.
    pub(super) fn line(&self, text: &str) -> io::Result<()> {
        let mut writer = self.writer();
        writeln!(writer, "{text}")?;
        writer.flush()
    }

    fn noted<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            self.closed.store(true, Ordering::SeqCst);
        }
        result
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.progress.clear();
        self.noted(io::stdout().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.noted(io::stdout().flush())
    }
}
