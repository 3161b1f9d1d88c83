//! Every command that a page shows to its reader runs, in the order of the page, in a copy of the repository.

use crate::support::root;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Pages with commands. Each is followed from the top of the repository, as it says.
const PAGES: [&str; 5] = [
    "README.md",
    "queries/README.md",
    "examples/gantt/README.md",
    "examples/critical-path/README.md",
    "examples/ci/README.md",
];

/// Commands that end otherwise than well, and how: by the words they hold.
const ENDINGS: [(&str, i32); 1] = [("--param capacity=60", 1)];

/// The commands of a page: lines of `sh` blocks and indented lines that begin with the program's name.
fn commands(page: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut is_shell = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_shell = line == "```sh";
            continue;
        }
        let indented = line
            .strip_prefix("    ")
            .filter(|_| !line.starts_with("     "));
        let command = match is_shell {
            true => Some(line),
            false => indented,
        };
        let command = command.filter(|line| *line == "marey" || line.starts_with("marey "));
        out.extend(command.map(str::to_owned));
    }
    out
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let place = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &place);
        } else {
            std::fs::copy(&path, &place).unwrap();
        }
    }
}

#[test]
#[cfg(unix)]
fn every_command_of_a_page_works() {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_marey"));
    let mut path = std::ffi::OsString::from(program.parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    let mut count = 0;
    for page in PAGES {
        let folder = tempfile::tempdir().unwrap();
        for part in ["examples", "queries", "tests/data"] {
            copy(&root().join(part), &folder.path().join(part));
        }
        // What the pages take as given: a trace of one's own, a folder of results.
        std::fs::copy(
            root().join("tests/data/hand.csv"),
            folder.path().join("run.csv"),
        )
        .unwrap();
        std::fs::create_dir(folder.path().join("artefacts")).unwrap();
        for command in commands(&std::fs::read_to_string(root().join(page)).unwrap()) {
            // It ends with Ctrl-C only; tests/cli has it.
            if command.starts_with("marey watch") {
                continue;
            }
            let ran = Command::new("sh")
                .args(["-c", &command])
                .current_dir(folder.path())
                .env("PATH", &path)
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let ending = ENDINGS.iter().find(|(words, _)| command.contains(words));
            assert_eq!(
                ran.status.code(),
                Some(ending.map_or(0, |(_, code)| *code)),
                "{page}: {command}\n{}",
                String::from_utf8_lossy(&ran.stderr)
            );
            count += 1;
        }
    }
    assert!(count >= 12, "{count} commands ran");
}
