//! Texts that are longer than the screen go through the user's pager.

use std::io::Write;
use std::process::{Command, Stdio};

/// The command: `MAREY_PAGER`, else `PAGER`, else `less -FRX`. `MAREY_PAGER` set to nothing wants none.
fn command(variable: impl Fn(&str) -> Option<String>) -> Option<Vec<String>> {
    let set = |name: &str| variable(name).filter(|command| !command.trim().is_empty());
    if variable("MAREY_PAGER").is_some() && set("MAREY_PAGER").is_none() {
        return None;
    }
    let command = set("MAREY_PAGER")
        .or_else(|| set("PAGER"))
        .unwrap_or_else(|| "less -FRX".to_owned());
    Some(command.split_whitespace().map(str::to_owned).collect())
}

/// What came of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Paged {
    /// The pager has it. One that is left early has shown what was wanted.
    Shown,
    /// No pager is wanted.
    Unwanted,
    /// This program is wanted and cannot show it.
    Missing(String),
}

/// Shows a text through the pager.
pub(super) fn show(text: &str) -> Paged {
    let Some(words) = command(|name| std::env::var(name).ok()) else {
        return Paged::Unwanted;
    };
    let Some((program, arguments)) = words.split_first() else {
        return Paged::Unwanted;
    };
    let started = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .spawn();
    let Ok(mut child) = started else {
        return Paged::Missing(program.clone());
    };
    if let Some(mut input) = child.stdin.take() {
        // The reader may leave before the end.
        let _ = writeln!(input, "{text}");
    }
    match child.wait() {
        // An option that it does not know, say: it has shown nothing.
        Ok(status) if status.code().is_some_and(|code| code > 0 && code < 128) => {
            Paged::Missing(words.join(" "))
        }
        _ => Paged::Shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Option<String> {
        let words = command(|name| {
            let pair = pairs.iter().find(|(key, _)| *key == name);
            pair.map(|(_, value)| (*value).to_owned())
        });
        words.map(|words| words.join(" "))
    }

    #[test]
    fn the_variables_in_their_order() {
        assert_eq!(of(&[]).as_deref(), Some("less -FRX"));
        assert_eq!(of(&[("PAGER", "more")]).as_deref(), Some("more"));
        assert_eq!(of(&[("PAGER", "")]).as_deref(), Some("less -FRX"));
        assert_eq!(
            of(&[("PAGER", "more"), ("MAREY_PAGER", "bat -p")]).as_deref(),
            Some("bat -p")
        );
        assert_eq!(of(&[("PAGER", "more"), ("MAREY_PAGER", "")]), None);
    }
}
