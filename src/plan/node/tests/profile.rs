//! `profile`.

use super::*;
use crate::plan::node::{BadReason, Nest, profile};

async fn profiled(session: &SessionContext, rows: &RecordBatch, nest: Nest) -> Result<RecordBatch> {
    let plan = profile(table(session, rows, false).await, nest)?;
    collect(session, plan).await
}

#[tokio::test]
async fn states_are_counted_and_time_is_exclusive() {
    let mut rows = hand();
    rows.push(("CPU1", "Worker State", "hidden", 11, 14, 0));
    for partitions in [1, 2, 3] {
        let session = session(partitions, 2);
        let table = profiled(&session, &batch(&rows), Nest::Flatten)
            .await
            .expect("a table");
        assert_eq!(
            lines(&table),
            [
                "A|36|3|0.307692307692",
                "P|35|1|0.299145299145",
                "C|28|2|0.239316239316",
                "B|13|3|0.111111111111",
                "Q|5|1|0.042735042735",
                "hidden|0|1|0.000000000000"
            ]
        );
        let table = profiled(&session, &batch(&rows), Nest::Keep)
            .await
            .expect("a table");
        assert_eq!(lines(&table)[0], "P|40|1|0.320000000000");
        let table = profiled(&session, &batch(&rows), Nest::Depth(1))
            .await
            .expect("a table");
        assert_eq!(lines(&table), ["Q|5|1|1.000000000000"]);
    }
}

#[tokio::test]
async fn instants_alone_have_no_share() {
    let rows = [("a", "S", "v", 5, 5, 0)];
    let table = profiled(&session(1, 8192), &batch(&rows), Nest::Flatten)
        .await
        .expect("a table");
    assert_eq!(lines(&table), ["v|0|1|0.000000000000"]);
    let table = profiled(&session(1, 8192), &batch(&[]), Nest::Flatten)
        .await
        .expect("a table");
    assert_eq!((table.num_rows(), table.num_columns()), (0, 4));
}

#[tokio::test]
async fn a_sum_that_does_not_fit_is_an_error() {
    let rows = ["r0", "r1", "r2"].map(|name| (name, "S", "v", 0, i64::MAX, 0));
    let error = profiled(&session(2, 8192), &batch(&rows), Nest::Flatten)
        .await
        .expect_err("too much");
    assert_eq!(bad_state(&error).reason, BadReason::Overflow);
}
