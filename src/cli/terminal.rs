//! What the terminal can: colours, box-drawing characters, width. Off a terminal everything is plain ASCII.

use crate::diag::render::Style;
use std::io::IsTerminal;

/// `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// One of the two output streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

impl Stream {
    /// True where somebody looks at it.
    pub fn is_terminal(self) -> bool {
        match self {
            Stream::Output => std::io::stdout().is_terminal(),
            Stream::Error => std::io::stderr().is_terminal(),
        }
    }

    /// Columns, where it is a terminal.
    pub fn width(self) -> Option<usize> {
        let size = match self {
            Stream::Output => terminal_size::terminal_size_of(std::io::stdout()),
            Stream::Error => terminal_size::terminal_size_of(std::io::stderr()),
        };
        match size {
            // A terminal that was never told its size says 0.
            Some((terminal_size::Width(columns), _)) if columns > 0 => Some(usize::from(columns)),
            _ if self.is_terminal() => {
                Some(named("COLUMNS").and_then(|c| c.parse().ok()).unwrap_or(80))
            }
            _ => None,
        }
    }

    /// Lines of the screen, where it is a terminal that says so.
    pub fn height(self) -> Option<usize> {
        let size = match self {
            Stream::Output => terminal_size::terminal_size_of(std::io::stdout()),
            Stream::Error => terminal_size::terminal_size_of(std::io::stderr()),
        };
        match size {
            // A terminal that was never told its size says 0.
            Some((_, terminal_size::Height(lines))) if lines > 0 => Some(usize::from(lines)),
            _ if self.is_terminal() => named("LINES").and_then(|lines| lines.parse().ok()),
            _ => None,
        }
    }

    /// Whether to colour what goes there.
    pub fn colored(self, choice: ColorChoice) -> bool {
        match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                if named("NO_COLOR").is_some() {
                    return false;
                }
                if named("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
                    return true;
                }
                self.is_terminal()
                    && !is_dumb()
                    && named("CLICOLOR").is_none_or(|value| value != "0")
            }
        }
    }

    /// How diagnostics look there.
    pub fn style(self, choice: ColorChoice) -> Style {
        let terminal = self.is_terminal();
        Style {
            color: self.colored(choice),
            unicode: terminal && !is_dumb() && is_utf8(),
            width: self.width().unwrap_or(80),
        }
    }
}

/// True where the terminal cannot move its cursor.
pub fn is_dumb() -> bool {
    named("TERM").is_none_or(|term| term == "dumb")
}

/// An environment variable that is set to something.
pub fn named(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The locale's encoding, by the variables that decide it, the strongest first.
fn is_utf8() -> bool {
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(named)
        .is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        })
}
