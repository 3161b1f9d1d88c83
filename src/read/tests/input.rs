//! Files: several, odd, broken, long; and the real ones.

use super::*;
use std::path::Path;

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
