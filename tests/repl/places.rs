//! The REPL where terminals and homes are not as one would like them.

use super::Typist;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

#[test]
fn forty_columns_are_enough() {
    let mut typist = Typist::new(&[("COLUMNS", "40")]);
    typist.enters("let run = load \"hand.csv\" unit=ms", "");
    typist.types(":help take\r");
    typist.sees("\n");
    let page = typist.sees("marey> ");
    // The scripts of the examples stay as they are.
    let prose = page.split("Examples").next().unwrap();
    let widest = prose.lines().map(str::len).max();
    assert!(widest.is_some_and(|width| width <= 40), "{page}");
    typist.enters("run | profile | select value", "A");
    typist.enters("6 * 7", "\n42\r\n");
    typist.leaves();
}

#[test]
fn folders_may_have_names_that_are_no_text() {
    let folder = tempfile::Builder::new()
        .prefix(OsStr::from_bytes(b"caf\xe9-"))
        .tempdir()
        .unwrap();
    let trace = crate::support::data().join("hand.csv");
    std::fs::copy(trace, folder.path().join("hand.csv")).unwrap();
    std::fs::write(folder.path().join(OsStr::from_bytes(b"hand\xff.csv")), "").unwrap();
    // Home and history are in it too.
    let mut typist = Typist::within(folder, &[]);
    typist.enters("load \"ha\t unit=ms | profile | take 1 | select value", "A");
    typist.enters("it | save \"a.csv\"", "");
    typist.enters(":save session.marey", "saved");
    let folder = typist.leaves();
    assert!(folder.path().join("history").exists());
    assert!(folder.path().join("a.csv").exists());
    let ran = crate::support::run_with(["reproduce", "a.csv"], folder.path());
    assert_eq!(ran.good(), "same: a.csv\n");
}

#[test]
fn no_home_is_needed() {
    let mut typist = Typist::new(&[("HOME", ""), ("XDG_STATE_HOME", "")]);
    typist.enters("6 * 7", "\n42\r\n");
    typist.leaves();
}
