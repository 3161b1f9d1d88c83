//! The command line: arguments in, an exit code out. Results go to standard output, everything else to
//! standard error (language.md, section 7).
//!
//! One file per concern: [`args`] reads the command line, [`run`] and [`check`] do what it asks, [`host`]
//! shows results, [`terminal`] knows what the terminal can, [`signal`] turns Ctrl-C into a cancelled query.

pub mod args;
pub mod check;
mod config;
mod format;
pub mod host;
mod info;
mod output;
mod picture;
pub mod progress;
mod report;
mod reproduce;
pub mod run;
pub mod script;
pub mod signal;
pub mod terminal;
mod watch;

pub use run::main;

/// Says that the program itself failed, where nothing better can be said.
pub fn crashed() {
    use std::io::Write;
    // With standard error gone there is nobody to tell.
    let _ = writeln!(
        std::io::stderr(),
        "marey: an internal error; this is worth a bug report, with the script"
    );
}
