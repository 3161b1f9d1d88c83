//! Functions: what they refuse is a diagnostic of the script, never a failure of the engine, and no text is longer than
//! memory.

use crate::laws::{Captured, session};
use crate::support::{run, workspace};
use marey::lang::check::FunctionKind;

/// The code and the text of what a script is refused for.
fn refused(script: &str) -> (i32, Vec<String>, String) {
    let ran = run(script, workspace().path());
    let codes = ran.codes().iter().map(|code| (*code).to_owned()).collect();
    (ran.code, codes, ran.stderr)
}

#[test]
fn values_of_two_types_are_a_mistake_of_the_script() {
    for call in [
        "least(1, \"a\")",
        "greatest(\"a\", 1.5)",
        "coalesce(1, \"a\")",
        "nullif(\"a\", 1)",
        "nvl(1, \"a\")",
        "nvl2(true, 1, \"a\")",
    ] {
        let (code, codes, text) = refused(call);
        assert_eq!(
            (code, codes),
            (2, vec!["type_mismatch".to_owned()]),
            "{call}\n{text}"
        );
    }
    let good = run(
        "greatest(1, 2.5)\ncoalesce(null, \"a\")\nleast(3ms, 2ms)\nnvl2(\"x\", 1, 2)",
        workspace().path(),
    );
    assert_eq!(good.good(), "2.5\na\n2ms\n1\n");
}

#[test]
fn functions_of_what_the_language_has_no_values_for_do_not_exist() {
    for name in [
        "make_array",
        "array_length",
        "list_sort",
        "named_struct",
        "struct",
        "map_keys",
        "union_extract",
        "arrow_field",
        "with_metadata",
        "cast_to_type",
        "try_cast_to_type",
        "arrow_try_cast",
        "to_timestamp",
        "date_trunc",
        "regexp_match",
        "percentile_cont",
        "quantile_cont",
        "nth_value",
        "generate_series",
        "string_to_array",
    ] {
        let (code, codes, text) = refused(&format!("{name}(1)"));
        assert_eq!(
            (code, codes),
            (2, vec!["unknown_function".to_owned()]),
            "{name}\n{text}"
        );
    }
}

#[test]
fn a_text_is_bounded_and_what_fits_is_made() {
    for call in [
        "repeat(\"ab\", 1000000000000)",
        "repeat(repeat(\"ab\", 1000000), 1000000)",
        "lpad(\"a\", 2000000000)",
        "rpad(\"a\", 2000000000, \"xy\")",
    ] {
        let (code, codes, text) = refused(call);
        assert_eq!(codes, ["invalid_value"], "{call}\n{text}");
        assert_eq!(code, 2, "{call}");
        assert!(text.contains("MiB of text at once"), "{call}\n{text}");
        // The same on rows, where only the run meets it.
        let rows = format!(
            "load \"hand.csv\" unit=ms | select long = {}",
            call.replace("\"ab\"", "value").replace("\"a\"", "value")
        );
        let (code, codes, text) = refused(&rows);
        assert_eq!(codes, ["invalid_value"], "{rows}\n{text}");
        assert!(code == 2 || code == 4, "{rows}: {code}");
        assert!(text.contains("MiB of text at once"), "{rows}\n{text}");
    }
    let good = run(
        "repeat(\"ab\", 3)\nrepeat(\"ab\", -1)\nlpad(\"7\", 3, \"0\")\nrpad(\"abc\", 2)\nlpad(7, 3)\n\
         load \"hand.csv\" unit=ms | take 2 | select r = repeat(value, depth + 2), l = rpad(value, 3, \".\"), n = repeat(null, 2)",
        workspace().path(),
    );
    assert_eq!(
        good.good(),
        "ababab\n\n007\nab\n  7\n\nr,l,n\nAA,A..,\nPP,P..,\n"
    );
}

#[test]
fn no_call_of_constants_fails_in_the_engine() {
    with_stack(|| {
        let mut session = session();
        let values = ["2", "0.5", "\"a\"", "true", "null"];
        let mut lists: Vec<String> = vec![String::new()];
        lists.extend(values.iter().map(|a| (*a).to_owned()));
        for a in values {
            lists.extend(values.iter().map(|b| format!("{a}, {b}")));
        }
        lists.extend(
            [
                "\"a\", 2, 2",
                "\"a\", \"b\", \"c\"",
                "\"a\", \"b\", 2",
                "true, 2, \"a\"",
                "2, 2, 2",
            ]
            .map(str::to_owned),
        );
        let mut wrong = Vec::new();
        let mut fine = 0;
        for name in session.function_names() {
            for list in &lists {
                let script = format!("{name}({list})");
                let outcome = session.check("call", &script, &mut Captured::default());
                fine += usize::from(outcome.diags.is_empty());
                let unexplained = outcome
                    .diags
                    .iter()
                    .filter(|diag| ["engine", "internal"].contains(&diag.code.name));
                wrong.extend(unexplained.map(|diag| format!("{script}: {}", diag.message)));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(fine > 300, "{fine} calls were fine");
    });
}

/// Runs a check that needs more stack than a test has.
fn with_stack(check: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(check);
    if let Err(panic) = thread.unwrap().join() {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn aggregates_do_with_nulls_what_the_page_says() {
    with_stack(|| {
        let place = workspace();
        let trace = place.path().join("hand.csv");
        let mut session = session();
        let mut tried = 0;
        for function in session.functions().engine_functions() {
            if function.kind != FunctionKind::Aggregate {
                continue;
            }
            let name = &function.name;
            // A is null everywhere; three states of ten.
            let mut gives = |arguments: &str, rows: &str| -> Option<String> {
                let script = format!(
                    "load {:?} unit=ms | derive y = if value == \"A\" then null else depth + 1, b = y == 1, z = depth * 2, \
                     t = if y == null then null else value | filter {rows} | summarize r = {name}({arguments})",
                    trace.to_str().unwrap()
                );
                let mut host = Captured::default();
                let outcome = session.run("call", &script, &mut host);
                outcome.diags.is_empty().then(|| host.tables.pop().unwrap())
            };
            let calls = ["y", "y, z", "b", "t, \",\""];
            let call = calls.into_iter().find(|call| gives(call, "true").is_some());
            let call = call.unwrap_or_else(|| panic!("{name} is called in another way"));
            let mut rows = |rows: &str| gives(call, rows).unwrap();
            let (all, known, unknown) = (rows("true"), rows("y != null"), rows("y == null"));
            match function.null.as_str() {
                "nulls are left out; no values give null" => {
                    assert_eq!((&all, unknown.as_str()), (&known, "r\n\n"), "{name}");
                }
                "nulls are left out; no values give 0" | "nulls are not counted" => {
                    assert_eq!((&all, unknown.as_str()), (&known, "r\n0\n"), "{name}");
                }
                // The first of these rows is null, and so is the last.
                "a null is a value" => {
                    let part = rows("start <= 72ms");
                    assert_ne!(part, rows("start <= 72ms and y != null"), "{name}");
                }
                other => panic!("{name}: {other}"),
            }
            tried += 1;
        }
        assert!(tried > 25, "{tried}");
    });
}

#[test]
fn the_page_of_a_function_is_found_by_each_of_its_names() {
    let session = session();
    let page = |name: &str| session.functions().engine_page(name);
    let least = page("least").unwrap();
    assert!(
        least.starts_with("least(expression1[, ..., expression_n])\n"),
        "{least}"
    );
    assert!(
        least.contains("of null: `least(null, \"a\")` is `\"a\"`"),
        "{least}"
    );
    assert_eq!(page("length"), page("character_length"));
    assert!(
        page("length")
            .unwrap()
            .contains("also: char_length, length")
    );
    // Our own have pages of their own.
    assert_eq!(page("sum"), None);
    assert_eq!(page("mean"), None);
    assert_eq!(page("make_array"), None);
}
