//! Rows of pj_dump, the tree of containers, and the load policy.

use super::*;

#[test]
fn pj_dump_rows_of_all_kinds() {
    let trace = load_files(&[data("pj_dump_all_kinds.csv")], milliseconds()).expect("a trace");
    assert_eq!(trace.report.records, 15);
    assert_eq!(trace.report.kept, 15);
    assert!(trace.report.is_clean());
    let columns = [
        "resource", "value", "start", "end", "depth", "col9", "col10",
    ];
    assert_eq!(
        rows(&trace, "states", &columns),
        [
            "cpu1 Idle 0 6000000 0 - -",
            "cpu0 gemm 0 2500000 0 64 0x1f",
            "cpu0 Run,ning now 2500000 12000000 0 - -",
            "cpu1 gemm 6000000 12000000 0 - -",
            "cpu1 Callback 7000000 7000000 1 - -",
        ]
    );
    let columns = [
        "type",
        "value",
        "source_resource",
        "target_resource",
        "start",
        "end",
        "key",
        "owner",
    ];
    assert_eq!(
        rows(&trace, "links", &columns),
        [
            "Message data cpu0 cpu1 2500000 6000000 k1 -",
            "Message ack cpu1 cpu0 8000000 7000000 - site",
        ]
    );
    assert_eq!(
        rows(&trace, "events", &["resource", "value", "time", "col6"]),
        ["cpu0 begin 1500000 now"]
    );
    assert_eq!(
        rows(&trace, "variables", &["metric", "start", "value"]),
        ["ready 0 2.0", "ready 6000000 0.5"]
    );
    assert_eq!(
        rows(&trace, "resources", &["id", "path", "parent", "type"]),
        [
            "0 site - Site",
            "1 node site Machine",
            "2 cpu0 node Core",
            "3 cpu1 node Core"
        ]
    );
    assert_eq!(trace.report.notes.len(), 3, "{:?}", trace.report.notes);
}

#[test]
fn pj_dump_of_old_versions_quotes_names() {
    let trace = load_files(&[data("pj_dump_old_quoted.csv")], milliseconds()).expect("a trace");
    assert_eq!(
        rows(&trace, "states", &["resource", "type", "value", "end"]),
        [
            "host, left POWER on 1000000",
            "host, left POWER off 3500000"
        ]
    );
    assert_eq!(
        rows(&trace, "resources", &["path", "type"]),
        ["host, left MACHINE"]
    );
}

#[test]
fn user_columns_are_named_or_belong_to_the_value() {
    let text = "State, c, S, 0, 1, 1, 0, a, b, 007\n";
    let mut options = milliseconds();
    options.columns = Some(vec!["tag".to_owned()]);
    let trace = load_bytes(text.as_bytes(), options.clone()).expect("a trace");
    assert_eq!(
        rows(&trace, "states", &["value", "tag", "col10"]),
        ["a b 007"]
    );
    options.columns = Some(Vec::new());
    let trace = load_bytes(text.as_bytes(), options).expect("a trace");
    assert_eq!(rows(&trace, "states", &["value"]), ["a, b, 007"]);
}

#[test]
fn headers_and_the_empty_root_are_no_rows() {
    let trace = load(
        "Container, Parent, Type, Start, End, Duration, Name\nState, Container, Type, Start, End, Duration, Imbrication, Value\n\
         Event, Container, Variable, Value, Start, Value\nContainer, 0, 0, 0, -1, -1, 0\n",
    );
    assert_eq!((trace.report.records, trace.report.kept), (1, 1));
    assert!(trace.report.is_clean());
    assert_eq!(trace.relation("resources").map(|r| r.rows()), Some(0));
}

#[test]
fn containers_of_one_name_are_told_apart_by_their_path() {
    let trace = load(
        "Container, 0, P, 0, 1, 1, p1\nContainer, p1, T, 0, 1, 1, t1\nState, t1, S, 0, 1, 1, 0, a\n\
         Container, 0, P, 0, 1, 1, p2\nContainer, p2, T, 0, 1, 1, t1\nState, t1, S, 0, 1, 1, 0, b\n",
    );
    assert_eq!(
        rows(&trace, "states", &["resource", "value"]),
        ["p1/t1 a", "p2/t1 b"]
    );
    assert_eq!(
        rows(&trace, "resources", &["path", "name", "parent"]),
        ["p1 p1 -", "p1/t1 t1 p1", "p2 p2 -", "p2/t1 t1 p2"]
    );
    assert!(trace.report.notes.iter().any(|note| note.contains("`t1`")));
}

#[test]
fn children_may_come_before_their_parents() {
    let trace = load(
        "State, c, S, 0, 1, 1, 0, a\nContainer, p, T, 0, 1, 1, c\nContainer, 0, P, 0, 1, 1, p\nContainer, c, X, 0, 1, 1, c\n",
    );
    assert_eq!(
        rows(&trace, "resources", &["path", "parent", "type"]),
        ["p - P", "p/c p T", "p/c/c p/c X"]
    );
    assert_eq!(rows(&trace, "states", &["resource"]), ["p/c"]);
}

#[test]
fn the_policy_decides_about_bad_rows() {
    let text = "State, c, S, 0, 1, 1, 0, good\nState, c, S, 5, 3, -2, 0, reversed\nState, c, S, 0, , , 0, no end\n\
                State, c, S, x, 3, 1, 0, no number\nState, c, S, 0, inf, 1, 0, infinite\nState, c, S, 0, 1, 1, 0\nOdd, c\n";
    let trace = load(text);
    let line = trace.report.line();
    assert!(
        line.starts_with("7 records read, 1 kept; rejected: 1 end_before_start"),
        "{line}"
    );
    assert_eq!(
        rows(&trace, "rejects", &["line", "code"]),
        [
            "2 end_before_start",
            "3 time_missing",
            "4 time_not_a_number",
            "5 time_not_finite",
            "6 too_few_fields",
            "7 unknown_kind"
        ]
    );
    let keep = ReadOptions {
        policy: Policy::Keep,
        ..milliseconds()
    };
    let trace = load_bytes(text.as_bytes(), keep).expect("a trace");
    assert_eq!(
        rows(&trace, "states", &["value", "start", "end"]),
        ["good 0 1000000", "no end 0 -", "reversed 5000000 3000000"]
    );
    let cases = [
        ("State, c, S, 5, 3, -2, 0, b", "ends before it starts"),
        ("State, c, S, nan, 3, 1, 0, b", "`start` is not a number"),
        ("State, c, S, 0, inf, inf, 0, a", "`end` is not finite"),
        ("State, c, S, 0, , , 0, a", "`end` is missing"),
        ("State, c, S, 0, 1, 1, 0", "7 fields where 8 are wanted"),
        ("Event, c, S, 0", "4 fields where 5 are wanted"),
        (
            "State, c, S, 0, 1e30, 1, 0, a",
            "`end` does not fit into 64-bit ticks",
        ),
    ];
    for (row, message) in cases {
        let options = ReadOptions {
            policy: Policy::Fail,
            ..milliseconds()
        };
        let diag = fails(&format!("State, c, S, 0, 1, 1, 0, a\n{row}\n"), options);
        assert_eq!(diag.message, message);
        let place = diag.place.expect("a place");
        assert_eq!((place.line, place.text.as_str()), (2, row));
    }
}

#[test]
fn nothing_kept_is_an_error_and_no_records_are_a_note() {
    let diag = fails(
        "State, c, S, 5, 3, -2, 0, a\nState, c, S, 5, 3, -2, 0, a\n",
        milliseconds(),
    );
    assert_eq!(diag.code.name, "nothing_kept");
    assert_eq!(
        diag.message,
        "none of the 2 records could be used: 2 end_before_start"
    );
    for text in [
        "",
        "\n\n",
        "# only\n# comments, here\n",
        "resource,value,start,end\n",
    ] {
        let trace = load(text);
        assert_eq!(trace.report.records, 0, "{text:?}");
        assert!(
            trace.report.notes.iter().any(|n| n.contains("no records")),
            "{text:?}"
        );
        assert_eq!(trace.relations.len(), 6);
    }
}
