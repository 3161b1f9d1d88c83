//! The shared cases of aggregation.md, section 8, where the folder is at hand (`MAREY_CASES`, else `../shared`).

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::*;
use crate::plan::node::{Aggregate, Nest, Rule, StackOrder, aggregate_by_threshold, profile};

/// Ticks in a unit of the cases: their times have up to nine digits after the point.
const TICKS: f64 = 1e9;

fn folder() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/cases");
    let folder = std::env::var_os("MAREY_CASES").unwrap_or_else(|| beside.into());
    let folder = PathBuf::from(folder).join("aggregation");
    folder.is_dir().then_some(folder)
}

/// Ticks of a decimal number, exactly.
fn ticks(text: &str) -> i64 {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{part:0<9}");
    digits
        .parse()
        .unwrap_or_else(|_| panic!("{text} is not a time"))
}

fn states(path: &Path, case: &Value) -> RecordBatch {
    let excluded: Vec<&str> = case["exclude"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let text = fs::read_to_string(path).expect("a file");
    let rows: Vec<Vec<&str>> = (text.lines())
        .map(|line| line.split(", ").collect::<Vec<_>>())
        .filter(|row| case["type"].as_str().is_none_or(|kind| kind == row[2]))
        .filter(|row| !excluded.contains(&row[7]))
        .collect();
    let names = |at: usize| -> ArrayRef {
        Arc::new(
            rows.iter()
                .map(|row| Some(row[at]))
                .collect::<StringViewArray>(),
        )
    };
    let times = |at: usize| -> ArrayRef {
        Arc::new(
            rows.iter()
                .map(|row| ticks(row[at]))
                .collect::<Int64Array>(),
        )
    };
    let depth = rows
        .iter()
        .map(|row| row[6].parse::<f64>().expect("a depth") as i32);
    RecordBatch::try_from_iter([
        ("resource", names(1)),
        ("type", names(2)),
        ("value", names(7)),
        ("start", times(3)),
        ("end", times(4)),
        ("depth", Arc::new(depth.collect::<Int32Array>()) as ArrayRef),
    ])
    .expect("a batch")
}

fn nest(text: &str) -> Nest {
    match text {
        "flatten" => Nest::Flatten,
        "keep" => Nest::Keep,
        depth => Nest::Depth(
            depth
                .strip_prefix("depth:")
                .and_then(|depth| depth.parse().ok())
                .expect("a depth"),
        ),
    }
}

fn plan(states: LogicalPlan, case: &Value) -> LogicalPlan {
    let text = |key: &str| case[key].as_str().expect("a text");
    let nest = nest(text("nest"));
    if text("table") == "profile" {
        return profile(states, nest).expect("a plan");
    }
    let max = (text("max") != "inf").then(|| ticks(text("max")));
    let order = if text("order") == "name" {
        StackOrder::Name
    } else {
        StackOrder::Total
    };
    let rule = Rule::new(ticks(text("min")), max).expect("in range");
    aggregate_by_threshold(states, Aggregate { rule, nest, order }).expect("a plan")
}

/// Whether two cells of a table say the same: doubles and times within the tolerance, all else exactly.
fn same(name: &str, ours: &str, expected: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let near = |ours: f64| {
        let expected = number(expected);
        (ours - expected).abs() <= 1e-9 * expected.abs().max(1.0)
    };
    match name {
        "start" | "end" | "duration" => near(number(ours) / TICKS),
        "activity" | "low" | "high" | "share" => near(number(ours)),
        _ => ours == expected,
    }
}

#[tokio::test]
#[allow(clippy::print_stderr)]
async fn all_shared_cases() {
    let Some(folder) = folder() else {
        eprintln!("skipped: the folder of shared cases is not here");
        return;
    };
    let text = fs::read_to_string(folder.join("cases.json")).expect("the list");
    let list: Value = serde_json::from_str(&text).expect("JSON");
    let cases = list["cases"].as_array().expect("cases");
    assert!(cases.len() >= 20);
    for case in cases {
        let file = |key: &str| folder.join(case[key].as_str().expect("a file"));
        let states = states(&file("input"), case);
        let expected = fs::read_to_string(file("expected")).expect("a table");
        for (partitions, batch_size) in [(1, 8192), (2, 100)] {
            let session = session(partitions, batch_size);
            let plan = plan(table(&session, &states, false).await, case);
            let ours = collect(&session, plan).await.expect("a table");
            let expected: Vec<&str> = expected.lines().skip(1).collect();
            assert_eq!(ours.num_rows(), expected.len(), "{case}");
            let schema = ours.schema();
            for (ours, expected) in lines(&ours).iter().zip(expected) {
                let cells = ours.split('|').zip(expected.split(','));
                let wrong = cells
                    .zip(schema.fields())
                    .find(|((ours, expected), field)| !same(field.name(), ours, expected));
                assert_eq!(wrong, None, "{ours} is not {expected} in {case}");
            }
        }
    }
}
