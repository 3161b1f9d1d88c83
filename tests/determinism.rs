//! The same script on the same input gives the same bytes, whatever the order of rows, the number of threads,
//! the locale, the time zone, the home folder or the moment.

use crate::support::{Ran, program, ran, workspace};
use std::path::Path;

const SCRIPT: &str = r#"
param input = "ties.csv"
let run = load $input unit=ms
let cells = run | aggregate-by-threshold 1ms max=5ms
cells | save "cells.csv"
cells | save "cells.parquet"
cells | plot-stacked width=120mm height=60mm | save "cells.svg" | save "cells.png"
run | aggregate-by-threshold | plot-stacked palette="Paired" | save "pixel.svg"
run | profile | save "profile.md"
run | flatten | sort start, resource, type | select resource, type, value, start, end | save "flat.json"
run | summarize sum(duration), avg(duration), median(duration), quantile(duration, 0.9) by value | save "sums.csv"
run | take 7 | select resource, type, value, start | save "first.tsv"
run | distinct resource, type
"#;

const FILES: &[&str] = &[
    "cells.csv",
    "cells.parquet",
    "cells.svg",
    "cells.png",
    "pixel.svg",
    "profile.md",
    "flat.json",
    "sums.csv",
    "first.tsv",
];

/// Runs the script in a fresh copy of the data and gives everything that came out.
fn outputs(
    prepare: impl Fn(&Path),
    arguments: &[&str],
    environment: &[(&str, &str)],
) -> Vec<(String, Vec<u8>)> {
    let place = workspace();
    let folder = place.path().join("aggregation");
    std::fs::write(folder.join("script.marey"), SCRIPT).unwrap();
    prepare(&folder);
    let mut command = program(&folder);
    command.args(["run", "script.marey"]).args(arguments);
    for (name, value) in environment {
        command.env(name, value);
    }
    let Ran {
        stdout,
        stderr,
        code,
    } = ran(command.output().unwrap());
    assert_eq!(code, 0, "{stderr}");
    let mut out = vec![
        ("stdout".to_owned(), stdout.into_bytes()),
        ("stderr".to_owned(), stderr.into_bytes()),
    ];
    for file in FILES {
        out.push((
            (*file).to_owned(),
            std::fs::read(folder.join(file)).unwrap(),
        ));
    }
    out
}

fn plain() -> Vec<(String, Vec<u8>)> {
    outputs(|_| {}, &[], &[])
}

#[track_caller]
fn equal(a: &[(String, Vec<u8>)], b: &[(String, Vec<u8>)], about: &str) {
    for ((name, a), (_, b)) in a.iter().zip(b) {
        assert!(
            a == b,
            "{about}: {name} differs ({} and {} bytes)",
            a.len(),
            b.len()
        );
    }
}

#[test]
fn twice_the_same() {
    let first = plain();
    assert!(
        first
            .iter()
            .all(|(name, bytes)| name == "stderr" || !bytes.is_empty())
    );
    equal(&first, &plain(), "a second run");
}

#[test]
fn threads_change_nothing() {
    let one = outputs(|_| {}, &["--threads", "1"], &[]);
    for threads in ["2", "5"] {
        equal(
            &one,
            &outputs(|_| {}, &["--threads", threads], &[]),
            threads,
        );
    }
}

#[test]
fn the_environment_changes_nothing() {
    let expected = plain();
    let home = tempfile::TempDir::new().unwrap();
    let home = home.path().to_str().unwrap();
    for environment in [
        &[("LANG", "de_DE.UTF-8"), ("LC_ALL", "de_DE.UTF-8")][..],
        &[("LC_ALL", "tr_TR.UTF-8")],
        &[("LC_ALL", "C")],
        &[("TZ", "Asia/Tokyo")],
        &[("HOME", home), ("XDG_CONFIG_HOME", home)],
        &[("HOME", "/nonexistent")],
        &[("TERM", "dumb"), ("COLUMNS", "40"), ("NO_COLOR", "1")],
        &[
            ("CLICOLOR_FORCE", "0"),
            ("RUST_LOG", "trace"),
            ("RUST_BACKTRACE", "1"),
        ],
    ] {
        equal(
            &expected,
            &outputs(|_| {}, &[], environment),
            &format!("{environment:?}"),
        );
    }
}

/// Rows of a file in another order: a fixed one, so that a failure can be repeated.
fn shuffled(text: &str, seed: usize) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    for at in (1..lines.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        lines.swap(at, (state >> 33) % (at + 1));
    }
    lines.join("\n") + "\n"
}

/// The script with files that do not say how they were made: other bytes of an input are another digest.
fn silent(script: &str) -> String {
    FILES.iter().fold(script.to_owned(), |script, file| {
        let save = format!("save \"{file}\"");
        let silent = script.replace(&save, &format!("{save} provenance=none"));
        assert_ne!(silent, script, "{file} is saved");
        silent
    })
}

/// Everything that comes out when nothing says how it was made.
fn plain_and_silent() -> Vec<(String, Vec<u8>)> {
    let prepare = |folder: &Path| {
        std::fs::write(folder.join("script.marey"), silent(SCRIPT)).unwrap();
    };
    outputs(prepare, &[], &[])
}

#[test]
fn the_order_of_rows_changes_nothing() {
    let expected = plain_and_silent();
    for seed in 1..4 {
        let changed = outputs(
            |folder| {
                let path = folder.join("ties.csv");
                let text = std::fs::read_to_string(&path).unwrap();
                let other = shuffled(&text, seed);
                assert_ne!(text, other);
                std::fs::write(&path, other).unwrap();
                std::fs::write(folder.join("script.marey"), silent(SCRIPT)).unwrap();
            },
            &[],
            &[],
        );
        equal(&expected, &changed, &format!("shuffled with {seed}"));
    }
}

#[test]
fn a_trace_saved_as_parquet_gives_the_same() {
    let expected = plain_and_silent();
    let through = outputs(
        |folder| {
            let mut command = program(folder);
            command.args(["-c", "load \"ties.csv\" unit=ms | save \"ties.parquet\""]);
            assert_eq!(ran(command.output().unwrap()).code, 0);
            let script = silent(SCRIPT)
                .replace("ties.csv", "ties.parquet")
                .replace(" unit=ms\nlet cells", "\nlet cells");
            std::fs::write(folder.join("script.marey"), script).unwrap();
        },
        &[],
        &[],
    );
    equal(&expected, &through, "through Parquet");
}

#[test]
fn generated_traces_are_the_same_on_every_run() {
    let place = workspace();
    let csv = |arguments: &[&str]| {
        let mut command = program(place.path());
        command.args(arguments);
        command.args([
            "-c",
            "generate cholesky tiles=6 seed=3 | aggregate-by-threshold 10ms",
        ]);
        ran(command.output().unwrap()).good()
    };
    let first = csv(&["--threads", "1"]);
    assert!(first.lines().count() > 50, "{first}");
    assert_eq!(first, csv(&["--threads", "4"]));
}
