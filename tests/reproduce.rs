//! What output files say of their making, and `marey reproduce`, which makes them again.

use crate::support::{Ran, program, ran, root, run, run_with, workspace};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// One script for every format of output.
const SCRIPT: &str = "param threshold = 3ms
param title = \"a & b\"
use \"lib.marey\"
let run = load \"hand.csv\" unit=ms
run | mine $threshold | plot-stacked title=$title | save \"figure.svg\" | save \"figure.png\"
run | profile | save \"table.csv\" | save \"table.parquet\" | save \"table.arrow\" | save \"table.md\"
run | save \"trace.parquet\" | save \"trace.etf\"
";

const SAVED: [&str; 8] = [
    "figure.svg",
    "figure.png",
    "table.csv",
    "table.parquet",
    "table.arrow",
    "table.md",
    "trace.parquet",
    "trace.etf",
];

const LIBRARY: &str = "def mine(threshold) = aggregate-by-threshold $threshold\n";

/// A folder in which the script ran.
fn saved(arguments: &[&str]) -> tempfile::TempDir {
    let folder = workspace();
    std::fs::write(folder.path().join("lib.marey"), LIBRARY).unwrap();
    std::fs::write(folder.path().join("all.marey"), SCRIPT).unwrap();
    let all = ["run", "all.marey"].iter().chain(arguments);
    run_with(all, folder.path()).good();
    folder
}

fn reproduce(arguments: &[&str], folder: &Path) -> Ran {
    run_with(["reproduce"].iter().chain(arguments), folder)
}

/// Text on one line, as messages are wrapped.
fn flat(text: &str) -> String {
    let words: Vec<&str> = text
        .split_whitespace()
        .filter(|word| *word != "|")
        .collect();
    words.join(" ")
}

/// All files of a folder with their bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_file())
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, std::fs::read(entry.path()).unwrap())
        })
        .collect()
}

fn patched(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(path).unwrap();
    change(&mut bytes);
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn every_format_comes_out_the_same_and_nothing_else_is_touched() {
    let folder = saved(&["--param", "threshold=5ms"]);
    let before = files(folder.path());
    let out = reproduce(&SAVED, folder.path()).good();
    let expected: String = SAVED.iter().map(|name| format!("same: {name}\n")).collect();
    assert_eq!(out, expected);
    assert_eq!(files(folder.path()), before);
    // The definitions travel along: what the file says now does not matter.
    std::fs::write(folder.path().join("lib.marey"), "def mine(x) = flatten\n").unwrap();
    std::fs::remove_file(folder.path().join("all.marey")).unwrap();
    reproduce(&SAVED, folder.path()).good();
}

#[test]
fn one_byte_of_the_input_changes_the_answer_and_is_the_reason() {
    let folder = saved(&[]);
    patched(&folder.path().join("hand.csv"), |bytes| {
        // One state gets another name.
        let at = bytes
            .windows(3)
            .position(|w| w == b", B")
            .expect("a state B");
        bytes[at + 2] = b'C';
    });
    for name in SAVED {
        let ran = reproduce(&[name], folder.path());
        assert_eq!(ran.code, 1, "{name}: {}{}", ran.stdout, ran.stderr);
        let said = flat(&ran.stdout);
        assert!(said.starts_with(&format!("differs: {name}")), "{said}");
        assert!(
            said.contains("the input `hand.csv` changed: it had 433 bytes"),
            "{said}"
        );
        assert!(!said.contains("is the same all the same"), "{said}");
        // Not the digest, which differs anyhow, but what is drawn.
        assert!(
            name != "figure.svg" || !said.contains("marey.provenance"),
            "{said}"
        );
    }
    // A byte that no row hangs on changes what the file was made of all the same.
    let folder = saved(&[]);
    patched(&folder.path().join("hand.csv"), |bytes| {
        bytes.extend_from_slice(b"\n");
    });
    for name in SAVED {
        let ran = reproduce(&[name], folder.path());
        assert_eq!(ran.code, 1, "{name}: {}", ran.stdout);
    }
    for name in [
        "figure.svg",
        "figure.png",
        "table.csv",
        "table.md",
        "trace.etf",
    ] {
        let said = reproduce(&[name], folder.path()).stdout;
        assert!(
            said.contains("what it shows is the same all the same"),
            "{said}"
        );
    }
}

#[test]
fn an_input_that_moved_is_found_or_named() {
    let folder = saved(&[]);
    let place = folder.path();
    std::fs::create_dir(place.join("figures")).unwrap();
    std::fs::create_dir(place.join("old")).unwrap();
    std::fs::rename(place.join("figure.svg"), place.join("figures/1.svg")).unwrap();
    std::fs::rename(place.join("hand.csv"), place.join("old/hand.csv")).unwrap();
    let lost = reproduce(&["figures/1.svg"], place);
    assert_eq!((lost.code, lost.codes()), (3, vec!["input_missing"]));
    assert!(
        flat(&lost.stderr).contains("--input \"hand.csv=NEW\""),
        "{}",
        lost.stderr
    );
    let told = ["figures/1.svg", "--input", "hand.csv=old/hand.csv"];
    assert_eq!(reproduce(&told, place).good(), "same: figures/1.svg\n");
    // The same bytes beside the figure are proposed.
    std::fs::copy(place.join("old/hand.csv"), place.join("figures/hand.csv")).unwrap();
    let near = reproduce(&["figures/1.svg"], place);
    assert!(
        flat(&near.stderr).contains("`--input \"hand.csv=figures/hand.csv\"`"),
        "{}",
        near.stderr
    );
    let misspelt = reproduce(&["figures/1.svg", "--input", "hnad.csv=x"], place);
    assert_eq!(
        (misspelt.code, misspelt.codes()),
        (2, vec!["bad_command_line"])
    );
}

#[test]
fn a_folder_of_inputs_moves_as_one_and_an_input_more_is_told() {
    let folder = workspace();
    let place = folder.path();
    std::fs::create_dir(place.join("runs")).unwrap();
    for number in ["1", "2"] {
        std::fs::copy(
            place.join("hand.csv"),
            place.join(format!("runs/r{number}.csv")),
        )
        .unwrap();
    }
    run(
        "load \"runs/*.csv\" unit=ms file_as=\"run\" | profile | save \"runs.parquet\"",
        place,
    )
    .good();
    std::fs::rename(place.join("runs"), place.join("kept")).unwrap();
    let moved = ["runs.parquet", "--input", "runs=kept"];
    assert_eq!(reproduce(&moved, place).good(), "same: runs.parquet\n");
    std::fs::copy(place.join("hand.csv"), place.join("kept/r3.csv")).unwrap();
    let more = reproduce(&moved, place);
    assert_eq!(more.code, 1);
    assert!(
        more.stdout.contains("the script reads `runs/r3.csv` too"),
        "{}",
        more.stdout
    );
}

#[test]
fn a_file_that_says_nothing_or_was_changed_is_told_apart() {
    let folder = saved(&[]);
    let place = folder.path();
    run(
        "load \"hand.csv\" unit=ms | profile | save \"table.csv\" provenance=none",
        place,
    )
    .good();
    assert!(!place.join("table.csv.provenance.json").exists());
    for name in ["table.csv", "hand.csv"] {
        let silent = reproduce(&[name], place);
        assert_eq!((silent.code, silent.codes()), (3, vec!["no_provenance"]));
    }
    run(
        "load \"hand.csv\" unit=ms | aggregate-by-threshold 3ms | plot-stacked | save \"quiet.svg\" provenance=none",
        place,
    )
    .good();
    let quiet = std::fs::read_to_string(place.join("quiet.svg")).unwrap();
    assert!(!quiet.contains("hand.csv"));
    // A rectangle moved by hand.
    patched(&place.join("figure.svg"), |bytes| {
        let text = String::from_utf8(bytes.clone()).unwrap();
        *bytes = text.replacen("<text x=\"", "<text x=\"1", 1).into_bytes();
    });
    let edited = reproduce(&["figure.svg"], place);
    assert_eq!(edited.code, 1);
    let said = flat(&edited.stdout);
    assert!(said.contains("it was changed after it was saved"), "{said}");
    assert!(said.contains("first difference in line"), "{said}");
    let missing = reproduce(&["nothing.svg"], place);
    assert_eq!((missing.code, missing.codes()), (3, vec!["input_missing"]));
}

#[test]
fn another_version_is_named_and_what_is_shown_is_compared_apart() {
    let folder = saved(&[]);
    let version = format!("\"marey\":\"{}\"", env!("CARGO_PKG_VERSION"));
    patched(&folder.path().join("figure.svg"), |bytes| {
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(text.contains(&version));
        *bytes = text
            .replacen(&version, "\"marey\":\"0.0.1\"", 1)
            .into_bytes();
    });
    let ran = reproduce(&["figure.svg", "--format", "json"], folder.path());
    assert_eq!(ran.code, 1);
    let said: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(said[0]["same"], false);
    let reasons = said[0]["reasons"].as_array().unwrap();
    assert_eq!(
        reasons[0],
        format!(
            "it was made by marey 0.0.1, this is {}",
            env!("CARGO_PKG_VERSION")
        )
    );
    assert_eq!(reasons[1], "what it shows is the same all the same");
}

#[test]
fn what_came_through_standard_input_is_asked_for() {
    let folder = workspace();
    let mut child = program(folder.path())
        .args([
            "-c",
            "load \"-\" unit=ms | profile | save \"piped.parquet\"",
        ])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let trace = std::fs::read(folder.path().join("hand.csv")).unwrap();
    child.stdin.take().unwrap().write_all(&trace).unwrap();
    ran(child.wait_with_output().unwrap()).good();
    let asked = reproduce(&["piped.parquet"], folder.path());
    assert_eq!((asked.code, asked.codes()), (3, vec!["input_missing"]));
    let given = ["piped.parquet", "--input", "-=hand.csv"];
    assert_eq!(
        reproduce(&given, folder.path()).good(),
        "same: piped.parquet\n"
    );
}

#[test]
fn what_is_said_depends_on_nothing_but_script_and_input() {
    // The folder that it is written to, the name of the script, a parameter set to its default.
    let one = saved(&[]);
    let two = workspace();
    std::fs::write(two.path().join("lib.marey"), LIBRARY).unwrap();
    std::fs::write(two.path().join("other.marey"), SCRIPT).unwrap();
    std::fs::create_dir(two.path().join("out")).unwrap();
    let arguments = [
        "other.marey",
        "--out",
        "out",
        "--param",
        "threshold=3ms",
        "--threads",
        "1",
    ];
    run_with(arguments, two.path()).good();
    for name in SAVED {
        let first = std::fs::read(one.path().join(name)).unwrap();
        let second = std::fs::read(two.path().join("out").join(name)).unwrap();
        assert!(first == second, "{name} differs");
    }
    let svg = std::fs::read_to_string(one.path().join("figure.svg")).unwrap();
    let home = one.path().to_string_lossy().into_owned();
    assert!(!svg.contains(&home));
}

#[test]
fn every_figure_of_the_examples_comes_out_the_same() {
    let mut scripts: Vec<_> = glob::glob(&format!("{}/examples/*/*.marey", root().display()))
        .unwrap()
        .map(|path| path.unwrap())
        .collect();
    scripts.sort();
    let mut count = 0;
    for script in scripts {
        let text = std::fs::read_to_string(&script).unwrap();
        if text.contains("../shared") && !root().join("../shared/traces").exists() {
            eprintln!("skipped: the trace of {} is not here", script.display());
            continue;
        }
        let out = tempfile::tempdir().unwrap();
        // Their inputs are named from the repository.
        let arguments = [
            "run".as_ref(),
            script.as_os_str(),
            "--out".as_ref(),
            out.path().as_os_str(),
        ];
        run_with(arguments, root()).good();
        for name in files(out.path()).keys() {
            let path = out.path().join(name);
            if ["svg", "png"]
                .map(Some)
                .contains(&path.extension().and_then(|e| e.to_str()))
            {
                let said = run_with(["reproduce".as_ref(), path.as_os_str()], root()).good();
                assert!(said.starts_with("same: "), "{said}");
                count += 1;
            }
        }
    }
    assert!(count >= 8, "{count} figures were made again");
}
