//! The scripts of the command line as text with a name for diagnostics.

use super::args::{Piece, nearest_subcommand};
use crate::diag::{Diag, code};
use std::io::Read;

/// A script to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// What diagnostics call it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Where it was put together from several pieces: the name of each and the byte it starts at.
    pub parts: Vec<(String, usize)>,
}

/// Reads the pieces of a command line as one script, so that all mistakes are found before anything runs and
/// a parameter may be declared in any piece.
pub fn read(pieces: &[Piece]) -> Result<Script, Diag> {
    if let [piece] = pieces {
        return one(piece);
    }
    let mut script = Script {
        name: "command line".to_owned(),
        ..Script::default()
    };
    for piece in pieces {
        let part = one(piece)?;
        script.parts.push((part.name, script.text.len()));
        script
            .text
            .push_str(part.text.trim_start_matches('\u{feff}'));
        script.text.push('\n');
    }
    Ok(script)
}

impl Script {
    /// A script of one piece.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Script {
        Script {
            name: name.into(),
            text: text.into(),
            parts: Vec::new(),
        }
    }

    /// The part that a byte stands in: its index, and where it starts and ends.
    pub fn part_at(&self, at: usize) -> Option<(usize, usize, usize)> {
        let index = self.parts.iter().rposition(|(_, start)| *start <= at)?;
        let start = self.parts.get(index)?.1;
        let end = self
            .parts
            .get(index + 1)
            .map_or(self.text.len(), |(_, next)| *next);
        Some((index, start, end))
    }
}

/// Reads one piece.
pub fn one(piece: &Piece) -> Result<Script, Diag> {
    match piece {
        Piece::Text(text) => Ok(Script::new("-c", text)),
        Piece::Input => {
            let mut bytes = Vec::new();
            std::io::stdin()
                .lock()
                .read_to_end(&mut bytes)
                .map_err(|error| unreadable("standard input", &error.to_string()))?;
            decoded("standard input", bytes)
        }
        Piece::File(path) => {
            let name = path.display().to_string();
            match std::fs::read(path) {
                Ok(bytes) => decoded(&name, bytes),
                Err(error) => {
                    let diag = unreadable(&name, &reason(&error));
                    let bare = path.components().count() == 1 && path.extension().is_none();
                    let near = if bare {
                        nearest_subcommand(&name)
                    } else {
                        None
                    };
                    Err(match near {
                        Some(near) => diag.help(format!("the command is `marey {near}`")),
                        None => diag,
                    })
                }
            }
        }
    }
}

/// The system's words without its error number.
fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "reading it is not permitted".to_owned(),
        std::io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    }
}

fn unreadable(name: &str, why: &str) -> Diag {
    Diag::error(
        &code::BAD_COMMAND_LINE,
        format!("the script `{name}` cannot be read: {why}"),
    )
}

fn decoded(name: &str, bytes: Vec<u8>) -> Result<Script, Diag> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Script::new(name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let before = error.as_bytes().get(..at).unwrap_or_default();
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            Err(unreadable(name, &format!("line {line} is not UTF-8"))
                .help("a trace is read with `load`: marey -c 'load \"file\" | profile'"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_one_script_that_knows_its_parts() {
        let pieces = [
            Piece::Text("let a = 1".to_owned()),
            Piece::Text("$a".to_owned()),
        ];
        let script = read(&pieces).expect("texts");
        assert_eq!(script.text, "let a = 1\n$a\n");
        assert_eq!(script.part_at(3), Some((0, 0, 10)));
        assert_eq!(script.part_at(10), Some((1, 10, 13)));
    }

    #[test]
    fn bytes_that_are_no_text_name_their_line() {
        let diag = decoded("x.marey", b"a\nb\xff".to_vec()).expect_err("no text");
        assert!(diag.message.contains("line 2"), "{}", diag.message);
    }
}
