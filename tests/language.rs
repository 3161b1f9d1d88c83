//! `def`, `use` and `for` through the program.

use crate::support::{run, workspace};
use std::path::Path;

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("a file");
}

const TOP: &str = "# The values with most time.\n\
                   def top(key, n=2) = summarize busy = sum(duration) by $key | sort -busy, $key | take $n\n";

#[test]
fn a_definition_is_what_its_stages_are() {
    let folder = workspace();
    let found = run(
        &format!("{TOP}load \"hand.csv\" unit=ms | top value\nload \"hand.csv\" unit=ms | top resource n=1"),
        folder.path(),
    )
    .good();
    let written = run(
        "load \"hand.csv\" unit=ms | summarize busy = sum(duration) by value | sort -busy, value | take 2
         load \"hand.csv\" unit=ms | summarize busy = sum(duration) by resource | sort -busy, resource | take 1",
        folder.path(),
    )
    .good();
    assert_eq!(found, written);
    assert_eq!(found, "value,busy\nP,40\nA,36\n\nresource,busy\nCPU0,77\n");
}

#[test]
fn an_argument_is_an_expression_and_stays_one() {
    let folder = workspace();
    // Without brackets `2 * 1ms + 1ms` would be 3ms, and `not a or b` something else than `not (a or b)`.
    let script = "def longer(than, besides) = filter duration > 2 * $than and not $besides | summarize count()
                  load \"hand.csv\" unit=ms | longer 4ms + 1ms, value == \"A\" or value == \"C\"";
    let plain = "load \"hand.csv\" unit=ms
                 | filter duration > 10ms and not (value == \"A\" or value == \"C\") | summarize count()";
    let found = run(script, folder.path()).good();
    assert_eq!(found, run(plain, folder.path()).good());
    // A default may name an argument before it, and a definition use another.
    let script = "def between(low, high=$low) = filter duration in $low..($high + 1ms)
                  def exactly(time) = between $time | summarize count()
                  load \"hand.csv\" unit=ms | exactly 10ms";
    let plain = "load \"hand.csv\" unit=ms | filter duration in 10ms..11ms | summarize count()";
    assert_eq!(
        run(script, folder.path()).good(),
        run(plain, folder.path()).good()
    );
}

#[test]
fn a_definition_may_begin_a_pipeline() {
    let folder = workspace();
    let script = "def hand(unit=ms) = load \"hand.csv\" unit=ms | filter value == \"A\"
                  hand | summarize count()
                  let run = hand
                  run | summarize count()";
    assert_eq!(run(script, folder.path()).good(), "count\n3\n\ncount\n3\n");
    let piped = run(
        "def hand() = load \"hand.csv\" unit=ms\nhand | hand",
        folder.path(),
    );
    assert_eq!(piped.codes(), ["kind_mismatch"], "{}", piped.stderr);
}

#[test]
fn a_mistake_inside_points_at_the_definition_and_at_the_use() {
    let folder = workspace();
    let ran = run(
        "def top(key) = summarize busy = sum(duratio) by $key\nload \"hand.csv\" unit=ms | top value",
        folder.path(),
    );
    assert_eq!(
        (ran.code, ran.codes()),
        (2, vec!["unknown_column"]),
        "{}",
        ran.stderr
    );
    for wanted in [
        "-c:1:37",
        "in this use of `top`",
        "did you mean `duration`?",
    ] {
        assert!(ran.stderr.contains(wanted), "{wanted}\n{}", ran.stderr);
    }
    // A mistake in an argument points at the argument.
    let ran = run(
        &format!("{TOP}load \"hand.csv\" unit=ms | top valu"),
        folder.path(),
    );
    assert_eq!(ran.codes(), ["unknown_column"], "{}", ran.stderr);
    assert!(ran.stderr.contains("-c:3:31"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("in this use"), "{}", ran.stderr);
}

#[test]
fn the_use_of_a_definition_is_checked() {
    let folder = workspace();
    for (call, code) in [
        ("top", "missing_argument"),
        ("top value, 3, 4", "extra_argument"),
        ("top value m=3", "unknown_option"),
        ("top value n=3 n=4", "duplicate_option"),
        ("top value n=\"3\"", "type_mismatch"),
        ("top value by value", "extra_argument"),
        ("tip value", "unknown_verb"),
    ] {
        let ran = run(
            &format!("{TOP}load \"hand.csv\" unit=ms | {call}"),
            folder.path(),
        );
        assert_eq!(
            (ran.code, ran.codes()),
            (2, vec![code]),
            "{call}\n{}",
            ran.stderr
        );
    }
    let near = run(
        &format!("{TOP}load \"hand.csv\" unit=ms | tap value"),
        folder.path(),
    );
    assert!(
        near.stderr.contains("did you mean `top`?"),
        "{}",
        near.stderr
    );
    for (wrong, code) in [
        ("def filter(x) = take $x", "duplicate_name"),
        ("def twice(x, x) = take $x", "duplicate_name"),
        (
            "def one(n) = two $n\ndef two(n) = one $n\nload \"hand.csv\" unit=ms | one 1",
            "recursion",
        ),
    ] {
        let ran = run(wrong, folder.path());
        assert_eq!(
            (ran.code, ran.codes()),
            (2, vec![code]),
            "{wrong}\n{}",
            ran.stderr
        );
    }
}

#[test]
fn a_loop_runs_once_for_each_item() {
    let folder = workspace();
    let script = "let run = load \"hand.csv\" unit=ms
                  for t in [1ms, 10ms] {
                      let cells = run | aggregate-by-threshold $t
                      cells | save f\"cells-{$t}.csv\"
                      for i in 0..2 { f\"{$t} {$i}\" }
                  }
                  for name in [] { $name }";
    let found = run(script, folder.path()).good();
    assert_eq!(found, "1ms 0\n1ms 1\n10ms 0\n10ms 1\n");
    for threshold in ["1ms", "10ms"] {
        let rows = std::fs::read_to_string(folder.path().join(format!("cells-{threshold}.csv")));
        let plain = run(
            &format!("load \"hand.csv\" unit=ms | aggregate-by-threshold {threshold}"),
            folder.path(),
        );
        assert_eq!(rows.expect("a table"), plain.good());
    }
}

#[test]
fn names_of_a_loop_end_with_it() {
    let folder = workspace();
    let ran = run("for i in 0..2 { let x = $i }\n$x", folder.path());
    assert_eq!(ran.codes(), ["unknown_name"], "{}", ran.stderr);
    let ran = run("let i = 7\nfor i in 0..2 { $i }\n$i", folder.path());
    assert_eq!(ran.good(), "0\n1\n7\n");
}

#[test]
fn a_loop_says_what_it_cannot_run_over() {
    let folder = workspace();
    for (script, code) in [
        ("for x in 3 { $x }", "type_mismatch"),
        ("for x in 1.. { $x }", "type_mismatch"),
        ("for x in 0..100000000 { $x }", "invalid_value"),
        (
            "for x in (load \"hand.csv\" unit=ms | summarize count()) { $x }",
            "not_a_scalar",
        ),
        ("for x in [1] { param y = 2 }", "syntax"),
        // One round's mistake is told once.
        (
            "for x in [1, 2, 3] { load \"hand.csv\" unit=ms | filtr }",
            "unknown_verb",
        ),
        (
            "for x in [1, 2] { load \"hand.csv\" unit=ms | save \"a.csv\" }",
            "saved_twice",
        ),
    ] {
        let ran = run(script, folder.path());
        assert_eq!(
            (ran.code, ran.codes()),
            (2, vec![code]),
            "{script}\n{}",
            ran.stderr
        );
    }
}

#[test]
fn files_bring_in_names_once_and_from_where_they_stand() {
    let folder = workspace();
    std::fs::create_dir(folder.path().join("lib")).expect("a folder");
    write(
        folder.path(),
        "lib/a.marey",
        "use \"b.marey\"\nlet run = load \"hand.csv\" unit=ms\ndef first(n=$count) = take $n\n",
    );
    write(folder.path(), "lib/b.marey", "param count = 1\n");
    write(
        folder.path(),
        "main.marey",
        "use \"lib/a.marey\"\nuse \"lib/b.marey\"\nuse \"lib/../lib/a.marey\"\nrun | first | select value\n",
    );
    let once = crate::support::run_with(["run", "main.marey"], folder.path());
    assert_eq!(once.good(), "value\nA\n");
    let more = crate::support::run_with(["run", "main.marey", "--param", "count=2"], folder.path());
    assert_eq!(more.good().lines().count(), 3);
}

#[test]
fn names_that_clash_say_both_files() {
    let folder = workspace();
    write(folder.path(), "a.marey", "def first() = take 1\n");
    write(folder.path(), "b.marey", "def first() = take 2\n");
    let ran = run("use \"a.marey\"\nuse \"b.marey\"", folder.path());
    assert_eq!(
        (ran.code, ran.codes()),
        (2, vec!["duplicate_name"]),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("by `a.marey` and by `b.marey`"),
        "{}",
        ran.stderr
    );
    // What the script binds after it wins.
    let ran = run(
        "use \"a.marey\"\ndef first() = take 3\nload \"hand.csv\" unit=ms | first | summarize count()",
        folder.path(),
    );
    assert_eq!(ran.good(), "count\n3\n");
    write(folder.path(), "c.marey", "use \"d.marey\"\n");
    write(folder.path(), "d.marey", "use \"c.marey\"\n");
    let ran = run("use \"c.marey\"", folder.path());
    assert_eq!(
        (ran.code, ran.codes()),
        (2, vec!["use_cycle"]),
        "{}",
        ran.stderr
    );
    let said = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("c.marey -> d.marey -> c.marey"),
        "{}",
        ran.stderr
    );
    // A mistake in a file is shown in that file.
    write(folder.path(), "e.marey", "def bad() = filter nosuch > 1\n");
    let ran = run(
        "use \"e.marey\"\nload \"hand.csv\" unit=ms | bad",
        folder.path(),
    );
    assert!(ran.stderr.contains("e.marey:1:20"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("-c:2: in this use of `bad`"),
        "{}",
        ran.stderr
    );
    // A file that is not there is one mistake, not one for each of its names.
    let ran = run(
        "use \"no.marey\"\nload \"hand.csv\" unit=ms | thing",
        folder.path(),
    );
    assert_eq!(ran.codes(), ["input_missing"], "{}", ran.stderr);
}

#[test]
fn a_definition_means_the_scalars_of_its_own_place() {
    let folder = workspace();
    write(
        folder.path(),
        "slow.marey",
        "let cut = 10ms\ndef slow(than=$cut) = filter duration > $than and duration > $cut | summarize count()\n",
    );
    let plain = run(
        "load \"hand.csv\" unit=ms | filter duration > 10ms | summarize count()",
        folder.path(),
    )
    .good();
    // Neither a loop nor a later `let` changes what the file meant.
    let ran = run(
        "use \"slow.marey\"\nlet cut = 1ms\nfor cut in [2ms] { load \"hand.csv\" unit=ms | slow }",
        folder.path(),
    );
    assert_eq!(ran.good(), plain);
    // The argument of a use is of the place of the use.
    let ran = run(
        "use \"slow.marey\"\nfor cut in [90ms] { load \"hand.csv\" unit=ms | slow $cut }",
        folder.path(),
    );
    assert_eq!(ran.good(), "count\n0\n");
    let ran = run("def late() = take $n\nlet n = 1", folder.path());
    assert_eq!(ran.codes(), ["unknown_name"], "{}", ran.stderr);
    let ran = run("def one() = take 1\ndef one() = take 2", folder.path());
    assert_eq!(ran.codes(), ["duplicate_name"], "{}", ran.stderr);
}
