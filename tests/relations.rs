//! Verbs over two tables and over time: `join`, `union`, `utilization`, `parallelism`. Expected rows are worked out by
//! hand from `hand.csv`, unless a case says otherwise.

use crate::support::{run, workspace};

/// Runs a script over `run`, the states of `hand.csv`.
fn gives(script: &str) -> String {
    let place = workspace();
    let script = format!("let run = load \"hand.csv\" unit=ms\n{script}");
    run(&script, place.path()).good()
}

/// The code and the text of what a script is refused for.
fn refused(script: &str) -> (Vec<String>, String) {
    let place = workspace();
    let script = format!("let run = load \"hand.csv\" unit=ms\n{script}");
    let ran = run(&script, place.path());
    assert_eq!(ran.code, 2, "{script}\n{}", ran.stderr);
    let codes = ran.codes().iter().map(|code| (*code).to_owned()).collect();
    (codes, ran.stderr)
}

#[test]
fn an_inner_join_gives_every_pair_once() {
    // A is three times on the left, twice on the right; Z only on the right.
    let place = workspace();
    std::fs::write(
        place.path().join("names.csv"),
        "value,start,end,label,resource\nA,0,1,first,r\nA,1,2,second,r\nZ,2,3,third,r\n",
    )
    .unwrap();
    let script = "let names = load \"names.csv\" unit=ms | select value, label, start\n\
                  load \"hand.csv\" unit=ms | select value, start | join names on=value";
    let rows = run(script, place.path()).good();
    assert_eq!(
        rows,
        "value,start,label,right_start\nA,0,first,0\nA,0,second,1\nA,34,first,0\nA,34,second,1\nA,72,first,0\nA,72,second,1\n"
    );
}

#[test]
fn a_left_join_keeps_rows_without_a_partner() {
    let rows = gives(
        "run | select value, end | join (run | profile | take 1 | select value, number) on=value how=left | filter end <= 48ms",
    );
    let mut lines: Vec<&str> = rows.lines().skip(1).collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        ["A,30,3", "A,38,3", "B,33,", "B,48,", "P,40,", "Q,15,"]
    );
}

#[test]
fn semi_and_anti_split_the_rows_and_a_trace_stays_one() {
    let of = |how: &str| {
        gives(&format!(
            "run | join (run | profile | take 2) on=value how={how} | summarize n = count()"
        ))
    };
    // A three times, P once; ten rows in all.
    assert_eq!(of("semi"), "n\n4\n");
    assert_eq!(of("anti"), "n\n6\n");
    let still = gives(
        "run | join (run | profile | take 2) on=value how=semi | profile | select value, duration",
    );
    assert_eq!(still, "value,duration\nP,40\nA,36\n");
}

#[test]
fn several_keys_and_lists_of_one_mean_the_same_everywhere() {
    let one = gives("run | join (run | distinct value) on=value how=semi | summarize count()");
    assert_eq!(
        one,
        gives("run | join (run | distinct value) on=[value] how=semi | summarize count()")
    );
    let two = gives("run | join run on=[resource, start] | summarize n = count()");
    assert_eq!(two, "n\n10\n");
}

#[test]
fn nulls_equal_nothing() {
    let side = "(run | derive key = if value == \"A\" then value else null | select key, start)";
    let rows = gives(&format!(
        "{side} | join {side} on=key | summarize n = count()"
    ));
    // Three rows of A meet three.
    assert_eq!(rows, "n\n9\n");
}

#[test]
fn overlaps_are_cut_to_the_intersection() {
    let rows = gives(
        "let p = run | filter value == \"P\" | select start, end, what = value\n\
         run | filter resource == \"CPU0\" | select value, start, end | join p on=[] how=overlap",
    );
    assert_eq!(
        rows,
        "value,start,end,right_start,right_end,what,overlap\nA,0,30,0,40,P,30\nB,30,33,0,40,P,3\nA,34,38,0,40,P,4\nB,38,40,0,40,P,2\n"
    );
}

#[test]
fn overlaps_stay_within_the_resource_and_instants_meet_what_they_lie_in() {
    let rows = gives(
        "run | join run how=overlap | filter value != right_value | select value, right_value, start, end, overlap",
    );
    // Only P and Q of CPU1 overlap; the instant of B at 74 touches neither neighbour (74 is A's end, C begins at 75).
    assert_eq!(
        rows,
        "value,right_value,start,end,overlap\nP,Q,10,15,5\nQ,P,10,15,5\n"
    );
    let instant = gives(
        "let at = run | filter start == end | derive start = start - 1ms, end = end - 1ms\n\
         run | join at how=overlap | select value, start, end, overlap",
    );
    assert_eq!(instant, "value,start,end,overlap\nA,73,73,0\n");
}

#[test]
fn join_says_what_is_missing() {
    for (script, code, says) in [
        ("run | join run", "missing_argument", "on="),
        ("run | join run on=[]", "missing_argument", "empty"),
        (
            "run | join (run | profile) on=resource",
            "unknown_column",
            "right side",
        ),
        (
            "run | join (run | profile) how=overlap",
            "missing_argument",
            "on=[]",
        ),
        (
            "run | join (run | profile) how=overlap on=value",
            "unknown_column",
            "start",
        ),
        (
            "run | join (run | derive value = 1) on=value",
            "type_mismatch",
            "string",
        ),
        (
            "run | join run on=[value, value]",
            "duplicate_name",
            "twice",
        ),
        (
            "run | derive right_start = start | join run on=value",
            "duplicate_name",
            "right_start",
        ),
        (
            "run | join (load \"hand.csv\" unit=ms resolution=us) on=value",
            "unit_mismatch",
            "resolution=",
        ),
        (
            "run | derive overlap = 1 | join run how=overlap",
            "duplicate_name",
            "overlap",
        ),
    ] {
        let (codes, text) = refused(script);
        assert_eq!(codes, [code], "{script}\n{text}");
        assert!(text.contains(says), "{script}\n{text}");
    }
}

#[test]
fn a_union_matches_columns_by_name() {
    let rows = gives(
        "let a = run | filter value == \"Q\" | select value, start\n\
         let b = run | filter value == \"P\" | select depth, value\n\
         a | union [b, a] | sort value, start",
    );
    assert_eq!(rows, "value,start,depth\nP,,0\nQ,10,\nQ,10,\n");
}

#[test]
fn a_union_refuses_types_and_clocks_that_differ() {
    let (codes, text) = refused("run | union (run | derive value = 1)");
    assert_eq!(codes, ["type_mismatch"], "{text}");
    let (codes, text) = refused("run | union (load \"hand.csv\" unit=ms resolution=us)");
    assert_eq!(codes, ["unit_mismatch"], "{text}");
    let (codes, text) = refused("run | union []");
    assert_eq!(codes, ["missing_argument"], "{text}");
}

#[test]
fn utilization_counts_covered_time_once() {
    assert_eq!(
        gives("run | utilization | select resource, busy, idle"),
        "resource,busy,idle\nCPU0,77,23\nCPU1,40,60\n"
    );
    // The window leaves CPU1 without states.
    assert_eq!(
        gives("run | window 58ms..74ms | utilization"),
        "resource,busy,idle,share\nCPU0,5,11,0.3125\n"
    );
    assert_eq!(
        gives("run | utilization range=..10ms | select resource, busy, idle"),
        "resource,busy,idle\nCPU0,10,0\nCPU1,10,0\n"
    );
    let (codes, text) = refused("run | utilization range=2ms..1ms");
    assert_eq!(codes, ["invalid_value"], "{text}");
    let (codes, text) = refused("run | profile | utilization");
    assert_eq!(codes, ["unknown_column"], "{text}");
}

#[test]
fn claims_count_by_their_share_of_the_capacity() {
    // Capacity 4: P takes 1 of it for 40 ms, Q 3 for 5 ms: (40 + 15) / 4 = 13.75 ms of 40.
    assert_eq!(
        gives(
            "run | filter resource == \"CPU1\" | derive amount = if value == \"P\" then 1 else 3, capacity = 4 | utilization"
        ),
        "resource,busy,idle,share\nCPU1,13.75,26.25,0.34375\n"
    );
    // Without an amount a claim takes all.
    assert_eq!(
        gives(
            "run | filter resource == \"CPU1\" | derive amount = if value == \"P\" then null else 1, capacity = 4 | select resource, type, value, start, end, amount, capacity | utilization | select busy"
        ),
        "busy\n41.25\n"
    );
}

#[test]
fn parallelism_steps_where_the_number_changes() {
    assert_eq!(
        gives("run | parallelism"),
        "time,running\n0,2\n33,1\n34,2\n40,1\n48,0\n58,1\n61,0\n72,1\n74,0\n75,1\n100,0\n"
    );
    // With nested states as they are, Q counts beside P.
    assert_eq!(
        gives("run | filter resource == \"CPU1\" | parallelism nest=keep"),
        "time,running\n0,1\n10,2\n15,1\n40,0\n"
    );
    assert_eq!(
        gives("run | filter resource == \"CPU1\" | parallelism nest=1"),
        "time,running\n10,1\n15,0\n"
    );
}

#[test]
fn bins_conserve_time_and_hang_on_the_origin() {
    // The durations of the profile: A 36, P 35, C 28, B 13, Q 5.
    for width in ["1ms", "7ms", "40ms", "1s"] {
        assert_eq!(
            gives(&format!(
                "run | bin {width} | summarize d = sum(duration) by value | sort -d, value"
            )),
            "value,d\nA,36\nP,35\nC,28\nB,13\nQ,5\n",
            "{width}"
        );
    }
    // A window does not move the bins: 58 lies in 40..80.
    assert_eq!(
        gives("run | window 58ms..74ms | bin 40ms | select bin, start, value, duration, number"),
        "bin,start,value,duration,number\n1,40,A,2,1\n1,40,C,3,1\n"
    );
    assert_eq!(
        gives(
            "run | filter resource == \"CPU1\" | bin 20ms | select start, value, duration, number"
        ),
        "start,value,duration,number\n0,P,15,1\n0,Q,5,1\n20,P,20,1\n"
    );
    assert_eq!(
        gives("run | filter resource == \"CPU1\" | bin 20ms nest=keep by value"),
        "bin,start,end,value,duration,number,share\n0,0,20,P,20,1,1\n0,0,20,Q,5,1,0.25\n1,20,40,P,20,1,1\n"
    );
}

#[test]
fn bins_of_variables_weigh_by_time() {
    // 2 for 30 ms and 4 for 10 ms: (60 + 40) / 40; then 6 alone; an instant weighs nothing beside what lasts.
    let variable = "run | filter resource == \"CPU0\" and start < 48ms | derive value = if end <= 30ms then 2.0 else if end <= 33ms then 4.0 else 6.0";
    // [0,30) 2, [30,33) 4, [34,38) 6, [38,48) 6.
    assert_eq!(
        gives(&format!("{variable} | bin 20ms")),
        "bin,start,end,resource,value\n0,0,20,CPU0,2\n1,20,40,CPU0,3.5789473684210527\n2,40,60,CPU0,6\n"
    );
    assert_eq!(
        gives(&format!(
            "{variable} | bin 20ms low = min(value), n = count() by resource"
        )),
        "bin,start,end,resource,low,n\n0,0,20,CPU0,2,1\n1,20,40,CPU0,2,4\n2,40,60,CPU0,6,1\n"
    );
}

#[test]
fn bin_says_what_is_wrong() {
    for (script, code) in [
        ("run | bin 0ms", "invalid_value"),
        ("run | bin 10ms n = count()", "extra_argument"),
        ("run | bin 10ms by start", "duplicate_name"),
        ("run | profile | bin 10ms", "unknown_column"),
    ] {
        let (codes, text) = refused(script);
        assert_eq!(codes, [code], "{script}\n{text}");
    }
}
