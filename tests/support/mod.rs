//! Runs the built program in a folder and says what came out.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// What a run gave.
#[derive(Debug)]
pub struct Ran {
    pub stdout: String,
    pub stderr: String,
    /// The exit code; -1 where a signal ended the program.
    pub code: i32,
}

impl Ran {
    /// A run that must end well; the text on standard output.
    #[track_caller]
    pub fn good(self) -> String {
        assert_eq!(self.code, 0, "stderr:\n{}", self.stderr);
        self.stdout
    }

    /// The codes of the diagnostics on standard error, in order: one for each.
    pub fn codes(&self) -> Vec<&str> {
        self.stderr
            .lines()
            .filter_map(|line| line.strip_prefix("marey::"))
            .map(str::trim)
            .collect()
    }
}

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of test inputs.
pub fn data() -> PathBuf {
    root().join("tests/data")
}

/// A copy of `tests/data` that a test may write into.
pub fn workspace() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    copy(&data(), folder.path());
    folder
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).expect("tests/data") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            std::fs::create_dir(&target).expect("a folder");
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), &target).expect("a copy");
        }
    }
}

/// The program, in `folder`, with nothing of the terminal or locale of whoever runs the tests.
pub fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_marey"));
    command.current_dir(folder).stdin(Stdio::null());
    for name in [
        "NO_COLOR",
        "CLICOLOR_FORCE",
        "COLUMNS",
        "LANG",
        "LC_ALL",
        "MAREY_PAGER",
        "PAGER",
        "MAREY_PICTURES",
        "MAREY_OPEN",
        "COLORTERM",
        "TERM_PROGRAM",
        "LC_TERMINAL",
        "KITTY_WINDOW_ID",
        "TMUX",
        "STY",
        "ZELLIJ",
        "LINES",
    ] {
        command.env_remove(name);
    }
    command
}

/// Runs the program with these arguments.
pub fn run_with(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>, folder: &Path) -> Ran {
    ran(program(folder)
        .args(arguments)
        .output()
        .expect("the program starts"))
}

/// Runs a script given as text.
pub fn run(script: &str, folder: &Path) -> Ran {
    run_with(["-c", script], folder)
}

/// The output of a program; a panic of ours is never the right answer.
#[track_caller]
pub fn ran(output: Output) -> Ran {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let ran = Ran {
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
        code: output.status.code().unwrap_or(-1),
    };
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("marey::internal"), "{}", ran.stderr);
    ran
}

/// The same text, or where it first differs.
#[track_caller]
pub fn same(found: &str, expected: &str, about: &str) {
    if found == expected {
        return;
    }
    let line = found
        .lines()
        .zip(expected.lines())
        .position(|(a, b)| a != b)
        .unwrap_or_else(|| found.lines().count().min(expected.lines().count()));
    panic!(
        "{about}: differs at line {}\nfound:    {:?}\nexpected: {:?}\n--- found\n{found}\n--- expected\n{expected}",
        line + 1,
        found.lines().nth(line).unwrap_or("(nothing)"),
        expected.lines().nth(line).unwrap_or("(nothing)"),
    );
}

/// Rows of a CSV without quotes.
pub fn cells(csv: &str) -> Vec<Vec<String>> {
    csv.lines()
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect()
}
