//! The command line as typed, by clap.

use crate::cli::terminal::ColorChoice;
use crate::lang::suggest;
use crate::spec::{Decimal, SizeUnit};
use crate::write::{self, Format};
use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Without a script and on a terminal, marey starts the REPL. A script piped to standard input runs.

Exit codes: 0 fine; 1 an assert failed, or `reproduce` or `fmt --check` found a difference; 2 the
script or command line is wrong; 3 an input could not be read; 4 it failed while running;
130 interrupted.

Examples:
  marey gantt.marey --param threshold=50ms --out figures
  marey -c 'load \"run.csv\" unit=ms | profile'
  marey run gantt.marey --help        the parameters of a script";

/// What was typed.
#[derive(Parser)]
#[command(
    name = "marey",
    version,
    disable_version_flag = true,
    about,
    after_help = AFTER_HELP,
    disable_help_flag = true,
    disable_help_subcommand = true,
    args_conflicts_with_subcommands = false,
    subcommand_precedence_over_arg = true
)]
pub(super) struct CommandLine {
    /// The script to run, `-` for standard input; the same as `marey run SCRIPT`
    #[arg(value_name = "SCRIPT")]
    pub(super) script: Option<PathBuf>,

    /// Run this text; may be repeated, in order with --file
    #[arg(short = 'c', long = "command", value_name = "TEXT", action = ArgAction::Append, allow_hyphen_values = true)]
    pub(super) texts: Vec<String>,

    /// Run this file; may be repeated, in order with --command
    #[arg(short = 'f', long = "file", value_name = "FILE", action = ArgAction::Append)]
    pub(super) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(super) common: Common,

    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
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
    /// Read a trace and write it in another format: `marey convert run.csv run.parquet unit=ms`
    #[command(disable_help_flag = true)]
    Convert {
        /// The trace
        #[arg(value_name = "TRACE")]
        from: Option<String>,
        /// The file to write; its extension says the format
        #[arg(value_name = "FILE")]
        to: Option<String>,
        /// Options of `load`, as a script writes them
        #[arg(value_name = "OPTION=VALUE", value_parser = parameter)]
        options: Vec<(String, String)>,
    },
    /// Run a script, and again whenever it or one of its inputs changes; Ctrl-C ends it
    #[command(disable_help_flag = true)]
    Watch {
        /// The script
        #[arg(value_name = "SCRIPT")]
        script: Option<PathBuf>,
    },
    /// Make saved figures and tables again and say whether they come out the same to the byte
    #[command(disable_help_flag = true)]
    Reproduce {
        /// Files that `save` wrote
        #[arg(value_name = "FILE")]
        saved: Vec<PathBuf>,
        /// An input, or a folder of inputs, is elsewhere now; may be repeated
        #[arg(long = "input", value_name = "OLD=NEW", action = ArgAction::Append, value_parser = place, allow_hyphen_values = true)]
        inputs: Vec<(String, String)>,
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
pub(super) struct Common {
    /// Set a parameter of the script, `name=value`; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", action = ArgAction::Append, global = true, value_parser = parameter, allow_hyphen_values = true)]
    pub(super) parameters: Vec<(String, String)>,

    /// Write the files that `save` names into this folder
    #[arg(long, value_name = "DIR", global = true)]
    pub(super) out: Option<PathBuf>,

    /// Refuse to write over files
    #[arg(long = "no-clobber", global = true)]
    pub(super) no_clobber: bool,

    /// Write what came of each `assert` into this file: JUnit XML (.xml) or JSON (.json)
    #[arg(long, value_name = "FILE", global = true, value_parser = report)]
    pub(super) report: Option<PathBuf>,

    /// Threads to use [default: all]
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,

    /// Memory that queries may hold, such as 4g or 512MB [default: 4g]
    #[arg(long, value_name = "SIZE", global = true, value_parser = memory)]
    pub(super) memory: Option<usize>,

    /// Folder for what does not fit into memory [default: the system's]
    #[arg(long = "temp-dir", value_name = "DIR", global = true)]
    pub(super) temporary: Option<PathBuf>,

    /// How tables are printed (the formats are added by [`command`])
    #[arg(long, value_name = "FORMAT", global = true, value_parser = format_named)]
    pub(super) format: Option<&'static Format>,

    /// Colours: auto (on a terminal; NO_COLOR and CLICOLOR_FORCE are heeded), always, never
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        value_enum,
        hide_possible_values = true
    )]
    pub(super) color: Option<ColorChoice>,

    /// Say on standard error how long it took
    #[arg(long, global = true)]
    pub(super) timing: bool,

    /// Read this file of defaults, also for a script [default: config.toml in the folder marey of the
    /// user's configuration, for the REPL only]
    #[arg(long, value_name = "FILE", global = true, conflicts_with = "no_config")]
    pub(super) config: Option<PathBuf>,

    /// Read no file of defaults
    #[arg(long = "no-config", global = true)]
    pub(super) no_config: bool,

    /// Print the version; with --verbose also the defaults of this machine
    #[arg(short = 'V', long, action = ArgAction::SetTrue)]
    pub(super) version: bool,

    /// With --version: the defaults of this machine
    #[arg(long, requires = "version")]
    pub(super) verbose: bool,

    /// Print help; with a script, its parameters
    #[arg(short, long, global = true, action = ArgAction::SetTrue)]
    pub(super) help: bool,
}

/// The command line for clap; what has a table of its own is listed from it.
pub(super) fn command() -> clap::Command {
    let names: Vec<&str> = write::FORMATS.iter().map(|format| format.name).collect();
    let help = format!(
        "How tables are printed: {} [default: table on a terminal, csv elsewhere]",
        names.join(", ")
    );
    CommandLine::command().mut_arg("format", |format| format.help(&help).long_help(help))
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

fn place(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => {
            Ok((old.to_owned(), new.to_owned()))
        }
        _ => Err("a place is written old=new".to_owned()),
    }
}

fn report(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("xml" | "json") => Ok(path),
        _ => Err("the extension says the format: .xml (JUnit) or .json".to_owned()),
    }
}

pub(crate) fn format_named(name: &str) -> Result<&'static Format, String> {
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

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
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

    #[test]
    fn places_and_reports() {
        let pair = ("a.csv".to_owned(), "b=c.csv".to_owned());
        assert_eq!(place("a.csv=b=c.csv"), Ok(pair));
        assert!(place("=b").is_err() && place("a=").is_err() && place("a").is_err());
        assert!(report("out/junit.xml").is_ok() && report("a.json").is_ok());
        assert!(report("a.txt").is_err() && report("xml").is_err());
    }
}
