//! An input file as a stream of lines: opened, decompressed where its first bytes say so, read in blocks.
//! Cancellation and progress are looked after here, once per block, so readers need not.

use super::paths::{self, InputPath};
use crate::diag::{Diag, code};
use memchr::memchr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How much of a file is looked at to tell its format.
pub const HEAD: usize = 64 * 1024;
/// A block: some thousand rows.
const BLOCK: usize = 512 * 1024;
/// No line is this long in any trace; a file of zeros is.
const MAX_LINE: usize = 256 * 1024 * 1024;

/// How far a load has come. Bytes are those on disk, compressed where the file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// 0-based number of the file being read.
    pub file: usize,
    /// How many files there are.
    pub files: usize,
    /// Bytes read so far, of all files.
    pub bytes: u64,
    /// Bytes of all files; 0 where unknown (standard input).
    pub total: u64,
}

/// What a load reports to and listens to.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Set by whoever wants the load to stop.
    pub cancel: &'a AtomicBool,
    /// Called once per block.
    pub progress: &'a dyn Fn(Progress),
}

/// One line without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// 1-based.
    pub number: u64,
    /// The bytes.
    pub text: &'a [u8],
    /// The compressed file breaks off within this line.
    pub cut: bool,
}

/// The beginning of a file, to tell its format.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// Up to [`HEAD`] bytes and a little more, decompressed, without a byte order mark.
    pub text: &'a [u8],
    /// True where this is the whole file.
    pub whole: bool,
    /// The file.
    pub path: &'a Path,
}

impl<'a> Head<'a> {
    /// Lines that are not blank, trimmed; the last one may be cut off.
    pub fn lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.text
            .split(|byte| *byte == b'\n' || *byte == b'\r')
            .map(<[u8]>::trim_ascii)
            .filter(|line| !line.is_empty())
    }

    /// True where there is nothing but blanks.
    pub fn is_blank(&self) -> bool {
        self.text.iter().all(u8::is_ascii_whitespace)
    }
}

/// An open input.
pub struct Input<'a> {
    file: InputPath,
    source: Box<dyn Read>,
    counter: Arc<AtomicU64>,
    before: Progress,
    watch: Watch<'a>,
    buffer: Vec<u8>,
    /// What is left to hand out is `buffer[start..end]`.
    start: usize,
    end: usize,
    /// Up to here the buffer has no line end.
    scanned: usize,
    at_end: bool,
    line: u64,
    line_end: u8,
    compressed: bool,
    damage: Option<String>,
}

impl<'a> Input<'a> {
    /// Opens a file and reads its head. `before` counts what earlier files have read.
    pub fn open(file: InputPath, before: Progress, watch: Watch<'a>) -> Result<Input<'a>, Diag> {
        let counter = Arc::new(AtomicU64::new(0));
        let mut raw = open_raw(&file, &counter)?;
        let mut magic = [0_u8; 6];
        let count = read_full(&mut raw, &mut magic).map_err(|error| unreadable(&file, &error))?;
        let magic = magic.get(..count).unwrap_or_default().to_vec();
        refuse_foreign(&file, &magic)?;
        let compressed = magic.starts_with(&[0x1f, 0x8b]);
        let raw = io::Cursor::new(magic).chain(raw);
        let source: Box<dyn Read> = if compressed {
            let raw = io::BufReader::with_capacity(BLOCK / 4, raw);
            Box::new(flate2::bufread::MultiGzDecoder::new(raw))
        } else {
            Box::new(raw)
        };
        let mut input = Input {
            file,
            source,
            counter,
            before,
            watch,
            buffer: vec![0; BLOCK],
            start: 0,
            end: 0,
            scanned: 0,
            at_end: false,
            line: 0,
            line_end: b'\n',
            compressed,
            damage: None,
        };
        while input.end < HEAD && !input.at_end {
            input.fill()?;
        }
        let head = input.buffered();
        if head.starts_with(&[0xef, 0xbb, 0xbf]) {
            input.start = 3;
        } else if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
            return Err(Diag::error(
                &code::INPUT_UNREADABLE,
                format!("`{}` is UTF-16 text", input.name()),
            )
            .help("`iconv -f UTF-16 -t UTF-8` makes it readable"));
        }
        let head = input.buffered();
        if memchr(b'\n', head).is_none() && memchr(b'\r', head).is_some() {
            input.line_end = b'\r';
        }
        input.scanned = input.start;
        Ok(input)
    }

    /// The name that messages use.
    pub fn name(&self) -> &str {
        &self.file.name
    }

    /// Where the file is, for readers with companion files.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// The beginning, before anything is taken.
    pub fn head(&self) -> Head<'_> {
        Head {
            text: self.buffered(),
            whole: self.at_end,
            path: self.path(),
        }
    }

    /// Compressed bytes taken so far, of this and earlier files.
    pub fn progress(&self) -> Progress {
        Progress {
            bytes: self.before.bytes + self.counter.load(Ordering::Relaxed),
            ..self.before
        }
    }

    /// Why the file ended early, where it did: what came before is good.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// The number of the line handed out last.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The next line, without its end (LF, CRLF, or CR in files that have no LF).
    #[inline]
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>, Diag> {
        let length = loop {
            let unseen = self.buffer.get(self.scanned..self.end).unwrap_or_default();
            if let Some(at) = memchr(self.line_end, unseen) {
                break self.scanned + at - self.start;
            }
            self.scanned = self.end;
            if self.at_end {
                return Ok(self.last_line());
            }
            self.fill()?;
        };
        let start = self.start;
        self.start += length + 1;
        self.scanned = self.start;
        self.line += 1;
        let text = self.buffer.get(start..start + length).unwrap_or_default();
        Ok(Some(Line {
            number: self.line,
            text: text.strip_suffix(b"\r").unwrap_or(text),
            cut: false,
        }))
    }

    fn last_line(&mut self) -> Option<Line<'_>> {
        if self.start == self.end {
            return None;
        }
        let start = self.start;
        self.start = self.end;
        self.line += 1;
        let text = self.buffer.get(start..self.end).unwrap_or_default();
        Some(Line {
            number: self.line,
            text: text.strip_suffix(b"\r").unwrap_or(text),
            cut: self.damage.is_some(),
        })
    }

    /// Everything that is left, for formats that are no lines.
    pub fn rest(&mut self) -> Result<Vec<u8>, Diag> {
        let mut all = Vec::new();
        loop {
            all.extend_from_slice(self.buffered());
            self.start = self.end;
            self.scanned = self.end;
            if self.at_end {
                return Ok(all);
            }
            self.fill()?;
        }
    }

    /// An error about this file at the present line.
    pub fn error(
        &self,
        code: &'static code::Code,
        message: impl Into<String>,
        text: &[u8],
    ) -> Diag {
        let text = String::from_utf8_lossy(text.get(..text.len().min(1024)).unwrap_or(text));
        Diag::error(code, message).in_file(self.name(), self.line, &text)
    }

    fn buffered(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Reads one more block behind what is left.
    fn fill(&mut self) -> Result<(), Diag> {
        if self.watch.cancel.load(Ordering::Relaxed) {
            return Err(Diag::error(&code::INTERRUPTED, "loading was interrupted"));
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.scanned -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            if self.end >= MAX_LINE {
                return Err(Diag::error(
                    &code::INPUT_UNREADABLE,
                    format!("`{}` has a line of more than 256 MiB", self.name()),
                ));
            }
            self.buffer.resize(self.end * 2, 0);
        }
        let free = self.buffer.get_mut(self.end..).unwrap_or_default();
        match self.source.read(free) {
            Ok(0) => self.at_end = true,
            Ok(count) => self.end += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if self.compressed => {
                self.at_end = true;
                self.damage = Some(match error.kind() {
                    io::ErrorKind::UnexpectedEof => "the compressed file breaks off".to_owned(),
                    _ => format!("the compressed file is damaged ({error})"),
                });
            }
            Err(error) => return Err(unreadable(&self.file, &error)),
        }
        (self.watch.progress)(self.progress());
        Ok(())
    }
}

/// The bytes that are left; for readers that bring their own parser.
impl Read for Input<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.start == self.end && !self.at_end {
            self.fill().map_err(|diag| io::Error::other(diag.message))?;
        }
        let count = self.buffered().len().min(into.len());
        let from = self.buffer.get(self.start..self.start + count);
        if let (Some(into), Some(from)) = (into.get_mut(..count), from) {
            into.copy_from_slice(from);
        }
        self.start += count;
        self.scanned = self.start;
        Ok(count)
    }
}

struct Counted<R> {
    inner: R,
    counter: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        self.counter.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

fn open_raw(file: &InputPath, counter: &Arc<AtomicU64>) -> Result<Box<dyn Read>, Diag> {
    let counter = Arc::clone(counter);
    if file.path.as_os_str() == "-" && !file.path.exists() {
        let inner = io::stdin();
        return Ok(Box::new(Counted { inner, counter }));
    }
    if file.path.is_dir() {
        return Err(Diag::error(
            &code::INPUT_UNREADABLE,
            format!("`{}` is a folder", file.name),
        )
        .help(format!(
            "`{}/*.csv` names files in it",
            file.name.trim_end_matches('/')
        )));
    }
    match File::open(&file.path) {
        Ok(inner) => Ok(Box::new(Counted { inner, counter })),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(paths::missing(&file.path, &file.name))
        }
        Err(error) => Err(unreadable(file, &error)),
    }
}

fn unreadable(file: &InputPath, error: &io::Error) -> Diag {
    Diag::error(
        &code::INPUT_UNREADABLE,
        format!("`{}` cannot be read: {error}", file.name),
    )
}

fn read_full(source: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    let mut count = 0;
    while let Some(free) = into.get_mut(count..).filter(|free| !free.is_empty()) {
        match source.read(free) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(count)
}

/// Compressions that are known by their first bytes but not read here.
fn refuse_foreign(file: &InputPath, magic: &[u8]) -> Result<(), Diag> {
    let known: [(&[u8], &str, &str); 4] = [
        (&[0x28, 0xb5, 0x2f, 0xfd], "zstd", "zstd -d"),
        (b"BZh91A", "bzip2", "bunzip2"),
        (&[0xfd, b'7', b'z', b'X', b'Z', 0], "xz", "unxz"),
        (b"PK\x03\x04", "zip", "unzip"),
    ];
    for (start, what, command) in known {
        if magic.starts_with(start) {
            return Err(Diag::error(
                &code::INPUT_UNREADABLE,
                format!(
                    "`{}` is compressed by {what}; only gzip is read as it is",
                    file.name
                ),
            )
            .help(format!("`{command}` unpacks it")));
        }
    }
    Ok(())
}
