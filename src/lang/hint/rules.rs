//! The rules of [`super::syntax`], one function each: what people of other languages type, and what is missing.

use super::{Spot, error, is_unit, is_word, open_brackets, starts_value, token};
use crate::diag::{Diag, Span, code};

/// Answers where it knows what was meant.
type Rule = fn(&Spot) -> Option<Diag>;

/// The table; the first that answers wins.
pub(super) const RULES: &[Rule] = &[
    sql,
    quotes,
    symbols_of_other_languages,
    pipe_arrow,
    missing_stage,
    unclosed,
    missing_equals,
    method_call,
    comma_after_verb,
    parenthesised_list,
    words_of_sql,
    unit_after_blank,
    sort_direction,
    option_without_equals,
    missing_left_side,
    single_equals,
    lopsided_minus,
    missing_comma,
    reserved_word,
    stray_bracket,
];

fn sql(spot: &Spot) -> Option<Diag> {
    let text = spot.text.trim_start();
    let first = token(text);
    if !first.eq_ignore_ascii_case("select") || !text.to_ascii_lowercase().contains(" from ") {
        return None;
    }
    let lead = spot.text.len() - text.len();
    let table = text
        .split_whitespace()
        .skip_while(|word| !word.eq_ignore_ascii_case("from"))
        .nth(1)
        .map_or("run", |word| token(word));
    Some(
        Diag::error(
            &code::SYNTAX,
            "pipelines start with the data, not with `select`",
        )
        .at(spot.span(lead, lead + first.len()), "this is SQL")
        .help(format!(
            "write `{table} | select …`; `where` is `filter`, `group by` is `summarize … by …`, \
                 `order by` is `sort` (grammar/language.md has a page for SQL users)"
        )),
    )
}

fn quotes(spot: &Spot) -> Option<Diag> {
    match spot.rest.chars().next()? {
        '\'' => {
            let inner: String = spot.rest[1..]
                .chars()
                .take_while(|c| *c != '\'' && *c != '\n')
                .collect();
            Some(
                Diag::error(&code::SINGLE_QUOTES, "single quotes have no meaning")
                    .at(
                        spot.span(spot.at, (spot.at + inner.len() + 2).min(spot.text.len())),
                        "here",
                    )
                    .help(format!(
                        "text is written \"{inner}\", a column with odd letters `{inner}`"
                    )),
            )
        }
        '“' | '”' | '„' | '«' | '»' => Some(
            error(spot, "typographic quotes have no meaning", "here")
                .help("text is written with plain quotes: \"…\""),
        ),
        _ => None,
    }
}

fn symbols_of_other_languages(spot: &Spot) -> Option<Diag> {
    let table = [
        ("&&", "`&&` is written `and`"),
        ("||", "`||` is written `or`"),
        ("&", "`&` is written `and`"),
        ("<>", "`<>` is written `!=`"),
        ("=~", "`=~` is written `matches`"),
        ("~", "a regular expression is tested with `matches`"),
        ("**", "powers are written `power(x, y)`"),
        (
            "//",
            "comments begin with `#`; whole quotients are `floor(a / b)`",
        ),
        ("--", "comments begin with `#`"),
        ("%>%", "stages are joined by `|`"),
        ("^", "powers are written `power(x, y)`"),
        ("->", "stages are joined by `|`"),
    ];
    if let Some((symbol, answer)) = table
        .iter()
        .find(|(symbol, _)| spot.rest.starts_with(symbol))
    {
        // Two pipes with blanks around are a missing stage; two in an expression are an `or`.
        if *symbol == "||" && starts_stage(spot.rest.trim_start_matches('|').trim_start()) {
            return None;
        }
        return Some(
            Diag::error(&code::SYNTAX, format!("`{symbol}` is no operator"))
                .at(spot.span(spot.at, spot.at + symbol.len()), "here")
                .help(*answer),
        );
    }
    // `--` and `//` and `~` may stop one character late, inside the second character.
    let tail = spot.text.get(spot.at.saturating_sub(1)..);
    if tail.is_some_and(|tail| tail.starts_with("//") || tail.starts_with("--")) {
        return Some(error(spot, "this is no comment", "here").help("comments begin with `#`"));
    }
    if spot.rest.starts_with('!') && !spot.rest.starts_with("!=") {
        return Some(error(spot, "`!` is no operator", "here").help("`!` is written `not`"));
    }
    None
}

fn starts_stage(text: &str) -> bool {
    // After a doubled pipe a verb with arguments or the end follows; after `or` an operand with an operator.
    let word = token(text);
    let after = text[word.len()..].trim_start_matches([' ', '\t']);
    is_word(word) && starts_value(after)
}

fn pipe_arrow(spot: &Spot) -> Option<Diag> {
    spot.rest.starts_with("|>").then(|| {
        Diag::error(&code::SYNTAX, "`|>` is no operator")
            .at(spot.span(spot.at, spot.at + 2), "here")
            .help("stages are joined by `|`")
    })
}

fn missing_stage(spot: &Spot) -> Option<Diag> {
    let after_pipe = spot.before.ends_with('|');
    if after_pipe && spot.rest.trim_start().starts_with('|') {
        return Some(
            error(
                spot,
                "a stage is missing between the pipes",
                "a verb is expected before this",
            )
            .help("remove one of the pipes"),
        );
    }
    if spot.rest.starts_with("||") {
        return Some(
            error(spot, "a stage is missing between the pipes", "here")
                .help("remove one of the pipes"),
        );
    }
    if after_pipe && spot.rest.trim().is_empty() {
        let at = spot.before.len() - 1;
        return Some(
            Diag::error(&code::SYNTAX, "a stage is missing after the pipe")
                .at(spot.span(at, at + 1), "nothing follows this pipe")
                .help("name a verb after it, or remove the pipe"),
        );
    }
    if spot.before.is_empty() && spot.rest.starts_with('|') {
        return Some(
            error(
                spot,
                "a stage is missing before the pipe",
                "nothing stands before this pipe",
            )
            .help("a pipeline starts with data: `load \"trace.csv\" | …` or the name of a `let`"),
        );
    }
    if after_pipe && spot.rest.starts_with(|c: char| !is_word(&c.to_string())) {
        return Some(
            error(
                spot,
                "a stage is missing after the pipe",
                "a verb is expected here",
            )
            .help("name a verb: `filter`, `summarize`, `plot-stacked` …"),
        );
    }
    None
}

fn unclosed(spot: &Spot) -> Option<Diag> {
    let line_ends = spot.rest.trim().is_empty() || spot.rest.starts_with(['\n', '\r']);
    // The grammar looks no further than a bracket that is the last thing written.
    let ends_open = matches!(spot.rest.trim(), "(" | "[" | "{");
    if !line_ends && !ends_open {
        return None;
    }
    let before = if ends_open {
        spot.text
    } else {
        &spot.text[..spot.at]
    };
    let open = open_brackets(before);
    let (at, bracket) = *open.last()?;
    let (what, close) = match bracket {
        '(' => ("this bracket", ")"),
        '[' => ("this bracket", "]"),
        '{' => ("this brace", "}"),
        _ => ("this text", "\""),
    };
    Some(
        Diag::error(&code::SYNTAX, format!("{what} is never closed"))
            .at(spot.span(at, at + 1), "opened here")
            .help(format!("a `{close}` is missing")),
    )
}

fn missing_equals(spot: &Spot) -> Option<Diag> {
    let lead = spot.text.len() - spot.text.trim_start().len();
    let text = &spot.text[lead..];
    let keyword = token(text);
    if !matches!(keyword, "let" | "param") {
        return None;
    }
    let rest = &text[keyword.len()..];
    let name_at = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let name = token(&rest[name_at..]);
    let start = lead + keyword.len() + name_at;
    if is_reserved(name) {
        return Some(reserved(name, spot.span(start, start + name.len())));
    }
    if !is_word(name) {
        return Some(
            Diag::error(
                &code::SYNTAX,
                format!("a name is missing after `{keyword}`"),
            )
            .at(spot.span(lead, lead + keyword.len()), "here")
            .help(format!("write `{keyword} name = …`")),
        );
    }
    let after = rest[name_at + name.len()..].trim_start_matches([' ', '\t']);
    if after.starts_with('=') && !after.starts_with("==") {
        return None;
    }
    let end = start + name.len();
    let help = match after.split(['\n', '#']).next().unwrap_or("").trim() {
        "" => format!("write `{keyword} {name} = …`"),
        value if after.starts_with("==") => {
            format!(
                "write `{keyword} {name} = {}`",
                value.trim_start_matches('=').trim()
            )
        }
        value => format!("write `{keyword} {name} = {value}`"),
    };
    Some(
        Diag::error(&code::SYNTAX, format!("`=` expected after `{name}`"))
            .at(spot.span(start, end), "this name gets no value")
            .help(help),
    )
}

fn method_call(spot: &Spot) -> Option<Diag> {
    if !spot.rest.starts_with('(') || spot.text[..spot.at].ends_with([' ', '\t']) {
        return None;
    }
    let (data, verb) = spot.last_word().rsplit_once('.')?;
    let inside: String = spot.rest[1..].chars().take_while(|c| *c != ')').collect();
    let start = spot.at - verb.len() - 1;
    Some(
        Diag::error(&code::SYNTAX, "stages are joined by `|`, not by a dot")
            .at(spot.span(start, spot.at + 1), "here")
            .help(format!(
                "write `{}`",
                format!("{data} | {verb} {inside}").trim_end()
            )),
    )
}

fn comma_after_verb(spot: &Spot) -> Option<Diag> {
    let stage = spot.stage();
    if !spot.rest.starts_with(',') || stage.is_empty() {
        return None;
    }
    let is_verb = stage
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    is_verb.then(|| {
        error(
            spot,
            format!("no comma stands after the verb `{stage}`"),
            "this comma",
        )
        .help("a blank separates a verb from its arguments")
    })
}

fn parenthesised_list(spot: &Spot) -> Option<Diag> {
    if !spot.rest.starts_with(',') {
        return None;
    }
    let (at, bracket) = *open_brackets(spot.before).last()?;
    let lead = spot.text[..at].trim_end();
    if bracket != '(' || !lead.ends_with("in") {
        return None;
    }
    let inside: String = spot.text[at + 1..]
        .chars()
        .take_while(|c| *c != ')' && *c != '\n')
        .collect();
    Some(
        Diag::error(&code::SYNTAX, "a list is written in square brackets")
            .at(spot.span(at, at + 1), "this bracket")
            .help(format!("write `[{}]`", inside.trim())),
    )
}

fn words_of_sql(spot: &Spot) -> Option<Diag> {
    let word = token(spot.rest);
    let after = spot.rest.get(word.len()..).unwrap_or_default().trim_start();
    let left = spot.last_word();
    let next = token(after);
    let (message, help) = match word.to_ascii_lowercase().as_str() {
        "is" if !left.is_empty() && next.eq_ignore_ascii_case("null") => (
            "`is` is no operator".to_owned(),
            format!("write `{left} == null`"),
        ),
        "is" if !left.is_empty() && next.eq_ignore_ascii_case("not") => (
            "`is` is no operator".to_owned(),
            format!("write `{left} != null`"),
        ),
        "like" | "ilike" if !left.is_empty() => (
            format!("`{word}` is no operator"),
            format!("a regular expression is tested with `matches`: `{left} matches \"^A\"`"),
        ),
        "between" if !left.is_empty() => (
            "`between` is no operator".to_owned(),
            format!("a half-open range is tested with `in`: `{left} in a..b`"),
        ),
        "group" if next.eq_ignore_ascii_case("by") => (
            "`group` stands before `by`".to_owned(),
            "`by` is written alone: `summarize count() by value`".to_owned(),
        ),
        "*" if left.eq_ignore_ascii_case("select") => (
            "`*` is no column".to_owned(),
            "without `select` all columns stay".to_owned(),
        ),
        "*" if spot.before.ends_with("count(") => (
            "`*` is no argument".to_owned(),
            "rows are counted by `count()`".to_owned(),
        ),
        _ => return None,
    };
    Some(error(spot, message, "here").help(help))
}

fn unit_after_blank(spot: &Spot) -> Option<Diag> {
    let word = token(spot.rest);
    let number = spot.last_word();
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number
            .chars()
            .all(|c| c.is_ascii_digit() || c == '.' || c == '_');
    if !is_number || !(is_unit(word) || matches!(word, "sec" | "msec" | "usec" | "nsec")) {
        return None;
    }
    let start = spot.before.len() - number.len();
    Some(
        Diag::error(
            &code::UNIT_BLANK,
            "a blank stands between the number and its unit",
        )
        .at(spot.span(start, spot.at + word.len()), "here")
        .help(format!("write `{number}{}`", word.trim_end_matches("ec"))),
    )
}

fn sort_direction(spot: &Spot) -> Option<Diag> {
    let word = token(spot.rest);
    let down = match word.to_ascii_lowercase().as_str() {
        "desc" | "descending" => true,
        "asc" | "ascending" => false,
        _ => return None,
    };
    let column = spot.last_word();
    Some(
        error(spot, format!("`{word}` is no direction"), "here").help(if down {
            format!("write `sort -{column}`")
        } else {
            format!("sorting up is the default: `sort {column}`")
        }),
    )
}

fn option_without_equals(spot: &Spot) -> Option<Diag> {
    let gap = spot.text[..spot.at].ends_with([' ', '\t']);
    if !gap {
        return None;
    }
    let word = token(spot.rest);
    let after = spot.rest[word.len()..].trim_start_matches([' ', '\t']);
    let literal =
        |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '$' | '['));
    // `… 100ms max 300ms`: a word and a literal after a complete argument.
    if is_word(word) && literal(after) && !is_reserved(word) {
        let value = value_text(after);
        return Some(
            error(spot, format!("the option `{word}` has no `=`"), "here")
                .help(format!("options are written `{word}={value}`")),
        );
    }
    // `verb max 300ms`: the word was read as an argument and the literal does not fit.
    let name = spot.last_word();
    if literal(spot.rest) && is_word(name) && spot.stage() != name && !spot.stage().contains(',') {
        let value = value_text(spot.rest);
        let start = spot.before.len() - name.len();
        return Some(
            Diag::error(&code::SYNTAX, format!("the option `{name}` has no `=`"))
                .at(spot.span(start, spot.at + value.len()), "here")
                .help(format!("options are written `{name}={value}`")),
        );
    }
    None
}

fn value_text(text: &str) -> &str {
    let end = match text.chars().next() {
        Some('"') => text[1..].find('"').map_or(text.len(), |at| at + 2),
        Some('[') => text.find(']').map_or(text.len(), |at| at + 1),
        _ => text
            .find(|c: char| c.is_whitespace() || matches!(c, ',' | ')' | '|'))
            .unwrap_or(text.len()),
    };
    &text[..end]
}

fn missing_left_side(spot: &Spot) -> Option<Diag> {
    let word = token(spot.rest);
    if word == "in" || word == "matches" {
        let left = spot.last_word();
        if left == "not" || left.is_empty() || spot.stage() == left {
            return Some(
                error(
                    spot,
                    format!("the left side of `{word}` is missing"),
                    "nothing stands before this",
                )
                .help(format!("write the column first: `value not {word} …`")),
            );
        }
    }
    // `filter not in […]` is also reached as `not` applied to nothing.
    if spot.last_word() == "not" && spot.rest.starts_with("in") {
        return Some(error(spot, "the left side of `in` is missing", "here"));
    }
    for symbol in ["==", "!=", "<=", ">=", "<", ">", "+", "*", "/"] {
        if spot.rest.starts_with(symbol) {
            return Some(
                Diag::error(
                    &code::SYNTAX,
                    format!("the left side of `{symbol}` is missing"),
                )
                .at(spot.span(spot.at, spot.at + symbol.len()), "here"),
            );
        }
    }
    let trailing = [
        "==", "!=", "<=", ">=", "<", ">", "+", "*", "/", "%", "??", "-",
    ];
    if spot.rest.trim().is_empty() {
        if let Some(symbol) = trailing
            .iter()
            .find(|symbol| spot.before.ends_with(**symbol))
        {
            let at = spot.before.len() - symbol.len();
            return Some(
                Diag::error(
                    &code::SYNTAX,
                    format!("the right side of `{symbol}` is missing"),
                )
                .at(spot.span(at, spot.before.len()), "nothing follows"),
            );
        }
        if spot.before.ends_with(',') {
            let at = spot.before.len() - 1;
            return Some(
                Diag::error(&code::SYNTAX, "an argument is missing after the comma")
                    .at(spot.span(at, at + 1), "nothing follows"),
            );
        }
    }
    None
}

fn single_equals(spot: &Spot) -> Option<Diag> {
    let name = spot.before.trim_start();
    if spot.rest.starts_with('=') && is_word(name) && token(name) == name {
        return Some(
            error(
                spot,
                "a statement does not begin with `=` after a name",
                "here",
            )
            .help(format!("a name is given with `let {name} = …`")),
        );
    }
    (spot.rest.starts_with('=') && !spot.rest.starts_with("==")).then(|| {
        error(
            spot,
            "`=` names an argument and stands only at the start of one",
            "here",
        )
        .help("to compare write `==`")
    })
}

fn lopsided_minus(spot: &Spot) -> Option<Diag> {
    let at = if spot.rest.starts_with('-') {
        spot.at
    } else if spot.text[..spot.at].trim_end().ends_with('-') {
        spot.before.len() - 1
    } else {
        return None;
    };
    Some(
        Diag::error(
            &code::SYNTAX,
            "a minus has blanks on both sides or on neither",
        )
        .at(spot.span(at, at + 1), "here")
        .help("write `a - b` or `a-b`; a negative argument follows a comma: `x, -y`"),
    )
}

fn missing_comma(spot: &Spot) -> Option<Diag> {
    if !starts_value(spot.rest) || spot.before.is_empty() {
        return None;
    }
    let left = spot.last_word();
    let right = value_text(spot.rest);
    let stage = spot.stage();
    let ends_value = !left.is_empty() || spot.before.ends_with(['"', ']', ')', '}']);
    if !ends_value || is_reserved(left) || stage.is_empty() {
        return None;
    }
    let what = if left.is_empty() {
        "the arguments".to_owned()
    } else {
        format!("`{left}` and `{right}`")
    };
    Some(
        error(
            spot,
            format!("a comma is missing between {what}"),
            "an argument begins here",
        )
        .help(if left.is_empty() {
            "arguments are separated by commas".to_owned()
        } else {
            format!("write `{left}, {right}`")
        }),
    )
}

fn is_reserved(word: &str) -> bool {
    matches!(
        word,
        "let"
            | "param"
            | "def"
            | "use"
            | "for"
            | "in"
            | "if"
            | "then"
            | "else"
            | "and"
            | "or"
            | "not"
            | "matches"
            | "by"
            | "true"
            | "false"
            | "null"
    )
}

fn reserved(word: &str, span: Span) -> Diag {
    Diag::error(&code::SYNTAX, format!("`{word}` is a reserved word"))
        .at(span, "here")
        .help(format!(
            "a column of this name is written in backquotes: `` `{word}` ``"
        ))
}

fn reserved_word(spot: &Spot) -> Option<Diag> {
    let word = token(spot.rest);
    is_reserved(word).then(|| reserved(word, spot.here()))
}

fn stray_bracket(spot: &Spot) -> Option<Diag> {
    let c = spot.rest.chars().next()?;
    matches!(c, ')' | ']' | '}').then(|| {
        if open_brackets(spot.before).is_empty() {
            error(spot, format!("this `{c}` closes nothing"), "here")
        } else {
            error(spot, format!("something is missing before `{c}`"), "here")
        }
    })
}
