//! The cases of aggregation.md, section 8, through the program: the small ones live in
//! `tests/data/aggregation`, all of them in `../shared` where that folder is at hand. The expected tables come
//! from an exact oracle that was written from the text, not from this program.

use crate::support::{Ran, cells, data, root, run};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Columns of the expected tables, in their order, by our names, and which of them are numbers.
const AGGREGATE: &[(&str, bool)] = &[
    ("resource", false),
    ("type", false),
    ("chunk", false),
    ("subchunk", false),
    ("value", false),
    ("start", true),
    ("end", true),
    ("duration", true),
    ("number", false),
    ("activity", true),
    ("low", true),
    ("high", true),
    ("pure", false),
];
const PROFILE: &[(&str, bool)] = &[
    ("value", false),
    ("duration", true),
    ("number", false),
    ("share", true),
];

fn shared() -> Option<PathBuf> {
    let folder = root().join("../shared/cases/aggregation");
    folder.is_dir().then_some(folder)
}

fn cases(folder: &Path) -> Value {
    let text = std::fs::read_to_string(folder.join("cases.json")).expect("cases.json");
    serde_json::from_str(&text).expect("JSON")
}

fn text<'a>(case: &'a Value, key: &str) -> Option<&'a str> {
    case[key].as_str()
}

fn unit<'a>(all: &'a Value, input: &str) -> &'a str {
    let stem = input.trim_end_matches(".csv");
    all["unit"][stem].as_str().unwrap_or("ms")
}

/// The script of a case.
fn script(all: &Value, case: &Value) -> String {
    let input = text(case, "input").expect("an input");
    let unit = unit(all, input);
    let mut script = format!("load \"{input}\" unit={unit} policy=fail");
    if let Some(kind) = text(case, "type") {
        script.push_str(&format!(" | filter type == {kind:?}"));
    }
    let excluded = case["exclude"].as_array().filter(|names| !names.is_empty());
    if let Some(names) = excluded {
        script.push_str(&format!(
            " | filter value not in {}",
            Value::from(names.clone())
        ));
    }
    let nest = match text(case, "nest").unwrap_or("flatten") {
        "flatten" => "flatten".to_owned(),
        other => other.trim_start_matches("depth:").to_owned(),
    };
    if text(case, "table") == Some("profile") {
        script.push_str(&format!(" | profile nest={nest}"));
        return script;
    }
    let threshold = text(case, "min").expect("a threshold");
    script.push_str(&format!(
        " | aggregate-by-threshold {threshold}{unit} nest={nest}"
    ));
    if let Some(max) = text(case, "max").filter(|max| *max != "inf") {
        script.push_str(&format!(" max={max}{unit}"));
    }
    if let Some(order) = text(case, "order") {
        script.push_str(&format!(" order={order}"));
    }
    script
}

#[track_caller]
fn compare(about: &str, found: &str, expected: &str, columns: &[(&str, bool)]) {
    let (found, expected) = (cells(found), cells(expected));
    let header: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    assert_eq!(found[0], header, "{about}");
    assert_eq!(found.len(), expected.len(), "{about}: rows");
    for (row, (found, expected)) in found.iter().zip(&expected).enumerate().skip(1) {
        assert_eq!(found.len(), columns.len(), "{about}: line {}", row + 1);
        assert_eq!(expected.len(), columns.len(), "{about}: line {}", row + 1);
        for ((found, expected), (name, is_number)) in found.iter().zip(expected).zip(columns) {
            let equal = if *is_number {
                let number = |text: &str| text.parse::<f64>().expect("a number");
                (number(found) - number(expected)).abs() <= 1e-9
            } else {
                found == expected
            };
            assert!(
                equal,
                "{about}: line {}, {name}: {found}, not {expected}",
                row + 1
            );
        }
    }
}

fn run_cases(folder: &Path) -> usize {
    let all = cases(folder);
    let list = all["cases"].as_array().expect("cases");
    for case in list {
        let script = script(&all, case);
        let expected = text(case, "expected").expect("a file");
        let found = run(&script, folder).good();
        let wanted = std::fs::read_to_string(folder.join(expected)).expect("the expected table");
        let is_profile = text(case, "table") == Some("profile");
        compare(
            expected,
            &found,
            &wanted,
            if is_profile { PROFILE } else { AGGREGATE },
        );
        let rows = case["rows"].as_u64().expect("rows") as usize;
        assert_eq!(found.lines().count(), rows + 1, "{expected}");
    }
    list.len()
}

/// One diagnostic, with the exit code of its kind, that names what is wrong.
#[track_caller]
fn refused(ran: &Ran, script: &str, code: i32, names: &str) {
    assert_eq!(ran.code, code, "{script}\n{}", ran.stderr);
    assert_eq!(ran.codes().len(), 1, "{script}\n{}", ran.stderr);
    assert!(
        ran.stderr.contains(names),
        "{script}: no {names}\n{}",
        ran.stderr
    );
    assert!(ran.stdout.is_empty(), "{script}\n{}", ran.stdout);
}

fn run_errors(folder: &Path) -> usize {
    let all = cases(folder);
    let list = all["errors"].as_array().expect("errors");
    for case in list {
        let script = script(&all, case);
        let ran = run(&script, folder);
        match case["line"].as_u64() {
            Some(line) => {
                let input = text(case, "input").expect("an input");
                refused(&ran, &script, 3, &format!("{input}:{line}"));
            }
            None if text(case, "max").is_some() => refused(&ran, &script, 2, "`max`"),
            None => refused(&ran, &script, 2, "`threshold`"),
        }
    }
    for case in all["empty"].as_array().expect("empty") {
        let script = script(&all, case);
        let ran = run(&script, folder);
        assert_eq!(ran.codes(), ["empty_trace"], "{}", ran.stderr);
        let header: Vec<&str> = AGGREGATE.iter().map(|(name, _)| *name).collect();
        assert_eq!(ran.good(), format!("{}\n", header.join(",")));
    }
    list.len()
}

#[test]
fn the_small_cases() {
    assert_eq!(run_cases(&data().join("aggregation")), 13);
}

#[test]
fn bad_inputs_and_arguments_are_refused() {
    assert_eq!(run_errors(&data().join("aggregation")), 8);
}

#[test]
fn all_cases_of_the_oracle() {
    let Some(folder) = shared() else {
        eprintln!("skipped: ../shared/cases/aggregation is not here");
        return;
    };
    assert!(run_cases(&folder) >= 26);
    assert!(run_errors(&folder) >= 8);
}

#[test]
fn the_small_cases_are_those_of_the_oracle() {
    let Some(folder) = shared() else {
        eprintln!("skipped: ../shared/cases/aggregation is not here");
        return;
    };
    for entry in std::fs::read_dir(data().join("aggregation")).expect("a folder") {
        let name = entry.expect("an entry").file_name();
        if name != "cases.json" {
            let read = |folder: &Path| std::fs::read(folder.join(&name)).expect("a file");
            assert_eq!(read(&data().join("aggregation")), read(&folder), "{name:?}");
        }
    }
}
