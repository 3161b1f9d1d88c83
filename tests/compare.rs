//! `compare`: expected rows are worked out by hand, and on random runs by a computation that shares nothing with the
//! program.

use crate::laws::{Captured, session};
use crate::support::{Ran, run, workspace};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Value, start and end of a state.
type State = (&'static str, &'static str, &'static str);

/// A pj_dump file.
fn write(folder: &Path, name: &str, states: &[State]) {
    let lines = states.iter().map(|(value, start, end)| {
        let time = |text: &str| text.parse::<f64>().unwrap();
        let duration = time(end) - time(start);
        format!("State, CPU0, Worker State, {start}, {end}, {duration}, 0, {value}\n")
    });
    std::fs::write(folder.join(name), lines.collect::<String>()).unwrap();
}

/// Five runs in nanoseconds. x lasts 10, 20, 31 on side a and 12, 15 on side b; y and z are not in all runs.
fn five() -> tempfile::TempDir {
    let place = workspace();
    let runs: [(&str, &[State]); 5] = [
        (
            "a1.csv",
            &[("x", "0", "4"), ("x", "4", "10"), ("y", "0", "7")],
        ),
        ("a2.csv", &[("x", "0", "20"), ("y", "20", "29")]),
        ("a3.csv", &[("x", "0", "31")]),
        ("b1.csv", &[("x", "0", "12"), ("z", "0", "5")]),
        ("b2.csv", &[("x", "0", "15"), ("z", "1", "1")]),
    ];
    for (name, states) in runs {
        write(place.path(), name, states);
    }
    place
}

const LOADS: &str = "let a1 = load \"a1.csv\" unit=ns\nlet a2 = load \"a2.csv\" unit=ns\nlet a3 = load \"a3.csv\" unit=ns\n\
                     let b1 = load \"b1.csv\" unit=ns\nlet b2 = load \"b2.csv\" unit=ns\n";

fn five_runs(script: &str) -> Ran {
    run(&format!("{LOADS}{script}"), five().path())
}

#[test]
fn two_runs_are_matched_by_key_and_the_largest_change_comes_first() {
    let rows = five_runs("a1 | compare b1 by value").good();
    assert_eq!(
        rows,
        "value,status,number_a,number_b,duration_a,duration_b,change,ratio\n\
         y,removed,1,0,7,0,-7,0\n\
         z,added,0,1,0,5,5,\n\
         x,changed,2,1,10,12,2,1.2\n"
    );
    // The other way round: the signs turn, the order stays.
    let rows = five_runs("b1 | compare a1 by value | select value, status, change").good();
    assert_eq!(
        rows,
        "value,status,change\ny,added,7\nz,removed,-5\nx,changed,-2\n"
    );
}

#[test]
fn a_run_is_the_same_as_itself() {
    let rows = run(
        "let run = load \"hand.csv\" unit=ms\nrun | compare run by value | summarize n = count() by status",
        workspace().path(),
    );
    assert_eq!(rows.good(), "status,n\nmatched,5\n");
}

#[test]
fn several_runs_are_medians_and_say_how_far_they_lie_apart() {
    let rows = five_runs("a1 | compare [b1, b2] also=[a2, a3] by value").good();
    // x: a 10, 20, 31 and 2, 1, 1 rows; b 12, 15: 13.5 goes to 14. y: a 7, 9, 0. z: b 5 and an instant: 2.5 goes to 2.
    assert_eq!(
        rows,
        "value,status,number_a,number_b,duration_a,duration_b,change,ratio,runs_a,runs_b,lowest_a,highest_a,lowest_b,highest_b\n\
         y,removed,1,0,7,0,-7,0,2,0,0,9,0,0\n\
         x,changed,1,1,20,14,-6,0.7,3,2,10,31,12,15\n\
         z,added,0,1,0,2,2,,0,2,0,0,0,5\n"
    );
    // An even number of runs, one of which lacks the key: half a row.
    let rows = five_runs("a2 | compare [b1] also=a3 by value | filter value == \"y\"").good();
    assert!(
        rows.ends_with("y,removed,0.5,0,4,0,-4,0,1,0,0,9,0,0\n"),
        "{rows}"
    );
}

#[test]
fn a_column_tells_the_runs_of_one_input_apart() {
    let listed = five_runs("a1 | compare [b1, b2] also=[a2, a3] by value").good();
    let place = five();
    let script = "let a = load [\"a1.csv\", \"a2.csv\", \"a3.csv\"] unit=ns file_as=file\n\
                  let b = load [\"b1.csv\", \"b2.csv\"] unit=ns file_as=file\n\
                  a | compare b runs=file by value";
    assert_eq!(run(script, place.path()).good(), listed);
    // An input without the column is one run.
    let script = "let a = load [\"a1.csv\", \"a2.csv\", \"a3.csv\"] unit=ns file_as=file\n\
                  let b = load \"b1.csv\" unit=ns\n\
                  a | compare b runs=file by value | filter value == \"x\" | select duration_a, duration_b, runs_a, runs_b";
    assert_eq!(
        run(script, place.path()).good(),
        "duration_a,duration_b,runs_a,runs_b\n20,12,3,1\n"
    );
}

#[test]
fn a_run_without_a_row_left_counts_unless_a_column_tells_runs() {
    let rows = five_runs(
        "a3 | compare [b1, (b2 | filter value == \"none\")] by value | select value, duration_b, runs_b",
    );
    // x: 12 and 0; z: 5 and 0, 2.5 goes to 2.
    assert_eq!(rows.good(), "value,duration_b,runs_b\nx,6,1\nz,2,1\n");
}

#[test]
fn keys_are_expressions_and_null_is_a_key() {
    let script = "a1 | derive key = if value == \"y\" then null else value\n    \
                  | compare (b1 | derive key = if value == \"z\" then null else value) by key, long = duration > 6ns";
    assert_eq!(
        five_runs(script).good(),
        "key,long,status,number_a,number_b,duration_a,duration_b,change,ratio\n\
         x,true,added,0,1,0,12,12,\n\
         x,false,removed,2,0,10,0,-10,0\n\
         ,true,removed,1,0,7,0,-7,0\n\
         ,false,added,0,1,0,5,5,\n"
    );
    let script = "a1 | derive key = if value == \"y\" then null else value\n    \
                  | compare (b1 | derive key = if value == \"z\" then null else value) by key";
    let rows = five_runs(script).good();
    // The order of equal changes is that of the keys, null last.
    assert_eq!(
        rows.lines().skip(1).collect::<Vec<_>>(),
        [
            "x,changed,2,1,10,12,2,1.2",
            ",changed,1,1,7,5,-2,0.7142857142857143"
        ]
    );
}

#[test]
fn the_tolerance_holds_for_time_and_number_and_ends_exactly_at_its_share() {
    let place = workspace();
    write(
        place.path(),
        "a.csv",
        &[
            ("edge", "0", "100"),
            ("over", "0", "100"),
            ("split", "0", "100"),
        ],
    );
    write(
        place.path(),
        "b.csv",
        &[
            ("edge", "0", "129"),
            ("over", "0", "130"),
            ("split", "0", "50"),
            ("split", "50", "100"),
        ],
    );
    let status = |options: &str| {
        let script = format!(
            "load \"a.csv\" unit=ns | compare (load \"b.csv\" unit=ns) {options} by value | select value, status | sort value"
        );
        run(&script, place.path()).good()
    };
    // 0.29 * 100 is less than 29 in floats.
    assert_eq!(
        status("tolerance=29%"),
        "value,status\nedge,matched\nover,changed\nsplit,changed\n"
    );
    assert_eq!(
        status("tolerance=1"),
        "value,status\nedge,matched\nover,matched\nsplit,matched\n"
    );
    assert_eq!(
        status("tolerance=1e-300"),
        "value,status\nedge,changed\nover,changed\nsplit,changed\n"
    );
    assert_eq!(status("tolerance=0"), status(""));
}

#[test]
fn units_of_the_files_may_differ() {
    let place = workspace();
    write(place.path(), "ms.csv", &[("x", "0", "1.5")]);
    write(place.path(), "us.csv", &[("x", "0", "1500")]);
    let script = "load \"ms.csv\" unit=ms | compare (load \"us.csv\" unit=us) by value";
    assert_eq!(
        run(script, place.path()).good(),
        "value,status,number_a,number_b,duration_a,duration_b,change,ratio\nx,matched,1,1,1.5,1.5,0,1\n"
    );
}

#[test]
fn something_else_than_durations_is_summed() {
    let script = "let a = a1 | derive bytes = 10 | select value, bytes\n\
                  a | compare (b1 | derive bytes = if value == \"z\" then null else 3) value=bytes by value";
    let ran = five_runs(script);
    assert_eq!(ran.codes(), ["nulls_left_out"], "{}", ran.stderr);
    assert!(ran.stderr.contains("1 rows are counted"), "{}", ran.stderr);
    assert_eq!(
        ran.good(),
        "value,status,number_a,number_b,bytes_a,bytes_b,change,ratio\n\
         x,changed,2,1,20,3,-17,0.15\n\
         y,removed,1,0,10,0,-10,0\n\
         z,added,0,1,0,0,0,\n"
    );
    // An expression needs a name that says what it is.
    let rows = five_runs("a1 | compare b1 value=start by value").good();
    assert!(rows.contains("start_a,start_b,change"), "{rows}");
}

#[test]
fn a_sum_that_does_not_fit_is_an_overflow() {
    let place = workspace();
    let long = "9000000000000000000";
    write(place.path(), "a.csv", &[("x", "0", long), ("x", "0", long)]);
    let script = "let a = load \"a.csv\" unit=ns\na | compare a by value";
    let ran = run(script, place.path());
    assert_eq!(
        (ran.code, ran.codes()),
        (4, vec!["overflow"]),
        "{}",
        ran.stderr
    );
}

#[test]
fn sides_without_rows_give_no_rows() {
    let script = "a1 | filter value == \"none\" | compare (b1 | filter value == \"none\") by value | summarize n = count()";
    assert_eq!(five_runs(script).good(), "n\n0\n");
}

#[test]
fn wrong_calls_are_told_what_is_wrong() {
    // Script, code, what the answer says.
    let cases = [
        (
            "a1 | compare b1",
            "missing_argument",
            "`compare … by value`",
        ),
        (
            "a1 | compare by value",
            "missing_argument",
            "usage: compare b",
        ),
        (
            "a1 | compare [] by value",
            "missing_argument",
            "the list is empty",
        ),
        (
            "a1 | compare 5 by value",
            "kind_mismatch",
            "`b` is a list, each a trace or a table",
        ),
        (
            "a1 | compare b1 by valeu",
            "unknown_column",
            "did you mean `value`?",
        ),
        (
            "a1 | derive kernel = value | compare (b1 | derive kernal = value) by kernel",
            "unknown_column",
            "`rename kernel = kernal` before the comparison",
        ),
        (
            "a1 | compare (b1 | select start, end) by value",
            "unknown_column",
            "`select` dropped `value`",
        ),
        (
            "a1 | derive key = 1 | compare (b1 | derive key = \"1\") by key",
            "type_mismatch",
            "`key` is an int on side a and a string in this run",
        ),
        (
            "a1 | select value, start | compare b1 by value",
            "unknown_column",
            "`select` dropped `end`",
        ),
        (
            "a1 | compare [b1, (b2 | summarize n = count() by value)] by value",
            "unknown_column",
            "`value=` sums something else",
        ),
        (
            "a1 | derive duration = 1 | compare b1 by value",
            "type_mismatch",
            "`duration` is an int, not a time",
        ),
        (
            "a1 | derive x = 0.5 | compare (b1 | derive x = 0.5) value=x by value",
            "type_mismatch",
            "a sum of floats depends on the order of the rows",
        ),
        (
            "a1 | compare b1 value=value by resource",
            "type_mismatch",
            "rows are counted without it",
        ),
        (
            "a1 | derive status = value | compare (b1 | derive status = value) by status",
            "duplicate_name",
            "`by status_of_key = status`",
        ),
        (
            "a1 | derive number = 1 | compare (b1 | derive number = 1) value=number by value",
            "duplicate_name",
            "`rename total = number`",
        ),
        (
            "a1 | compare b1 tolerance=-5% by value",
            "invalid_value",
            "at least 0",
        ),
        (
            "a1 | compare b1 tolerance=5ms by value",
            "type_mismatch",
            "tolerance",
        ),
        (
            "a1 | compare b1 runs=nothing by value",
            "unknown_column",
            "nothing",
        ),
        (
            "a1 | compare b1 tolerence=5% by value",
            "unknown_option",
            "did you mean `tolerance`?",
        ),
        (
            "a1 | compare (load \"b1.csv\" unit=ns resolution=ps) by value",
            "unit_mismatch",
            "load both with the same `resolution=`",
        ),
        (
            "a1 | aggregate-by-threshold 1ns | plot-stacked | compare b1 by value",
            "kind_mismatch",
            "`plot-stacked` made a figure here",
        ),
    ];
    for (script, code, says) in cases {
        let ran = five_runs(script);
        assert_eq!(
            (ran.code, ran.codes()),
            (2, vec![code]),
            "{script}\n{}",
            ran.stderr
        );
        let told = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(says), "{script}\n{}", ran.stderr);
    }
    // A tolerance that only the run knows.
    let ran =
        five_runs("let t = (a1 | summarize 0 - count())\na1 | compare b1 tolerance=$t by value");
    assert_eq!(
        (ran.code, ran.codes()),
        (2, vec!["invalid_value"]),
        "{}",
        ran.stderr
    );
}

/// Value and duration of each state of a run.
type Run = Vec<(char, i64)>;

/// What a naive computation says: a row for each key, in the order of the result.
fn naive(sides: &[Vec<Run>; 2], several: bool) -> Vec<String> {
    let keys: BTreeSet<char> = sides
        .iter()
        .flatten()
        .flatten()
        .map(|state| state.0)
        .collect();
    let middle = |mut values: Vec<i64>| -> (f64, i64) {
        values.sort_unstable();
        let n = values.len();
        let twice = values[(n - 1) / 2] + values[n / 2];
        // Half to even, of what is not negative.
        let half = if twice % 2 == 0 {
            twice / 2
        } else {
            (twice + 1) / 4 * 2
        };
        (twice as f64 / 2.0, half)
    };
    let mut rows: BTreeMap<(i64, bool, char), String> = BTreeMap::new();
    for key in keys {
        let sides: Vec<_> = sides
            .iter()
            .map(|runs| {
                let of = |run: &Run| -> Vec<i64> {
                    run.iter().filter(|s| s.0 == key).map(|s| s.1).collect()
                };
                let numbers: Vec<i64> = runs.iter().map(|run| of(run).len() as i64).collect();
                let amounts: Vec<i64> = runs.iter().map(|run| of(run).iter().sum()).collect();
                let has = numbers.iter().filter(|n| **n > 0).count();
                let (low, high) = (
                    *amounts.iter().min().unwrap(),
                    *amounts.iter().max().unwrap(),
                );
                (middle(numbers).0, middle(amounts.clone()), has, low, high)
            })
            .collect();
        let (a, b) = (&sides[0], &sides[1]);
        let change = b.1.1 - a.1.1;
        let status = match (a.2, b.2) {
            (0, _) => "added",
            (_, 0) => "removed",
            // By what is shown: medians that differ by half a tick are the same.
            _ if a.0 == b.0 && a.1.1 == b.1.1 => "matched",
            _ => "changed",
        };
        let ratio = if a.1.1 == 0 {
            String::new()
        } else {
            format!("{}", b.1.1 as f64 / a.1.1 as f64)
        };
        // N stands for null, which comes last.
        let shown = if key == 'N' {
            String::new()
        } else {
            key.to_string()
        };
        let mut row = format!(
            "{shown},{status},{},{},{},{},{change},{ratio}",
            a.0, b.0, a.1.1, b.1.1
        );
        if several {
            row.push_str(&format!(",{},{},{},{},{},{}", a.2, b.2, a.3, a.4, b.3, b.4));
        }
        rows.insert((-change.abs(), key == 'N', key), row);
    }
    rows.into_values().collect()
}

/// What the program says.
fn computed(
    sides: &[Vec<Run>; 2],
    folder: &Path,
    session: &mut marey::session::Session,
) -> Vec<String> {
    let mut script = String::new();
    let mut names = [Vec::new(), Vec::new()];
    for (side, runs) in sides.iter().enumerate() {
        for (at, run) in runs.iter().enumerate() {
            let name = format!("run_{side}_{at}");
            let path = folder.join(format!("{name}.csv"));
            // A file always has a record.
            let mut text = "State, CPU0, T, 0, 1, 1, 0, Z\n".to_owned();
            for (start, (value, duration)) in run.iter().enumerate() {
                text.push_str(&format!(
                    "State, CPU0, T, {start}, {}, 0, 0, {value}\n",
                    start as i64 + duration
                ));
            }
            std::fs::write(&path, text).unwrap();
            script.push_str(&format!(
                "let {name} = load {:?} unit=ns | filter value != \"Z\" | derive key = if value == \"N\" then null else value\n",
                path.to_str().unwrap()
            ));
            names[side].push(name);
        }
    }
    let also = match names[0].split_first() {
        Some((_, more)) if !more.is_empty() => format!(" also=[{}]", more.join(", ")),
        _ => String::new(),
    };
    script.push_str(&format!(
        "{} | compare [{}]{also} by key",
        names[0][0],
        names[1].join(", ")
    ));
    let mut host = Captured::default();
    let outcome = session.run("law", &script, &mut host);
    let errors: Vec<_> = outcome.diags.iter().map(|diag| &diag.message).collect();
    assert!(errors.is_empty(), "{script}\n{errors:?}");
    let rows = host.tables[0].lines().skip(1);
    rows.map(str::to_owned).collect()
}

#[test]
fn random_runs_agree_with_a_naive_computation() {
    let state = (
        prop::sample::select(vec!['a', 'b', 'B', 'ä', 'N']),
        0_i64..12,
    );
    let runs = prop::collection::vec(prop::collection::vec(state, 0..6), 1..4);
    let body = move || {
        let folder = tempfile::TempDir::new().unwrap();
        let session = std::cell::RefCell::new(session());
        let mut config = ProptestConfig {
            failure_persistence: None,
            max_shrink_iters: 500,
            ..ProptestConfig::default()
        };
        if std::env::var_os("PROPTEST_CASES").is_none() {
            config.cases = 64;
        }
        proptest::test_runner::TestRunner::new(config)
            .run(&(runs.clone(), runs), |(a, b)| {
                let several = a.len() > 1 || b.len() > 1;
                let mut sides = [a, b];
                let expected = naive(&sides, several);
                let mut session = session.borrow_mut();
                assert_eq!(computed(&sides, folder.path(), &mut session), expected);
                // Neither the order of rows nor that of the runs of a side matters.
                for runs in &mut sides {
                    runs.iter_mut().for_each(|run| run.reverse());
                    runs.reverse();
                }
                assert_eq!(computed(&sides, folder.path(), &mut session), expected);
                Ok(())
            })
            .unwrap_or_else(|failure| panic!("{failure}"));
    };
    // The engine wants more stack than a test has.
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(body);
    if let Err(panic) = thread.unwrap().join() {
        std::panic::resume_unwind(panic);
    }
}
