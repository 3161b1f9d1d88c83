//! Every case of tests/data/critical-path, every answer, every field.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;

const CASES: [&str; 13] = [
    "cycle-bad",
    "cycle-zero",
    "diamond",
    "empty",
    "epsilon",
    "filtered",
    "idle",
    "memory",
    "overlap",
    "points",
    "single",
    "ties",
    "zero-length",
];

fn read(name: &str) -> String {
    let mut path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    path.extend(["tests", "data", "critical-path", name]);
    fs::read_to_string(path).expect("a case file")
}

const TICKS: i64 = 1_000_000_000;

/// A decimal in ticks of 10⁻⁹, exactly.
fn ticks(text: &str) -> i64 {
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => (-1, text),
        None => (1, text),
    };
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    assert!(part.len() <= 9, "{text}");
    let part: i64 = format!("{part:0<9}").parse().expect("a fraction");
    let whole: i64 = whole.parse().expect("a number");
    sign * (whole * TICKS + part)
}

/// The shortest decimal of ticks.
fn decimal(ticks: i64) -> String {
    let (whole, part) = (ticks.abs() / TICKS, ticks.abs() % TICKS);
    let sign = if ticks < 0 { "-" } else { "" };
    let part = format!(".{part:09}");
    format!(
        "{sign}{whole}{}",
        part.trim_end_matches('0').trim_end_matches('.')
    )
}

fn rows(text: &str) -> Vec<HashMap<&str, &str>> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    lines
        .map(|line| header.iter().copied().zip(line.split(',')).collect())
        .collect()
}

struct Case {
    ids: Vec<String>,
    trace: Trace,
    dependencies: Vec<Dependency>,
    dropped: u64,
}

fn load(name: &str) -> Case {
    let text = read(&format!("{name}.claims.csv"));
    let mut ids = Vec::new();
    let mut resources: Vec<String> = Vec::new();
    let mut trace = Trace::default();
    for row in rows(&text) {
        ids.push(row["id"].to_owned());
        trace.start.push(ticks(row["start"]));
        trace.end.push(ticks(row["end"]));
        let known = resources.iter().position(|name| name == row["resource"]);
        trace.resource.push(known.unwrap_or(resources.len()) as u32);
        if known.is_none() {
            resources.push(row["resource"].to_owned());
        }
    }
    let mut dependencies = Vec::new();
    let mut dropped = 0;
    for row in rows(&read(&format!("{name}.deps.csv"))) {
        let index = |id: &str| ids.iter().position(|known| known == id);
        let (Some(from), Some(to)) = (index(row["from"]), index(row["to"])) else {
            dropped += 1;
            continue;
        };
        let point = |column: &str, default: Point| match row.get(column) {
            Some(&"start") => Point::Start,
            Some(&"end") => Point::End,
            _ => default,
        };
        dependencies.push(Dependency {
            from_point: point("from_point", Point::End),
            to_point: point("to_point", Point::Start),
            ..dependency(from as u32, to as u32)
        });
    }
    Case {
        ids,
        trace,
        dependencies,
        dropped,
    }
}

fn point(point: Point) -> &'static str {
    match point {
        Point::Start => "start",
        Point::End => "end",
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Dependency => "dependency",
        Kind::Resource => "resource",
        Kind::Other => "other",
    }
}

fn blocking(blocking: Blocking) -> &'static str {
    match blocking {
        Blocking::Start => "start",
        Blocking::Dependency => "dependency",
        Blocking::Resource => "resource",
        Blocking::Other => "other",
    }
}

impl Case {
    fn run(&self, options: &Options) -> Result<Analysis, Failure> {
        analyse(
            self.trace.claims(),
            &self.dependencies,
            options,
            &mut Unwatched,
        )
    }

    fn names(&self, claims: impl IntoIterator<Item = u32>) -> Value {
        let names = claims
            .into_iter()
            .map(|claim| self.ids[claim as usize].as_str());
        names.collect()
    }

    /// All that an answer says, from the analysis. `asked` decides which optional parts there are, and gives the two that
    /// the kernel does not count.
    fn answer(&self, asked: &Value, options: &Options) -> Value {
        let mut answer = json!({"mode": asked["mode"], "epsilon": decimal(options.epsilon)});
        let found = match self.run(options) {
            Ok(found) => found,
            Err(Failure::Cycle { claims, weight }) => {
                assert!(weight > 0);
                let names: Vec<&str> = (claims.iter())
                    .map(|claim| self.ids[*claim as usize].as_str())
                    .collect();
                let names = names.join(" -> ");
                answer["error"] = json!(format!("inconsistent constraints: cycle {names}"));
                return answer;
            }
            Err(failure) => panic!("{failure}"),
        };
        let edges: Vec<Edge> = found.edges.iter().collect();
        assert_eq!(edges.len() as u64, found.edges.len());
        answer["claims"] = json!(self.ids.len());
        answer["dependencies"] = json!(found.dependencies);
        answer["dropped_dependencies"] = json!(self.dropped);
        answer["makespan"] = json!(decimal(found.makespan));
        answer["length"] = json!(decimal(found.length));
        answer["constraint_edges"] = asked["constraint_edges"].clone();
        let mut critical: Vec<u32> = (0..self.ids.len() as u32).collect();
        critical.retain(|claim| found.critical[*claim as usize]);
        critical.sort_by_key(|claim| found.path_order[*claim as usize]);
        answer["critical"] = self.names(critical);
        let edge = |edge: &Edge| {
            json!([
                self.ids[edge.from as usize],
                self.ids[edge.to as usize],
                decimal(edge.gap),
                edge.is_application_dependency,
                kind(edge.kind)
            ])
        };
        answer["edges"] = edges.iter().map(edge).collect();
        let strange = |edge: &&Edge| edge.is_application_dependency == Some(false);
        answer["non_application_edges"] = (edges.iter().filter(strange))
            .map(|edge| self.names([edge.from, edge.to]))
            .collect();
        let slack = found.slack.expect("slack");
        let row = |claim: usize| {
            json!([
                self.ids[claim],
                found.critical[claim],
                decimal(slack[claim]),
                found.path_order[claim],
                found.path_position[claim],
                found.blocking[claim].map(blocking)
            ])
        };
        answer["table"] = (0..self.ids.len()).map(row).collect();
        answer["path"] = self.names(found.path);
        answer["path_gap"] = json!(decimal(found.path_gap));
        let variant = |variant| {
            self.run(&Options {
                variant,
                ..*options
            })
        };
        let walk = variant(Variant::BackwardWalk).expect("a walk");
        answer["backward_walk"] = self.names(walk.path);
        if asked.get("spanning").is_some() {
            let spanning = variant(Variant::Spanning).expect("chains");
            let mut marked: Vec<u32> = (0..self.ids.len() as u32).collect();
            marked.retain(|claim| spanning.critical[*claim as usize]);
            answer["spanning"] = self.names(marked);
        }
        if asked.get("junctions").is_some() {
            let junctions = found.edges.junctions().map(|junction| {
                json!([
                    decimal(junction.time),
                    self.names(junction.predecessors()),
                    self.names(junction.successors())
                ])
            });
            answer["junctions"] = junctions.collect();
        }
        if asked.get("edge_points").is_some() {
            let points = edges.iter();
            answer["edge_points"] = points
                .map(|edge| json!([point(edge.from_point), point(edge.to_point)]))
                .collect();
        }
        if asked.get("violated_dependencies").is_some() {
            let violated = found.violated.iter().map(|index| {
                let dependency = &self.dependencies[*index as usize];
                self.names([dependency.from, dependency.to])
            });
            answer["violated_dependencies"] = violated.collect();
        }
        answer
    }
}

#[test]
fn every_answer_of_every_case() {
    let mut answers = 0;
    for name in CASES {
        let case = load(name);
        let told: Value = serde_json::from_str(&read(&format!("{name}.json"))).expect("JSON");
        for asked in told["answers"].as_array().expect("answers") {
            let mode = match asked["mode"].as_str() {
                Some("full") => Dependencies::Full,
                Some("none") => Dependencies::None,
                Some("application") => Dependencies::Application,
                _ => panic!("{asked}"),
            };
            let epsilon = ticks(asked["epsilon"].as_str().expect("epsilon"));
            let answer = case.answer(asked, &options(mode, epsilon));
            let keys = |value: &Value| -> Vec<String> {
                let mut keys: Vec<String> =
                    value.as_object().expect("object").keys().cloned().collect();
                keys.sort();
                keys
            };
            assert_eq!(keys(&answer), keys(asked), "{name}");
            for (key, value) in asked.as_object().expect("an object") {
                assert_eq!(&answer[key], value, "{name} {mode:?} {epsilon}: {key}");
            }
            answers += 1;
        }
    }
    // cycle-bad 2, cycle-zero 2, diamond 3, empty 3, epsilon 4, filtered 2, idle 5, memory 3, overlap 3, points 1,
    // single 3, ties 2, zero-length 3.
    assert_eq!(answers, 36);
}

#[test]
fn shortcuts_through_instants_conform_only_if_asked() {
    // Hand-made from section 4: bar is the barrier of w0, w1 and x0; m is no part of it.
    let case = load("zero-length");
    let mut asked = options(Dependencies::Application, 0);
    asked.conform = Conform::Transitive;
    let found = case.run(&asked).expect("an analysis");
    let strange: Vec<Value> = (found.edges.iter())
        .filter(|edge| edge.is_application_dependency == Some(false))
        .map(|edge| case.names([edge.from, edge.to]))
        .collect();
    let told = json!([
        ["m", "bar"],
        ["w0", "m"],
        ["w1", "m"],
        ["bar", "m"],
        ["m", "x0"]
    ]);
    assert_eq!(Value::from(strange), told);
}
