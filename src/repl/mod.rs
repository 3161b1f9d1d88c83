//! The REPL: lines in, results out, one session. The only user of rustyline.
//!
//! [`cursor`] asks the parser what is wanted at the cursor; completion and hint follow from that and the
//! registries. Lines are read one at a time with a prompt of their own while a statement is open.

mod complete;
mod cursor;
mod help;
mod highlight;
mod hint;
mod history;
mod meta;
mod open;
mod pager;
mod token;
mod validate;

use crate::cli::args::{self, Options};
use crate::cli::host::Console;
use crate::cli::script::Script;
use crate::cli::signal::{Signals, TERMINATED};
use crate::cli::terminal::{Stream, is_dumb};
use crate::diag::{Diag, code};
use crate::session::{INPUT, Session};
use meta::Next;
use pager::Paged;
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Behavior, ColorMode, CompletionType, Config, Context, EditMode, Editor, Helper};
use std::borrow::Cow;
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

const PROMPT: &str = "marey> ";
/// As wide as the prompt, so that the text stays in line.
const OPEN_PROMPT: &str = "  ...  ";
const HISTORY: usize = 10_000;

/// The REPL's state, which the `:` commands change.
pub(crate) struct Repl {
    session: Rc<RefCell<Session>>,
    console: Console,
    signals: Signals,
    editor: Editor<Assistant, FileHistory>,
    history: Option<PathBuf>,
    timing: bool,
}

/// Reads and runs inputs until the user leaves; the exit code.
pub fn run(
    session: Session,
    console: Console,
    signals: Signals,
    options: &Options,
) -> Result<u8, Diag> {
    let colored = Stream::Output.colored(options.color);
    let session = Rc::new(RefCell::new(session));
    let mut repl = Repl {
        editor: editor(
            session.clone(),
            colored,
            console.style().unicode,
            options.edit_mode,
        )?,
        session,
        console,
        signals,
        history: history::path(|name| std::env::var_os(name)),
        timing: options.timing,
    };
    if let Some(file) = &repl.history {
        history::prepare(file);
        // The first session finds none; a file that cannot be read costs the history only.
        let _ = repl.editor.load_history(file);
    }
    repl.console.say(&format!(
        "marey {}: `:help` lists verbs and commands, Ctrl-D leaves",
        env!("CARGO_PKG_VERSION")
    ));
    repl.inputs()
}

fn editor(
    session: Rc<RefCell<Session>>,
    colored: bool,
    unicode: bool,
    edit_mode: args::EditMode,
) -> Result<Editor<Assistant, FileHistory>, Diag> {
    let failed = |error: ReadlineError| {
        Diag::error(
            &code::INTERNAL,
            format!("the terminal cannot be used: {error}"),
        )
    };
    let mut builder = Config::builder()
        .max_history_size(HISTORY)
        .map_err(failed)?
        .history_ignore_space(true)
        .completion_type(CompletionType::List)
        .completion_show_all_if_ambiguous(true)
        .edit_mode(match edit_mode {
            args::EditMode::Emacs => EditMode::Emacs,
            args::EditMode::Vi => EditMode::Vi,
        })
        .bracketed_paste(true)
        .color_mode(if colored {
            ColorMode::Enabled
        } else {
            ColorMode::Disabled
        });
    if !Stream::Output.is_terminal() {
        // Results are redirected: the lines are edited on the terminal itself.
        builder = builder.behavior(Behavior::PreferTerm);
    }
    let mut editor = Editor::with_config(builder.build()).map_err(failed)?;
    editor.set_helper(Some(Assistant {
        session,
        pending: String::new(),
        unicode,
    }));
    Ok(editor)
}

impl Repl {
    fn inputs(&mut self) -> Result<u8, Diag> {
        loop {
            let Some(input) = self.input()? else {
                return Ok(match self.signals.is_terminated() {
                    true => TERMINATED,
                    false => 0,
                });
            };
            if input.trim().is_empty() {
                continue;
            }
            self.remember(&input);
            if self.perform(&input) == Next::Leave {
                return Ok(0);
            }
            if self.signals.is_terminated() {
                return Ok(TERMINATED);
            }
            if self.console.is_closed() {
                return Ok(0);
            }
        }
    }

    /// Runs an input. A pasted one may begin with commands, a line each.
    fn perform(&mut self, input: &str) -> Next {
        let mut rest = input;
        while meta::is_command(rest) {
            let (line, after) = rest.trim_start().split_once('\n').unwrap_or((rest, ""));
            if meta::run(self, line) == Some(Next::Leave) {
                return Next::Leave;
            }
            rest = after;
        }
        if !rest.trim().is_empty() {
            match meta::run(self, rest) {
                Some(next) => return next,
                None => self.execute(&Script::new(INPUT, rest)),
            }
        }
        Next::Prompt
    }

    /// One input, over several lines while it is open; None to leave.
    fn input(&mut self) -> Result<Option<String>, Diag> {
        let mut input = String::new();
        loop {
            if let Some(assistant) = self.editor.helper_mut() {
                assistant.pending.clone_from(&input);
            }
            let prompt = if input.is_empty() {
                PROMPT
            } else {
                OPEN_PROMPT
            };
            match self.editor.readline(prompt) {
                Ok(line) => {
                    input.push_str(&line);
                    if !validate::is_open(&input) {
                        return Ok(Some(input));
                    }
                    input.push('\n');
                }
                // The terminal is being given back.
                _ if self.signals.is_terminated() => return Ok(None),
                // Ctrl-C takes back what is typed.
                Err(ReadlineError::Interrupted) => return Ok(Some(String::new())),
                Err(ReadlineError::Eof) => return Ok(None),
                Err(ReadlineError::Signal(_)) => {}
                Err(ReadlineError::Io(error))
                    if error.kind() == std::io::ErrorKind::InvalidData =>
                {
                    self.console.complain("the line is not UTF-8");
                    return Ok(Some(String::new()));
                }
                Err(error) => {
                    return Err(Diag::error(
                        &code::INTERNAL,
                        format!("the terminal cannot be read: {error}"),
                    ));
                }
            }
        }
    }

    /// Keeps an input for later sessions too, at once: a killed terminal loses nothing.
    fn remember(&mut self, input: &str) {
        let added = self.editor.add_history_entry(input);
        if let (Ok(true), Some(file)) = (added, &self.history) {
            // A home that cannot be written costs the history only.
            let _ = self.editor.append_history(file);
        }
    }

    /// Runs statements and shows what comes out.
    fn execute(&mut self, script: &Script) {
        let start = Instant::now();
        let mut session = self.session.borrow_mut();
        let continued =
            script.text.trim_start().starts_with('|') && session.scope().get("it").is_some();
        // The session reads such a line as going on from `it`; messages point into what it reads.
        let read = if continued {
            Script::new(&*script.name, format!("it {}", script.text.trim_start()))
        } else {
            script.clone()
        };
        self.console.begin(session.sources(), &read);
        self.signals.begin();
        let outcome = session.run_interactive(&script.name, &script.text, &mut self.console);
        self.signals.end();
        self.console.end();
        self.console.report(&outcome.diags);
        if self.timing {
            self.console.took(start);
        }
    }

    /// Columns to fill.
    fn width(&self) -> usize {
        self.console.style().width
    }

    /// An answer of the REPL itself.
    fn tell(&mut self, text: &str) {
        let mut text = text.trim_end_matches('\n').to_owned();
        if !self.console.style().unicode {
            text = text.replace('…', "...");
        }
        let is_long = Stream::Output
            .height()
            .is_some_and(|height| text.lines().count() >= height);
        let paged = match is_long && !is_dumb() {
            true => pager::show(&text),
            false => Paged::Unwanted,
        };
        if paged != Paged::Shown {
            self.console.say(&text);
        }
        if let Paged::Missing(program) = paged {
            let text = format!("the pager `{program}` does not work; `MAREY_PAGER` names another");
            self.console.complain(&text);
        }
    }

    fn clear_screen(&mut self) {
        // A terminal that cannot be cleared stays as it is.
        let _ = self.editor.clear_screen();
    }
}

/// What rustyline asks while a line is typed.
struct Assistant {
    session: Rc<RefCell<Session>>,
    /// The lines of the input before this one.
    pending: String,
    unicode: bool,
}

impl Helper for Assistant {}

/// Whole inputs are told apart in [`Repl::input`], where the next line gets its own prompt.
impl Validator for Assistant {}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..pos).unwrap_or(line);
        let text = format!("{}{typed}", self.pending);
        let Ok(mut session) = self.session.try_borrow_mut() else {
            return Ok((pos, Vec::new()));
        };
        let (start, candidates) = complete::at_end(&text, &mut session);
        // A candidate never reaches into a line that is sent already.
        let Some(start) = start.checked_sub(self.pending.len()) else {
            return Ok((pos, Vec::new()));
        };
        let pairs = candidates.into_iter().map(|candidate| Pair {
            display: candidate.shown,
            replacement: candidate.text,
        });
        Ok((start, pairs.collect()))
    }
}

/// A hint that is shown and never taken.
struct Shown(String);

impl Hint for Shown {
    fn display(&self) -> &str {
        &self.0
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}

impl Hinter for Assistant {
    type Hint = Shown;

    fn hint(&self, line: &str, pos: usize, _: &Context<'_>) -> Option<Shown> {
        if pos < line.len() || line.is_empty() {
            return None;
        }
        let session = self.session.try_borrow().ok();
        let scope = session.as_ref().map(|session| session.scope());
        let hint = hint::at_end(&format!("{}{line}", self.pending), scope)?;
        Some(Shown(if self.unicode {
            hint
        } else {
            hint.replace('…', "...")
        }))
    }
}

impl Highlighter for Assistant {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        let session = self.session.try_borrow().ok();
        let scope = session.as_ref().map(|session| session.scope());
        match highlight::colored(line, scope) {
            Some(text) => Cow::Owned(text),
            None => Cow::Borrowed(line),
        }
    }

    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        Cow::Owned(highlight::prompt(prompt))
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(highlight::dimmed(hint))
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        kind != CmdKind::MoveCursor
    }
}
