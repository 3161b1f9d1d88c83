//! `marey fmt`: scripts in the one canonical layout.

use super::args::Piece;
use super::host::Console;
use super::script;
use crate::diag::{Diag, Sources};
use crate::lang::format;
use crate::verb;
use crate::write::{self, atomic::AtomicFile};

/// Whether `name = …` among the arguments of a verb makes a column and is no option.
fn creates_column(verb: &str, name: &str) -> bool {
    verb::find(verb).is_some_and(|verb| {
        let spec = verb.spec();
        spec.has_free_names() && !spec.options().any(|option| option.name == name)
    })
}

/// Writes each script anew, or with `only_look` says which would change; a script with mistakes in it stays as it is.
pub(super) fn run(pieces: &[Piece], only_look: bool, mut console: Console) -> Result<u8, Diag> {
    let mut exit_code = 0;
    for piece in pieces {
        let script = script::one(piece)?;
        let sources = Sources::default();
        console.begin(&sources, &script);
        sources.add(script.name.as_str(), script.text.as_str());
        let formatted = format::format_with(&script.text, &creates_column);
        console.end();
        let text = match formatted {
            Ok(text) => text,
            Err(diags) => {
                console.report(&diags);
                exit_code = 2;
                continue;
            }
        };
        match piece {
            Piece::File(path) if only_look => {
                if text != script.text {
                    console.complain(&format!("{} would change", path.display()));
                    exit_code = exit_code.max(1);
                }
            }
            Piece::File(_) if text == script.text => {}
            Piece::File(path) => {
                let rights = std::fs::metadata(path).map(|data| data.permissions());
                let failed = |error: std::io::Error| {
                    write::output_error(&path.display().to_string(), &error)
                };
                let mut file = AtomicFile::create(path)?;
                file.writer().write_all(text.as_bytes()).map_err(failed)?;
                file.commit()?;
                // A script may be a program of its own.
                if let Ok(rights) = rights {
                    std::fs::set_permissions(path, rights).map_err(failed)?;
                }
            }
            Piece::Text(_) | Piece::Input if only_look => {
                exit_code = exit_code.max(u8::from(text != script.text));
            }
            Piece::Text(_) | Piece::Input => console.say(text.trim_end()),
        }
    }
    Ok(exit_code)
}
