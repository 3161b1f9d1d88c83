//! Tables: headers, roles, ids, links, Enter and Leave.

use super::*;

#[test]
fn headered_rows_may_be_shorter_and_longer_than_the_header() {
    let trace = load_files(&[data("starvz_states.csv")], milliseconds()).expect("a trace");
    let columns = ["id", "resource", "value", "Size", "JobId", "Tag", "col12"];
    assert_eq!(
        rows(&trace, "states", &columns),
        [
            "#0 CPU0 Idle - - - -",
            "0_2 CPU1 dtrsm 7372800 0_2 00000000000000a0 late",
            "0_1 CPU0 dgemm 7372800 0_1 0000000000000000 -",
            "#3 CPU1 Idle - - - -",
        ]
    );
    assert_eq!(type_of(&trace, "states", "Size"), "int");
    assert_eq!(type_of(&trace, "states", "Tag"), "string");
    assert_eq!(trace.report.notes.len(), 1, "{:?}", trace.report.notes);
    assert!(trace.report.notes[0].contains("in 1 rows the printed duration"));
}

#[test]
fn links_find_their_states_in_another_file() {
    let files = [data("starvz_states.csv"), data("dag_links.csv")];
    let trace = load_files(&files, milliseconds()).expect("a trace");
    assert_eq!(rows(&trace, "links", &["source", "target"]), ["0_1 0_2"]);
    assert!(
        trace
            .report
            .notes
            .iter()
            .all(|note| !note.contains("ends of links"))
    );
}

#[test]
fn tables_are_understood_by_their_column_names() {
    let trace = load_files(&[data("table_semicolon.csv")], milliseconds()).expect("a trace");
    assert_eq!(
        rows(
            &trace,
            "states",
            &["resource", "value", "start", "end", "note"]
        ),
        [
            "B read 0 3000000 say \"\"hi\"\"",
            "A read 500000 1500000 x;y",
            "A write 1500000 2000000 -"
        ]
    );
    let trace = load_files(&[data("table_tab.tsv")], ReadOptions::default()).expect("a trace");
    assert_eq!(trace.clock.unit, Some(TimeUnit::Millisecond));
    assert_eq!(
        rows(&trace, "states", &["resource", "value", "start", "end"]),
        ["T1 work 0 2500000", "T2 wait 1000000 2000000"]
    );
    let trace = load_files(&[data("variables_long.csv")], milliseconds()).expect("a trace");
    assert_eq!(
        rows(
            &trace,
            "variables",
            &["resource", "metric", "start", "end", "value"]
        ),
        [
            "link1 traffic 0 - 3.5",
            "link2 saturation 0 - 0.25",
            "link1 traffic 500000 - -",
            "link1 traffic 1000000 - 4.0"
        ]
    );
}

#[test]
fn roles_name_columns_and_missing_ones_are_said() {
    let text = "cpu,phase,from_t,to_t,value\nA,read,0,1,7\n";
    let mut options = milliseconds();
    options.roles.start = Some("from_t".to_owned());
    options.roles.end = Some("to_t".to_owned());
    options.roles.value = Some("phase".to_owned());
    let trace = load_bytes(text.as_bytes(), options.clone()).expect("a trace");
    assert_eq!(
        rows(&trace, "states", &["resource", "value", "attr.value"]),
        ["A read 7"]
    );
    options.roles.end = Some("to".to_owned());
    let diag = fails(text, options);
    assert_eq!(diag.code.name, "missing_role");
    assert!(diag.help.is_some_and(|help| help.contains("`to_t`")));
    let diag = fails(text, milliseconds());
    assert_eq!(diag.code.name, "missing_role");
    assert!(diag.help.is_some_and(|help| help.contains("`from_t`")));
}

#[test]
fn attributes_never_hide_columns_of_the_model() {
    let trace = load("resource,value,start,end,row,duration,truncated,Row\nA,x,0,1,5,9,true,6\n");
    assert_eq!(
        rows(&trace, "states", &["attr.row", "Row", "truncated"]),
        ["5 6 true"]
    );
}

#[test]
fn enter_and_leave_become_states() {
    let trace = load_files(&[data("enter_leave.csv")], ReadOptions::default()).expect("a trace");
    assert_eq!(
        rows(
            &trace,
            "states",
            &["resource", "value", "start", "end", "depth", "truncated"]
        ),
        [
            "0 main 0 6000000 0 true",
            "0 send 1000000 4000000 1 false",
            "0 wait 5000000 6000000 1 true"
        ]
    );
    assert_eq!(
        rows(&trace, "events", &["value", "type"]),
        ["hello Message"]
    );
    assert_eq!((trace.report.records, trace.report.kept), (6, 5));
    assert_eq!(
        rows(&trace, "rejects", &["line", "code"]),
        ["5 end_without_begin"]
    );
}

#[test]
fn ids_are_integers_where_all_are() {
    let trace = load("id,resource,start,end\n7,A,0,1\n,A,1,2\n3,A,2,3\n7,A,3,4\n");
    assert_eq!(type_of(&trace, "states", "id"), "int");
    assert_eq!(rows(&trace, "states", &["id"]), ["7", "8", "3", "9"]);
    assert!(trace.report.line().contains("1 duplicate_id"));
    // A column that only looks like ids is dropped when it repeats.
    let trace = load("job_id,resource,start,end\n7,A,0,1\n7,A,1,2\n");
    assert_eq!(rows(&trace, "states", &["id", "job_id"]), ["0 7", "1 7"]);
    assert!(trace.report.is_clean());
}

#[test]
fn nothing_is_null_and_odd_bytes_are_counted_once_per_row() {
    let text = b"resource,value,start,end,note\nA,NA,0,1,\nA,,0,1,NA\nA,x,0,1,\xe9t\xe9\n";
    let trace = load_bytes(text, milliseconds()).expect("a trace");
    assert_eq!(
        rows(&trace, "states", &["value", "note"]),
        ["- -", "- -", "x \u{fffd}t\u{fffd}"]
    );
    assert!(trace.report.line().contains("repaired: 1 not_utf8"));
    let options = ReadOptions {
        policy: Policy::Fail,
        ..milliseconds()
    };
    let diag = load_bytes(text, options).expect_err("odd bytes");
    assert_eq!(diag.place.map(|place| place.line), Some(4));
}

#[test]
fn other_relations_come_from_tables_too() {
    let trace = load("parent,name,kind,row\n,l1,global,3\nl1,l2,local,4\n");
    assert_eq!(
        rows(&trace, "resources", &["path", "parent", "type", "row"]),
        ["l1 - global 3", "l2 l1 local 4"]
    );
    let options = ReadOptions {
        relation: Some("resources".to_owned()),
        ..milliseconds()
    };
    let trace = load_bytes(b"entity,group\nl1,3\nl10,4\nl2,4\n", options).expect("a trace");
    assert_eq!(
        rows(&trace, "resources", &["path", "group"]),
        ["l1 3", "l2 4", "l10 4"]
    );
    let trace = load("resource,metric,start,end,value\nA,m,0,1,2.5\nA,m,1,2,inf\n");
    assert_eq!(
        rows(&trace, "variables", &["start", "end", "value"]),
        ["0 1000000 2.5"]
    );
    assert_eq!(rows(&trace, "rejects", &["code"]), ["value_not_finite"]);
    let trace = load("time,resource,event\n3,A,go\n1,B,stop\n");
    assert_eq!(
        rows(&trace, "events", &["id", "resource", "value", "time"]),
        ["0 B stop 1000000", "1 A go 3000000"]
    );
}
