//! The command line as typed ([`CommandLine`], by clap) and as meant ([`Invocation`]).
//!
//! Two steps, so that what a combination of options means is decided in one place, and each refusal can
//! say what to write instead.

use super::terminal::ColorChoice;
use crate::lang::suggest;
use crate::spec::{Decimal, SizeUnit};
use crate::write::{self, Format};
use clap::{ArgAction, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Without a script and on a terminal, marey starts the REPL. A script piped to standard input runs.

Exit codes: 0 fine; 1 an assert failed; 2 the script or command line is wrong; 3 an input could not be
read; 4 it failed while running; 130 interrupted.

Examples:
  marey gantt.marey --param threshold=50ms --out figures
  marey -c 'load \"run.csv\" unit=ms | profile'
  marey run gantt.marey --help        the parameters of a script";

/// What was typed.
#[derive(Parser)]
#[command(
    name = "marey",
    version,
    about,
    after_help = AFTER_HELP,
    disable_help_flag = true,
    disable_help_subcommand = true,
    args_conflicts_with_subcommands = false,
    subcommand_precedence_over_arg = true
)]
struct CommandLine {
    /// The script to run, `-` for standard input; the same as `marey run SCRIPT`
    #[arg(value_name = "SCRIPT")]
    script: Option<PathBuf>,

    /// Run this text; may be repeated, in order with --file
    #[arg(short = 'c', long = "command", value_name = "TEXT", action = ArgAction::Append, allow_hyphen_values = true)]
    texts: Vec<String>,

    /// Run this file; may be repeated, in order with --command
    #[arg(short = 'f', long = "file", value_name = "FILE", action = ArgAction::Append)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    common: Common,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a script
    #[command(disable_help_flag = true)]
    Run {
        /// The script, `-` for standard input
        #[arg(value_name = "SCRIPT")]
        script: Option<PathBuf>,
    },
    /// Find the mistakes of scripts without running them
    #[command(disable_help_flag = true)]
    Check {
        /// The scripts, `-` for standard input
        #[arg(value_name = "SCRIPT")]
        scripts: Vec<PathBuf>,
    },
    /// Write scripts in the one canonical layout, in place (standard input to standard output)
    #[command(disable_help_flag = true)]
    Fmt {
        /// The scripts, `-` for standard input
        #[arg(value_name = "SCRIPT")]
        scripts: Vec<PathBuf>,
        /// Change nothing; exit with 1 where a script would be changed
        #[arg(long)]
        check: bool,
    },
    /// Say what a trace is: relations, span, values, problems, and what to write next
    #[command(disable_help_flag = true)]
    Info {
        /// The traces
        #[arg(value_name = "TRACE")]
        traces: Vec<String>,
    },
    /// Print the completions of a shell
    #[command(disable_help_flag = true)]
    Completions {
        /// Which shell
        #[arg(value_name = "SHELL", value_enum)]
        shell: Option<clap_complete::Shell>,
    },
    /// Print the manual page, as roff
    #[command(disable_help_flag = true)]
    Man,
}

/// Options that every way of running takes.
#[derive(Args)]
struct Common {
    /// Set a parameter of the script, `name=value`; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", action = ArgAction::Append, global = true, value_parser = parameter, allow_hyphen_values = true)]
    parameters: Vec<(String, String)>,

    /// Write the files that `save` names into this folder
    #[arg(long, value_name = "DIR", global = true)]
    out: Option<PathBuf>,

    /// Threads to use [default: all]
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Memory that queries may hold, such as 4g or 512MB [default: 4g]
    #[arg(long, value_name = "SIZE", global = true, value_parser = memory)]
    memory: Option<usize>,

    /// Folder for what does not fit into memory [default: the system's]
    #[arg(long = "temp-dir", value_name = "DIR", global = true)]
    temporary: Option<PathBuf>,

    /// How tables are printed (the formats are added by [`command`])
    #[arg(long, value_name = "FORMAT", global = true, value_parser = format_named)]
    format: Option<&'static Format>,

    /// Colours: auto (on a terminal; NO_COLOR and CLICOLOR_FORCE are heeded), always, never
    #[arg(long, value_name = "WHEN", global = true, value_enum, default_value_t = ColorChoice::Auto, hide_default_value = true, hide_possible_values = true)]
    color: ColorChoice,

    /// Say on standard error how long it took
    #[arg(long, global = true)]
    timing: bool,

    /// Print help; with a script, its parameters
    #[arg(short, long, global = true, action = ArgAction::SetTrue)]
    help: bool,
}

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
    /// List the parameters of a script.
    Parameters(Piece),
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
    /// `--timing`.
    pub timing: bool,
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

/// The command line for clap; what has a table of its own is listed from it.
fn command() -> clap::Command {
    let names: Vec<&str> = write::FORMATS.iter().map(|format| format.name).collect();
    let help = format!(
        "How tables are printed: {} [default: table on a terminal, csv elsewhere]",
        names.join(", ")
    );
    CommandLine::command().mut_arg("format", |format| format.help(&help).long_help(help))
}

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
        Some(Command::Info { traces }) => asked.named("info", "TRACE…", traces, &mut command)?,
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
            color: common.color,
            timing: common.timing,
        },
    })
}

/// What stood before and beside the subcommand.
struct Asked {
    script: Option<Piece>,
    pieces: Vec<Piece>,
    help: bool,
}

impl Asked {
    fn plain(self, command: &mut clap::Command) -> Result<Task, Refused> {
        match (self.script, self.help) {
            (None, true) => Ok(Task::Print(command.render_long_help().to_string())),
            (Some(script), true) => Ok(Task::Parameters(script)),
            (None, false) if self.pieces.is_empty() => Ok(Task::Interactive),
            (script, false) => {
                let mut pieces = self.pieces;
                pieces.extend(script);
                Ok(Task::Run(pieces))
            }
        }
    }

    fn run(self, script: Option<Piece>, command: &mut clap::Command) -> Result<Task, Refused> {
        self.nothing_before("run")?;
        match (script, self.help) {
            (Some(script), true) => Ok(Task::Parameters(script)),
            (None, true) => Ok(Task::Print(help_of("run", command))),
            (script, false) => {
                let mut pieces = self.pieces;
                pieces.extend(script);
                if pieces.is_empty() {
                    return Err(refused("`marey run` needs a script", "marey run SCRIPT"));
                }
                Ok(Task::Run(pieces))
            }
        }
    }

    /// A subcommand that takes scripts.
    fn scripts(
        self,
        name: &str,
        scripts: Vec<Piece>,
        command: &mut clap::Command,
        task: impl FnOnce(Vec<Piece>) -> Task,
    ) -> Result<Task, Refused> {
        self.nothing_before(name)?;
        if self.help {
            return Ok(Task::Print(help_of(name, command)));
        }
        let mut pieces = self.pieces;
        pieces.extend(scripts);
        if pieces.is_empty() {
            return Err(refused(
                &format!("`marey {name}` needs a script"),
                &format!("marey {name} SCRIPT…"),
            ));
        }
        Ok(task(pieces))
    }

    /// A subcommand that takes traces.
    fn named(
        self,
        name: &str,
        wanted: &str,
        traces: Vec<String>,
        command: &mut clap::Command,
    ) -> Result<Task, Refused> {
        self.nothing_before(name)?;
        if self.help {
            return Ok(Task::Print(help_of(name, command)));
        }
        if traces.is_empty() {
            return Err(refused(
                &format!("`marey {name}` needs a trace"),
                &format!("marey {name} {wanted}"),
            ));
        }
        Ok(Task::Info(traces))
    }

    fn completions(
        self,
        shell: Option<clap_complete::Shell>,
        command: &mut clap::Command,
    ) -> Result<Task, Refused> {
        self.nothing_before("completions")?;
        match shell {
            _ if self.help => Ok(Task::Print(help_of("completions", command))),
            Some(shell) => {
                let mut out = Vec::new();
                clap_complete::generate(shell, command, "marey", &mut out);
                Ok(Task::Print(String::from_utf8_lossy(&out).into_owned()))
            }
            None => Err(refused(
                "`marey completions` needs a shell: bash, zsh, fish, elvish or powershell",
                "marey completions SHELL",
            )),
        }
    }

    fn manual(self, command: &mut clap::Command) -> Result<Task, Refused> {
        self.nothing_before("man")?;
        if self.help {
            return Ok(Task::Print(help_of("man", command)));
        }
        let mut out = Vec::new();
        clap_mangen::Man::new(command.clone())
            .render(&mut out)
            .map_err(|error| Refused(format!("error: {error}\n")))?;
        Ok(Task::Print(String::from_utf8_lossy(&out).into_owned()))
    }

    /// `marey a.marey run b.marey` is a slip: one of the two scripts would be forgotten in silence.
    fn nothing_before(&self, subcommand: &str) -> Result<(), Refused> {
        match &self.script {
            None => Ok(()),
            Some(_) => Err(refused(
                &format!("a script stands before `{subcommand}`"),
                &format!("marey {subcommand} SCRIPT"),
            )),
        }
    }
}

fn help_of(name: &str, command: &mut clap::Command) -> String {
    command.build();
    command
        .find_subcommand_mut(name)
        .map_or_else(String::new, |sub| sub.render_long_help().to_string())
}

/// A refusal in the form clap's own have.
pub fn refused(message: &str, usage: &str) -> Refused {
    Refused(format!(
        "error: {message}\n\nUsage: {usage}\n\nFor more information, try 'marey --help'.\n"
    ))
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

fn parameter(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((
            name.trim().trim_start_matches('$').to_owned(),
            value.to_owned(),
        )),
        _ => Err("a parameter is written name=value".to_owned()),
    }
}

fn format_named(name: &str) -> Result<&'static Format, String> {
    write::by_name(name)
        .or_else(|| write::by_extension(name))
        .ok_or_else(|| {
            let names = write::FORMATS.iter().map(|format| format.name);
            match suggest::nearest(name, names.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("formats are {}", suggest::listed(names, 20)),
            }
        })
}

/// `4g`, `512MB`, `1.5GiB`, `2000000`: bytes. A letter alone counts by 1024, as peers do; `MB` and `MiB`
/// are what the language says.
pub fn memory(text: &str) -> Result<usize, String> {
    let wrong = || "a size such as 4g, 512MB or 2GiB".to_owned();
    let text = text.trim();
    let split = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number = Decimal::parse(number).ok_or_else(wrong)?;
    let unit = unit.trim();
    let bytes = match unit.to_ascii_lowercase().as_str() {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1 << 40,
        lower => SizeUnit::ALL
            .into_iter()
            .find(|size| size.name.eq_ignore_ascii_case(lower))
            .map(|size| size.bytes as u64)
            .ok_or_else(wrong)?,
    };
    let places = u32::try_from(-number.exponent).unwrap_or(0).min(18);
    let scale = 10_i128.pow(places);
    let whole = number
        .digits
        .checked_mul(i128::from(bytes))
        .ok_or_else(wrong)?
        / scale;
    let least = 1 << 20;
    match usize::try_from(whole) {
        Ok(size) if size >= least => Ok(size),
        Ok(_) => Err("at least 1 MiB is needed".to_owned()),
        Err(_) => Err(wrong()),
    }
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
    fn the_command_line_is_consistent() {
        command().debug_assert();
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
    fn a_script_alone_runs_and_with_help_lists_its_parameters() {
        assert!(matches!(task(&["a.marey"]), Task::Run(_)));
        assert!(matches!(
            task(&["run", "a.marey", "--help"]),
            Task::Parameters(_)
        ));
        assert!(matches!(task(&["a.marey", "-h"]), Task::Parameters(_)));
        assert!(matches!(task(&["--help"]), Task::Print(_)));
        assert!(matches!(task(&["--version"]), Task::Print(_)));
        assert!(matches!(task(&[]), Task::Interactive));
        assert!(matches!(task(&["-"]), Task::Run(p) if p == [Piece::Input]));
    }

    #[test]
    fn sizes() {
        assert_eq!(memory("4g"), Ok(4 << 30));
        assert_eq!(memory("512MB"), Ok(512_000_000));
        assert_eq!(memory("1.5GiB"), Ok(3 << 29));
        assert_eq!(memory("2_000_000"), Ok(2_000_000));
        assert!(memory("4 parsecs").is_err());
        assert!(memory("-1").is_err());
        assert!(memory("12").is_err());
    }
}
