//! Runs what the command line asks for and says with which exit code the program ends.

use super::args::{self, Invocation, Options, Piece, Task};
use super::host::Console;
use super::script;
use super::signal::{INTERRUPTED, Signals, TERMINATED};
use super::{check, config, format, info, report, reproduce, terminal, watch};
use crate::diag::{Diag, Sources, code};
use crate::plan::engine::EngineConfig;
use crate::repl;
use crate::session::{Session, SessionConfig};
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::time::Instant;

/// The program: arguments, the program's name first, to an exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let Invocation { task, mut options } = match args::read(arguments) {
        Ok(invocation) => invocation,
        Err(refused) => {
            // Where standard error is gone there is nowhere to say so.
            let _ = std::io::stderr().write_all(refused.0.as_bytes());
            return 2;
        }
    };
    let interactive = matches!(task, Task::Interactive) && std::io::stdin().is_terminal();
    if let Err(diag) = config::apply(&mut options, interactive) {
        return fail(diag, &options);
    }
    let mut console = match Console::new(&options, interactive) {
        Ok(console) => console,
        Err(diag) => return fail(diag, &options),
    };
    let result = match task {
        Task::Print(text) => {
            console.say(text.trim_end());
            Ok(0)
        }
        Task::Interactive if interactive => interact(&options, console),
        Task::Interactive => run(&[Piece::Input], &options, console),
        Task::Run(pieces) => run(&pieces, &options, console),
        Task::Check(pieces) => check::run(&pieces, &options, console),
        Task::Format(pieces, only_look) => format::run(&pieces, only_look, console),
        Task::Info(traces) => info::run(&traces, &options, console),
        Task::Watch(path) => watch::run(&path, &options, console),
        Task::Reproduce(files, inputs) => reproduce::run(&files, &inputs, &options, console),
        Task::Version(verbose) => {
            console.say(&version(verbose));
            Ok(0)
        }
        Task::Parameters(piece) => list_parameters(&piece, console),
    };
    result.unwrap_or_else(|diag| fail(diag, &options))
}

/// The version, and the defaults of this machine.
fn version(verbose: bool) -> String {
    let mut text = format!("marey {}", env!("CARGO_PKG_VERSION"));
    if verbose {
        let standard = EngineConfig::default();
        let folder = std::env::temp_dir();
        let config = config::usual(|name| std::env::var_os(name));
        let config = config.map_or("none".to_owned(), |path| path.display().to_string());
        text.push_str(&format!(
            "\nDataFusion {}\nthreads: {}\nmemory: {} MiB\ntemporary folder: {}\nfile of defaults: {config}",
            crate::plan::engine::VERSION,
            standard.threads,
            standard.memory >> 20,
            folder.display(),
        ));
    }
    text
}

/// A diagnostic outside any script.
fn fail(diag: Diag, options: &Options) -> u8 {
    let style = terminal::Stream::Error.style(options.color);
    let text = crate::diag::render::render(&diag, &Sources::default(), style);
    let _ = std::io::stderr().write_all(text.as_bytes());
    diag.code.class.exit_code()
}

/// Starts a session.
pub(super) fn session(options: &Options) -> Result<Session, Diag> {
    for (folder, option) in [(&options.out, "--out"), (&options.temporary, "--temp-dir")] {
        if let Some(folder) = folder
            && !folder.is_dir()
        {
            return Err(Diag::error(
                &code::BAD_COMMAND_LINE,
                format!("{option}: the folder `{}` does not exist", folder.display()),
            )
            .help(format!("create it first: mkdir -p {}", folder.display())));
        }
    }
    Session::new(configured(options))
}

/// What the options of the command line say of a session.
pub(super) fn configured(options: &Options) -> SessionConfig {
    let standard = EngineConfig::default();
    SessionConfig {
        engine: EngineConfig {
            threads: options.threads.unwrap_or(standard.threads),
            memory: options.memory.unwrap_or(standard.memory),
            temporary: options.temporary.clone(),
        },
        out: options.out.clone(),
        keep_files: options.no_clobber,
        parameters: options.parameters.clone(),
        again: None,
    }
}

/// Installs the signal handlers that stop it.
pub(super) fn signals(session: &Session, interactive: bool) -> Result<Signals, Diag> {
    Signals::install(session.cancel(), interactive).map_err(|error| {
        Diag::error(
            &code::INTERNAL,
            format!("signals cannot be handled: {error}"),
        )
    })
}

/// The REPL.
fn interact(options: &Options, console: Console) -> Result<u8, Diag> {
    let session = session(options)?;
    let signals = signals(&session, true)?;
    repl::run(session, console, signals, options)
}

/// Runs the pieces of the command line as one script.
fn run(pieces: &[Piece], options: &Options, mut console: Console) -> Result<u8, Diag> {
    // Reading comes before the handlers: until something runs, Ctrl-C simply ends the program.
    let script = script::read(pieces)?;
    let mut session = session(options)?;
    let signals = signals(&session, false)?;
    signals.begin();
    let start = Instant::now();
    console.begin(session.sources(), &script);
    let outcome = session.run(&script.name, &script.text, &mut console);
    console.end();
    signals.end();
    if console.is_closed() {
        return Ok(0);
    }
    console.report(&outcome.diags);
    if options.timing {
        console.took(start);
    }
    if let Some(path) = &options.report {
        let run = report::Run {
            script: &script,
            sources: session.sources(),
            assertions: console.assertions(),
            diags: &outcome.diags,
            exit_code: outcome.exit_code,
        };
        run.write(path)?;
    }
    Ok(match outcome.exit_code {
        INTERRUPTED if signals.is_terminated() => TERMINATED,
        exit_code => exit_code,
    })
}

/// `marey run f.marey --help`: what the script is for and its parameters.
fn list_parameters(piece: &Piece, mut console: Console) -> Result<u8, Diag> {
    let script = script::one(piece)?;
    let name = &script.name;
    let mut session = Session::new(SessionConfig::default())?;
    console.begin(session.sources(), &script);
    let (parameters, diags) = session.parameters_of(name, &script.text);
    console.end();
    let mut out = format!("{name}\n");
    for line in header(&script.text) {
        out.push_str(&format!("  {line}\n"));
    }
    out.push_str(&format!("\nUsage: marey run {name}"));
    if parameters.is_empty() {
        out.push_str("\n\nThe script has no parameters.");
    } else {
        out.push_str(" [--param NAME=VALUE]…\n\nParameters, with their defaults:");
        let names = parameters.iter().map(|p| p.name.len()).max().unwrap_or(0);
        let values = parameters
            .iter()
            .map(|p| p.default.literal().chars().count())
            .max()
            .unwrap_or(0);
        for parameter in &parameters {
            let line = format!(
                "  {:names$} = {:values$}   {}",
                parameter.name,
                parameter.default.literal(),
                parameter.help.as_deref().unwrap_or("")
            );
            out.push_str(&format!("\n{}", line.trim_end()));
        }
    }
    if !console.style().unicode {
        out = out.replace('…', "...");
    }
    console.say(&out);
    console.report(&diags);
    Ok(diags
        .iter()
        .find(|diag| diag.is_error())
        .map_or(0, |diag| diag.code.class.exit_code()))
}

/// The comment a script begins with.
fn header(text: &str) -> impl Iterator<Item = &str> {
    text.trim_start_matches('\u{feff}')
        .lines()
        .filter(|line| !line.starts_with("#!"))
        .take_while(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim())
}
