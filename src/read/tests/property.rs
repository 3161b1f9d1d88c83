//! The order of rows changes nothing, and no bytes panic.

use super::*;
use proptest::prelude::*;

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
        let keys: Vec<Vec<i64>> = rows(&trace, "states", &["start", "row"])
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
