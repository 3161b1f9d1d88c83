//! TRACE4CPS traces and dependency tables, through the program: what `load` gives, what `save` writes, and that
//! one undoes the other.

mod made;
mod round_trip;

use crate::support::{Ran, run, same, workspace};
use std::path::Path;

/// What each relation of a trace shows, in an order of its own.
const SHOWN: [&str; 5] = [
    "sort `id` | select `id`, resource, `type`, value, `start`, end, depth, truncated, `amount`, offset, part, `attr.id`, `attr.type`, `attr.start`, `attr.amount`",
    "focus events | sort id | select id, resource, value, time, part",
    "focus links | sort id | select id, type, value, source, target, source_point, target_point, source_resource, \
     target_resource, start, end, source_event, target_event, min_delay, max_delay, weight",
    "focus variables | sort metric, start, value | select resource, metric, start, end, value, unit, c, b, a",
    "focus resources | sort id | select id, path, name, type, capacity, resource_id, uses_offset, kind, author, run, origin",
];

fn shown(file: &str, what: &str, place: &Path) -> String {
    run(&format!("load {file:?} | {what}"), place).good()
}

/// Standard error without the breaks of long lines.
fn said(ran: &Ran) -> String {
    ran.stderr.replace("\n        ", " ").replace("\n  | ", " ")
}

#[track_caller]
fn refused(ran: &Ran, code: i32, name: &str, says: &str) {
    assert_eq!(
        (ran.code, ran.codes()),
        (code, vec![name]),
        "{}",
        ran.stderr
    );
    assert!(said(ran).contains(says), "{says}\n{}", ran.stderr);
}

#[test]
fn claims_are_states() {
    let place = workspace();
    let script = "load \"machine.etf\" | sort `id` | select `id`, resource, value, `start`, end, `amount`, offset";
    // By hand from the file; times in its milliseconds.
    let expected = "id,resource,value,start,end,amount,offset\n\
        10,saw,cut,0,2.5,1,\n\
        11,drill#1,\"bore, deep\",2.5,4,1,\n\
        12,memory,hold,0.000001,5,3,0\n\
        13,memory,hold,1,3,1,3\n\
        14,saw,,2.5,2.5,1,\n\
        15,drill#4,bore,6,7,0.5,\n\
        16,packer,pack,7,8,1,\n";
    let ran = run(script, place.path());
    assert!(ran.codes().iter().all(|code| *code == "load_report"));
    for part in ["1 not_read", "1 unknown_id", "machine.etf:37"] {
        assert!(said(&ran).contains(part), "{part}\n{}", ran.stderr);
    }
    same(&ran.good(), expected, "claims");
}

#[test]
fn a_saved_trace_comes_back() {
    let place = workspace();
    let saved = run("load \"machine.etf\" | save \"again.etf\"", place.path());
    assert!(
        said(&saved).contains("5 rows of `rejects` are left out"),
        "{}",
        saved.stderr
    );
    saved.good();
    for what in SHOWN {
        let first = shown("machine.etf", what, place.path());
        same(&shown("again.etf", what, place.path()), &first, what);
        assert!(first.lines().count() > 3, "{first}");
    }
    // Through another format and back.
    run("load \"again.etf\" | save \"again.parquet\"", place.path()).good();
    run("load \"again.parquet\" | save \"third.etf\"", place.path()).good();
    for what in SHOWN {
        let first = shown("machine.etf", what, place.path());
        same(&shown("third.etf", what, place.path()), &first, what);
    }
}

#[test]
fn traces_of_other_formats_come_back_too() {
    let place = workspace();
    for (file, options) in [
        ("pj_dump_all_kinds.csv", "unit=ms"),
        ("starvz_states.csv", "unit=ms deps=\"dag_links.csv\""),
    ] {
        run(
            &format!("load {file:?} {options} | save \"out.etf\""),
            place.path(),
        )
        .good();
        for what in [
            "sort start, resource, value | select id, resource, type, value, start, end, depth, truncated",
            "focus links | sort id | select id, type, value, source, target, source_point, target_point, \
             source_resource, target_resource, start, end, key",
            "focus variables | sort start | select resource, metric, start, end, value",
            "focus events | select id, resource, type, value, time",
            "focus resources | sort id | select id, path, name, parent, type, start, end, capacity",
        ] {
            let first = run(&format!("load {file:?} {options} | {what}"), place.path()).good();
            same(&shown("out.etf", what, place.path()), &first, what);
        }
    }
}

#[test]
fn a_view_is_saved_without_what_it_hides() {
    let place = workspace();
    let script = "load \"machine.etf\" | filter resource != \"saw\" | save \"view.etf\"";
    run(script, place.path()).good();
    let states = shown("view.etf", "sort id | select id", place.path());
    assert_eq!(states, "id\n11\n12\n13\n15\n16\n");
    let links = shown(
        "view.etf",
        "focus links | sort id | select id",
        place.path(),
    );
    assert_eq!(links, "id\n1\n3\n");
}

#[test]
fn the_unit_is_said_or_asked_for() {
    let place = workspace();
    let head = |script: &str| {
        run(script, place.path()).good();
        let text = std::fs::read_to_string(place.path().join("u.etf")).expect("a file");
        let claim = text.lines().find(|line| line.starts_with("C "));
        (
            text.lines().next().unwrap_or_default().to_owned(),
            claim.unwrap_or_default().to_owned(),
        )
    };
    let (unit, claim) = head("load \"hand.csv\" unit=ms | save \"u.etf\" unit=us");
    assert_eq!(unit, "TU MICROSECONDS");
    assert!(claim.contains(" 0 30000 "), "{claim}");
    let (unit, claim) = head("load \"hand.csv\" | save \"u.etf\" unit=s");
    assert_eq!(unit, "TU SECONDS");
    assert!(claim.contains(" 0 30 "), "{claim}");
    let ran = run("load \"hand.csv\" | save \"v.etf\"", place.path());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.codes().contains(&"missing_argument"), "{}", ran.stderr);
    assert!(!place.path().join("v.etf").exists());
}

#[test]
fn a_table_is_no_trace() {
    let place = workspace();
    let ran = run(
        "load \"hand.csv\" unit=ms | profile | save \"p.etf\"",
        place.path(),
    );
    refused(&ran, 2, "unknown_format", "save the trace before the stage");
    let ran = run("load \"hand.csv\" unit=ms | save \"p.etff\"", place.path());
    refused(&ran, 2, "unknown_format", "did you mean `.etf`?");
}

#[test]
fn dependencies_become_links() {
    let place = workspace();
    let write = |name: &str, text: &str| {
        std::fs::write(place.path().join(name), text).expect("a write");
    };
    write(
        "run.csv",
        "id,resource,value,start,end\na,CPU0,x,0,1\nb,CPU1,y,1,2\n",
    );
    write("good.csv", "from,to,min_delay\na,b,0.25\n");
    write("bad.csv", "from,to\na,b\nb,nobody\n");
    let script = "load \"run.csv\" deps=\"good.csv\" unit=ms | focus links | select source, target, min_delay";
    assert_eq!(
        run(script, place.path()).good(),
        "source,target,min_delay\na,b,0.25\n"
    );
    // It is a time.
    let script = "load \"run.csv\" deps=\"good.csv\" unit=ms | focus links | filter min_delay == 250us | summarize count()";
    assert_eq!(run(script, place.path()).good(), "count\n1\n");
    let ran = run("load \"run.csv\" deps=\"bad.csv\" unit=ms", place.path());
    refused(&ran, 3, "bad_row", "`nobody` is the id of no state");
    assert!(ran.stderr.contains("bad.csv:3"), "{}", ran.stderr);
    let ran = run("load \"run.csv\" deps=\"none.csv\" unit=ms", place.path());
    refused(&ran, 3, "input_missing", "`none.csv`");
    let dag = "load \"starvz_states.csv\" deps=\"dag.csv\" unit=ms";
    write("dag.csv", "Dependent,JobId\n0_1,0_2\n0_2,mpi_9\n");
    let ran = run(
        &format!("{dag} | focus links | select source, target"),
        place.path(),
    );
    assert!(
        said(&ran).contains("1 unknown_id (first dag.csv:3)"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.good(), "source,target\n0_1,0_2\n");
    let rejects = run(
        &format!("{dag} | focus rejects | select file, line, code"),
        place.path(),
    );
    assert_eq!(rejects.good(), "file,line,code\ndag.csv,3,unknown_id\n");
}
