//! Functions: what they refuse is a diagnostic of the script, never a failure of the engine, and no text is longer than
//! memory.

use crate::laws::{Captured, session};
use crate::support::{run, workspace};

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
    let check = std::thread::Builder::new().stack_size(64 << 20).spawn(|| {
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
    check.unwrap().join().unwrap();
}
