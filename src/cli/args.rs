//! The command line as typed ([`typed`], by clap) and as meant ([`Invocation`]).
//!
//! Two steps, so that what a combination of options means is decided in one place, and each refusal can
//! say what to write instead.

mod asked;
mod typed;

pub(super) use typed::{format_named, memory};

use super::terminal::ColorChoice;
use crate::lang::suggest;
use crate::write::Format;
use asked::Asked;
use clap::FromArgMatches;
use std::ffi::OsString;
use std::path::PathBuf;
use typed::{Command, CommandLine, command};

/// A piece of what is to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text of `-c`.
    Text(String),
    /// A file.
    File(PathBuf),
    /// Standard input.
    Input,
}

impl Piece {
    fn of(path: PathBuf) -> Piece {
        if path.as_os_str() == "-" {
            Piece::Input
        } else {
            Piece::File(path)
        }
    }
}

/// What to do.
#[derive(Debug)]
pub enum Task {
    /// Start the REPL, or run standard input where it is no terminal.
    Interactive,
    /// Run these in order.
    Run(Vec<Piece>),
    /// Find the mistakes of these.
    Check(Vec<Piece>),
    /// Write these in the canonical layout; only look whether they are where the flag is set.
    Format(Vec<Piece>, bool),
    /// Say what these traces are.
    Info(Vec<String>),
    /// Run this, and again whenever it or an input changes.
    Watch(PathBuf),
    /// Make these files again, with inputs that moved.
    Reproduce(Vec<PathBuf>, Vec<(String, String)>),
    /// List the parameters of a script.
    Parameters(Piece),
    /// Tell the version; where the flag is set, the defaults too.
    Version(bool),
    /// Print this text and stop.
    Print(String),
}

/// How to do it.
#[derive(Default)]
pub struct Options {
    /// `--param`, in the order given.
    pub parameters: Vec<(String, String)>,
    /// `--out`.
    pub out: Option<PathBuf>,
    /// `--threads`.
    pub threads: Option<usize>,
    /// `--memory`, in bytes.
    pub memory: Option<usize>,
    /// `--temp-dir`.
    pub temporary: Option<PathBuf>,
    /// `--format`.
    pub format: Option<&'static Format>,
    /// `--color`.
    pub color: ColorChoice,
    /// Whether `--color` was given.
    pub is_color_given: bool,
    /// `--timing`.
    pub timing: bool,
    /// `--no-clobber`.
    pub no_clobber: bool,
    /// `--report`.
    pub report: Option<PathBuf>,
    /// `--config`, `--no-config`.
    pub config: ConfigChoice,
    /// How lines are edited in the REPL; said by the file of defaults only.
    pub edit_mode: EditMode,
}

/// Which file of defaults is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ConfigChoice {
    /// That of the user, for the REPL.
    #[default]
    Usual,
    /// This one.
    File(PathBuf),
    /// None.
    None,
}

/// How lines are edited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EditMode {
    /// As in Emacs.
    #[default]
    Emacs,
    /// As in vi.
    Vi,
}

/// What was meant.
pub struct Invocation {
    /// What to do.
    pub task: Task,
    /// How to do it.
    pub options: Options,
}

/// A command line that cannot be followed: the message, ready to print.
#[derive(Debug)]
pub struct Refused(pub String);

/// Reads the command line, the program's name first.
pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Invocation, Refused> {
    let mut command = command();
    let matches = match command.try_get_matches_from_mut(arguments) {
        Ok(matches) => matches,
        Err(error) if error.use_stderr() => {
            let text = error.render().to_string();
            // clap points at `--help` only where it has a flag of its own.
            let hint = if text.contains("--help") {
                ""
            } else {
                "\nFor more information, try 'marey --help'.\n"
            };
            return Err(Refused(format!("{text}{hint}")));
        }
        Err(error) => {
            return Ok(Invocation {
                task: Task::Print(error.render().to_string()),
                options: Options::default(),
            });
        }
    };
    // The order of `-c` and `-f` among each other is only in the matches, not in the struct.
    let order = |id: &str| -> Vec<usize> {
        matches
            .indices_of(id)
            .map_or_else(Vec::new, Iterator::collect)
    };
    let (text_order, file_order) = (order("texts"), order("files"));
    let line = CommandLine::from_arg_matches(&matches)
        .map_err(|error| Refused(error.render().to_string()))?;
    let common = line.common;
    let mut pieces: Vec<(usize, Piece)> = text_order
        .into_iter()
        .zip(line.texts.into_iter().map(Piece::Text))
        .chain(
            file_order
                .into_iter()
                .zip(line.files.into_iter().map(Piece::of)),
        )
        .collect();
    pieces.sort_by_key(|(index, _)| *index);
    let pieces: Vec<Piece> = pieces.into_iter().map(|(_, piece)| piece).collect();
    let asked = Asked {
        script: line.script.map(Piece::of),
        pieces,
        help: common.help,
    };
    let task = match line.command {
        None if common.version => Task::Version(common.verbose),
        None => asked.plain(&mut command)?,
        Some(Command::Run { script }) => asked.run(script.map(Piece::of), &mut command)?,
        Some(Command::Check { scripts }) => {
            let scripts = scripts.into_iter().map(Piece::of).collect();
            asked.scripts("check", scripts, &mut command, Task::Check)?
        }
        Some(Command::Fmt { scripts, check }) => {
            let scripts = scripts.into_iter().map(Piece::of).collect();
            let format = |pieces| Task::Format(pieces, check);
            asked.scripts("fmt", scripts, &mut command, format)?
        }
        Some(Command::Info { traces }) => asked.files(
            "info",
            "a trace",
            "TRACE…",
            traces,
            &mut command,
            Task::Info,
        )?,
        Some(Command::Convert { from, to, options }) => {
            asked.convert(from, to, &options, &mut command)?
        }
        Some(Command::Watch { script }) => asked.watch(script, &mut command)?,
        Some(Command::Reproduce { saved, inputs }) => {
            let task = |saved| Task::Reproduce(saved, inputs);
            asked.files("reproduce", "a file", "FILE…", saved, &mut command, task)?
        }
        Some(Command::Completions { shell }) => asked.completions(shell, &mut command)?,
        Some(Command::Man) => asked.manual(&mut command)?,
    };
    Ok(Invocation {
        task,
        options: Options {
            parameters: common.parameters,
            out: common.out,
            threads: common.threads.map(usize::from),
            memory: common.memory,
            temporary: common.temporary,
            format: common.format,
            color: common.color.unwrap_or_default(),
            is_color_given: common.color.is_some(),
            timing: common.timing,
            no_clobber: common.no_clobber,
            report: common.report,
            config: match (common.config, common.no_config) {
                (Some(file), _) => ConfigChoice::File(file),
                (None, true) => ConfigChoice::None,
                (None, false) => ConfigChoice::Usual,
            },
            edit_mode: EditMode::default(),
        },
    })
}

/// The subcommand that a word nearly is.
pub fn nearest_subcommand(word: &str) -> Option<String> {
    let command = command();
    let names: Vec<&str> = command
        .get_subcommands()
        .map(clap::Command::get_name)
        .collect();
    suggest::nearest(word, names).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(words: &[&str]) -> Task {
        let all = std::iter::once("marey").chain(words.iter().copied());
        read(all.map(OsString::from))
            .expect("a good command line")
            .task
    }

    #[test]
    fn text_and_files_keep_their_order() {
        let Task::Run(pieces) = task(&["-c", "1", "-f", "a.marey", "-c", "2"]) else {
            panic!("no run");
        };
        assert_eq!(
            pieces,
            [
                Piece::Text("1".to_owned()),
                Piece::File("a.marey".into()),
                Piece::Text("2".to_owned())
            ]
        );
    }

    #[test]
    fn a_conversion_is_a_script() {
        let words = [
            "convert",
            "a \"b\".csv",
            "b.parquet",
            "unit=ms",
            "resource=\"cpu\"",
        ];
        let script = "load \"a \\\"b\\\".csv\" unit=ms resource=\"cpu\" | save \"b.parquet\"";
        let wanted = Piece::Text(script.to_owned());
        assert!(matches!(task(&words), Task::Run(pieces) if pieces == [wanted]));
    }

    #[test]
    fn a_script_alone_runs_and_with_help_lists_its_parameters() {
        assert!(matches!(task(&["a.marey"]), Task::Run(_)));
        assert!(matches!(
            task(&["run", "a.marey", "--help"]),
            Task::Parameters(_)
        ));
        assert!(matches!(task(&["a.marey", "-h"]), Task::Parameters(_)));
        assert!(matches!(task(&["--help"]), Task::Print(_)));
        assert!(matches!(task(&["--version"]), Task::Version(false)));
        assert!(matches!(task(&["-V", "--verbose"]), Task::Version(true)));
        assert!(matches!(task(&[]), Task::Interactive));
        assert!(matches!(task(&["-"]), Task::Run(p) if p == [Piece::Input]));
    }
}
