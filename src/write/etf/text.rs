//! Lines of the format: words, numbers, attributes, and texts that it cannot hold as they are.

use crate::write::cell::Cells;
use std::fmt::Write;

/// What was written another way than it is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Texts with a comma and the like, written with codes such as `%2C`.
    pub(super) escaped: u64,
    /// Attributes that are empty or `NA`, which come back as nulls.
    pub(super) empty: u64,
    /// Numbers that are not finite, left out.
    pub(super) not_finite: u64,
}

/// Appends a text with what ends words and attributes as `%XX`. In words blanks too.
pub(super) fn push_text(line: &mut String, text: &str, is_word: bool, counts: &mut Counts) {
    let last = text.len().saturating_sub(1);
    let mut changed = false;
    for (at, c) in text.char_indices() {
        let blank = c == ' ' && (is_word || at == 0 || at == last);
        if blank || c.is_ascii_control() || matches!(c, '%' | ',' | ';' | '=') {
            // Writing to a string cannot fail.
            let _ = write!(line, "%{:02X}", u32::from(c));
            changed = true;
        } else {
            line.push(c);
        }
    }
    counts.escaped += u64::from(changed);
}

/// A float that reads back as itself and as a float.
pub(super) fn push_float(line: &mut String, value: f64) {
    let _ = write!(line, "{value:?}");
}

/// The attributes at the end of a line.
#[derive(Debug)]
pub(super) struct Pairs<'a> {
    line: &'a mut String,
    first: bool,
    nulls: Vec<&'static str>,
}

impl<'a> Pairs<'a> {
    /// Begins them: everything before is written.
    pub(super) fn begin(line: &'a mut String) -> Pairs<'a> {
        line.push(';');
        Pairs::within(line)
    }

    /// Likewise, without the `;`.
    pub(super) fn within(line: &'a mut String) -> Pairs<'a> {
        Pairs {
            line,
            first: true,
            nulls: Vec::new(),
        }
    }

    fn key(&mut self, key: &str) {
        if !std::mem::replace(&mut self.first, false) {
            self.line.push(',');
        }
        self.line.push_str(key);
        self.line.push('=');
    }

    /// A pair whose key is written already as it should be.
    pub(super) fn text(&mut self, key: &str, value: &str, counts: &mut Counts) {
        self.key(key);
        push_text(self.line, value, false, counts);
    }

    /// A pair whose value needs no codes.
    pub(super) fn plain(&mut self, key: &str, value: &str) {
        self.key(key);
        self.line.push_str(value);
    }

    /// Says that a column is null though the line holds something for it.
    pub(super) fn null(&mut self, column: &'static str) {
        self.nulls.push(column);
    }

    /// An attribute; null leaves no trace.
    pub(super) fn cell(&mut self, key: &str, cells: &Cells, row: usize, counts: &mut Counts) {
        if cells.is_null(row) {
            return;
        }
        match cells {
            Cells::Float(array) => {
                let value = array.value(row);
                if value.is_finite() {
                    self.key(key);
                    push_float(self.line, value);
                } else {
                    counts.not_finite += 1;
                }
            }
            cells => {
                let mut text = String::new();
                cells.append(row, &mut text);
                counts.empty += u64::from(matches!(text.as_str(), "" | "NA"));
                self.text(key, &text, counts);
            }
        }
    }

    /// The end of the attributes.
    pub(super) fn end(mut self) {
        if !self.nulls.is_empty() {
            let nulls = self.nulls.join(" ");
            self.plain("marey.null", &nulls);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_keep_to_their_place() {
        let mut counts = Counts::default();
        let mut shown = |text: &str, is_word| {
            let mut line = String::new();
            push_text(&mut line, text, is_word, &mut counts);
            line
        };
        assert_eq!(shown("a b", false), "a b");
        assert_eq!(shown("a b", true), "a%20b");
        assert_eq!(
            shown(" a,b;c=d\n%\u{e9} ", false),
            "%20a%2Cb%3Bc%3Dd%0A%25\u{e9}%20"
        );
        assert_eq!(counts.escaped, 2);
    }

    #[test]
    fn floats_stay_floats() {
        for value in [0.0, 2.0, 1e300, -0.1, 1e-9, 123_456_789.0] {
            let mut line = String::new();
            push_float(&mut line, value);
            assert_eq!(line.parse(), Ok(value));
            assert!(line.contains(['.', 'e']), "{line}");
        }
    }
}
