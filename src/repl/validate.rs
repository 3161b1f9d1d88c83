//! Whether an input is whole or wants another line; the parser says.

use super::{cursor, meta};
use crate::lang::parse::{self, Completeness};

/// True where more text is needed.
pub(super) fn is_open(text: &str) -> bool {
    if meta::is_command(text) || cursor::ends_in_quotes(text) {
        return false;
    }
    // A line that begins with a pipe goes on from the last result, so it is the rest of a pipeline.
    let continued = text.trim_start().starts_with('|');
    let whole = if continued {
        format!("it {text}")
    } else {
        text.to_owned()
    };
    parse::completeness(&whole) == Completeness::Open
}

#[cfg(test)]
mod tests {
    use super::is_open;

    #[test]
    fn open_until_the_brackets_and_the_pipe_are_done() {
        assert!(is_open("let t = ("));
        assert!(is_open("for i in [1, 2] {"));
        assert!(is_open("for i in [1, 2] {\n  $i\n"));
        assert!(is_open("for i in [1, 2] {\nf\"{$i}\"\n"));
        assert!(is_open("for i in [1, 2] {\nrun | take $i\nrun | profile"));
        assert!(!is_open("for i in [1, 2] {\nf\"{$i}\"\n}"));
        assert!(!is_open("for i in [1, 2] { $i }"));
        assert!(is_open("load \"x\" |"));
        assert!(is_open("| sort a,"));
        assert!(!is_open("load \"x\" | profile"));
        assert!(!is_open("| profile"));
        assert!(!is_open(":save |"));
        assert!(!is_open("filter )"));
        // A text ends on its line.
        assert!(!is_open("run | filter value == \"Idle"));
        assert!(is_open("run | filter value matches r\"\\\" |"));
        assert!(is_open("(f\"{x == \"a\"}\""));
    }
}
