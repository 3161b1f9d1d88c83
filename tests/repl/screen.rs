//! What goes to the terminal as pictures and what goes to another program.

use super::Typist;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::os::unix::fs::PermissionsExt;

const GANTT: &str = "load \"hand.csv\" unit=ms | plot-gantt";
/// A half block as the pseudo-terminal hands it over: a character for each byte.
fn block() -> String {
    "▀".bytes().map(char::from).collect()
}

fn script(name: &str, text: &str) -> tempfile::TempDir {
    let folder = crate::support::workspace();
    let file = folder.path().join(name);
    std::fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
fn kitty_gets_a_png_that_fits() {
    let mut typist = Typist::raw(&[("MAREY_PICTURES", "kitty")]);
    typist.types(&format!("{GANTT}\r"));
    typist.sees("\x1b_Ga=T,f=100,c=");
    let columns: u32 = typist.sees(",q=2,m=").parse().unwrap();
    assert!((40..=80).contains(&columns), "{columns}");
    let rest = typist.sees("a figure of ");
    typist.sees("marey> ");
    let file: String = rest
        .split("\x1b\\")
        .filter_map(|part| part.split_once(';'))
        .map(|(_, data)| data)
        .collect();
    let png = BASE64_STANDARD.decode(file).unwrap();
    assert_eq!(png.get(..8).unwrap(), b"\x89PNG\r\n\x1a\n");
    let width = u32::from_be_bytes(png.get(16..20).unwrap().try_into().unwrap());
    assert_eq!(width, columns * 16);
    assert!(png.ends_with(b"IEND\xae\x42\x60\x82"));
    typist.leaves();
}

#[test]
fn blocks_have_colours() {
    let mut typist = Typist::raw(&[("MAREY_PICTURES", "blocks"), ("NO_COLOR", "")]);
    typist.types(&format!("{GANTT}\r"));
    typist.sees("\x1b[48;5;");
    let picture = typist.sees("a figure of ");
    typist.sees("marey> ");
    let lines: Vec<&str> = picture.lines().filter(|l| l.contains(&block())).collect();
    let width = lines[0].matches(&block()).count();
    assert!((40..=80).contains(&width) && lines.len() > 5, "{picture}");
    assert!(lines.iter().all(|l| l.matches(&block()).count() == width));
    assert!(lines.iter().all(|l| l.trim_end().ends_with("\x1b[0m")));
    typist.leaves();
}

#[test]
fn without_colours_or_on_a_dumb_terminal_there_is_a_line() {
    for variables in [
        &[("MAREY_PICTURES", "blocks")][..],
        &[("MAREY_PICTURES", "none"), ("NO_COLOR", "")],
        &[("MAREY_PICTURES", "kitty"), ("TERM", "dumb")],
    ] {
        let mut typist = Typist::raw(variables);
        typist.types(&format!("{GANTT}\n"));
        let before = typist.sees("a figure of ");
        typist.sees("marey> ");
        assert!(
            !before.contains(&block()) && !before.contains("\x1b_G"),
            "{before}"
        );
        typist.leaves();
    }
    let mut typist = Typist::new(&[("MAREY_PICTURES", "zebra")]);
    typist.types(&format!("{GANTT}\r"));
    typist.sees("it may be kitty, iterm2, sixel, blocks, none");
    typist.sees("a figure of ");
    typist.leaves();
}

#[test]
fn what_is_long_goes_to_the_pager() {
    let folder = script("pager.sh", "cat > seen.txt; echo paged");
    let variables = [("MAREY_PAGER", "./pager.sh"), ("LINES", "24")];
    let mut typist = Typist::within(folder, &variables);
    let seen = typist.folder().join("seen.txt");
    typist.enters(":timing on", "timing is on");
    assert!(!seen.exists());
    typist.types(":help\r");
    let before = typist.sees("paged");
    typist.sees("marey> ");
    assert!(!before.contains("Commands"), "{before}");
    let text = std::fs::read_to_string(&seen).unwrap();
    assert!(text.contains("Relational") && text.contains("Commands"));
    assert!(!text.contains('\x1b'), "{text}");
    typist.enters("6 * 7", "\n42\r\n");
    typist.leaves();
}

#[test]
fn a_pager_may_be_missing_left_or_killed() {
    let lines = ("LINES", "24");
    let mut typist = Typist::new(&[("MAREY_PAGER", "no-such-pager"), lines]);
    typist.types(":help\r");
    typist.sees("Relational");
    typist.sees("the pager `no-such-pager` does not work");
    typist.leaves();

    let mut typist = Typist::new(&[("MAREY_PAGER", "ls --no-such-option"), lines]);
    typist.types(":help\r");
    typist.sees("Relational");
    typist.sees("the pager `ls --no-such-option` does not work");
    typist.leaves();

    let mut typist = Typist::new(&[("MAREY_PAGER", "head -n 1"), lines]);
    typist.types(":help\r");
    let between = typist.sees("marey> ");
    for word in ["error", "ipe", "interrupted"] {
        assert!(!between.contains(word), "{between}");
    }
    typist.enters("6 * 7", "\n42\r\n");
    typist.leaves();

    let folder = script("pager.sh", "cat > seen.txt; echo reading; exec sleep 60");
    let mut typist = Typist::within(folder, &[("MAREY_PAGER", "./pager.sh"), lines]);
    typist.types(":help\r");
    typist.sees("reading");
    typist.session.send_control('c').unwrap();
    typist.sees("marey> ");
    typist.enters("6 * 7", "\n42\r\n");
    typist.leaves();
}

#[test]
fn a_dumb_terminal_has_no_pager() {
    let folder = script("pager.sh", "cat > seen.txt");
    let variables = [
        ("MAREY_PAGER", "./pager.sh"),
        ("LINES", "24"),
        ("TERM", "dumb"),
    ];
    let mut typist = Typist::within(folder, &variables);
    typist.types(":help\n");
    typist.sees("Relational");
    typist.sees("marey> ");
    assert!(!typist.folder().join("seen.txt").exists());
    typist.leaves();
}

#[test]
fn the_last_figure_opens_elsewhere() {
    let folder = script("open.sh", "cp \"$1\" opened.svg");
    let here = folder.path().to_str().unwrap().to_owned();
    let variables = [("MAREY_OPEN", "./open.sh"), ("TMPDIR", here.as_str())];
    let mut typist = Typist::within(folder, &variables);
    typist.enters(":open", "there is no figure yet");
    typist.enters(GANTT, "a figure of ");
    typist.enters(":open figure", "the figure is ");
    let opened = std::fs::read_to_string(typist.folder().join("opened.svg")).unwrap();
    assert!(opened.contains("<svg") && opened.trim_end().ends_with("</svg>"));
    let folder = typist.leaves();
    let variables = [("MAREY_OPEN", "no-such-viewer"), ("TMPDIR", here.as_str())];
    let mut typist = Typist::within(folder, &variables);
    typist.enters(GANTT, "a figure of ");
    typist.types(":open\r");
    typist.sees("no program opened the figure; it is ");
    typist.leaves();
}
