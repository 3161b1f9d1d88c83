//! Colours of what is typed: known verbs, functions and bindings show that they are known.

use super::meta;
use super::token::{self, Kind};
use crate::lang::check::Scope;
use crate::verb;

const VERB: &str = "\x1b[1;36m";
const NAME: &str = "\x1b[1m";
const KEYWORD: &str = "\x1b[34m";
const TEXT: &str = "\x1b[32m";
const NUMBER: &str = "\x1b[33m";
const SCALAR: &str = "\x1b[35m";
const DIM: &str = "\x1b[2m";
const RESET: &str = "\x1b[0m";

/// Longer texts stay as they are: each key would paint them anew.
const LIMIT: usize = 20_000;

/// The text with colours; its width on the screen is the same.
pub(super) fn colored(text: &str, scope: Option<&Scope>) -> Option<String> {
    if text.len() > LIMIT {
        return None;
    }
    if meta::is_command(text) {
        return Some(format!("{NAME}{text}{RESET}"));
    }
    let mut out = String::with_capacity(text.len() * 2);
    let mut any = false;
    for (kind, range) in token::tokens(text) {
        let piece = text.get(range.clone())?;
        let called = text.get(range.end..)?.starts_with('(');
        let color = match kind {
            Kind::Plain => None,
            Kind::Comment => Some(DIM),
            Kind::Text => Some(TEXT),
            Kind::Number => Some(NUMBER),
            Kind::Scalar => Some(SCALAR),
            Kind::Word { leads: true } if verb::find(piece).is_some() => Some(VERB),
            Kind::Word { .. } if token::is_keyword(piece) => Some(KEYWORD),
            Kind::Word { leads: true } if scope.is_some_and(|scope| scope.get(piece).is_some()) => {
                Some(NAME)
            }
            Kind::Word { .. } if called => Some(NAME),
            Kind::Word { .. } => None,
        };
        match color {
            Some(color) => {
                any = true;
                // A colour must not run into the next line, where rustyline moves the cursor.
                out.push_str(color);
                out.push_str(piece);
                out.push_str(RESET);
            }
            None => out.push_str(piece),
        }
    }
    any.then_some(out)
}

/// A hint, dimmed.
pub(super) fn dimmed(text: &str) -> String {
    format!("{DIM}{text}{RESET}")
}

/// The prompt.
pub(super) fn prompt(text: &str) -> String {
    format!("{NAME}{text}{RESET}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_change_no_character() {
        let text = "let a = load \"x\" | take 5 # all";
        let painted = colored(text, None).expect("colours");
        let mut plain = String::new();
        let mut inside = false;
        for c in painted.chars() {
            match c {
                '\x1b' => inside = true,
                'm' if inside => inside = false,
                _ if inside => {}
                c => plain.push(c),
            }
        }
        assert_eq!(plain, text);
        assert!(painted.contains("\x1b[1;36mload"), "{painted:?}");
        assert!(painted.contains("\x1b[34mlet"), "{painted:?}");
    }
}
