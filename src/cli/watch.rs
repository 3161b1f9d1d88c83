//! `marey watch`: a script runs, and again whenever it, what it uses or an input changes.
//!
//! Looks at the files a few times a second and asks no system for notices: those do not come from network file systems, where
//! traces live.

use super::args::{Options, Piece};
use super::host::Console;
use super::run::{configured, signals};
use super::script::{self, Script};
use super::signal::{INTERRUPTED, TERMINATED};
use crate::diag::Diag;
use crate::session::Session;
use crate::verb::source::opened::OpenedFile;
use std::path::Path;
use std::time::{Duration, Instant};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(200);

/// Runs until Ctrl-C.
pub(super) fn run(path: &Path, options: &Options, mut console: Console) -> Result<u8, Diag> {
    let mut session = Session::new(configured(options))?;
    // Ctrl-C ends the watch, whether something runs or not.
    let signals = signals(&session, false)?;
    let ended = |session: &Session| session.cancel().is_cancelled();
    loop {
        // How the script is before it is read: a change from here on is noticed.
        let mut files = vec![OpenedFile::now(path)];
        signals.begin();
        let start = Instant::now();
        match script::one(&Piece::File(path.to_owned())) {
            Ok(script) => {
                let exit_code = once(&mut session, &script, &mut console);
                if exit_code == INTERRUPTED {
                    break;
                }
                if options.timing {
                    console.took(start);
                }
            }
            // It may be between two saves of an editor.
            Err(diag) => console.report(&[diag]),
        }
        if console.is_closed() {
            return Ok(0);
        }
        files.extend(session.files());
        let others = match files.len() - 1 {
            0 => String::new(),
            1 => " and 1 other file".to_owned(),
            count => format!(" and {count} other files"),
        };
        console.complain(&format!("watching {}{others}; Ctrl-C ends", path.display()));
        let Some(changed) = next_change(&files, || ended(&session)) else {
            break;
        };
        console.complain(&format!("{} changed", changed.display()));
        session.forget();
    }
    signals.end();
    Ok(match signals.is_terminated() {
        true => TERMINATED,
        false => INTERRUPTED,
    })
}

fn once(session: &mut Session, script: &Script, console: &mut Console) -> u8 {
    console.begin(session.sources(), script);
    let outcome = session.run(&script.name, &script.text, console);
    console.end();
    console.report(&outcome.diags);
    outcome.exit_code
}

/// Waits until a file changes and has come to rest, so that half a trace is not read; None where the watch is ended.
fn next_change(files: &[OpenedFile], ended: impl Fn() -> bool) -> Option<&Path> {
    loop {
        std::thread::sleep(PAUSE);
        if ended() {
            return None;
        }
        let Some(changed) = files.iter().find(|file| !file.is_as_read()) else {
            continue;
        };
        let mut now = OpenedFile::now(&*changed.path);
        loop {
            std::thread::sleep(PAUSE);
            if ended() {
                return None;
            }
            let next = OpenedFile::now(&*changed.path);
            // A file that is gone comes back: editors replace it.
            if next == now && next.state.is_some() {
                break;
            }
            now = next;
        }
        if changed.is_as_read() {
            continue;
        }
        return Some(&changed.path);
    }
}
