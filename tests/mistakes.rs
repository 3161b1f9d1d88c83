//! One script with ten different mistakes gives ten right answers in one run: each mistake is one diagnostic, in the order
//! of the script, with its code, the text it points at and what to write instead.

use crate::laws::{Captured, session};
use crate::support::workspace;

/// A mistake: its line in the script, the code, the text under the first label, what the help says.
type Answer = (usize, &'static str, &'static str, &'static str);

/// Checks a script and compares every diagnostic with what is wanted; nothing else may be said.
#[track_caller]
fn answers(script: &str, wanted: &[Answer]) {
    // The engine wants more stack than a test has.
    let place = workspace();
    let trace = place.path().join("hand.csv");
    let script = script.replace("hand.csv", trace.to_str().unwrap());
    let owned = script.clone();
    let check = std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(move || {
            let mut host = Captured::default();
            let outcome = session().run("analysis.marey", &owned, &mut host);
            assert!(host.tables.is_empty(), "nothing runs: {:?}", host.tables);
            assert!(host.warnings.is_empty(), "{:?}", host.warnings);
            assert_eq!(outcome.exit_code, 2);
            outcome.diags
        });
    let diags = check.unwrap().join().unwrap();
    let found: Vec<(usize, &str, &str)> = diags
        .iter()
        .map(|diag| {
            let span = diag.labels.first().expect("a place").span;
            let line = script[..span.start].matches('\n').count() + 1;
            (line, diag.code.name, &script[span.start..span.end])
        })
        .collect();
    let expected: Vec<(usize, &str, &str)> = wanted
        .iter()
        .map(|(line, code, text, _)| (*line, *code, *text))
        .collect();
    assert_eq!(found, expected);
    for (diag, (_, _, text, help)) in diags.iter().zip(wanted) {
        let told = diag.help.as_deref().unwrap_or_default();
        assert!(told.contains(help), "{text}: {told:?} says {help:?}");
    }
}

#[test]
fn ten_mistakes_of_a_script_get_ten_answers_in_one_run() {
    let script = r#"# What takes the time, and where is the rest?
param threshold = 10ms          # shorter states are merged
let run = load "hand.csv" unit=ms

run | filtr value != "Idle" | profile
run | profile nset=keep
run
    | select value, start, end
    | filter resource == "CPU0"
run | profile nest=flaten
run | derive late = start + 5
run | filter value = "A"
run | window | profile
run | filter duration > $treshold
run | summarize busy = sum(duration) by value
    | focus links
run | filter 1ms < duration < 20ms
"#;
    answers(
        script,
        &[
            (5, "unknown_verb", "filtr", "did you mean `filter`?"),
            (6, "unknown_option", "nset", "did you mean `nest`?"),
            // The label behind it shows the line that dropped the column.
            (9, "unknown_column", "resource", ""),
            (10, "unknown_choice", "flaten", "did you mean `flatten`?"),
            (11, "unit_mismatch", "5", "`5ms`"),
            (
                12,
                "unknown_option",
                "value = \"A\"",
                "to compare write `==`",
            ),
            (13, "missing_argument", "window", "usage: window"),
            (
                14,
                "unknown_name",
                "$treshold",
                "did you mean `$threshold`?",
            ),
            (16, "kind_mismatch", "focus", ""),
            (
                17,
                "chained_comparison",
                "1ms < duration < 20ms",
                "`duration > 1ms and duration < 20ms`",
            ),
        ],
    );
}

#[test]
fn ten_mistakes_of_other_kinds_get_ten_answers_as_well() {
    let script = r#"let run = load "hand.csv" unit=ms
let late = run | filter start > 1m
run | derive half = halve(duration)
run | select resource value
run | filter value == 'A'
run | filter value == "A" && start > 1ms
run | sort duration desc
run | filter sum(duration) > 1ms
run | derive x = 1, y = "a" + 1
run | take 5 by value
run | compare (run | take 2)
"#;
    answers(
        script,
        &[
            (2, "unknown_unit", "1m", "`1min`"),
            (3, "unknown_function", "halve", ""),
            (4, "syntax", "value", "write `resource, value`"),
            (5, "single_quotes", "'A'", "\"A\""),
            (6, "syntax", "&&", "and"),
            (7, "syntax", "desc", "`sort -duration`"),
            (8, "aggregate_misplaced", "sum(duration)", "`filter … by …`"),
            (9, "type_mismatch", "\"a\"", ""),
            (10, "extra_argument", "by value", "usage: take"),
            (11, "missing_argument", "compare (run | take 2)", "by value"),
        ],
    );
}
