//! Cutting a table into records and cells: quotes, doubled quotes, line ends within quotes.
//!
//! Not the `csv` crate, because files here write blanks before quotes (`, "p1"`), have ragged rows and
//! stray quotes, and every record must keep its raw text and line for the load report.

use crate::diag::Diag;
use crate::read::Input;
use memchr::memchr;
use std::collections::VecDeque;

/// A quoted cell may run over so many lines and bytes; beyond, its quote is taken for plain text.
const MAX_QUOTED_LINES: usize = 200;
const MAX_QUOTED_BYTES: usize = 1 << 20;
/// So many bytes are looked at in vain for closing quotes in a file; then quotes end with their line.
const MAX_WASTED_BYTES: usize = 64 << 20;
/// More cells than this are cut off.
const MAX_CELLS: usize = 10_000;

/// One record: its raw text and its cells, without blanks around them and without quotes.
#[derive(Debug, Default)]
pub struct Record {
    /// 1-based line where it begins.
    pub line: u64,
    /// The file breaks off within it.
    pub cut: bool,
    raw: Vec<u8>,
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Record {
    /// A record of this text, not cut yet.
    pub fn of(text: &[u8]) -> Record {
        Record {
            raw: text.to_vec(),
            ..Record::default()
        }
    }

    /// The text as it stands in the file, without the last line end.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// A cell; None past the last.
    pub fn cell(&self, index: usize) -> Option<&[u8]> {
        let end = *self.ends.get(index)?;
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.text.get(start..end)
    }

    /// All cells.
    pub fn cells(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).filter_map(|index| self.cell(index))
    }

    /// Cuts `raw` anew; false where a quote does not close.
    pub fn split(&mut self, separator: u8, quotes: bool) -> bool {
        self.text.clear();
        self.ends.clear();
        let blank = |byte: &u8| *byte != separator && matches!(byte, b' ' | b'\t' | b'\r');
        let mut rest: &[u8] = &self.raw;
        loop {
            let skip = rest.iter().take_while(|byte| blank(byte)).count();
            rest = rest.get(skip..).unwrap_or_default();
            if self.ends.len() + 1 >= MAX_CELLS {
                self.text.extend_from_slice(rest);
                self.ends.push(self.text.len());
                return true;
            }
            let before = self.text.len();
            let mut after = None;
            if quotes && rest.first() == Some(&b'"') {
                match quoted(rest, separator, &mut self.text) {
                    Quoted::Cell(used) => after = rest.get(used..),
                    Quoted::Open => return false,
                    Quoted::Not => self.text.truncate(before),
                }
            }
            let after = after.unwrap_or_else(|| {
                let end = memchr(separator, rest).unwrap_or(rest.len());
                let cell = rest.get(..end).unwrap_or_default();
                let tail = cell.iter().rev().take_while(|byte| blank(byte)).count();
                let cell = cell.get(..end - tail).unwrap_or_default();
                self.text.extend_from_slice(cell);
                rest.get(end..).unwrap_or_default()
            });
            self.ends.push(self.text.len());
            match after.split_first() {
                Some((_, next)) => rest = next,
                None => return true,
            }
        }
    }
}

enum Quoted {
    /// A cell; so many bytes up to the separator or the end.
    Cell(usize),
    /// The quote does not close.
    Open,
    /// More text follows the closing quote: it is no quoted cell.
    Not,
}

/// Reads the quoted cell that `text` begins with into `out`.
fn quoted(text: &[u8], separator: u8, out: &mut Vec<u8>) -> Quoted {
    let mut at = 1;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let Some(found) = memchr(b'"', rest) else {
            return Quoted::Open;
        };
        out.extend_from_slice(rest.get(..found).unwrap_or_default());
        at += found + 1;
        if text.get(at) == Some(&b'"') {
            out.push(b'"');
            at += 1;
            continue;
        }
        let tail = text.get(at..).unwrap_or_default();
        let blanks = tail
            .iter()
            .take_while(|byte| **byte != separator && byte.is_ascii_whitespace());
        let blanks = blanks.count();
        return match tail.get(blanks) {
            None => Quoted::Cell(text.len()),
            Some(byte) if *byte == separator => Quoted::Cell(at + blanks),
            Some(_) => Quoted::Not,
        };
    }
}

#[derive(Debug)]
struct Pending {
    number: u64,
    text: Vec<u8>,
    cut: bool,
}

/// Reads records from an input.
#[derive(Debug)]
pub struct Records {
    separator: u8,
    record: Record,
    /// Lines that were looked at in search of a closing quote.
    pending: VecDeque<Pending>,
    wasted: usize,
    open_quotes: u64,
}

impl Records {
    /// Records of cells between these separators.
    pub fn new(separator: u8) -> Records {
        Records {
            separator,
            record: Record::default(),
            pending: VecDeque::new(),
            wasted: 0,
            open_quotes: 0,
        }
    }

    /// The next record that is neither blank nor a comment (`#`).
    pub fn next(&mut self, input: &mut Input<'_>) -> Result<Option<&Record>, Diag> {
        loop {
            if !self.take_line(input)? {
                return Ok(None);
            }
            let text = self.record.raw.trim_ascii_start();
            if text.is_empty() || text.starts_with(b"#") {
                continue;
            }
            if !self.record.split(self.separator, true) && !self.join_lines(input)? {
                self.open_quotes += 1;
                self.record.split(self.separator, false);
            }
            return Ok(Some(&self.record));
        }
    }

    /// Records with a quote that does not close, which was taken for plain text.
    pub fn open_quotes(&self) -> u64 {
        self.open_quotes
    }

    /// Passes the line of column names, of which `before` lines that are not blank stand before.
    pub fn skip_header(&mut self, input: &mut Input<'_>, before: usize) -> Result<(), Diag> {
        let mut left = before + 1;
        while left > 0 && self.take_line(input)? {
            if !self.record.raw.trim_ascii().is_empty() {
                left -= 1;
            }
        }
        Ok(())
    }

    fn take_line(&mut self, input: &mut Input<'_>) -> Result<bool, Diag> {
        let record = &mut self.record;
        record.raw.clear();
        if let Some(line) = self.pending.pop_front() {
            record.line = line.number;
            record.cut = line.cut;
            record.raw.extend_from_slice(&line.text);
            return Ok(true);
        }
        let Some(line) = input.next_line()? else {
            return Ok(false);
        };
        record.line = line.number;
        record.cut = line.cut;
        record.raw.extend_from_slice(line.text);
        Ok(true)
    }

    /// Appends lines until the open quote closes. False, with everything as before, where it does not.
    fn join_lines(&mut self, input: &mut Input<'_>) -> Result<bool, Diag> {
        if self.wasted > MAX_WASTED_BYTES {
            return Ok(false);
        }
        let (first, first_cut) = (self.record.raw.len(), self.record.cut);
        let mut looked_at = 0;
        for taken in 0..MAX_QUOTED_LINES {
            if self.pending.len() <= taken {
                let Some(line) = input.next_line()? else {
                    break;
                };
                self.pending.push_back(Pending {
                    number: line.number,
                    text: line.text.to_vec(),
                    cut: line.cut,
                });
            }
            let Some(line) = self.pending.get(taken) else {
                break;
            };
            if self.record.raw.len() + line.text.len() > MAX_QUOTED_BYTES {
                break;
            }
            self.record.raw.push(b'\n');
            self.record.raw.extend_from_slice(&line.text);
            self.record.cut |= line.cut;
            // Only a line with a quote can close one.
            if memchr(b'"', &line.text).is_some() {
                looked_at += self.record.raw.len();
                if self.record.split(self.separator, true) {
                    self.pending.drain(..=taken);
                    return Ok(true);
                }
            }
        }
        self.wasted += looked_at + self.record.raw.len();
        self.record.raw.truncate(first);
        self.record.cut = first_cut;
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str, separator: u8) -> Vec<String> {
        let mut record = Record::of(text.as_bytes());
        if !record.split(separator, true) {
            record.split(separator, false);
        }
        let texts = record.cells().map(String::from_utf8_lossy);
        texts.map(|text| text.into_owned()).collect()
    }

    #[test]
    fn cells_are_cut_at_separators_outside_quotes() {
        let cases: [(&str, u8, &[&str]); 10] = [
            ("a,b", b',', &["a", "b"]),
            ("a , b ,", b',', &["a", "b", ""]),
            ("", b',', &[""]),
            (
                "\"a,b\", \"say \"\"hi\"\"\" ,c",
                b',',
                &["a,b", "say \"hi\"", "c"],
            ),
            ("\" a \",x", b',', &[" a ", "x"]),
            ("5\" disk,x", b',', &["5\" disk", "x"]),
            ("\"a\"b,c", b',', &["\"a\"b", "c"]),
            ("\"open,c", b',', &["\"open", "c"]),
            ("a\t\tb c", b'\t', &["a", "", "b c"]),
            ("1,5;\"2;3\"", b';', &["1,5", "2;3"]),
        ];
        for (text, separator, wanted) in cases {
            assert_eq!(cells(text, separator), wanted, "{text}");
        }
    }
}
