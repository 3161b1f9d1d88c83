//! A line of an .etf file into its keyword, words and attributes.

use memchr::{memchr, memrchr};
use std::borrow::Cow;

/// More words than this are not looked at one by one.
const MAX_WORDS: usize = 8;

/// The words of a line before its `;`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'a> {
    words: [&'a [u8]; MAX_WORDS],
    count: usize,
}

impl<'a> Words<'a> {
    /// Cuts at blanks.
    pub(super) fn of(text: &'a [u8]) -> Words<'a> {
        let mut words: [&[u8]; MAX_WORDS] = [b""; MAX_WORDS];
        let mut count = 0;
        for word in blanks(text) {
            if let Some(slot) = words.get_mut(count) {
                *slot = word;
            }
            count += 1;
        }
        Words { words, count }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// A word; empty past the last.
    pub(super) fn get(&self, index: usize) -> &'a [u8] {
        self.words.get(index).copied().unwrap_or_default()
    }
}

/// The words of a text.
pub(super) fn blanks(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}

/// Keyword, what stands before the first `;`, and what stands behind it. `T` has no `;` of its own.
pub(super) fn cut(line: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let line = line.trim_ascii();
    let end = line
        .iter()
        .position(|byte| byte.is_ascii_whitespace() || *byte == b';')
        .unwrap_or(line.len());
    let (keyword, rest) = line.split_at_checked(end).unwrap_or((line, b""));
    match memchr(b';', rest) {
        Some(at) => (
            keyword,
            rest.get(..at).unwrap_or_default(),
            rest.get(at + 1..).unwrap_or_default(),
        ),
        None => (keyword, rest, b""),
    }
}

/// Pairs of `key = value, key = value`. Nothing is escaped, so a value ends at the last comma before the
/// next `=`, and keeps other commas.
#[derive(Clone, Debug)]
pub(super) struct Attributes<'a> {
    rest: &'a [u8],
    /// Some text was no pair.
    pub(super) stray: bool,
}

impl<'a> Attributes<'a> {
    pub(super) fn of(text: &'a [u8]) -> Attributes<'a> {
        Attributes {
            rest: text.trim_ascii(),
            stray: false,
        }
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.rest;
            let Some(equals) = memchr(b'=', rest) else {
                let only = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
                self.stray |= !rest.iter().all(only);
                self.rest = b"";
                return None;
            };
            let key = rest.get(..equals)?;
            let key = match memrchr(b',', key) {
                Some(comma) => {
                    let before = key.get(..comma)?;
                    self.stray |= !before.trim_ascii().is_empty();
                    key.get(comma + 1..)?
                }
                None => key,
            };
            let text = rest.get(equals + 1..)?;
            let mut from = 0;
            let (value, next) = loop {
                let Some(found) = memchr(b'=', text.get(from..)?) else {
                    let value = text.trim_ascii_end();
                    break (value.strip_suffix(b",").unwrap_or(value), &b""[..]);
                };
                let before = text.get(..from + found)?;
                match memrchr(b',', before) {
                    Some(comma) => break (text.get(..comma)?, text.get(comma + 1..)?),
                    None => from += found + 1,
                }
            };
            self.rest = next;
            let key = key.trim_ascii();
            if key.is_empty() {
                self.stray = true;
                continue;
            }
            return Some((key, value.trim_ascii()));
        }
    }
}

/// A text with its `%2C` put back, as marey writes what the format cannot hold. What is no such code stays.
pub(super) fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'%', text).is_none() {
        return Cow::Borrowed(text);
    }
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let code = digit(text.get(at + 1)).zip(digit(text.get(at + 2)));
        match (byte, code) {
            (b'%', Some((high, low))) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> (Vec<(String, String)>, bool) {
        let mut attributes = Attributes::of(text.as_bytes());
        let shown = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        let list = attributes.by_ref().map(|(k, v)| (shown(k), shown(v)));
        (list.collect(), attributes.stray)
    }

    #[test]
    fn values_keep_commas_and_equal_signs() {
        type Pairs = &'static [(&'static str, &'static str)];
        let cases: [(&str, Pairs, bool); 9] = [
            ("", &[], false),
            (" name = s1 ", &[("name", "s1")], false),
            ("name=A,level=1", &[("name", "A"), ("level", "1")], false),
            ("name=a, b , c=d,", &[("name", "a, b"), ("c", "d")], false),
            ("f=g(x=1), b=2", &[("f", "g(x=1)"), ("b", "2")], false),
            ("a=,b=", &[("a", ""), ("b", "")], false),
            ("odd, a=1", &[("a", "1")], true),
            ("odd", &[], true),
            ("=1,a=2", &[("a", "2")], true),
        ];
        for (text, wanted, stray) in cases {
            let (found, odd) = pairs(text);
            let found: Vec<(&str, &str)> = found.iter().map(|(k, v)| (&**k, &**v)).collect();
            assert_eq!((found.as_slice(), odd), (wanted, stray), "{text}");
        }
    }

    #[test]
    fn lines_have_a_keyword_words_and_attributes() {
        let shown = |line: &'static str| {
            let (keyword, head, rest) = cut(line.as_bytes());
            [keyword, head, rest].map(|part| String::from_utf8_lossy(part).trim().to_owned())
        };
        assert_eq!(shown("C 0 1 2 ;a=1;b"), ["C", "0 1 2", "a=1;b"]);
        assert_eq!(shown(" T a=1"), ["T", "a=1", ""]);
        assert_eq!(shown("T;a=1"), ["T", "", "a=1"]);
        let words = Words::of(b" 1\t2  3 ");
        assert_eq!(
            (words.len(), words.get(2), words.get(3)),
            (3, &b"3"[..], &b""[..])
        );
    }

    #[test]
    fn codes_are_put_back() {
        assert_eq!(&*unescaped(b"a%2Cb%3d%"), b"a,b=%");
        assert_eq!(&*unescaped(b"100%zz"), b"100%zz");
    }
}
