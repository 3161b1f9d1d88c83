//! Diagnostics: a failing script for every code (`tests/errors/<code>.marey`, what it prints beside it), the
//! mistakes people make with the answer each must get, and whatever else may be fed to the program.
//!
//! The first line of a script says the exit code and further arguments: `# exit 2, --param n=3`.
//! `MAREY_BLESS=1 cargo test errors` writes the `.stderr` files; they are read before they are kept.

use crate::support::{Ran, program, ran, root, run, run_with, same, workspace};
use marey::diag::Class;
use marey::diag::code::{self, Code};
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

/// Codes that no script can cause, with the reason.
const WITHOUT_A_SCRIPT: &[(&str, &str)] = &[
    (
        "bad_command_line",
        "its causes are command lines: see below",
    ),
    (
        "no_provenance",
        "`marey reproduce` finds it, which is no script: tests/reproduce.rs",
    ),
    ("interrupted", "a signal causes it: tests/cli"),
    (
        "engine",
        "it stands for failures without an explanation; one that is known gets a code",
    ),
    (
        "internal",
        "a mistake inside the program; no script may show it",
    ),
];

fn folder() -> PathBuf {
    root().join("tests/errors")
}

fn blessing() -> bool {
    std::env::var_os("MAREY_BLESS").is_some()
}

/// Exit code and further arguments from the first line of a script.
fn expectation(script: &str) -> (i32, Vec<String>) {
    let line = script
        .lines()
        .next()
        .unwrap()
        .strip_prefix("# exit ")
        .expect("`# exit n` comes first");
    let (exit, arguments) = line.split_once(", ").unwrap_or((line, ""));
    (
        exit.parse().unwrap(),
        arguments.split_whitespace().map(str::to_owned).collect(),
    )
}

fn run_code(name: &str) -> Ran {
    let folder = folder();
    let file = format!("{name}.marey");
    let script = std::fs::read_to_string(folder.join(&file)).unwrap();
    let (exit, arguments) = expectation(&script);
    let place = workspace();
    std::fs::write(place.path().join(&file), &script).unwrap();
    let mut all = vec!["run".to_owned(), file];
    all.extend(arguments);
    let ran = run_with(&all, place.path());
    assert_eq!(ran.code, exit, "{name}\n{}", ran.stderr);
    ran
}

fn codes_with_scripts() -> impl Iterator<Item = &'static &'static Code> {
    code::ALL
        .iter()
        .filter(|code| WITHOUT_A_SCRIPT.iter().all(|(name, _)| *name != code.name))
}

#[test]
fn every_code_has_a_script_that_causes_it() {
    let mut wrong = Vec::new();
    for code in codes_with_scripts() {
        let path = folder().join(format!("{}.marey", code.name));
        if !path.exists() {
            wrong.push(format!("tests/errors/{}.marey is missing", code.name));
            continue;
        }
        let ran = run_code(code.name);
        // One mistake, one diagnostic; what a table was read as is no mistake.
        let codes: Vec<&str> = ran
            .codes()
            .into_iter()
            .filter(|found| *found == code.name || *found != "load_report")
            .collect();
        if codes != [code.name] {
            wrong.push(format!("{}: {:?}\n{}", code.name, ran.codes(), ran.stderr));
        }
        let is_error = ran.stderr.contains("\n  x ");
        let exit = if is_error {
            i32::from(code.class.exit_code())
        } else {
            0
        };
        if ran.code != exit {
            wrong.push(format!(
                "{}: exit code {}, not {exit}\n{}",
                code.name, ran.code, ran.stderr
            ));
        }
        let path = folder().join(format!("{}.stderr", code.name));
        if blessing() {
            std::fs::write(&path, &ran.stderr).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        same(&ran.stderr, &expected, code.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_script_belongs_to_a_code() {
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            codes_with_scripts().any(|code| code.name == stem),
            "{}",
            path.display()
        );
    }
    for (name, _) in WITHOUT_A_SCRIPT {
        assert!(
            code::ALL.iter().any(|code| code.name == *name),
            "{name} is no code"
        );
    }
}

#[test]
fn every_code_has_a_paragraph_and_a_name_of_its_own() {
    let mut names: Vec<&str> = code::ALL.iter().map(|code| code.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), code::ALL.len());
    for code in code::ALL {
        assert!(
            code.about.len() > 20 && code.about.ends_with('.'),
            "{}",
            code.name
        );
    }
}

/// A mistake: the script, the code of the one diagnostic it must get, what the answer must contain (line
/// breaks count as blanks), and the text the first label must stand under.
type Mistake = (&'static str, &'static str, &'static str, &'static str);

/// The table of mistakes of the syntax study, and more of the same kind. `H` stands for a `load`.
const MISTAKES: &[Mistake] = &[
    (
        "H | filter value = \"Idle\"",
        "unknown_option",
        "to compare write `==`",
        "value = \"Idle\"",
    ),
    (
        "H | filter value == 'Idle'",
        "single_quotes",
        "text is written \"Idle\", a column with odd letters `Idle`",
        "'Idle'",
    ),
    (
        "H | filter duration > 10 ms",
        "unit_blank",
        "write `10ms`",
        "10 ms",
    ),
    (
        "H | filter value == \"A\" && start > 1ms",
        "syntax",
        "`&&` is written `and`",
        "&&",
    ),
    (
        "H | filter value == \"A\" || start > 1ms",
        "syntax",
        "`||` is written `or`",
        "||",
    ),
    (
        "H | filter !(value == \"A\")",
        "syntax",
        "`!` is written `not`",
        "!",
    ),
    (
        "H | select resource value",
        "syntax",
        "a comma is missing between `resource` and `value`",
        "value",
    ),
    (
        "H | aggregate-by-threshold 1ms | plot-stacked, palette=\"Paired\"",
        "syntax",
        "no comma stands after the verb `plot-stacked`",
        ",",
    ),
    (
        "H | aggregate_by_threshold 10ms",
        "unknown_verb",
        "the verb is `aggregate-by-threshold`",
        "aggregate_by_threshold",
    ),
    (
        "H | aggregate-by-threshold 10ms max 300ms",
        "syntax",
        "options are written `max=300ms`",
        "max",
    ),
    (
        "H | filter value in (\"A\", \"B\")",
        "syntax",
        "write `[\"A\", \"B\"]`",
        "(",
    ),
    ("H | filter (duration > 5ms", "syntax", "opened here", "("),
    (
        "let run = H\nrun | | take 5",
        "syntax",
        "a stage is missing between the pipes",
        "|",
    ),
    (
        "let run = H\nrun | take 5 |",
        "syntax",
        "a stage is missing after the pipe",
        "|",
    ),
    ("let x 5", "syntax", "`=` expected after `x`", "x"),
    (
        "H | sort duration desc",
        "syntax",
        "write `sort -duration`",
        "desc",
    ),
    (
        "let run = H\nrun |> take 5",
        "syntax",
        "stages are joined by `|`",
        "|>",
    ),
    (
        "let run = H\nrun.take(5)",
        "syntax",
        "stages are joined by `|`",
        ".take(",
    ),
    (
        "SELECT * FROM run",
        "syntax",
        "write `run | select …`",
        "SELECT",
    ),
    (
        "H | aggregate-by-threshold 1ms nest=flat-ten",
        "unknown_choice",
        "did you mean `flatten`? the choices are `flatten`, `keep`",
        "flat-ten",
    ),
    (
        "H | filter 1s < duration < 2s",
        "chained_comparison",
        "`duration > 1s and duration < 2s`",
        "1s < duration < 2s",
    ),
    (
        "H | filter not in [\"A\"]",
        "syntax",
        "the left side of `in` is missing",
        "in",
    ),
    (
        "H | filter duration > 100",
        "unit_mismatch",
        "the unit of the file is ms: `100ms`",
        "100",
    ),
    (
        "H | filter valeu == \"A\"",
        "unknown_column",
        "did you mean `value`?",
        "valeu",
    ),
    (
        "H\n    | select value, start\n    | filter resource == \"CPU0\"",
        "unknown_column",
        "`select` dropped it",
        "select value, start",
    ),
    (
        "H | summarize count() by value\n    | focus links",
        "kind_mismatch",
        "`summarize` made a table here",
        "summarize count() by value",
    ),
    (
        "param t = 5ms\nH | aggregate-by-threshold t",
        "not_a_scalar",
        "the scalar is written `$t`",
        "t",
    ),
    (
        "param t = 5ms\nH | filter duration > t",
        "unknown_column",
        "the scalar is written `$t`",
        "t",
    ),
    (
        "H | filter $value == \"A\"",
        "unknown_name",
        "`value`",
        "$value",
    ),
    (
        "H | filter value is null",
        "syntax",
        "write `value == null`",
        "is",
    ),
    (
        "H | filter value is not null",
        "syntax",
        "write `value != null`",
        "is",
    ),
    (
        "H | filter value like \"A%\"",
        "syntax",
        "a regular expression is tested with `matches`",
        "like",
    ),
    (
        "H | filter duration between 1ms and 2ms",
        "syntax",
        "tested with `in`: `duration in a..b`",
        "between",
    ),
    (
        "H | summarize sum(duration) group by value",
        "syntax",
        "`by` is written alone",
        "group",
    ),
    (
        "H | select *",
        "syntax",
        "without `select` all columns stay",
        "*",
    ),
    (
        "H | summarize count(*)",
        "syntax",
        "rows are counted by `count()`",
        "*",
    ),
    (
        "H | summarize count by value",
        "unknown_column",
        "to call the function write `count(…)`",
        "count",
    ),
    (
        "H | sort duration, desc",
        "unknown_column",
        "a leading minus goes down",
        "desc",
    ),
    (
        "H | window 1ms, 2ms",
        "type_mismatch",
        "a range has two dots",
        "1ms",
    ),
    (
        "H | window 5ms..1ms",
        "invalid_value",
        "the range ends before it starts",
        "5ms..1ms",
    ),
    (
        "H | summarize x = 1",
        "aggregate_misplaced",
        "rows are counted by `count()`",
        "1",
    ),
    (
        "H | filter value == max(value) by resource",
        "aggregate_misplaced",
        "by a `filter` of their own",
        "value",
    ),
    (
        "H | filter max(end) > 1ms by nothing",
        "unknown_column",
        "no column is called `nothing`",
        "nothing",
    ),
    (
        "H | derive depth = \"a\" | flatten",
        "type_mismatch",
        "`depth` is a string, not a whole number",
        "flatten",
    ),
    (
        "H | derive value = 5 | flatten",
        "type_mismatch",
        "states have names there",
        "flatten",
    ),
    (
        "H | sort by duration",
        "extra_argument",
        "usage: sort keys, …",
        "by duration",
    ),
    ("x = 5", "syntax", "`let x = …`", "="),
    (
        "load hand.csv",
        "not_a_scalar",
        "text is written \"hand.csv\"",
        "hand.csv",
    ),
    (
        "load \"hand.csv\" unit=milliseconds",
        "unknown_choice",
        "`ps`, `ns`, `us`, `ms`",
        "milliseconds",
    ),
    (
        "run | take 5",
        "unknown_verb",
        "no verb and no binding is called `run`",
        "run",
    ),
    (
        "take 5",
        "kind_mismatch",
        "`take` needs something flowing in",
        "take",
    ),
    (
        "H | where value == \"A\"",
        "unknown_verb",
        "that verb is called `filter` here",
        "where",
    ),
    ("H | filter start + 5 > 10ms", "unit_mismatch", "`5ms`", "5"),
    (
        "H | save \"a.svg\"",
        "unknown_format",
        "draw it first",
        "\"a.svg\"",
    ),
    (
        "H | aggregate-by-threshold 10",
        "unit_mismatch",
        "`10ms`",
        "10",
    ),
    (
        "H | aggregate-by-threshold \"10ms\"",
        "type_mismatch",
        "a time such as `100ms`",
        "\"10ms\"",
    ),
    (
        "H | filter resource in \"CPU0\"",
        "type_mismatch",
        "a list is written [\"a\", \"b\"]",
        "\"CPU0\"",
    ),
    ("H | filter value == “A”", "syntax", "plain quotes", "“"),
    (
        "H | filter value == \"A",
        "syntax",
        "this text is never closed",
        "\"",
    ),
    (
        "H | filter a- b > 1ms",
        "syntax",
        "blanks on both sides or on neither",
        "-",
    ),
    (
        "H | derive 5",
        "missing_argument",
        "write `name = expression`",
        "5",
    ),
    (
        "H | take 5m",
        "unknown_unit",
        "minutes are written `5min`",
        "5m",
    ),
    (
        "let x = 5\nx",
        "kind_mismatch",
        "the scalar is written `$x`",
        "x",
    ),
    ("let let = 5", "syntax", "`let` is a reserved word", "let"),
];

/// A script of the table in full.
fn script_of(mistake: &str) -> String {
    mistake
        .lines()
        .map(|line| match line.strip_prefix('H') {
            Some(rest) => format!("load \"hand.csv\" unit=ms{rest}"),
            None => line.replace("= H", "= load \"hand.csv\" unit=ms"),
        })
        .collect::<Vec<_>>()
        .join("\n")
}

/// A rendered diagnostic on one line, as far as words go.
fn flat(stderr: &str) -> String {
    stderr
        .replace("\n  | ", " ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn common_mistakes_get_the_right_answer() {
    let place = workspace();
    let mut wrong = Vec::new();
    for (mistake, code, answer, _) in MISTAKES {
        let script = script_of(mistake);
        let ran = run(&script, place.path());
        if ran.code != 2 || ran.codes() != [*code] || !flat(&ran.stderr).contains(answer) {
            wrong.push(format!(
                "{script}\n  wants {code}: {answer}\n{}",
                ran.stderr
            ));
        }
        assert!(ran.stdout.is_empty(), "{script}\n{}", ran.stdout);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn labels_stand_under_the_mistake() {
    // Spans are read in process: off a terminal they are drawings.
    let mut session = crate::laws::session();
    let place = workspace();
    let data = place.path().join("hand.csv");
    let mut wrong = Vec::new();
    for (mistake, code, _, under) in MISTAKES {
        let script =
            script_of(mistake).replace("\"hand.csv\"", &format!("{:?}", data.to_str().unwrap()));
        let outcome = session.run("mistake", &script, &mut crate::laws::Captured::default());
        let diag = &outcome.diags[0];
        let found = diag
            .labels
            .iter()
            .map(|label| &script[label.span.start..label.span.end]);
        let found: Vec<&str> = found.collect();
        if diag.code.name != *code || !found.contains(under) {
            wrong.push(format!(
                "{mistake}\n  wants a label under {under:?}, has {found:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn all_mistakes_of_a_script_are_shown_at_once() {
    let place = workspace();
    let script = "let run = load \"hand.csv\" unit=ms\n\
                  run | filter valeu == \"A\"\n\
                  run | summarize count() by value | take 5 5\n\
                  run | agregate-by-threshold 10ms\n\
                  run | profile\n";
    let ran = run(script, place.path());
    assert_eq!(ran.code, 2);
    assert_eq!(
        ran.codes(),
        ["unknown_column", "syntax", "unknown_verb"],
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout.is_empty(),
        "nothing runs where something is wrong: {}",
        ran.stdout
    );
}

#[test]
fn a_name_whose_definition_is_wrong_is_not_a_second_mistake() {
    let place = workspace();
    let ran = run(
        "let run = load \"hand.csv\" unit=mss\nrun | profile\nrun | take 1",
        place.path(),
    );
    assert_eq!(ran.codes(), ["unknown_choice"], "{}", ran.stderr);
}

#[test]
fn an_argument_that_hangs_on_a_mistake_is_not_missing() {
    let place = workspace();
    let ran = run(
        "let before = (load \"nowhere.csv\" | summarize max(end))\nassert 3s < $before\nload \"hand.csv\" unit=ms | window $before..",
        place.path(),
    );
    assert_eq!(
        (ran.code, ran.codes()),
        (3, vec!["input_missing"]),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_wrong_parameter_is_one_mistake_wherever_it_is_used() {
    let place = workspace();
    let script = "param k = [\"A\"]\nparam n = 3\nload \"hand.csv\" unit=ms | filter value in $k | take $n | take n=$n";
    for wrong in ["k=A", "k=3", "n=x"] {
        let ran = run_with(["--param", wrong, "-c", script], place.path());
        assert_eq!(
            (ran.code, ran.codes()),
            (2, vec!["unknown_param"]),
            "{wrong}: {}",
            ran.stderr
        );
    }
}

#[test]
fn a_script_error_outweighs_a_missing_input() {
    let place = workspace();
    let ran = run(
        "load \"nowhere.csv\" | take 1\nload \"hand.csv\" unit=ms | tak 1",
        place.path(),
    );
    assert_eq!(
        (ran.code, ran.codes()),
        (2, vec!["input_missing", "unknown_verb"]),
        "{}",
        ran.stderr
    );
}

/// Runs bytes as a script file.
fn run_bytes(bytes: &[u8]) -> Ran {
    let place = workspace();
    std::fs::write(place.path().join("script.marey"), bytes).unwrap();
    run_with(["script.marey"], place.path())
}

#[test]
fn brackets_four_thousand_deep() {
    let pairs = [
        ("(", ")"),
        ("[", "]"),
        ("{a: ", "}"),
        ("abs(", ")"),
        ("if true then ", " else 1"),
        ("f\"{", "}\""),
    ];
    for (open, close) in pairs {
        let script = format!("let x = {}1{}\n", open.repeat(4000), close.repeat(4000));
        let ran = run_bytes(script.as_bytes());
        assert_eq!(
            (ran.code, ran.codes()),
            (2, vec!["too_deep"]),
            "{open:?}: {:.300}",
            ran.stderr
        );
    }
    // Neighbours are not nested.
    let flat: String = (0..400)
        .map(|at| format!("let a{at} = if true then 1 else 2\n"))
        .collect();
    assert_eq!(run_bytes(flat.as_bytes()).good(), "");
    for (open, close) in [("-", ""), ("not ", ""), ("1 + ", ""), ("if ", "")] {
        let script = format!("let x = {}1{}\n", open.repeat(50_000), close.repeat(50_000));
        let ran = run_bytes(script.as_bytes());
        assert_eq!(ran.code, 2, "{open:?}: {:.300}", ran.stderr);
        assert_eq!(ran.codes().len(), 1, "{open:?}: {:.300}", ran.stderr);
    }
    let half = format!("load \"hand.csv\" | filter {}", "(".repeat(4000));
    assert_eq!(run_bytes(half.as_bytes()).code, 2);
}

#[test]
fn a_script_of_nothing_is_fine() {
    for bytes in [
        &b""[..],
        b"\n\n",
        b"# only a comment",
        b"\xef\xbb\xbf",
        b"#!/usr/bin/env marey\n",
        b";;\n;",
    ] {
        let ran = run_bytes(bytes);
        assert_eq!(
            (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
            (0, "", ""),
            "{bytes:?}"
        );
    }
}

#[test]
fn line_ends_and_a_byte_order_mark_do_not_matter() {
    let lines = [
        "# a comment",
        "let run = load \"hand.csv\" unit=ms",
        "    | filter value == \"A\"",
        "run | summarize count()",
        "",
    ];
    let expected = run_bytes(lines.join("\n").as_bytes()).good();
    assert_eq!(expected, "count\n3\n");
    for end in ["\r\n", "\r"] {
        assert_eq!(
            run_bytes(lines.join(end).as_bytes()).good(),
            expected,
            "{end:?}"
        );
        let marked = format!("\u{feff}{}", lines.join(end));
        assert_eq!(run_bytes(marked.as_bytes()).good(), expected, "{end:?}");
    }
    // Places in a file with a mark and CRLF are right all the same.
    let ran = run_bytes(
        "\u{feff}# one\r\nlet run = load \"hand.csv\" unit=ms\r\nrun | tak 1\r\n".as_bytes(),
    );
    assert!(ran.stderr.contains("script.marey:3:7"), "{}", ran.stderr);
}

#[test]
fn noise_as_a_script_is_one_mistake() {
    for bytes in [
        &b"\xff\xfe\x00"[..],
        b"load \"\xe9.csv\"",
        include_bytes!("data/broken/noise.bin"),
    ] {
        let ran = run_bytes(bytes);
        assert_eq!(
            (ran.code, ran.codes()),
            (2, vec!["bad_command_line"]),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("is not UTF-8"), "{}", ran.stderr);
    }
    let ran = run_bytes(b"\x00\x01\x02\x1b[31m\x07load");
    assert_eq!(
        (ran.code, ran.codes()),
        (2, vec!["syntax"]),
        "{}",
        ran.stderr
    );
    let control = |c: char| c.is_control() && c != '\n';
    assert!(
        !ran.stderr.contains(control),
        "control characters reach the terminal: {:?}",
        ran.stderr
    );
}

#[test]
fn scripts_that_cannot_be_read_say_why() {
    let place = workspace();
    for (name, why) in [
        ("nowhere.marey", "there is no such file"),
        ("aggregation", "it is a folder"),
    ] {
        let ran = run_with(["run", name], place.path());
        assert_eq!(
            (ran.code, ran.codes()),
            (2, vec!["bad_command_line"]),
            "{}",
            ran.stderr
        );
        assert!(flat(&ran.stderr).contains(why), "{}", ran.stderr);
    }
    // `serach` is neither a file nor a command.
    assert_eq!(run_with(["chekc", "x"], place.path()).code, 2);
    assert_eq!(run_with(["--no-such-option"], place.path()).code, 2);
    assert_eq!(
        run_with(["-c", "1", "--out", "nowhere"], place.path()).codes(),
        ["bad_command_line"]
    );
}

/// What a script that loads and profiles an input gets.
fn load(name: &str, options: &str) -> Ran {
    let place = workspace();
    run(
        &format!("load {name:?} unit=ms {options} | profile"),
        place.path(),
    )
}

#[test]
fn inputs_that_cannot_be_read_are_one_diagnostic_each() {
    for (name, code, says) in [
        (
            "nowhere.csv",
            "input_missing",
            "`nowhere.csv` does not exist",
        ),
        ("no/such/folder.csv", "input_missing", "does not exist"),
        ("nowhere-*.csv", "input_missing", "nowhere-*.csv"),
        (
            "aggregation",
            "input_unreadable",
            "`aggregation` is a folder",
        ),
        ("broken/noise.bin", "unknown_input_format", "is binary"),
        (
            "broken/no-times.csv",
            "missing_role",
            "no column of the table says when anything happened",
        ),
        ("", "input_missing", ""),
    ] {
        let ran = load(name, "");
        assert_eq!(
            (ran.code, ran.codes()),
            (3, vec![code]),
            "{name}\n{}",
            ran.stderr
        );
        assert!(flat(&ran.stderr).contains(says), "{name}\n{}", ran.stderr);
        assert!(ran.stdout.is_empty(), "{name}\n{}", ran.stdout);
    }
}

#[test]
fn an_input_without_records_is_an_empty_trace_and_one_warning() {
    for name in ["aggregation/empty.csv", "broken/header.csv"] {
        let ran = load(name, "");
        assert_eq!(ran.codes(), ["empty_trace"], "{name}\n{}", ran.stderr);
        assert_eq!(ran.good(), "value,duration,number,share\n");
    }
}

#[test]
fn a_file_that_breaks_off_keeps_what_came_before_and_says_so() {
    let ran = load("broken/truncated.csv.gz", "");
    assert!(
        ran.codes().iter().all(|code| *code == "load_report"),
        "{}",
        ran.stderr
    );
    assert!(
        flat(&ran.stderr).contains("the compressed file breaks off"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("cut_off"), "{}", ran.stderr);
    let table = ran.good();
    assert!(table.lines().count() > 1, "{table}");
    let strict = load("broken/truncated.csv.gz", "policy=fail");
    assert_eq!(
        (strict.code, strict.codes()),
        (3, vec!["bad_row"]),
        "{}",
        strict.stderr
    );
}

#[test]
fn a_file_without_rights_is_refused() {
    let place = workspace();
    let path = place.path().join("secret.csv");
    std::fs::copy(place.path().join("hand.csv"), &path).unwrap();
    let mut rights = std::fs::metadata(&path).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o000);
    std::fs::set_permissions(&path, rights).unwrap();
    if std::fs::read(&path).is_ok() {
        // Whoever runs this may read everything; the case has no meaning then.
        return;
    }
    let ran = run("load \"secret.csv\" | profile", place.path());
    assert_eq!(
        (ran.code, ran.codes()),
        (3, vec!["input_unreadable"]),
        "{}",
        ran.stderr
    );
}

#[test]
fn standard_input_is_a_script_or_a_trace() {
    let place = workspace();
    let feed = |arguments: &[&str], bytes: &[u8]| {
        let mut child = program(place.path())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(bytes).unwrap();
        ran(child.wait_with_output().unwrap())
    };
    assert_eq!(
        feed(&[], b"load \"hand.csv\" unit=ms | summarize count()").good(),
        "count\n10\n"
    );
    let trace = std::fs::read(place.path().join("hand.csv")).unwrap();
    let script = "load \"-\" unit=ms | summarize count()";
    assert_eq!(feed(&["-c", script], &trace).good(), "count\n10\n");
    let noise = feed(&["-c", script], include_bytes!("data/broken/noise.bin"));
    assert_eq!(
        (noise.code, noise.codes()),
        (3, vec!["unknown_input_format"]),
        "{}",
        noise.stderr
    );
}

/// What functions of the engine refuse is said in their words, not as a failure of the engine.
#[test]
fn functions_that_refuse_a_value_say_why() {
    let place = workspace();
    for (call, says) in [
        ("sqrt(-1.0)", "cannot take square root of a negative number"),
        ("chr(99999999999)", "invalid Unicode scalar value"),
        (
            "split_part(value, \"a\", 0)",
            "field position must not be zero",
        ),
        ("regexp_replace(value, \"(\", \"\")", "unclosed group"),
    ] {
        let ran = run(
            &format!("load \"hand.csv\" unit=ms | derive x = {call} | select x"),
            place.path(),
        );
        assert_eq!(
            (ran.code, ran.codes()),
            (2, vec!["invalid_value"]),
            "{call}\n{}",
            ran.stderr
        );
        assert!(flat(&ran.stderr).contains(says), "{call}\n{}", ran.stderr);
    }
}

/// Columns that were replaced by something else are no reason to fall over.
#[test]
fn columns_of_the_model_may_be_replaced() {
    let place = workspace();
    let verbs = [
        "profile",
        "shift",
        "aggregate-by-threshold 1ms",
        "flatten",
        "window 1ms..2ms",
        "take 1",
        "print",
        "explain",
    ];
    let renamed = run(
        "load \"hand.csv\" unit=ms | filter depth == 0 | rename key = id | print",
        place.path(),
    );
    assert!(!renamed.codes().contains(&"engine"), "{}", renamed.stderr);
    for column in ["start", "end", "value", "resource", "type", "depth", "id"] {
        for value in ["null", "5", "\"a\"", "1ms", "1.5", "true"] {
            for verb in verbs {
                let script =
                    format!("load \"hand.csv\" unit=ms | derive {column} = {value} | {verb}");
                let ran = run(&script, place.path());
                assert!(!ran.codes().contains(&"engine"), "{script}\n{}", ran.stderr);
                assert!((0..=4).contains(&ran.code), "{script}\n{}", ran.stderr);
            }
        }
    }
}

#[test]
fn exit_codes_are_those_of_the_language() {
    let codes = [
        Class::Assertion,
        Class::Script,
        Class::Input,
        Class::Run,
        Class::Interrupt,
    ];
    assert_eq!(codes.map(Class::exit_code), [1, 2, 3, 4, 130]);
}
