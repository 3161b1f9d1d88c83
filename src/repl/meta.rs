//! The `:` commands, one table: what is run, listed by `:help`, completed and suggested all comes from it.

use super::complete::{self, Candidate};
use super::{Repl, help, open};
use crate::cli::args::Piece;
use crate::cli::script::{self, Script};
use crate::diag::{Diag, code};
use crate::func::FUNCTIONS;
use crate::lang::check::{Binding, Scope};
use crate::lang::flow::{Columns, Flow};
use crate::lang::suggest;
use crate::session::{INPUT, Session};
use crate::verb::VERBS;
use crate::write::atomic::AtomicFile;
use crate::write::{self, FORMATS};
use std::path::Path;

/// Whether the REPL goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// To the next prompt.
    Prompt,
    /// Out.
    Leave,
}

/// What the argument of a command is, for completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    None,
    Verb,
    Name,
    File,
    Format,
    Switch,
    Pipeline,
}

/// A command.
pub(super) struct Command {
    /// Its name, without the colon.
    pub(super) name: &'static str,
    /// Other spellings, which other programs taught.
    aliases: &'static [&'static str],
    /// Words that mean it even without a colon, where no binding has that name.
    bare: &'static [&'static str],
    /// Its argument as the help shows it.
    pub(super) argument: &'static str,
    takes: Argument,
    /// One sentence.
    pub(super) about: &'static str,
    run: fn(&mut Repl, &str) -> Next,
}

/// Every command, in the order of the help. To add one, add an entry.
pub(super) static COMMANDS: &[Command] = &[
    Command {
        name: "help",
        aliases: &["h", "?"],
        bare: &["help"],
        argument: "[name]",
        takes: Argument::Verb,
        about: "lists verbs and commands, or shows the page of a verb, function or diagnostic code",
        run: show_help,
    },
    Command {
        name: "schema",
        aliases: &["d", "describe", "tables"],
        bare: &[],
        argument: "[name]",
        takes: Argument::Name,
        about: "shows the columns of a name or pipeline; of the last result without one",
        run: show_schema,
    },
    Command {
        name: "vars",
        aliases: &["v", "names"],
        bare: &[],
        argument: "",
        takes: Argument::None,
        about: "lists the names that are bound",
        run: show_names,
    },
    Command {
        name: "explain",
        aliases: &["e", "plan"],
        bare: &[],
        argument: "[pipeline]",
        takes: Argument::Pipeline,
        about: "shows how a pipeline runs; the last result without one",
        run: explain,
    },
    Command {
        name: "format",
        aliases: &["f", "mode"],
        bare: &[],
        argument: "[name]",
        takes: Argument::Format,
        about: "says or changes how tables are printed",
        run: change_format,
    },
    Command {
        name: "timing",
        aliases: &["t", "timer"],
        bare: &[],
        argument: "[on|off]",
        takes: Argument::Switch,
        about: "says how long each input took",
        run: change_timing,
    },
    Command {
        name: "save",
        aliases: &["s", "w"],
        bare: &[],
        argument: "file",
        takes: Argument::File,
        about: "writes the inputs that succeeded as a script",
        run: save,
    },
    Command {
        name: "load",
        aliases: &["l", "read", "i", "r"],
        bare: &[],
        argument: "file",
        takes: Argument::File,
        about: "runs a script; its names stay",
        run: load,
    },
    Command {
        name: "open",
        aliases: &["o"],
        bare: &[],
        argument: "",
        takes: Argument::None,
        about: "opens the last figure in another program; the argument `figure` may be left out",
        run: open_figure,
    },
    Command {
        name: "clear",
        aliases: &["cls"],
        bare: &["clear"],
        argument: "",
        takes: Argument::None,
        about: "clears the screen",
        run: clear,
    },
    Command {
        name: "quit",
        aliases: &["q", "exit"],
        bare: &["quit", "exit"],
        argument: "",
        takes: Argument::None,
        about: "leaves; so does Ctrl-D",
        run: |_, _| Next::Leave,
    },
];

/// True where a line is a command: `:help`, and what other programs write, `\q` and `.quit`.
pub(super) fn is_command(text: &str) -> bool {
    let mut letters = text.trim_start().chars();
    match letters.next() {
        Some(':') => true,
        Some('\\') => letters
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || c == '?'),
        Some('.') => letters.next().is_some_and(|c| c.is_ascii_alphabetic()),
        _ => false,
    }
}

/// Runs a line that is a command; None where it is none.
pub(super) fn run(repl: &mut Repl, line: &str) -> Option<Next> {
    let line = line.trim();
    if !is_command(line) {
        let bare = COMMANDS
            .iter()
            .find(|command| command.bare.contains(&line))?;
        let bound = repl.session.borrow().scope().get(line).is_some();
        return (!bound).then(|| (bare.run)(repl, ""));
    }
    let (word, argument) = parts(line);
    match find(word) {
        Some(command) => Some((command.run)(repl, argument)),
        None => {
            let names = COMMANDS.iter().map(|command| command.name);
            let text = match suggest::nearest(word, names) {
                Some(near) => format!("there is no command `:{word}`; did you mean `:{near}`?"),
                None => format!("there is no command `:{word}`; `:help` lists them"),
            };
            repl.console.complain(&text);
            Some(Next::Prompt)
        }
    }
}

/// The name and the argument of a command.
fn parts(line: &str) -> (&str, &str) {
    let line = line.trim_start();
    let rest = line.get(1..).unwrap_or_default();
    match rest.split_once(char::is_whitespace) {
        Some((word, argument)) => (word, argument.trim()),
        None => (rest.trim_end(), ""),
    }
}

/// A command by its name, another spelling, or a beginning that only it has.
fn find(word: &str) -> Option<&'static Command> {
    let exact = COMMANDS
        .iter()
        .find(|command| command.name == word || command.aliases.contains(&word));
    exact.or_else(|| {
        let mut like = COMMANDS
            .iter()
            .filter(|c| !word.is_empty() && c.name.starts_with(word));
        like.next().filter(|_| like.next().is_none())
    })
}

/// Completes a command or its argument at the end of `text`.
pub(super) fn complete(text: &str, session: &mut Session) -> (usize, Vec<Candidate>) {
    let sign = text.len() - text.trim_start().len();
    let rest = text.get(sign + 1..).unwrap_or_default();
    let begins = |typed: &str, names: Vec<String>| -> Vec<Candidate> {
        let mut out: Vec<Candidate> = names
            .into_iter()
            .filter(|name| name.starts_with(typed))
            .map(Candidate::new)
            .collect();
        out.sort();
        out
    };
    let Some(blank) = rest.find(char::is_whitespace) else {
        let names = COMMANDS.iter().map(|command| match command.takes {
            Argument::None => command.name.to_owned(),
            _ => format!("{} ", command.name),
        });
        return (sign + 1, begins(rest, names.collect()));
    };
    let typed = rest.get(blank..).unwrap_or_default().trim_start();
    let start = text.len() - typed.len();
    let Some(command) = find(rest.get(..blank).unwrap_or_default()) else {
        return (start, Vec::new());
    };
    let names: Vec<String> = match command.takes {
        Argument::None => Vec::new(),
        Argument::Pipeline => {
            let (at, candidates) = complete::at_end(typed, session);
            return (start + at, candidates);
        }
        Argument::File => return (start, complete::files(typed, "")),
        Argument::Verb => {
            let verbs = VERBS.iter().map(|verb| verb.spec().name);
            let all = session.scope().sorted().into_iter();
            let own = all.filter(|(_, binding)| matches!(binding, Binding::Verb(_)));
            let pages = FUNCTIONS.iter().flat_map(|family| family.iter());
            let codes = code::ALL.iter().map(|code| code.name);
            verbs
                .chain(own.map(|(name, _)| name))
                .chain(pages.map(|function| function.name))
                // Codes are many: they come once something is typed.
                .chain(codes.filter(|_| !typed.is_empty()))
                .map(str::to_owned)
                .collect()
        }
        Argument::Format => FORMATS
            .iter()
            .filter(|f| !f.binary)
            .map(|f| f.name.to_owned())
            .collect(),
        Argument::Switch => vec!["on".to_owned(), "off".to_owned()],
        Argument::Name => session
            .scope()
            .sorted()
            .into_iter()
            .filter(|(_, binding)| matches!(binding, Binding::Data(_)))
            .map(|(name, _)| name.to_owned())
            .collect(),
    };
    (start, begins(typed, names))
}

/// The argument of a command whose name is just typed.
pub(super) fn hint(text: &str) -> Option<String> {
    let (word, argument) = parts(text);
    let command = COMMANDS.iter().find(|command| command.name == word)?;
    let fresh = argument.is_empty() && !command.argument.is_empty();
    let blank = if text.ends_with(' ') { "" } else { " " };
    fresh.then(|| format!("{blank}{}", command.argument))
}

fn show_help(repl: &mut Repl, name: &str) -> Next {
    let width = repl.width();
    let name = name.trim_matches('`').trim_end_matches("()");
    if name.is_empty() {
        let text = help::overview(repl.session.borrow().scope(), width);
        repl.tell(&text);
        return Next::Prompt;
    }
    let command = || {
        let command = find(name.trim_start_matches(':'))?;
        Some(format!(
            ":{} {}\n  {}",
            command.name, command.argument, command.about
        ))
    };
    let page = definition(repl, name)
        .or_else(|| help::page(name, width))
        .or_else(command)
        .or_else(|| repl.session.borrow().functions().engine_page(name));
    match page {
        Some(page) => repl.tell(&page),
        None => {
            let session = repl.session.borrow();
            let own = session.scope().sorted().into_iter().map(|(name, _)| name);
            let names = VERBS.iter().map(|verb| verb.spec().name);
            let codes = code::ALL.iter().map(|code| code.name);
            let text = match suggest::nearest(name, names.chain(own).chain(codes)) {
                Some(near) => format!("there is no verb `{name}`; did you mean `{near}`?"),
                None => format!("there is no verb `{name}`; `:help` lists them"),
            };
            repl.console.complain(&text);
        }
    }
    Next::Prompt
}

/// The page of a verb that was defined in this session.
fn definition(repl: &Repl, name: &str) -> Option<String> {
    let session = repl.session.borrow();
    match session.scope().get(name)? {
        Binding::Verb(definition) => Some(help::definition(
            definition,
            session.sources(),
            repl.width(),
        )),
        Binding::Data(_) | Binding::Scalar(_) => None,
    }
}

fn show_schema(repl: &mut Repl, name: &str) -> Next {
    let wanted = if name.is_empty() { "it" } else { name };
    let flow = repl.session.borrow_mut().flow_at(wanted);
    match flow {
        Some(Flow::Trace(trace)) => {
            let mut out = String::new();
            for (relation, columns) in &trace.relations {
                let focus = if *relation == trace.focus {
                    " (in focus)"
                } else {
                    ""
                };
                out.push_str(&format!("{relation}{focus}\n{}", listing(columns)));
            }
            repl.tell(&out);
        }
        Some(Flow::Table(columns)) => repl.tell(&listing(&columns)),
        Some(Flow::Figure) => repl.tell("a figure has no columns"),
        Some(Flow::Scalar(ty)) => repl.tell(&ty.to_string()),
        None if name.is_empty() => {
            repl.console
                .complain("there is no result yet; `:schema name` shows the columns of a name");
        }
        None => {
            let session = repl.session.borrow();
            let names = session.scope().sorted().into_iter().map(|(name, _)| name);
            let near = suggest::nearest(name, names);
            let text = match near {
                Some(near) => format!("nothing is known of `{name}`; did you mean `{near}`?"),
                None => format!("nothing is known of `{name}`; `:vars` lists the names"),
            };
            repl.console.complain(&text);
        }
    }
    Next::Prompt
}

fn listing(columns: &Columns) -> String {
    let longest = columns
        .visible()
        .map(|c| c.name.chars().count())
        .max()
        .unwrap_or(0);
    columns
        .visible()
        .map(|column| format!("  {:longest$}  {}\n", column.name, column.ty))
        .collect()
}

fn show_names(repl: &mut Repl, _: &str) -> Next {
    let lines = names(repl.session.borrow().scope());
    if lines.is_empty() {
        repl.tell("no names are bound yet; `let name = ...` binds one");
    } else {
        repl.tell(&lines);
    }
    Next::Prompt
}

fn names(scope: &Scope) -> String {
    let all = scope.sorted();
    let shown = |name: &str, binding: &Binding| match binding {
        Binding::Data(_) | Binding::Verb(_) => name.to_owned(),
        Binding::Scalar(_) => format!("${name}"),
    };
    let longest = all
        .iter()
        .map(|(n, b)| shown(n, b).chars().count())
        .max()
        .unwrap_or(0);
    let mut out = String::new();
    for (name, binding) in all {
        let (kind, what) = match binding {
            Binding::Data(pipeline) => (
                pipeline.flow.kind().word().to_owned(),
                match &pipeline.flow {
                    Flow::Trace(trace) => {
                        let names: Vec<&str> =
                            trace.relations.iter().map(|(n, _)| n.as_str()).collect();
                        names.join(", ")
                    }
                    Flow::Table(columns) => {
                        let names: Vec<&str> = columns.visible().map(|c| c.name.as_str()).collect();
                        names.join(", ")
                    }
                    Flow::Figure | Flow::Scalar(_) => String::new(),
                },
            ),
            Binding::Verb(definition) => (
                "verb".to_owned(),
                match &definition.help {
                    Some(help) => format!("{}  # {help}", definition.signature()),
                    None => definition.signature(),
                },
            ),
            Binding::Scalar(scalar) => (
                scalar.expr.ty.to_string(),
                scalar
                    .value
                    .get()
                    .map_or("not computed yet".to_owned(), ToString::to_string),
            ),
        };
        let line = format!("{:longest$}  {kind:6}  {what}", shown(name, binding));
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn explain(repl: &mut Repl, pipeline: &str) -> Next {
    let text = if pipeline.is_empty() {
        "it | explain".to_owned()
    } else {
        // On a line of its own: the pipeline may end in a comment.
        format!("{pipeline}\n| explain")
    };
    repl.execute(&Script::new(INPUT, text));
    Next::Prompt
}

fn change_format(repl: &mut Repl, name: &str) -> Next {
    if name.is_empty() {
        let format = repl.console.format();
        let others = FORMATS
            .iter()
            .filter(|other| other.name != format.name && !other.binary);
        let others: Vec<&str> = others.map(|other| other.name).collect();
        repl.tell(&format!(
            "{}: {} (others: {})",
            format.name,
            format.about,
            others.join(", ")
        ));
        return Next::Prompt;
    }
    match write::by_name(name).or_else(|| write::by_extension(name)) {
        Some(format) => {
            if let Err(diag) = repl.console.set_format(Some(format)) {
                repl.console.report(&[diag]);
            }
        }
        None => {
            let names = FORMATS.iter().map(|format| format.name);
            let text = match suggest::nearest(name, names.clone()) {
                Some(near) => format!("there is no format `{name}`; did you mean `{near}`?"),
                None => format!(
                    "there is no format `{name}`; formats are {}",
                    suggest::listed(names, 20)
                ),
            };
            repl.console.complain(&text);
        }
    }
    Next::Prompt
}

fn change_timing(repl: &mut Repl, state: &str) -> Next {
    repl.timing = match state {
        "" => !repl.timing,
        "on" => true,
        "off" => false,
        _ => {
            repl.console.complain("write `:timing on` or `:timing off`");
            return Next::Prompt;
        }
    };
    repl.tell(if repl.timing {
        "timing is on"
    } else {
        "timing is off"
    });
    Next::Prompt
}

/// The argument of a command that names a file, with or without quotes.
fn file_name(argument: &str) -> Option<&str> {
    let name = argument.trim().trim_matches('"');
    (!name.is_empty()).then_some(name)
}

fn save(repl: &mut Repl, argument: &str) -> Next {
    let Some(name) = file_name(argument) else {
        repl.console.complain("write `:save session.marey`");
        return Next::Prompt;
    };
    let path = Path::new(name);
    let folder = path.parent().unwrap_or(Path::new(""));
    let (text, twice) = repl.session.borrow().script(folder);
    let written = AtomicFile::create(path).and_then(|mut file| {
        file.writer()
            .write_all(text.as_bytes())
            .map_err(|error| write::output_error(name, &error))?;
        file.commit()
    });
    match written {
        Ok(()) => {
            let lines = text.lines().count();
            let plural = if lines == 1 { "" } else { "s" };
            repl.tell(&format!("saved {lines} line{plural} as {name}"));
            for path in twice {
                repl.console.complain(&format!(
                    "the script writes `{path}` twice, which a script may not: change one of the two before it runs"
                ));
            }
        }
        Err(diag) => repl.console.report(&[diag]),
    }
    Next::Prompt
}

fn load(repl: &mut Repl, argument: &str) -> Next {
    let Some(name) = file_name(argument) else {
        repl.console
            .complain("write `:load session.marey`; a trace is read with `load \"file\"`");
        return Next::Prompt;
    };
    match script::one(&Piece::File(name.into())) {
        Ok(script) => repl.execute(&script),
        Err(diag) => repl
            .console
            .report(&[Diag::error(&code::INPUT_UNREADABLE, diag.message).maybe_help(diag.help)]),
    }
    Next::Prompt
}

fn open_figure(repl: &mut Repl, what: &str) -> Next {
    match what {
        "" | "figure" => open::figure(repl),
        _ => repl
            .console
            .complain("write `:open figure`; a script is run with `:load`"),
    }
    Next::Prompt
}

fn clear(repl: &mut Repl, _: &str) -> Next {
    repl.clear_screen();
    Next::Prompt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_spellings_are_understood() {
        for (word, name) in [
            ("q", "quit"),
            ("?", "help"),
            ("d", "schema"),
            ("exit", "quit"),
            ("sch", "schema"),
        ] {
            assert_eq!(find(word).map(|command| command.name), Some(name));
        }
        assert!(find("zebra").is_none() && find("").is_none());
        assert!(is_command("\\q") && is_command(".help") && is_command(" :vars"));
        assert!(!is_command("..80ms") && !is_command("load \"x\""));
    }

    #[test]
    fn no_spelling_means_two_commands() {
        let mut seen = std::collections::HashSet::new();
        for command in COMMANDS {
            assert!(seen.insert(command.name), "{}", command.name);
            for alias in command.aliases {
                assert!(seen.insert(alias), "{alias}");
            }
        }
    }
}
