//! The pieces of a line for colouring. Lexical only: it never says that a line is wrong, and takes any text.

use crate::lang::ast::{Bound, Node, StatementKind};
use crate::lang::parse;

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Blanks, operators, brackets.
    Plain,
    /// From `#` to the end of the line.
    Comment,
    /// `"…"`, closed or not.
    Text,
    /// A number with its unit.
    Number,
    /// `$name`.
    Scalar,
    /// A word; `leads` where a verb or a binding may stand.
    Word { leads: bool },
}

/// A piece: what it is and its bytes.
pub(super) type Token = (Kind, std::ops::Range<usize>);

/// Cuts a text into pieces that cover all of it.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut leads = true;
    let mut binds = false;
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let Some(first) = rest.chars().next() else {
            break;
        };
        let until = |stops: &dyn Fn(char) -> bool| rest.find(stops).unwrap_or(rest.len());
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (kind, length) = match first {
            '#' => (Kind::Comment, until(&|c| c == '\n')),
            '"' => (Kind::Text, quoted(rest)),
            'r' | 'f' if rest[1..].starts_with('"') => (Kind::Text, 1 + quoted(&rest[1..])),
            '`' => {
                let end = rest[1..]
                    .find(['`', '\n'])
                    .map_or(rest.len(), |end| end + 2);
                (Kind::Word { leads: false }, end.min(rest.len()))
            }
            '$' => (
                Kind::Scalar,
                1 + rest[1..].find(|c| !is_name(c)).unwrap_or(rest.len() - 1),
            ),
            '0'..='9' => (Kind::Number, number(rest)),
            c if c.is_ascii_alphabetic() || c == '_' => {
                let mut length = until(&|c| !is_name(c));
                // A hyphen belongs to the word only where a verb may stand.
                while leads && rest[length..].starts_with('-') {
                    let more = rest[length + 1..]
                        .find(|c| !is_name(c))
                        .unwrap_or(rest.len() - length - 1);
                    if more == 0 {
                        break;
                    }
                    length += 1 + more;
                }
                (Kind::Word { leads }, length)
            }
            c => (Kind::Plain, c.len_utf8()),
        };
        // A head or verb comes after a pipe, an opening bracket, `let x =`, and at the start of a statement.
        binds |= leads && rest.starts_with("let ");
        leads = match (kind, first) {
            (Kind::Plain, ' ' | '\t') | (Kind::Comment, _) => leads,
            (Kind::Plain, '=') => std::mem::take(&mut binds),
            (Kind::Plain, '|' | '(' | ';' | '{' | '\n') => true,
            _ => false,
        };
        push(&mut out, kind, at..at + length);
        at += length;
    }
    out
}

fn push(out: &mut Vec<Token>, kind: Kind, range: std::ops::Range<usize>) {
    match out.last_mut() {
        Some((Kind::Plain, last)) if kind == Kind::Plain => last.end = range.end,
        _ => out.push((kind, range)),
    }
}

/// The length of a string that starts at the first byte; it ends at the end of the line at the latest.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (index, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return index,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return index + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a number with its unit; the dots of a range are no part of it.
fn number(text: &str) -> usize {
    let mut end = 0;
    for (index, c) in text.char_indices() {
        let point = c == '.' && text[index + 1..].starts_with(|c: char| c.is_ascii_digit());
        if !(c.is_alphanumeric() || c == '_' || c == '%' || point) {
            break;
        }
        end = index + c.len_utf8();
    }
    end
}

/// True for the reserved words: the parser refuses them as names.
pub(super) fn is_keyword(word: &str) -> bool {
    let parsed = parse::parse(&format!("let {word} = 1"), 0);
    !parsed.diags.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase())
}

/// True where a column of this name needs no backquotes.
pub(super) fn is_plain_name(name: &str) -> bool {
    let parsed = parse::parse(name, 0);
    let [statement] = parsed.script.statements.as_slice() else {
        return false;
    };
    parsed.diags.is_empty()
        && matches!(
            &statement.kind,
            StatementKind::Show(Bound::Expr(expr))
                if matches!(&expr.node, Node::Column(names) if names.len() == 1 && names.iter().all(|n| n.text == name))
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_the_text() {
        let text = "let a = load \"x\" unit=ms | filter end-start > 1.5ms and $t in 1..2 # é\n| plot-stacked `a b`";
        let pieces = tokens(text);
        let joined: String = pieces
            .iter()
            .map(|(_, range)| &text[range.clone()])
            .collect();
        assert_eq!(joined, text);
        let words: Vec<&str> = pieces
            .iter()
            .filter(|(kind, _)| *kind == Kind::Word { leads: true })
            .map(|(_, range)| &text[range.clone()])
            .collect();
        assert_eq!(words, ["let", "load", "filter", "plot-stacked"]);
        assert!(
            pieces
                .iter()
                .any(|(kind, r)| *kind == Kind::Number && &text[r.clone()] == "1.5ms")
        );
    }

    #[test]
    fn the_parser_knows_the_keywords() {
        assert!(is_keyword("let") && is_keyword("true") && is_keyword("matches"));
        assert!(!is_keyword("filter") && !is_keyword("a"));
        assert!(is_plain_name("busy") && !is_plain_name("a b") && !is_plain_name("by"));
    }
}
