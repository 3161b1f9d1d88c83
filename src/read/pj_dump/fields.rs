//! A line of pj_dump into fields, and the small texts within.

use memchr::memchr;

/// Cuts a line at its commas: blanks around fields and one pair of quotes are taken off.
pub(super) struct Fields<'a>(pub(super) Option<&'a [u8]>);

impl<'a> Fields<'a> {
    /// Everything that has not been handed out, without blanks around it.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.0.map(<[u8]>::trim_ascii).unwrap_or_default()
    }

    /// A field that begins with a quote: it ends at the quote before a comma or the end of the line.
    #[cold]
    fn quoted(&mut self, line: &'a [u8]) -> Option<&'a [u8]> {
        let inner = line.get(1..)?;
        let mut at = 0;
        while let Some(found) = memchr(b'"', inner.get(at..)?) {
            let close = at + found;
            let after = inner.get(close + 1..)?.trim_ascii_start();
            match after.split_first() {
                None => self.0 = None,
                Some((b',', rest)) => self.0 = Some(rest),
                Some(_) => {
                    at = close + 1;
                    continue;
                }
            }
            return inner.get(..close);
        }
        None
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let line = self.0?.trim_ascii_start();
        if line.first() == Some(&b'"')
            && let Some(field) = self.quoted(line)
        {
            return Some(field);
        }
        let (field, rest) = match memchr(b',', line) {
            Some(at) => (line.get(..at), line.get(at + 1..)),
            None => (Some(line), None),
        };
        self.0 = rest;
        field.map(<[u8]>::trim_ascii_end)
    }
}

/// A name that was looked up last: most rows have the same as the row before.
#[derive(Debug)]
pub(super) struct Last<T> {
    text: Vec<u8>,
    found: Option<T>,
}

impl<T: Copy> Last<T> {
    /// Nothing looked up yet.
    pub(super) fn new() -> Last<T> {
        Last {
            text: Vec::new(),
            found: None,
        }
    }

    /// The thing of this name; `find` looks it up where it is not the last one.
    #[inline]
    pub(super) fn get(&mut self, text: &[u8], find: impl FnOnce() -> T) -> T {
        if let Some(found) = self.found
            && self.text == text
        {
            return found;
        }
        let found = find();
        self.text.clear();
        self.text.extend_from_slice(text);
        self.found = Some(found);
        found
    }

    /// Forgets it: the name may mean something else now.
    pub(super) fn forget(&mut self) {
        self.found = None;
    }
}

/// The first comma that a blank follows.
pub(super) fn comma_blank(text: &[u8]) -> Option<usize> {
    text.windows(2)
        .position(|pair| matches!(pair, [b',', b' ' | b'\t']))
}

/// The imbrication, printed as a float: `1.000000`.
#[inline]
pub(super) fn depth_of(text: &[u8]) -> Option<i32> {
    let whole = match memchr(b'.', text) {
        Some(at) => {
            let (whole, places) = text.split_at_checked(at)?;
            if !places.get(1..)?.iter().all(|byte| *byte == b'0') {
                return None;
            }
            whole
        }
        None => text,
    };
    if whole.is_empty() || whole.len() > 9 {
        return None;
    }
    let mut depth = 0;
    for byte in whole {
        if !byte.is_ascii_digit() {
            return None;
        }
        depth = depth * 10 + i32::from(byte - b'0');
    }
    Some(depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_end_at_commas_outside_quotes() {
        let cut = |text: &'static str| {
            let fields = Fields(Some(text.as_bytes())).map(String::from_utf8_lossy);
            fields.collect::<Vec<_>>()
        };
        assert_eq!(
            cut("State, a b ,\t\"p, 1\" , 5\" disk,"),
            ["State", "a b", "p, 1", "5\" disk", ""]
        );
        assert_eq!(cut("\"open, b"), ["\"open", "b"]);
    }

    #[test]
    fn depths_are_whole_numbers() {
        let cases = [
            ("0.000000", Some(0)),
            ("12", Some(12)),
            ("1.5", None),
            ("-1", None),
            ("", None),
        ];
        for (text, depth) in cases {
            assert_eq!(depth_of(text.as_bytes()), depth, "{text}");
        }
    }
}
