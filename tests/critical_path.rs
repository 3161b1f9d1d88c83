//! The cases of critical-path.md, section 11, through the program. The answers come from an exact oracle that was written
//! from the text, not from this program.

use crate::support::{cells, data, root, run, run_with, workspace};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Cases and answers that must be there, so that an empty folder is no success.
const LEAST_ANSWERS: usize = 30;

fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a case");
    serde_json::from_str(&text).expect("JSON")
}

fn cases(folder: &Path) -> Vec<(String, Value)> {
    let entries = std::fs::read_dir(folder).expect("cases");
    let mut out: Vec<(String, Value)> = entries
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy();
            (name.into_owned(), json(&path))
        })
        .collect();
    out.sort_by(|a, b| a.0.cmp(&b.0));
    out
}

/// The claims of a case as a script loads them. The oracle's claims of `filtered` were filtered before it saw them.
fn source(case: &str) -> String {
    let load = |name: &str| {
        format!("load \"{name}.claims.csv\" deps=\"{name}.deps.csv\" unit=s policy=fail")
    };
    match case {
        "filtered" => format!("{} | filter resource == \"M2\"", load("memory")),
        name => load(name),
    }
}

fn options(answer: &Value) -> String {
    let mode = answer["mode"].as_str().expect("a mode");
    let epsilon = answer["epsilon"].as_str().expect("an epsilon");
    match mode {
        "full" => "deps=full".to_owned(),
        _ => format!("deps={mode} epsilon={epsilon}s"),
    }
}

/// A cell of the oracle's tables as CSV has it.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn rows(list: &Value) -> Vec<Vec<String>> {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter()
        .map(|row| match row {
            Value::Array(row) => row.iter().map(cell).collect(),
            one => vec![cell(one)],
        })
        .collect()
}

/// The tables that a script prints, by the word in front of each.
fn tables(printed: &str) -> Vec<(String, Vec<Vec<String>>)> {
    printed
        .split("== ")
        .skip(1)
        .map(|part| {
            let (name, table) = part.split_once('\n').expect("a table");
            let rows = match table.trim() {
                "" => Vec::new(),
                table => cells(table).into_iter().skip(1).collect(),
            };
            (name.to_owned(), rows)
        })
        .collect()
}

fn check(folder: &Path, case: &str, answer: &Value) {
    let about = format!("{case}, {} {}", answer["mode"], answer["epsilon"]);
    let (source, options) = (source(case), options(answer));
    let mut script = format!(
        "let run = {source}
         let path = run | critical-path {options}
         \"== table\"
         path | select id, critical, slack, path_order, path_position, blocking
         \"== critical\"
         path | filter critical | sort path_order | select id
         \"== path\"
         path | filter path_position != null | sort path_position | select id
         \"== edges\"
         path.path_edges | select from, to, gap, is_application_dependency, kind
         \"== points\"
         path.path_edges | select from_point, to_point
         \"== links\"
         path.links | filter type == \"critical\" | select source, target, value
         \"== summary\"
         path.path_summary | select claims, dependencies, dropped_dependencies, makespan, length, path_gap
         \"== violated\"
         path.violated_dependencies | select from, to
         \"== walk\"
         run | critical-path {options} variant=backward_walk | filter critical | sort path_position | select id"
    );
    // Spanning chains are found by gaps, which `full` does not look at.
    if answer["mode"] != "full" {
        script.push_str(&format!(
            "\n\"== spanning\"\nrun | critical-path {options} variant=spanning | filter critical | select id"
        ));
    }
    if let Some(error) = answer["error"].as_str() {
        let failed = run(&script, folder);
        assert_eq!(failed.code, 4, "{about}\n{}", failed.stderr);
        let said = failed
            .stderr
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(said.contains(error), "{about}\n{}", failed.stderr);
        assert_eq!(failed.codes(), ["cycle"], "{about}");
        return;
    }
    let printed = run(&script, folder).good();
    let tables = tables(&printed);
    let table = |name: &str| -> &Vec<Vec<String>> {
        let found = tables.iter().find(|(known, _)| known == name);
        &found
            .unwrap_or_else(|| panic!("{about}: no {name}\n{printed}"))
            .1
    };
    let sorted = |mut rows: Vec<Vec<String>>| {
        rows.sort();
        rows
    };
    // States are shown by start; the oracle lists them as the input has them.
    assert_eq!(
        sorted(table("table").clone()),
        sorted(rows(&answer["table"])),
        "{about}: table"
    );
    assert_eq!(
        *table("critical"),
        rows(&answer["critical"]),
        "{about}: critical"
    );
    assert_eq!(*table("path"), rows(&answer["path"]), "{about}: path");
    assert_eq!(*table("edges"), rows(&answer["edges"]), "{about}: edges");
    if answer["edge_points"].is_array() {
        assert_eq!(
            *table("points"),
            rows(&answer["edge_points"]),
            "{about}: points"
        );
    } else {
        let plain = vec!["end".to_owned(), "start".to_owned()];
        assert!(
            table("points").iter().all(|points| *points == plain),
            "{about}: points"
        );
    }
    let links: Vec<Vec<String>> = rows(&answer["edges"])
        .iter()
        .map(|edge| vec![edge[0].clone(), edge[1].clone(), edge[4].clone()])
        .collect();
    assert_eq!(
        sorted(table("links").clone()),
        sorted(links),
        "{about}: links"
    );
    let summary = [
        "claims",
        "dependencies",
        "dropped_dependencies",
        "makespan",
        "length",
        "path_gap",
    ];
    let summary: Vec<String> = summary.iter().map(|key| cell(&answer[*key])).collect();
    assert_eq!(*table("summary"), [summary], "{about}: summary");
    assert_eq!(
        *table("violated"),
        rows(&answer["violated_dependencies"]),
        "{about}: violated dependencies"
    );
    assert_eq!(
        *table("walk"),
        rows(&answer["backward_walk"]),
        "{about}: backward walk"
    );
    if answer["mode"] != "full" {
        assert_eq!(
            sorted(table("spanning").clone()),
            sorted(rows(&answer["spanning"])),
            "{about}: spanning"
        );
    }
    junctions(folder, &source, &options, answer, &about);
}

/// Edges of one junction are all pairs of its two sides, at one time.
fn junctions(folder: &Path, source: &str, options: &str, answer: &Value, about: &str) {
    let Some(junctions) = answer["junctions"].as_array() else {
        return;
    };
    let script = format!(
        "let path = {source} | critical-path {options}
         path.path_edges | select junction, from, to"
    );
    let printed = run(&script, folder).good();
    let found: Vec<Vec<String>> = cells(&printed).into_iter().skip(1).collect();
    let mut expected = Vec::new();
    for (number, junction) in junctions.iter().enumerate() {
        for from in junction[1].as_array().expect("predecessors") {
            for to in junction[2].as_array().expect("successors") {
                if from != to {
                    expected.push((number, cell(from), cell(to)));
                }
            }
        }
    }
    // Junctions are numbered from 1 in order of time.
    let mut got: Vec<(usize, String, String)> = found
        .iter()
        .map(|row| {
            let number: usize = row[0].parse().expect("a number");
            (number - 1, row[1].clone(), row[2].clone())
        })
        .collect();
    got.sort();
    expected.sort();
    assert_eq!(got, expected, "{about}: junctions");
}

fn check_folder(folder: &Path) -> usize {
    let mut count = 0;
    for (case, all) in cases(folder) {
        for answer in all["answers"].as_array().expect("answers") {
            check(folder, &case, answer);
            count += 1;
        }
    }
    count
}

#[test]
fn the_cases_agree() {
    assert!(check_folder(&data().join("critical-path")) >= LEAST_ANSWERS);
}

#[test]
fn the_shared_cases_agree() {
    let folder: PathBuf = root().join("../shared/cases/critical-path");
    if folder.is_dir() {
        assert!(check_folder(&folder) >= LEAST_ANSWERS);
    }
}

#[test]
fn order_of_rows_and_threads_change_nothing_but_input_order() {
    let folder = workspace();
    let script = "let path = generate pipeline images=12 | critical-path deps=none
                  path | filter critical | sort path_order | select `id`, slack, path_order, path_position, blocking
                  path.path_edges
                  path.path_summary";
    std::fs::write(folder.path().join("path.marey"), script).expect("a script");
    let once =
        |threads: &str| run_with(["run", "path.marey", "--threads", threads], folder.path()).good();
    let one = once("1");
    assert!(one.lines().count() > 20, "{one}");
    assert_eq!(one, once("2"));
}

#[test]
fn a_short_path_names_the_tolerance_that_spans() {
    let folder = data().join("critical-path");
    let ran = run(
        "load \"epsilon.claims.csv\" unit=s | critical-path | filter critical | select id",
        &folder,
    );
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.codes().last().copied(),
        Some("short_path"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("epsilon=110ms"), "{}", ran.stderr);
    let chosen = run(
        "load \"epsilon.claims.csv\" unit=s | critical-path epsilon=0s | filter critical | select id",
        &folder,
    );
    assert!(!chosen.stderr.contains("short_path"), "{}", chosen.stderr);
}

#[test]
fn a_limit_on_edges_says_what_it_left_out() {
    let folder = data().join("critical-path");
    let ran = run(
        "let path = load \"zero-length.claims.csv\" unit=s | critical-path edges=4
         path.path_edges | summarize count()
         path.path_summary | select critical_edges",
        &folder,
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout, "count\n4\n\ncritical_edges\n10\n");
    assert!(
        ran.stderr
            .contains("4 of 10 critical edges, 6 are left out"),
        "{}",
        ran.stderr
    );
}

#[test]
fn delays_bound_in_full_mode() {
    let folder = workspace();
    std::fs::write(
        folder.path().join("claims.csv"),
        "id,resource,start,end\na,P,0,2\nb,Q,5,6\nc,R,0,4\n",
    )
    .expect("claims");
    std::fs::write(
        folder.path().join("deps.csv"),
        "from,to,min_delay,max_delay\na,b,3,3\nc,b,,\n",
    )
    .expect("dependencies");
    // a (2), exactly 3 of delay, b (1): 6. c (4) and b: 5, so that c has a slack of 1.
    let script = "let path = load \"claims.csv\" deps=\"deps.csv\" unit=s | critical-path deps=full
                  path.path_summary | select length, violated_dependencies
                  path | select id, critical, slack";
    assert_eq!(
        run(script, folder.path()).good(),
        "length,violated_dependencies\n6,0\n\nid,critical,slack\na,true,0\nb,true,0\nc,false,1\n"
    );
    // At most 1 before the end of a, and not before it: both cannot be.
    std::fs::write(
        folder.path().join("deps.csv"),
        "from,to,min_delay,max_delay\na,c,,-1\n",
    )
    .expect("dependencies");
    let ran = run(script, folder.path());
    assert_eq!(
        (ran.code, ran.codes().last().copied()),
        (4, Some("cycle")),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_second_analysis_replaces_the_first() {
    let folder = data().join("critical-path");
    let once = |stages: &str| {
        let script = format!(
            "let path = load \"zero-length.claims.csv\" deps=\"zero-length.deps.csv\" unit=s{stages}
             path | select id, critical, slack, path_order, path_position, blocking
             path.path_edges
             path.path_summary
             path.links | filter type == \"critical\" | select source, target, value"
        );
        run(&script, &folder).good()
    };
    let second = " | critical-path deps=application epsilon=1s";
    let twice = once(&format!(" | critical-path deps=none epsilon=0s{second}"));
    assert_eq!(twice, once(second));
}

#[test]
fn resources_that_are_not_known_are_not_the_same() {
    let folder = data().join("critical-path");
    let script = "load \"ties.claims.csv\" unit=s | derive resource = null
                  | critical-path epsilon=0s | filter critical | distinct blocking | sort blocking";
    assert_eq!(run(script, &folder).good(), "blocking\nother\nstart\n");
}
