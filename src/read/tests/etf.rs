//! TRACE4CPS traces: what each line becomes, what waits, what is wrong.

use super::*;

fn machine() -> TraceData {
    load_files(&[data("machine.etf")], ReadOptions::default()).expect("a trace")
}

fn seconds(text: &str) -> TraceData {
    load_bytes(text.as_bytes(), ReadOptions::default()).expect(text)
}

#[test]
fn claims_are_states_with_their_own_ids() {
    let trace = machine();
    assert_eq!(trace.clock.unit, Some(TimeUnit::Millisecond));
    let columns = [
        "id", "resource", "type", "value", "start", "end", "depth", "amount", "offset", "part",
    ];
    assert_eq!(
        rows(&trace, "states", &columns),
        [
            "10 saw - cut 0 2500000 0 1.0 - A",
            "12 memory - hold 1 5000000 0 3.0 0.0 A",
            "13 memory - hold 1000000 3000000 0 1.0 3.0 B",
            "11 drill#1 - bore, deep 2500000 4000000 0 1.0 - A",
            "14 saw - - 2500000 2500000 0 1.0 - B",
            "15 drill#4 - bore 6000000 7000000 0 0.5 - C",
            "16 packer - pack 7000000 8000000 0 1.0 - C",
        ]
    );
    // Attributes named like columns of the model, or like those that the reader fills.
    let columns = ["id", "attr.id", "attr.type", "attr.start", "attr.amount"];
    assert_eq!(
        rows(&trace, "states", &columns)[..6],
        [
            "10 007 - - -",
            "12 - - - -",
            "13 - - - full",
            "11 - - - -",
            "14 - idle - -",
            "15 - - soon -"
        ]
    );
    assert_eq!(type_of(&trace, "states", "id"), "int");
    assert_eq!(type_of(&trace, "states", "amount"), "float");
}

#[test]
fn resources_of_one_name_stay_apart_and_the_trace_has_one_of_its_own() {
    let columns = [
        "path",
        "name",
        "type",
        "capacity",
        "resource_id",
        "uses_offset",
        "kind",
        "row",
    ];
    let trace = machine();
    assert_eq!(
        rows(&trace, "resources", &columns),
        [
            "3 3 - 1.0 3 - - -",
            "drill#1 drill - 1.0 1 - - -",
            "drill#4 drill - 1.5 4 - spare -",
            "memory memory - 4.0 2 true - -",
            "packer packer - 1.0 late - - -",
            "saw saw - 1.0 0 - - 3",
            "trace trace Trace - - - - -",
        ]
    );
    assert_eq!(
        rows(&trace, "resources", &["path", "author", "run", "origin"])[6],
        "trace hand 7 1609459200000"
    );
    assert_eq!(type_of(&trace, "resources", "origin"), "int");
}

#[test]
fn events_and_dependencies_find_what_they_name() {
    let trace = machine();
    assert_eq!(
        rows(
            &trace,
            "events",
            &["id", "resource", "value", "time", "part"]
        ),
        [
            "0 saw begin 500000 -",
            "10 memory alarm 3000000 -",
            "1 trace done 8000000 A"
        ]
    );
    let mut links = rows(
        &trace,
        "links",
        &[
            "id",
            "type",
            "value",
            "source",
            "target",
            "source_point",
            "target_point",
            "min_delay",
            "max_delay",
            "weight",
        ],
    );
    links.sort();
    assert_eq!(
        links,
        [
            "0 0 part 10 11 end start 250000 - -",
            "1 3 - 11 15 end start - 2000000 1.5",
            "2 1 - - 10 - start - - -",
            "3 2 - 16 - end - - - -",
        ]
    );
    let columns = [
        "id",
        "source_event",
        "target_event",
        "source_resource",
        "target_resource",
        "start",
        "end",
    ];
    let mut links = rows(&trace, "links", &columns);
    links.sort();
    assert_eq!(
        links,
        [
            "0 - - - - - -",
            "1 - - - - - -",
            "2 0 - saw - 500000 -",
            "3 - 1 - - - 8000000",
        ]
    );
    assert_eq!(type_of(&trace, "links", "min_delay"), "time");
    assert_eq!(type_of(&trace, "links", "max_delay"), "time");
    // Claim and event are both called 10.
    assert_eq!(trace.report.notes.len(), 1, "{:?}", trace.report.notes);
    assert!(trace.report.notes[0].contains("the claim was taken"));
}

#[test]
fn signals_are_steps_and_samples() {
    let trace = machine();
    let columns = ["resource", "metric", "start", "end", "value", "unit"];
    let found = rows(&trace, "variables", &columns);
    assert_eq!(found.len(), 1 + 17 + 2);
    assert_eq!(found[0], "trace load 0 10000000 1.0 percent");
    assert_eq!(found[1], "trace temperature/oven 0 - 20.5 -");
    assert_eq!(found[2], "trace temperature/oven 1500000 - 21.0 -");
    // 2 + x/2 + x²/4 at x = 0, 1, 2, …, 16 ms.
    for (x, row) in found[3..].iter().enumerate() {
        let value = 2.0 + x as f64 / 2.0 + (x * x) as f64 / 4.0;
        let wanted = format!(
            "trace load {} - {value:?} percent",
            10_000_000 + x * 1_000_000
        );
        assert_eq!(*row, wanted);
    }
    assert_eq!(
        rows(&trace, "variables", &["c", "b", "a"])[3],
        "2.0 0.5 0.25"
    );
    assert_eq!(rows(&trace, "variables", &["c", "b", "a"])[0], "- - -");
}

#[test]
fn bad_lines_go_to_rejects_with_their_place() {
    let trace = machine();
    assert_eq!(
        rows(&trace, "rejects", &["line", "code"]),
        [
            "37 not_read",
            "38 unknown_kind",
            "39 end_before_start",
            "40 time_not_a_number",
            "28 unknown_id",
        ]
    );
    let report = &trace.report;
    assert_eq!(report.kept + report.rejected_rows(), report.records);
    assert!(report.repaired.is_empty(), "{}", report.line());
    let options = ReadOptions {
        policy: Policy::Fail,
        ..ReadOptions::default()
    };
    let diag = load_files(&[data("machine.etf")], options).expect_err("a line that is not read");
    let place = diag.place.expect("a place");
    assert_eq!((diag.code.name, place.line), ("bad_row", 37));
    assert_eq!(place.text, "TSR 7 0 0 10 1 2 3");
}

#[test]
fn the_unit_is_that_of_the_file_or_seconds() {
    let claim = "R 0 1 false;\nC 0 0 1.5 0 1;name=a\n";
    let end = |text: &str, unit: Option<TimeUnit>| {
        let options = ReadOptions {
            unit,
            ..ReadOptions::default()
        };
        let trace = load_bytes(text.as_bytes(), options).expect(text);
        (
            rows(&trace, "states", &["end"])[0].clone(),
            trace.report.notes,
        )
    };
    assert_eq!(end(claim, None), ("1500000000".to_owned(), vec![]));
    assert_eq!(end(claim, Some(TimeUnit::Microsecond)).0, "1500");
    assert!(end(claim, Some(TimeUnit::Microsecond)).1.is_empty());
    let minutes = format!("TU MINUTES\n{claim}");
    assert_eq!(end(&minutes, None).0, "90000000000");
    let (found, notes) = end(&minutes, Some(TimeUnit::Second));
    assert_eq!((found.as_str(), notes.len()), ("1500000000", 1));
    for bad in ["TU FORTNIGHTS\n", "TU SECONDS\nTU HOURS\n"] {
        let text = format!("{bad}{claim}");
        let diag = fails(&text, ReadOptions::default());
        assert_eq!(diag.code.name, "bad_row", "{text}");
    }
}

#[test]
fn the_value_is_another_attribute_on_demand() {
    let text = "R 0 100.0 false;\nC 3 3.0 4.0 0 100.0;p1=true\nC 4 4.0 5.0 0 100.0;p1=false\n";
    let trace = seconds(text);
    assert_eq!(
        rows(&trace, "states", &["value", "p1"]),
        ["- true", "- false"]
    );
    assert!(
        trace.report.notes[0].contains("`p1`"),
        "{:?}",
        trace.report.notes
    );
    let mut options = ReadOptions::default();
    options.roles.value = Some("p1".to_owned());
    let trace = load_bytes(text.as_bytes(), options).expect("a trace");
    assert_eq!(rows(&trace, "states", &["value"]), ["true", "false"]);
    assert!(trace.report.notes.is_empty());
}

#[test]
fn offsets_that_do_not_fit_their_resource_are_counted() {
    let trace = seconds(
        "R 0 1 false;name=a\nR 1 1 true;name=b\nC 0 0 1 0 2 1;name=x\nC 1 0 1 1 1;name=x\nC 2 0 1 9 1;name=x\n\
         C 3 0 1 0 much;name=x\n",
    );
    assert_eq!(
        rows(&trace, "states", &["resource", "amount", "offset"]),
        ["a 1.0 2.0", "b 1.0 -", "9 1.0 -", "a - -"]
    );
    let line = trace.report.line();
    for reason in [
        "2 offset_mismatch",
        "1 unknown_resource",
        "1 amount_not_a_number",
    ] {
        assert!(line.contains(reason), "{line}");
    }
}

#[test]
fn dependencies_to_nothing_follow_the_policy() {
    let text = "R 0 1 false;\nC a 0 1 0 1;name=x\nC b 1 2 0 1;name=x\nD 0 0 a b;\nD 1 0 a c;\n";
    let load = |policy| {
        let options = ReadOptions {
            policy,
            ..ReadOptions::default()
        };
        load_bytes(text.as_bytes(), options)
    };
    let trace = load(Policy::Repair).expect("a trace");
    assert_eq!(rows(&trace, "links", &["source", "target"]), ["a b"]);
    assert_eq!(rows(&trace, "rejects", &["line", "code"]), ["5 unknown_id"]);
    let trace = load(Policy::Keep).expect("a trace");
    assert_eq!(rows(&trace, "links", &["source", "target"]), ["a b", "a c"]);
    let place = load(Policy::Fail).expect_err("an unknown id").place;
    assert_eq!(place.map(|place| place.line), Some(5));
}

#[test]
fn other_formats_are_not_taken_for_etf() {
    let reader = super::super::etf::Etf;
    let vote = |text: &str| {
        use super::super::Reader;
        reader.sniff(&super::super::Head {
            text: text.as_bytes(),
            whole: true,
            path: Path::new("x"),
        })
    };
    use super::super::Vote;
    assert_eq!(vote("TU SECONDS\nR 0 1 false;\n"), Vote::Sure);
    assert_eq!(
        vote("# made by hand\nC 0 0.0 1.5 0 1;name=A,level=1\n"),
        Vote::Sure
    );
    assert_eq!(vote("S 0; name=s1\n"), Vote::Maybe);
    for text in [
        "T,value,start,end\n1,a,0,1\n",
        "State, c, S, 0, 1, 1, 0, a\n",
        "resource;start;end\nC;0;1\n",
        "E 1 2\n",
        "C is a language\n",
    ] {
        assert_eq!(vote(text), Vote::No, "{text}");
    }
}

#[test]
fn gzip_crlf_and_broken_ends_are_taken() {
    let text = "TU SECONDS\r\nR 0 1 false;name=a\r\nC 0 0 1 0 1;name=caf\u{e9}\r\n";
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).expect("a write");
    let bytes = encoder.finish().expect("the end");
    let trace = load_bytes(&bytes, ReadOptions::default()).expect("a trace");
    assert_eq!(
        rows(&trace, "states", &["resource", "value"]),
        ["a caf\u{e9}"]
    );
    let trace = load_bytes(
        b"R 0 1 false;name=\xe9\nC 0 0 1 0 1;name=x\n",
        ReadOptions::default(),
    );
    assert!(trace.expect("a trace").report.line().contains("1 not_utf8"));
}

#[test]
fn several_files_share_resources_and_keep_ids_apart() -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let mut paths = Vec::new();
    for rank in [1, 2] {
        let path = folder.path().join(format!("rank{rank}.etf"));
        std::fs::write(
            &path,
            "T a=1\nR 0 1 false;name=cpu\nC 0 0 1 0 1;name=x\nC 1 1 2 0 1;name=y\nD 0 0 0 1;\n",
        )?;
        paths.push(path);
    }
    let trace = load_files(&paths, ReadOptions::default()).expect("a trace");
    assert_eq!(rows(&trace, "resources", &["path"]), ["cpu", "trace"]);
    assert_eq!(
        rows(&trace, "links", &["source", "target"]),
        ["1/0 1/1", "2/0 2/1"]
    );
    let options = ReadOptions {
        file_as: Some("rank".to_owned()),
        ..ReadOptions::default()
    };
    let trace = load_files(&paths, options).expect("a trace");
    assert_eq!(
        rows(&trace, "resources", &["path", "parent"]),
        ["1 -", "1/cpu 1", "1/trace 1", "2 -", "2/cpu 2", "2/trace 2"]
    );
    Ok(())
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(200))]

    #[test]
    fn garbled_lines_never_panic(
        text in "((TU|O|T|R|C|E|D|S|F|TS|TSS|TSP|TSR|SECONDS|true|[0-3]|-?[0-9]{1,20}|name=a|resource=1|marey\\.(null|parent|escape|trace|place|metric)=(a|percent|1)|[;,=% .é]| ){0,14}\n){0,14}",
        policy in 0..3_u8,
    ) {
        let policy = [Policy::Fail, Policy::Repair, Policy::Keep][usize::from(policy)];
        for start in ["", "R 0 1 false;name=a\nC 0 0 1 0 1;name=x\nE 1 2;name=y\nS 0;name=s\n"] {
            let options = ReadOptions {
                policy,
                format: Some("etf".to_owned()),
                ..ReadOptions::default()
            };
            if let Ok(trace) = load_bytes(format!("{start}{text}").as_bytes(), options) {
                let report = &trace.report;
                proptest::prop_assert_eq!(report.kept + report.rejected_rows(), report.records);
            }
        }
    }
}
