//! Loads of small texts and of sample files, through the same door as `load`.

use super::{ReadOptions, read};
use crate::diag::Diag;
use crate::model::{Policy, TraceData};
use crate::spec::TimeUnit;
use arrow::util::display::array_value_to_string;
use proptest::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Milliseconds, and bad rows repaired.
fn milliseconds() -> ReadOptions {
    ReadOptions {
        unit: Some(TimeUnit::Millisecond),
        ..ReadOptions::default()
    }
}

fn load_files(paths: &[PathBuf], mut options: ReadOptions) -> Result<TraceData, Diag> {
    options.paths = paths.iter().map(|p| p.display().to_string()).collect();
    read(&options, &AtomicBool::new(false), &|_| {})
}

fn load_bytes(bytes: &[u8], options: ReadOptions) -> Result<TraceData, Diag> {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("the file is written");
    load_files(&[file.path().to_owned()], options)
}

fn load(text: &str) -> TraceData {
    load_bytes(text.as_bytes(), milliseconds()).expect(text)
}

fn fails(text: &str, options: ReadOptions) -> Diag {
    load_bytes(text.as_bytes(), options).expect_err(text)
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// Rows of a relation as text: the named columns, `-` for null.
fn rows(trace: &TraceData, relation: &str, columns: &[&str]) -> Vec<String> {
    let relation = trace.relation(relation).expect("the relation");
    let mut rows = Vec::new();
    for batch in &relation.batches {
        for row in 0..batch.num_rows() {
            let cells = columns.iter().map(|column| {
                let array = batch.column_by_name(column).expect(column);
                match array.is_null(row) {
                    true => "-".to_owned(),
                    false => array_value_to_string(array, row).expect("a value"),
                }
            });
            rows.push(cells.collect::<Vec<_>>().join(" "));
        }
    }
    rows
}

fn type_of(trace: &TraceData, relation: &str, column: &str) -> String {
    let relation = trace.relation(relation).expect("the relation");
    let field = relation.schema.field_with_name(column).expect(column);
    crate::model::schema::type_of(field).to_string()
}

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
            "cpu0 gemm 0 2500000 0 64 0x1f",
            "cpu1 Idle 0 6000000 0 - -",
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
fn several_files_match_columns_by_name() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).map(|()| path)
    };
    let first = file("rank2.csv", "id,resource,start,end,size\n1,A,0,1,5\n")?;
    file(
        "rank10.csv",
        "size,end,start,resource,id,more\n6,3,2,A,1,x\n",
    )?;
    let mut options = milliseconds();
    options.paths = vec![folder.path().join("rank*.csv").display().to_string()];
    options.file_as = Some("rank".to_owned());
    options.offsets = vec![0, 1_000_000_000];
    let trace = read(&options, &AtomicBool::new(false), &|_| {}).expect("a trace");
    assert_eq!(
        rows(
            &trace,
            "states",
            &["id", "resource", "start", "size", "more", "rank"]
        ),
        ["2/1 2/A 0 5 - 2", "10/1 10/A 3000000 6 x 10"]
    );
    assert_eq!(type_of(&trace, "states", "rank"), "int");
    assert_eq!(
        rows(&trace, "resources", &["path", "parent", "type"]),
        ["2 - rank", "2/A 2 -", "10 - rank", "10/A 10 -"]
    );
    options.file_as = None;
    options.paths.push(first.display().to_string());
    let trace = read(&options, &AtomicBool::new(false), &|_| {}).expect("a trace");
    assert_eq!(rows(&trace, "resources", &["path"]), ["A"]);
    options.offsets = vec![0, 1, 2];
    let diag = read(&options, &AtomicBool::new(false), &|_| {}).expect_err("three offsets");
    assert_eq!(diag.code.name, "invalid_value");
    Ok(())
}

#[test]
fn odd_bytes_end_in_a_result_or_a_diagnostic() {
    let row = "State, c, S, 0, 1, 1, 0, a";
    let states = |bytes: &[u8]| {
        let trace = load_bytes(bytes, milliseconds()).expect("a trace");
        rows(&trace, "states", &["resource", "value"])
    };
    let with_bom = format!("\u{feff}{row}\n");
    assert_eq!(states(with_bom.as_bytes()), ["c a"]);
    assert_eq!(states(format!("{row}\r\n{row}\r\n").as_bytes()).len(), 2);
    assert_eq!(states(format!("{row}\r{row}").as_bytes()), ["c a", "c a"]);
    let latin = load_bytes(b"State, c, S, 0, 1, 1, 0, caf\xe9\n", milliseconds()).expect("a trace");
    assert_eq!(rows(&latin, "states", &["value"]), ["caf\u{fffd}"]);
    assert!(latin.report.line().contains("repaired: 1 not_utf8"));
    let zeros =
        load_bytes(format!("{row}\n\0\0\0\0\0\n").as_bytes(), milliseconds()).expect("rows");
    assert_eq!(rows(&zeros, "rejects", &["code"]), ["unknown_kind"]);

    let code = |bytes: &[u8]| match load_bytes(bytes, milliseconds()) {
        Ok(_) => "ok",
        Err(diag) => diag.code.name,
    };
    assert_eq!(code(b"\xff\xfeS\0t\0"), "input_unreadable");
    assert_eq!(code(b"\x28\xb5\x2f\xfd...."), "input_unreadable");
    assert_eq!(
        code(&(0..=255_u8).cycle().take(9_000).collect::<Vec<_>>()),
        "unknown_input_format"
    );
    assert_eq!(code(b"0.0, 1.0, 1.0, p1/S/a\n"), "unknown_input_format");
    assert_eq!(code(b"hello\nworld\n"), "unknown_input_format");
}

#[test]
fn paths_that_cannot_be_read_say_why() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let code = |path: PathBuf| match load_files(&[path], milliseconds()) {
        Ok(_) => "ok",
        Err(diag) => diag.code.name,
    };
    assert_eq!(code(folder.path().join("none.csv")), "input_missing");
    assert_eq!(code(folder.path().join("*.csv")), "input_missing");
    assert_eq!(code(folder.path().to_owned()), "input_unreadable");
    Ok(())
}

#[test]
fn a_broken_gzip_keeps_what_came_before() -> std::io::Result<()> {
    let mut text = String::new();
    for row in 0..5_000 {
        text.push_str(&format!(
            "State, c{}, S, {row}, {}, 1, 0, v{}\n",
            row % 7,
            row + 1,
            row * 31 % 97
        ));
    }
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes())?;
    let bytes = encoder.finish()?;
    let whole = load_bytes(&bytes, milliseconds()).expect("a trace");
    assert_eq!(whole.report.kept, 5_000);
    let half = &bytes[..bytes.len() / 2];
    let trace = load_bytes(half, milliseconds()).expect("a trace");
    assert!(trace.report.kept > 100 && trace.report.kept < 5_000);
    assert!(
        trace
            .report
            .notes
            .iter()
            .any(|note| note.contains("breaks off"))
    );
    let options = ReadOptions {
        policy: Policy::Fail,
        ..milliseconds()
    };
    assert!(load_bytes(half, options).is_err());
    Ok(())
}

#[test]
fn long_lines_and_many_fields_are_bounded() {
    let long = "x".repeat(3_000_000);
    let trace = load(&format!("State, c, S, 0, 1, 1, 0, {long}\n"));
    assert_eq!(rows(&trace, "states", &["value"])[0].len(), long.len());
    let trace = load(&format!(
        "State, c, S, 0, 1, 1, 0, a{}\n",
        ", b".repeat(100_000)
    ));
    assert!(trace.report.line().contains("too_many_fields"));
    let wide = ",x".repeat(50_000);
    let trace = load(&format!("resource,start,end{wide}\nA,0,1{wide}\n"));
    assert!(
        trace
            .relation("states")
            .is_some_and(|r| r.schema.fields().len() < 1_100)
    );
}

#[test]
fn interruption_and_progress() {
    let file = data("pj_dump_all_kinds.csv");
    let options = ReadOptions {
        paths: vec![file.display().to_string()],
        ..milliseconds()
    };
    let last = std::cell::Cell::new(0);
    let trace = read(&options, &AtomicBool::new(false), &|p| last.set(p.bytes));
    assert!(trace.is_ok());
    assert_eq!(
        Some(last.get()),
        std::fs::metadata(&file).ok().map(|data| data.len())
    );
    let diag = read(&options, &AtomicBool::new(true), &|_| {}).expect_err("an interruption");
    assert_eq!(diag.code.name, "interrupted");
}

#[test]
fn times_are_exact_at_epoch_scale() {
    let mut options = ReadOptions {
        unit: Some(TimeUnit::Second),
        ..ReadOptions::default()
    };
    let text = "State, c, S, 1690000000.123456789, 1690000000.123456790, 0.000000001, 0, a\n";
    let trace = load_bytes(text.as_bytes(), options.clone()).expect("a trace");
    assert_eq!(
        rows(&trace, "states", &["start", "end"]),
        ["1690000000123456789 1690000000123456790"]
    );
    options.resolution = Some(TimeUnit::Microsecond);
    let trace = load_bytes(text.as_bytes(), options).expect("a trace");
    assert_eq!(rows(&trace, "states", &["start"]), ["1690000000123457"]);
    assert!(trace.report.line().contains("2 time_rounded"));
}

/// Every real file of the shared folder, where there is one: it loads, and whole.
#[test]
fn real_files_load() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces");
    if !shared.exists() {
        return;
    }
    let counts = |name: &str| {
        let trace = load_files(&[shared.join(name)], milliseconds()).expect(name);
        let rows = |relation| trace.relation(relation).map_or(0, |r| r.rows());
        let report = &trace.report;
        assert_eq!(
            report.kept + report.rejected_rows(),
            report.records,
            "{name}"
        );
        [
            rows("states"),
            rows("events"),
            rows("links"),
            rows("variables"),
            rows("resources"),
            rows("rejects"),
        ]
    };
    let cases = [
        (
            "pj_dump/native_sample.pj_dump.csv",
            [3318, 2, 0, 880, 13, 0],
        ),
        (
            "pj_dump/native_sample.u.pj_dump.csv",
            [3318, 2, 0, 880, 13, 0],
        ),
        (
            "pj_dump/native_sample.hu.pj_dump.csv",
            [3318, 2, 0, 880, 13, 0],
        ),
        ("pj_dump/categories.pj_dump.csv", [0, 0, 17, 161, 15, 0]),
        ("pj_dump/categories.old_pj_dump.csv", [0, 0, 17, 161, 15, 0]),
        ("pj_dump/ms.pj_dump.csv", [0, 2, 17, 384, 16, 0]),
        ("pj_dump/ms.old_pj_dump.csv", [0, 2, 17, 384, 16, 0]),
        ("pj_dump/containers.pj_dump.csv", [0, 0, 0, 0, 10, 0]),
        ("pj_dump/links.pj_dump.csv", [0, 0, 2, 0, 3, 0]),
        ("pj_dump/gattaca.pj_dump.csv", [8, 0, 0, 0, 3, 0]),
        ("starvz/lu.paje.worker_state.csv.gz", [5681, 0, 0, 0, 38, 0]),
        ("starvz/lu.paje.comm_state.csv.gz", [627, 0, 0, 0, 2, 0]),
        ("starvz/lu.paje.memory_state.csv.gz", [105, 0, 0, 0, 2, 0]),
        ("starvz/lu.paje.other_state.csv.gz", [2170, 0, 0, 0, 2, 0]),
        ("starvz/lu.paje.events.csv.gz", [0, 2177, 0, 0, 4, 0]),
        ("starvz/lu.paje.link.csv.gz", [0, 0, 35, 0, 2, 0]),
        ("starvz/lu.paje.variable.csv.gz", [0, 0, 0, 1600, 44, 3]),
        ("starvz/lu.dag.csv.gz", [0, 0, 1779, 0, 0, 0]),
        ("starvz/lu.rec.tasks.csv.gz", [268, 0, 0, 0, 19, 959]),
        ("starvz/lu.pmtool_states.csv", [268, 0, 0, 0, 19, 0]),
        ("eventcsv/foo-bar.csv", [10, 0, 0, 0, 2, 0]),
        ("network/small.variables.csv", [0, 0, 0, 9600, 40, 0]),
        ("network/small.pjdump.csv", [0, 0, 0, 9600, 41, 0]),
    ];
    for (name, wanted) in cases {
        assert_eq!(counts(name), wanted, "{name}");
    }
}

/// A state as a line of each format, with distinct contents.
fn state_lines() -> impl Strategy<Value = Vec<(String, String)>> {
    let row = (0..5_u8, 0..1_000_u32, 0..1_000_u32, 0..3_u8, "[a-z]{1,8}");
    proptest::collection::vec(row, 1..40).prop_map(|rows| {
        let line = |(cpu, start, length, depth, value): (u8, u32, u32, u8, String)| {
            let end = start + length;
            let pj = format!(
                "State, CPU{cpu}, S, {start}.25, {end}.25, {length}, {depth}, {value}, {length}"
            );
            (
                pj,
                format!("CPU{cpu},{start}.25,{end}.25,{depth},{value},{length}"),
            )
        };
        rows.into_iter().map(line).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_rows_changes_nothing(
        (lines, shuffled) in state_lines().prop_flat_map(|lines| {
            (Just(lines.clone()), Just(lines).prop_shuffle())
        })
    ) {
        let contents = |trace: &TraceData, last: &str| {
            let columns = ["resource", "value", "start", "end", "depth", last];
            let mut states = rows(trace, "states", &columns);
            states.sort();
            (states, rows(trace, "resources", &["id", "path"]))
        };
        let pj = |lines: &[(String, String)]| {
            let text: Vec<&str> = lines.iter().map(|(pj, _)| pj.as_str()).collect();
            contents(&load(&text.join("\n")), "col9")
        };
        let table = |lines: &[(String, String)]| {
            let text: Vec<&str> = lines.iter().map(|(_, row)| row.as_str()).collect();
            contents(&load(&format!("resource,start,end,depth,value,size\n{}", text.join("\n"))), "size")
        };
        prop_assert_eq!(pj(&lines), pj(&shuffled));
        prop_assert_eq!(table(&lines), table(&shuffled));
        prop_assert_eq!(pj(&lines), table(&lines));
    }

    #[test]
    fn states_come_sorted(lines in state_lines()) {
        let text: Vec<&str> = lines.iter().map(|(pj, _)| pj.as_str()).collect();
        let trace = load(&text.join("\n"));
        let keys: Vec<Vec<i64>> = rows(&trace, "states", &["start", "end", "row"])
            .iter()
            .map(|row| row.split(' ').map(|cell| cell.parse().unwrap_or(-1)).collect())
            .collect();
        prop_assert!(keys.is_sorted());
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = load_bytes(&bytes, milliseconds());
        for start in ["State, c, S, 0, 1, 1, 0, a\n", "Nature,Type,ResourceId,Start,End,Value\n", "resource;start;end\n"] {
            let _ = load_bytes(&[start.as_bytes(), &bytes].concat(), milliseconds());
        }
    }

    #[test]
    fn garbled_rows_never_panic(
        text in "((State|Event|Link|Variable|Container|Enter|Leave|[a-c]|\"|-?[0-9]{1,20}|\\.|[,;\\t ]|\r|NA|1e9|\u{e9}){0,12}\n){0,12}",
        policy in 0..3_u8,
    ) {
        let policy = [Policy::Fail, Policy::Repair, Policy::Keep][usize::from(policy)];
        for start in [
            "State, c, S, 0, 1, 1, 0, a\n",
            "Nature,ResourceId,Type,Start,End,Value\n",
            "id,resource,start,end,depth\n",
            "time,resource,metric,value\n",
            "from,to,start\n",
            "Timestamp,Event Type,Name,Process\n0,Enter,a,0\n",
        ] {
            let options = ReadOptions { policy, ..milliseconds() };
            if let Ok(trace) = load_bytes(format!("{start}{text}").as_bytes(), options) {
                let report = &trace.report;
                prop_assert!(report.kept + report.rejected_rows() <= report.records);
            }
        }
    }
}
