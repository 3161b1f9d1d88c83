//! `:open`: the last figure in the program that the desktop shows such files with.

use super::Repl;
use crate::write;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Writes the figure to a file of its own and opens it; where that fails the file is there all the same.
pub(super) fn figure(repl: &mut Repl) {
    let Some(svg) = repl.console.last_figure() else {
        repl.console.complain(
            "there is no figure yet; a pipeline that ends in `plot-gantt` or the like shows one",
        );
        return;
    };
    let path = match kept(svg) {
        Ok(path) => path,
        Err(error) => {
            let diag = write::output_error("the figure", &error);
            repl.console.report(&[diag]);
            return;
        }
    };
    let opened = opener()
        .arg(&path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let place = path.display();
    match opened {
        Ok(status) if status.success() => repl.tell(&format!("the figure is {place}")),
        _ => repl
            .console
            .complain(&format!("no program opened the figure; it is {place}")),
    }
}

/// The figure in a file that stays when the session ends.
fn kept(svg: &str) -> std::io::Result<PathBuf> {
    let mut file = tempfile::Builder::new()
        .prefix("marey-figure-")
        .suffix(".svg")
        .tempfile()?;
    file.write_all(svg.as_bytes())?;
    let (_, path) = file.keep()?;
    Ok(path)
}

/// `MAREY_OPEN`, else what the desktop opens files with.
fn opener() -> Command {
    let wanted = std::env::var_os("MAREY_OPEN").filter(|program| !program.is_empty());
    if let Some(program) = wanted {
        Command::new(program)
    } else if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        Command::new("explorer")
    } else {
        Command::new("xdg-open")
    }
}
