//! What to say about text that does not parse: a table of (text at the farthest position, what came
//! before) → message and help. It knows the habits people bring from SQL, R, Python and shells.

mod rules;

use super::ast::{BinaryOperator, Expr, Node};
use crate::diag::{Diag, Span, code};
use crate::spec::{LengthUnit, SizeUnit, TimeUnit};

/// Where parsing stopped, seen as text.
struct Spot<'a> {
    text: &'a str,
    at: usize,
    /// The text before, without trailing blanks.
    before: &'a str,
    /// The text from the spot on.
    rest: &'a str,
    source: u32,
    base: usize,
}

impl Spot<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, self.base + start, self.base + end)
    }

    /// The token at the spot.
    fn here(&self) -> Span {
        self.span(self.at, self.at + token(self.rest).len())
    }

    /// The last word or number before the spot.
    fn last_word(&self) -> &str {
        let start = self
            .before
            .rfind(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.' || c == '`'))
            .map_or(0, |at| {
                at + self.before[at..].chars().next().map_or(1, char::len_utf8)
            });
        &self.before[start..]
    }

    /// The text of the stage the spot is in, up to the spot.
    fn stage(&self) -> &str {
        let start = self
            .before
            .rfind(['|', '\n', ';', '='])
            .map_or(0, |at| at + 1);
        self.before[start..].trim_start()
    }
}

/// The diagnostic for text that stops fitting the grammar at byte `at`; `base` is where `text` begins in
/// the source.
pub fn syntax(text: &str, at: usize, source: u32, base: usize) -> Diag {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    // The blanks that the grammar skips before it fails belong to what comes after.
    let rest = &text[at..];
    let skipped = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let at = at + skipped;
    let spot = Spot {
        text,
        at,
        before: text[..at].trim_end(),
        rest: &text[at..],
        source,
        base,
    };
    rules::RULES
        .iter()
        .find_map(|rule| rule(&spot))
        .unwrap_or_else(|| unexpected(&spot))
}

/// `1s < duration < 2s`. `text` is what was written for an expression.
pub fn chained<'a>(
    left: &Expr,
    operator: BinaryOperator,
    right: &Expr,
    text: &dyn Fn(&Expr) -> Option<&'a str>,
) -> Diag {
    let diag = Diag::error(&code::CHAINED_COMPARISON, "comparisons do not chain").at(
        left.span.to(right.span),
        format!(
            "`{}` compares the result of a comparison",
            operator.symbol()
        ),
    );
    let apart = || -> Option<String> {
        let Node::Binary(first, low, middle) = &left.node else {
            return None;
        };
        let turned = mirrored(*first)?;
        mirrored(operator)?;
        let (low, middle, high) = (text(low)?, text(middle)?, text(right)?);
        let both = format!(
            "join two comparisons with `and`: `{middle} {} {low} and {middle} {} {high}`",
            turned.symbol(),
            operator.symbol()
        );
        let upwards =
            |operator| matches!(operator, BinaryOperator::Less | BinaryOperator::LessEqual);
        Some(if upwards(*first) && upwards(operator) {
            format!("{both}; or test a half-open range: `{middle} in {low}..{high}`")
        } else {
            both
        })
    };
    diag.help(apart().unwrap_or_else(|| {
        "join two comparisons with `and`: `duration > 1s and duration < 2s`".to_owned()
    }))
}

/// The comparison that says the same of its sides the other way round.
fn mirrored(operator: BinaryOperator) -> Option<BinaryOperator> {
    Some(match operator {
        BinaryOperator::Less => BinaryOperator::Greater,
        BinaryOperator::LessEqual => BinaryOperator::GreaterEqual,
        BinaryOperator::Greater => BinaryOperator::Less,
        BinaryOperator::GreaterEqual => BinaryOperator::LessEqual,
        BinaryOperator::Equal | BinaryOperator::NotEqual => operator,
        _ => return None,
    })
}

/// `5sec`, `1m`.
pub fn unknown_unit(number: &str, unit: &str, span: Span) -> Diag {
    let diag =
        Diag::error(&code::UNKNOWN_UNIT, format!("`{unit}` is no unit")).at(span, "this unit");
    let known = match unit {
        "m" => {
            return diag.help(format!(
                "minutes are written `{number}min`, lengths `{number}mm` or `{number}cm`"
            ));
        }
        "sec" | "secs" | "second" | "seconds" | "S" => "s",
        "msec" | "millis" | "milliseconds" | "millisecond" | "MS" => "ms",
        "usec" | "micros" | "microseconds" | "microsecond" => "us",
        "nsec" | "nanos" | "nanoseconds" | "nanosecond" => "ns",
        "minute" | "minutes" | "mins" | "M" => "min",
        "hour" | "hours" | "hr" | "H" => "h",
        "inch" | "inches" => "in",
        "pixel" | "pixels" | "PX" => "px",
        "KB" | "kb" | "K" | "k" => "kB",
        "mb" => "MB",
        "gb" | "G" => "GB",
        _ => {
            return diag.help(
                "units are `ps ns us ms s min h` for times, `px pt mm cm in` for lengths, `B kB MB GB \
                 KiB MiB GiB` for sizes and `%`",
            );
        }
    };
    diag.help(format!("write `{number}{known}`"))
}

fn error(spot: &Spot, message: impl Into<String>, label: impl Into<String>) -> Diag {
    Diag::error(&code::SYNTAX, message).at(spot.here(), label)
}

fn token(text: &str) -> &str {
    let mut chars = text.char_indices();
    let Some((_, first)) = chars.next() else {
        return "";
    };
    let word = |c: char| c.is_alphanumeric() || c == '_';
    if !word(first) {
        return &text[..first.len_utf8()];
    }
    let end = chars
        .find(|(_, c)| !word(*c))
        .map_or(text.len(), |(at, _)| at);
    &text[..end]
}

fn is_word(text: &str) -> bool {
    text.chars()
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == '`')
}

fn starts_value(text: &str) -> bool {
    is_word(text)
        || text
            .starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '$' | '[' | '{' | '('))
}

fn is_unit(word: &str) -> bool {
    TimeUnit::from_name(word).is_some()
        || LengthUnit::from_name(word).is_some()
        || SizeUnit::from_name(word).is_some()
        || word == "%"
}

/// Whether a bracket is open at the end of `text`.
pub(super) fn is_open(text: &str) -> bool {
    open_brackets(text)
        .iter()
        .any(|(_, bracket)| *bracket != '"')
}

/// Brackets and quotes that are open at the end of `text`, outside strings and comments: byte, char.
fn open_brackets(text: &str) -> Vec<(usize, char)> {
    let mut open = Vec::new();
    let mut quote = None;
    let mut comment = false;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '\n' | '\r' => {
                comment = false;
                quote = None;
            }
            _ if comment => {}
            _ if escaped => escaped = false,
            '\\' if quote.is_some() => escaped = true,
            '"' => quote = if quote.is_some() { None } else { Some(at) },
            _ if quote.is_some() => {}
            '#' => comment = true,
            '(' | '[' | '{' => open.push((at, c)),
            ')' | ']' | '}' => {
                open.pop();
            }
            _ => {}
        }
    }
    if let Some(at) = quote {
        open.push((at, '"'));
    }
    open
}

fn unexpected(spot: &Spot) -> Diag {
    let here = token(spot.rest);
    if here.trim().is_empty() {
        let at = spot.before.len();
        let from = spot
            .before
            .char_indices()
            .next_back()
            .map_or(0, |(at, _)| at);
        return Diag::error(&code::SYNTAX, "the statement ends too early")
            .at(spot.span(from, at), "something is missing after this");
    }
    let printable = crate::diag::printable(here, 40);
    let diag = error(
        spot,
        format!("`{printable}` does not fit here"),
        "unexpected",
    );
    match here.chars().next() {
        Some(c) if c.is_alphabetic() && !c.is_ascii() => diag.help(format!(
            "a column with odd letters is written `` `{printable}` ``"
        )),
        _ => diag,
    }
}
