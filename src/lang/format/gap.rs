//! What stands between two tokens: blanks, punctuation and comments.

/// A comment between two tokens of a statement.
#[derive(Debug, PartialEq)]
pub struct Comment {
    /// From `#`, without blanks at its end.
    pub text: String,
    /// Whether it stands behind a token on its line.
    pub trailing: bool,
}

/// A comment on a line of its own between two statements.
#[derive(Debug, PartialEq)]
pub struct Own {
    /// From `#`, without blanks at its end.
    pub text: String,
    /// Whether a blank line belongs before it.
    pub apart: bool,
}

/// What stands between two statements.
#[derive(Debug, Default, PartialEq)]
pub struct Between {
    /// The comment behind the first statement on its line.
    pub trailing: Option<String>,
    /// Whether a `;` stood before that comment.
    pub behind_semicolon: bool,
    /// The comments on lines of their own.
    pub own: Vec<Own>,
    /// Whether a blank line belongs before the second statement.
    pub apart: bool,
}

/// A thing in a gap.
enum Mark<'a> {
    LineEnd,
    Punctuation(char),
    Comment(&'a str),
}

/// The things in a gap, in order, with the byte that each begins at.
fn marks(gap: &str) -> impl Iterator<Item = (usize, Mark<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at;
            let rest = gap.get(at..)?;
            let first = rest.chars().next()?;
            if first == '#' {
                let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
                at += length;
                let text = rest.get(..length).unwrap_or(rest);
                return Some((start, Mark::Comment(text.trim_end())));
            }
            if rest.starts_with("\r\n") {
                at += 2;
                return Some((start, Mark::LineEnd));
            }
            at += first.len_utf8();
            match first {
                '\n' | '\r' => return Some((start, Mark::LineEnd)),
                ' ' | '\t' | '\u{a0}' => {}
                other => return Some((start, Mark::Punctuation(other))),
            }
        }
    })
}

/// The comments of a gap inside a statement. Only the first can still stand behind the token before the gap.
pub fn comments(gap: &str) -> Vec<Comment> {
    let mut found: Vec<Comment> = Vec::new();
    let mut at_margin = false;
    for (_, mark) in marks(gap) {
        match mark {
            Mark::LineEnd => at_margin = true,
            Mark::Punctuation(_) => at_margin = false,
            Mark::Comment(text) => found.push(Comment {
                text: text.to_owned(),
                trailing: !at_margin && found.is_empty(),
            }),
        }
    }
    found
}

/// Where the first `punctuation` outside of comments stands.
pub fn find(gap: &str, punctuation: char) -> Option<usize> {
    marks(gap).find_map(|(at, mark)| match mark {
        Mark::Punctuation(found) if found == punctuation => Some(at),
        _ => None,
    })
}

/// Whether the gap goes over the end of a line.
pub fn breaks(gap: &str) -> bool {
    gap.contains(['\n', '\r'])
}

/// Reads the gap between two statements; `follows` is whether something stands before it on its first line.
pub fn between(gap: &str, follows: bool) -> Between {
    let mut between = Between::default();
    let mut line_ends = 0;
    let mut semicolon = false;
    // Whether nothing stands before the present place on its line, and whether that held for the last comment:
    // only such comments are the help text of a `def` below them.
    let mut at_margin = !follows;
    let mut last_at_margin = true;
    for (_, mark) in marks(gap) {
        match mark {
            Mark::LineEnd => {
                line_ends += 1;
                at_margin = true;
            }
            Mark::Punctuation(found) => {
                semicolon |= found == ';';
                at_margin = false;
            }
            Mark::Comment(text) => {
                let first = between.trailing.is_none() && between.own.is_empty();
                if first && follows && line_ends == 0 {
                    between.trailing = Some(text.to_owned());
                    between.behind_semicolon = semicolon;
                } else {
                    between.own.push(Own {
                        text: text.to_owned(),
                        apart: line_ends > 1 || (at_margin && !last_at_margin),
                    });
                    last_at_margin = at_margin;
                }
                line_ends = 0;
            }
        }
    }
    between.apart = line_ends > 1;
    between
}
