//! `marey check`: the mistakes of scripts. Nothing runs but the loads that the check needs, nothing is
//! written, so that Ctrl-C may end the program as the system does it.

use super::args::{Options, Piece};
use super::host::Console;
use super::run::session;
use super::script;
use crate::diag::Diag;

/// Checks each script on its own; the exit code is that of the first that is wrong.
pub(super) fn run(pieces: &[Piece], options: &Options, mut console: Console) -> Result<u8, Diag> {
    let mut exit_code = 0;
    for piece in pieces {
        let script = script::one(piece)?;
        // A session each: names of one script mean nothing in the next.
        let mut session = session(options)?;
        console.begin(session.sources(), &script);
        let outcome = session.check(&script.name, &script.text, &mut console);
        console.end();
        console.report(&outcome.diags);
        if exit_code == 0 {
            exit_code = outcome.exit_code;
        }
    }
    Ok(exit_code)
}
