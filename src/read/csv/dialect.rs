//! How a table is written: separator, decimal mark, and where its column names stand.

use super::records::Record;
use crate::diag::{Diag, code};
use crate::read::{Head, ReadOptions};

/// Separators that are guessed among.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Rows that are looked at.
const SAMPLE: usize = 100;

/// How a table is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Between cells.
    pub separator: u8,
    /// `1,5` is one and a half.
    pub decimal_comma: bool,
    /// 0-based index among the lines that are not blank of the line with the names.
    pub header_line: usize,
    /// The column names as they stand there, a leading `#` taken off.
    pub header: Vec<String>,
    /// What was guessed, for the load report; None where it is as usual (`,` and `.`) or given.
    pub guessed: Option<String>,
}

/// Looks at the head of a file. Ok(None) where it is no table: no line of names with two columns.
pub fn look(head: &Head<'_>, options: &ReadOptions) -> Result<Option<Dialect>, Diag> {
    let mut lines: Vec<&[u8]> = head.lines().take(SAMPLE).collect();
    if !head.whole && lines.len() > 1 && lines.len() < SAMPLE {
        // The last line may be cut off.
        lines.pop();
    }
    let Some(header_line) = header_line(&lines) else {
        return Ok(None);
    };
    let names = lines.get(header_line).copied().unwrap_or_default();
    let rows: Vec<&[u8]> = lines
        .iter()
        .skip(header_line + 1)
        .copied()
        .filter(|line| !line.starts_with(b"#"))
        .collect();
    let separator = match options.separator {
        Some(given) => match u8::try_from(given) {
            Ok(byte) if byte.is_ascii() => byte,
            _ => {
                let message = format!("`{given}` cannot be a separator");
                return Err(Diag::error(&code::INVALID_VALUE, message)
                    .help("one ASCII character, such as \";\" or \"|\""));
            }
        },
        None => match separator(names, &rows)? {
            Some(separator) => separator,
            None => return Ok(None),
        },
    };
    let header: Vec<String> = cut(strip_hash(names), separator);
    let numbers = header.iter().filter(|name| is_number(name)).count();
    if header.len() < 2 || numbers * 2 > header.len() {
        return Ok(None);
    }
    let decimal_comma = match options.decimal {
        Some(mark) => mark == ',',
        None => separator != b',' && has_decimal_commas(&rows, separator),
    };
    let mut guessed = Vec::new();
    if options.separator.is_none() && separator != b',' {
        let shown = match separator {
            b'\t' => "tab".to_owned(),
            byte => format!("`{}`", char::from(byte)),
        };
        guessed.push(format!("separator {shown}"));
    }
    if options.decimal.is_none() && decimal_comma {
        guessed.push("decimal mark `,`".to_owned());
    }
    Ok(Some(Dialect {
        separator,
        decimal_comma,
        header_line,
        header,
        guessed: (!guessed.is_empty()).then(|| guessed.join(", ")),
    }))
}

/// The first line that is no comment; or the last comment before it, where that has as many cells and the
/// line itself is numbers.
fn header_line(lines: &[&[u8]]) -> Option<usize> {
    let first = lines.iter().position(|line| !line.starts_with(b"#"))?;
    let Some(before) = first.checked_sub(1) else {
        return Some(first);
    };
    let (row, comment) = (lines.get(first)?, lines.get(before)?);
    for separator in SEPARATORS {
        let cells = cut(row, separator);
        let numbers = cells.iter().filter(|cell| is_number(cell)).count();
        let names = cut(strip_hash(comment), separator);
        if cells.len() > 1 && cells.len() == names.len() && numbers * 2 >= cells.len() {
            return Some(before);
        }
    }
    Some(first)
}

/// The separator that the names contain. Where several do, the one that cuts most rows into as many
/// cells; where that does not decide, an error with both readings.
fn separator(names: &[u8], rows: &[&[u8]]) -> Result<Option<u8>, Diag> {
    let mut found: Vec<(usize, usize, u8)> = Vec::new();
    for separator in SEPARATORS {
        let columns = cut(strip_hash(names), separator).len();
        if columns < 2 {
            continue;
        }
        let fits = rows
            .iter()
            .filter(|row| cut(row, separator).len() == columns);
        found.push((fits.count(), columns, separator));
    }
    found.sort_by(|a, b| b.cmp(a));
    match found.as_slice() {
        [] => Ok(None),
        [(_, _, only)] => Ok(Some(*only)),
        [(most, columns, first), (next, others, second), ..] => {
            if most > next {
                return Ok(Some(*first));
            }
            let shown = |byte: u8| char::from(byte).escape_default().to_string();
            let message = format!(
                "the table reads as {columns} columns cut at `{}` and as {others} cut at `{}`",
                shown(*first),
                shown(*second)
            );
            Err(Diag::error(&code::AMBIGUOUS_INPUT, message).help(format!(
                "`separator=\"{}\"` or `separator=\"{}\"`",
                shown(*first),
                shown(*second)
            )))
        }
    }
}

/// True where cells such as `1,5` occur and none such as `1.5`.
fn has_decimal_commas(rows: &[&[u8]], separator: u8) -> bool {
    let decimal = |text: &str, mark: char| {
        text.split_once(mark).is_some_and(|(whole, part)| {
            let whole = whole.trim_start_matches(['-', '+']);
            let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            !whole.is_empty() && !part.is_empty() && digits(whole) && digits(part)
        })
    };
    let cells: Vec<String> = rows.iter().flat_map(|row| cut(row, separator)).collect();
    cells.iter().any(|cell| decimal(cell, ',')) && !cells.iter().any(|cell| decimal(cell, '.'))
}

/// The cells of one line.
fn cut(line: &[u8], separator: u8) -> Vec<String> {
    let mut record = Record::of(line);
    if !record.split(separator, true) {
        record.split(separator, false);
    }
    let cells = record.cells().map(String::from_utf8_lossy);
    cells.map(|cell| cell.into_owned()).collect()
}

fn strip_hash(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"#").map_or(line, <[u8]>::trim_ascii)
}

fn is_number(cell: &str) -> bool {
    cell.replacen(',', ".", 1).parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn dialect(text: &str) -> Result<Option<Dialect>, Diag> {
        let head = Head {
            text: text.as_bytes(),
            whole: true,
            path: Path::new("x.csv"),
        };
        look(&head, &ReadOptions::default())
    }

    #[test]
    fn separators_and_decimal_marks_are_found() {
        let cases = [
            ("a,b\n1,2\n", b',', false, 2),
            ("t0;t1\n1,5;2,5\n", b';', true, 2),
            ("a\tb c\n1\t2\n", b'\t', false, 2),
            ("a|b|c\n1|2|3\n", b'|', false, 3),
            ("time (s, local);value\n1.5;2\n", b';', false, 2),
            ("# made by x\n#t,v\n1,2\n", b',', false, 2),
            ("# made by x\na,b\n1,2\n", b',', false, 2),
        ];
        for (text, separator, comma, columns) in cases {
            let found = dialect(text);
            let found = found.ok().flatten();
            let shown = found
                .as_ref()
                .map(|d| (d.separator, d.decimal_comma, d.header.len()));
            assert_eq!(shown, Some((separator, comma, columns)), "{text}");
        }
    }

    #[test]
    fn two_readings_are_an_error_and_no_names_is_no_table() {
        let both = dialect("a;b,c\n1;2,3\n").map_err(|diag| diag.code.name);
        assert_eq!(both, Err("ambiguous_input"));
        assert_eq!(dialect("1,2\n3,4\n"), Ok(None));
        assert_eq!(dialect("hello\nworld\n"), Ok(None));
    }
}
