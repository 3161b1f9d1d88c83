//! What a subcommand means together with what stands before it, and what to write instead where that is nothing.

use super::{Piece, Refused, Task};
use crate::spec::Value;
use std::path::PathBuf;

/// What stood before and beside the subcommand.
pub(super) struct Asked {
    pub(super) script: Option<Piece>,
    pub(super) pieces: Vec<Piece>,
    pub(super) help: bool,
}

impl Asked {
    pub(super) fn plain(self, command: &mut clap::Command) -> Result<Task, Refused> {
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

    pub(super) fn run(
        self,
        script: Option<Piece>,
        command: &mut clap::Command,
    ) -> Result<Task, Refused> {
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
    pub(super) fn scripts(
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

    /// A subcommand that takes files which are no scripts.
    pub(super) fn files<T>(
        self,
        name: &str,
        what: &str,
        usage: &str,
        files: Vec<T>,
        command: &mut clap::Command,
        task: impl FnOnce(Vec<T>) -> Task,
    ) -> Result<Task, Refused> {
        self.nothing_before(name)?;
        if self.help {
            return Ok(Task::Print(help_of(name, command)));
        }
        if files.is_empty() {
            return Err(refused(
                &format!("`marey {name}` needs {what}"),
                &format!("marey {name} {usage}"),
            ));
        }
        Ok(task(files))
    }

    /// A conversion is a script of one line.
    pub(super) fn convert(
        self,
        from: Option<String>,
        to: Option<String>,
        options: &[(String, String)],
        command: &mut clap::Command,
    ) -> Result<Task, Refused> {
        self.nothing_before("convert")?;
        if self.help {
            return Ok(Task::Print(help_of("convert", command)));
        }
        let (Some(from), Some(to)) = (from, to) else {
            return Err(refused(
                "`marey convert` needs a trace and the file to write",
                "marey convert TRACE FILE [OPTION=VALUE]…",
            ));
        };
        if from == to {
            return Err(refused(
                &format!("`{from}` would be written over by what is read from it"),
                "marey convert TRACE FILE [OPTION=VALUE]…",
            ));
        }
        let options: String = options
            .iter()
            .map(|(name, value)| format!(" {name}={value}"))
            .collect();
        let (from, to) = (Value::String(from).literal(), Value::String(to).literal());
        let script = format!("load {from}{options} | save {to}");
        Ok(Task::Run(vec![Piece::Text(script)]))
    }

    pub(super) fn watch(
        self,
        script: Option<PathBuf>,
        command: &mut clap::Command,
    ) -> Result<Task, Refused> {
        self.nothing_before("watch")?;
        if self.help {
            return Ok(Task::Print(help_of("watch", command)));
        }
        match script {
            Some(script) if script.as_os_str() != "-" => Ok(Task::Watch(script)),
            _ => Err(refused(
                "`marey watch` needs the file of a script",
                "marey watch SCRIPT",
            )),
        }
    }

    pub(super) fn completions(
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

    pub(super) fn manual(self, command: &mut clap::Command) -> Result<Task, Refused> {
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
