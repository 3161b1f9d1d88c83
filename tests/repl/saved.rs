//! `:save`: the script of a session prints, run, what the session printed.

use super::Typist;
use crate::support::{program, run_with, workspace};
use rexpect::reader::Options;
use rexpect::session::spawn_with_options;
use std::process::Stdio;
use tempfile::TempDir;

/// A session on a terminal without escapes: what each input printed, blank lines left out, and its folder.
fn session(inputs: &[&str]) -> (Vec<String>, TempDir) {
    let folder = workspace();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    std::fs::write(
        folder.path().join("sub/lib.marey"),
        "def longest(n=1) = sort -duration | take $n | select value\n",
    )
    .unwrap();
    let mut command = program(folder.path());
    command
        .args(["--format", "csv"])
        .stdin(Stdio::inherit())
        .env("TERM", "dumb")
        .env("HOME", folder.path())
        .env("MAREY_HISTORY", "");
    let options = Options::new().timeout_ms(Some(60_000));
    let mut terminal = spawn_with_options(command, options).unwrap();
    terminal.exp_string("marey> ").unwrap();
    let mut printed = Vec::new();
    for input in inputs {
        let mut lines = input.lines().peekable();
        while let Some(line) = lines.next() {
            terminal.send_line(line).unwrap();
            if lines.peek().is_some() {
                terminal.exp_string("...  ").unwrap();
            }
        }
        let seen = terminal.exp_string("marey> ").unwrap();
        let shown = seen.lines().map(str::trim_end);
        printed.extend(shown.filter(|line| !line.is_empty()).map(str::to_owned));
    }
    terminal.send_control('d').unwrap();
    terminal.exp_eof().unwrap();
    (printed, folder)
}

/// The session and its script print the same; the script.
#[track_caller]
fn same(inputs: &[&str]) -> String {
    let mut all = inputs.to_vec();
    all.push(":save session.marey");
    let (mut printed, folder) = session(&all);
    assert!(
        printed.pop().is_some_and(|last| last.starts_with("saved")),
        "{printed:?}"
    );
    let script = std::fs::read_to_string(folder.path().join("session.marey")).unwrap();
    let ran = run_with(["run", "session.marey"], folder.path());
    let lines: Vec<&str> = ran.stdout.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, printed, "{script}\n{}", ran.stderr);
    assert_eq!(ran.code, 0, "{script}\n{}", ran.stderr);
    script
}

#[test]
fn every_kind_of_statement_is_kept() {
    let script = same(&[
        "param n = 1  # how many",
        "let run = load \"hand.csv\" unit=ms",
        "use \"sub/lib.marey\"",
        "use std.gantt",
        "def top(k=1) = profile | sort -duration | take $k | select value",
        "run | top k=$n",
        "run | longest n=2",
        "for i in [1, 2] {\nrun | top k=$i\n$i + 40\n}",
        "1 + 1",
        "$it * 21",
        "run | profile | select value, number",
        "| sort -value",
        "| take 1 | print",
        "| select number",
        "run | assert end <= 100ms",
        "| summarize n = count()",
        "let n = 5",
        "$n",
    ]);
    assert!(script.contains("param n = 1  # how many"), "{script}");
    assert!(script.contains("use \"sub/lib.marey\""), "{script}");
}

#[test]
fn several_statements_in_one_input() {
    same(&[
        "20\n",
        "(1 + 1); $it * 3; let kept = $it + 1; $kept",
        "load \"hand.csv\" unit=ms | profile | select value; it | take 1",
        "| summarize n = count()",
    ]);
}

#[test]
fn what_failed_is_left_out() {
    let script = same(&["1 + 1", "let a = 40; $a + 2"]);
    assert!(!script.contains("it"), "{script}");
    let (printed, folder) = session(&[
        "40",
        "zebra",
        "let a = 1; $a + 1; load \"hand.csv\" unit=ms | assert end > 200ms; let b = 2; 3",
        "$it",
        "$a",
        "$b",
        ":save session.marey",
    ]);
    let script = std::fs::read_to_string(folder.path().join("session.marey")).unwrap();
    // By hand: the third statement fails, so that neither `b` nor the 3 is there.
    assert_eq!(script, "40\nlet a = 1\nlet it = $a + 1\n$it\n$it\n$a\n");
    assert!(
        printed
            .iter()
            .any(|line| line.contains("unknown_scalar") || line.contains("unknown_name")),
        "{printed:?}"
    );
    let ran = run_with(["run", "session.marey"], folder.path());
    assert_eq!(ran.good(), "40\n2\n2\n1\n");
}

#[test]
fn the_last_of_two_saves_stays() {
    let script = same(&[
        "let run = load \"hand.csv\" unit=ms",
        "run | save \"a.csv\"",
        "run | profile | save \"a.csv\" | select value",
        "run | profile | select value | sort value | save \"a.csv\"",
        "| take 1",
        "for i in [1, 2] {\nrun | take $i | save f\"{$i}.csv\"\n}",
        "for i in [1, 2] {\nrun | profile | take $i | save f\"{$i}.csv\"\n}",
        "let kept = run | profile | print | save \"a.csv\"",
        "kept | select value | take 1",
    ]);
    assert_eq!(script.matches("a.csv").count(), 1, "{script}");
    // Nothing is left of the first loop.
    assert_eq!(script.matches("for ").count(), 1, "{script}");
    let (printed, _) = session(&[
        "let run = load \"hand.csv\" unit=ms",
        "def out(p) = profile | save $p",
        "run | out \"b.csv\"",
        "run | out \"b.csv\"",
        ":save session.marey",
    ]);
    assert!(
        printed
            .last()
            .is_some_and(|line| line.contains("`b.csv` twice")),
        "{printed:?}"
    );
}

#[test]
fn a_used_file_is_found_from_the_folder_of_the_script() {
    let (_, folder) = session(&[
        "use \"sub/lib.marey\"",
        "load \"hand.csv\" unit=ms | longest",
        ":save sub/session.marey",
        ":save session.marey",
    ]);
    for script in ["sub/session.marey", "session.marey"] {
        let ran = run_with(["run", script], folder.path());
        assert_eq!(ran.good(), "value\nP\n", "{script}");
    }
    // `:load` too reads what is used from beside the script.
    let mut typist = Typist::within(folder, &[]);
    typist.enters(":load sub/session.marey", "P");
    typist.leaves();
}
