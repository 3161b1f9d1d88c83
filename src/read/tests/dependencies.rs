//! Dependency tables beside a trace, and links of pj_dump.

use super::*;

const STATES: &str = "id,resource,value,start,end\na,CPU0,x,0,1\nb,CPU1,y,1,2\nc,CPU0,z,2,3\n";

/// Loads a trace and dependencies, both given as text.
fn with_deps(states: &str, deps: &str, options: ReadOptions) -> Result<TraceData, Diag> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a write");
        path
    };
    let path = file("run.csv", states);
    let deps = file("dag.csv", deps);
    let options = ReadOptions {
        deps: vec![deps.display().to_string()],
        ..options
    };
    load_files(&[path], options)
}

fn links(trace: &TraceData, columns: &[&str]) -> Vec<String> {
    rows(trace, "links", columns)
}

#[test]
fn edges_join_states_by_their_ids() {
    let deps = "from, to ,from_point,to_point,min_delay,max_delay,type,value,weight\n\
                a,b,,,0.5,1.25,data,buf,7\n b , c ,start,END,,,,,\n";
    let trace = with_deps(STATES, deps, milliseconds()).expect("a trace");
    let columns = [
        "source",
        "target",
        "source_point",
        "target_point",
        "min_delay",
        "max_delay",
        "type",
        "value",
        "weight",
    ];
    assert_eq!(
        links(&trace, &columns),
        [
            "a b end start 500000 1250000 data buf 7",
            "b c start end - - - - -"
        ]
    );
    assert_eq!(type_of(&trace, "links", "min_delay"), "time");
    assert_eq!((trace.report.records, trace.report.kept), (5, 5));
    assert!(trace.report.is_clean());
}

#[test]
fn an_id_of_no_state_is_an_error_with_its_place() {
    for policy in [Policy::Repair, Policy::Fail] {
        let options = ReadOptions {
            policy,
            ..milliseconds()
        };
        let diag = with_deps(STATES, "from,to\na,b\na,nobody\n", options).expect_err("an error");
        let place = diag.place.expect("a place");
        assert_eq!((diag.code.name, place.line), ("bad_row", 3));
        assert!(place.file.ends_with("dag.csv") && diag.message.contains("`nobody`"));
    }
    let options = ReadOptions {
        policy: Policy::Keep,
        ..milliseconds()
    };
    let trace = with_deps(STATES, "from,to\na,nobody\n", options).expect("a trace");
    assert_eq!(links(&trace, &["source", "target"]), ["a nobody"]);
    // States without ids cannot be named.
    let diag = with_deps(
        "resource,start,end\nA,0,1\n",
        "from,to\n0,0\n",
        milliseconds(),
    );
    assert!(
        diag.expect_err("no ids")
            .message
            .contains("no ids of their own")
    );
}

#[test]
fn rows_that_say_nonsense_are_rejected_and_odd_tables_refused() {
    let deps = "from,to,from_point,min_delay\na,b,middle,\na,b,,soon\na,b,end,1\n";
    let trace = with_deps(STATES, deps, milliseconds()).expect("a trace");
    assert_eq!(
        rows(&trace, "rejects", &["line", "code"]),
        ["2 bad_point", "3 time_not_a_number"]
    );
    assert_eq!(links(&trace, &["min_delay"]), ["1000000"]);
    let code = |deps: &str| match with_deps(STATES, deps, milliseconds()) {
        Ok(trace) => format!("{} links", links(&trace, &["source"]).len()),
        Err(diag) => diag.code.name.to_owned(),
    };
    assert_eq!(code("before,after\na,b\n"), "missing_role");
    assert_eq!(code("one\na\n"), "unknown_input_format");
    assert_eq!(code("\n"), "0 links");
    assert_eq!(code("from;to\na;b\n"), "1 links");
}

/// Job `1` was interrupted: the longest outermost state stands for it, whatever its place in the file.
const JOBS: &str = "Nature, ResourceId, Type, Start, End, Duration, Depth, Value, JobId\n\
    State, CPU0, W, 0, 1, 1, 0, dgemm, 1\n\
    State, CPU0, W, 1, 9, 8, 1, Callback, 1\n\
    State, CPU0, W, 2, 5, 3, 0, dgemm, 1\n\
    State, CPU0, W, 5, 6, 1, 0, Idle\n\
    State, CPU1, W, 6, 7, 1, 0, dtrsm, 2\n";

#[test]
fn jobs_of_starvz_are_matched_by_their_column() {
    let trace = with_deps(JOBS, "Dependent,JobId\n1,2\n1,mpi_7\n", milliseconds());
    let trace = trace.expect("a trace");
    assert_eq!(
        rows(&trace, "states", &["id", "value", "JobId"]),
        [
            "0 dgemm 1",
            "1 Callback 1",
            "2 dgemm 1",
            "3 Idle -",
            "4 dtrsm 2"
        ]
    );
    assert_eq!(
        links(
            &trace,
            &["source", "target", "source_point", "target_point"]
        ),
        ["2 4 end start"]
    );
    assert_eq!(rows(&trace, "rejects", &["line", "code"]), ["3 unknown_id"]);
    let options = ReadOptions {
        policy: Policy::Fail,
        ..milliseconds()
    };
    assert!(with_deps(JOBS, "Dependent,JobId\n1,mpi_7\n", options).is_err());
    // pj_dump rows with a named column.
    let rows_of =
        "State, CPU0, W, 0, 1, 1, 0, a, 64, 0_1\nState, CPU1, W, 3, 4, 1, 0, b, 64, 0_2\n";
    let options = ReadOptions {
        columns: Some(vec!["Size".to_owned(), "JobId".to_owned()]),
        ..milliseconds()
    };
    let trace = with_deps(rows_of, "Dependent,JobId\n0_1,0_2\n", options).expect("a trace");
    assert_eq!(links(&trace, &["source", "target"]), ["0 1"]);
}

#[test]
fn tasks_of_starpu_list_what_they_depend_on() {
    let deps = "Control,JobId,Name,DependsOn,DepLabels\n,2,dtrsm,1 9,task ghost\nWontUse,3,,1,task\n,1,dgemm,,\n,2,dtrsm,8,x\n";
    let trace = with_deps(JOBS, deps, milliseconds()).expect("a trace");
    assert_eq!(links(&trace, &["source", "target", "value"]), ["2 4 task"]);
    assert_eq!(
        rows(&trace, "rejects", &["line", "code"]),
        ["3 unknown_id", "5 unknown_id"]
    );
    assert!(trace.report.line().contains("repaired: 1 unknown_id"));
    let report = &trace.report;
    assert_eq!(report.kept + report.rejected_rows(), report.records);
}

/// Counts and one edge of the real files, found with a script of its own (2 of 1134 ids in the dag are
/// shared with states for 382 of 1779 rows).
#[test]
fn the_real_dag_joins_the_real_states() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces/starvz");
    if !shared.exists() {
        return;
    }
    for (deps, wanted) in [("lu.dag.csv.gz", 382), ("lu.rec.tasks.csv.gz", 382)] {
        let options = ReadOptions {
            deps: vec![shared.join(deps).display().to_string()],
            ..milliseconds()
        };
        let states = [shared.join("lu.paje.worker_state.csv.gz")];
        let trace = load_files(&states, options).expect("a trace");
        let found = links(&trace, &["source", "target"]);
        assert_eq!(found.len(), wanted, "{deps}");
        let ids: std::collections::HashSet<String> =
            rows(&trace, "states", &["JobId"]).into_iter().collect();
        for link in &found {
            let (source, target) = link.split_once(' ').expect("two ends");
            assert!(ids.contains(source) && ids.contains(target), "{link}");
        }
        assert!(trace.report.notes.is_empty(), "{:?}", trace.report.notes);
    }
}

#[test]
fn links_of_pj_dump_join_places() {
    let trace = load_files(&[data("pj_dump_links.csv")], milliseconds()).expect("a trace");
    let columns = [
        "type",
        "value",
        "source_resource",
        "target_resource",
        "start",
        "end",
        "key",
        "owner",
        "col11",
        "col12",
    ];
    assert_eq!(
        links(&trace, &columns),
        [
            "MPI data p1 p2 240000 1020000 k,1 - 64 tag",
            "MPI data p1 p3 1040000 2100000 - node - -",
            "LINK ack p3 p1 3000000 2500000 myKey-002 - - -",
        ]
    );
    // Their ends are places, whatever states begin or end there.
    assert_eq!(links(&trace, &["source", "target"]), ["- -", "- -", "- -"]);
    assert!(trace.report.is_clean(), "{}", trace.report.line());
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/traces/pj_dump");
    if !shared.exists() {
        return;
    }
    let options = ReadOptions {
        unit: Some(TimeUnit::Second),
        ..ReadOptions::default()
    };
    let trace = load_files(&[shared.join("links.pj_dump.csv")], options).expect("a trace");
    assert_eq!(
        links(&trace, &columns[..7]),
        [
            "LINK c p1 p2 240000000 1020000000 myKey-001",
            "LINK c p1 p3 1040000000 2100000000 myKey-002"
        ]
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(100))]

    #[test]
    fn garbled_tables_never_panic(
        header in "(from|to|JobId|Dependent|DependsOn|DepLabels|from_point|min_delay|x)(,(from|to|JobId|Dependent|DependsOn|min_delay|type|x)){1,4}",
        text in "((a|b|c|1|2|start|end|[ ,\";]|é|-?[0-9.]{1,4}){0,10}\n){0,8}",
        policy in 0..3_u8,
    ) {
        let policy = [Policy::Fail, Policy::Repair, Policy::Keep][usize::from(policy)];
        for states in [STATES, JOBS] {
            let options = ReadOptions {
                policy,
                ..milliseconds()
            };
            if let Ok(trace) = with_deps(states, &format!("{header}\n{text}"), options) {
                let report = &trace.report;
                proptest::prop_assert_eq!(report.kept + report.rejected_rows(), report.records);
            }
        }
    }
}
