//! `flatten`.

use datafusion::logical_expr::LogicalPlanBuilder;
use datafusion::prelude::col;

use super::*;
use crate::plan::node::{Aggregate, Nest, Rule, StackOrder, aggregate_by_threshold, flatten};

async fn flattened(session: &SessionContext, rows: &RecordBatch, sorted: bool) -> RecordBatch {
    let plan = flatten(table(session, rows, sorted).await).expect("a plan");
    collect(session, plan).await.expect("a table")
}

/// Rows without those columns by which equal states differ, in an order of their own.
fn unordered(batch: &RecordBatch) -> Vec<String> {
    let mut lines = lines(&batch.project(&[1, 2, 3, 4, 5, 6]).expect("columns"));
    lines.sort_unstable();
    lines
}

#[tokio::test]
async fn pieces_keep_the_columns_of_their_state() {
    let mut table = lines(&flattened(&session(2, 2), &batch(&hand()), true).await);
    table.sort_unstable();
    // id, resource, type, value, start, end, depth, row
    let of_cpu1: Vec<_> = table
        .into_iter()
        .filter(|line| line.contains("CPU1"))
        .collect();
    assert_eq!(
        of_cpu1,
        [
            "1|CPU1|Worker State|P|0|10|0|1",
            "1|CPU1|Worker State|P|15|40|0|1",
            "2|CPU1|Worker State|Q|10|15|0|2"
        ]
    );
}

#[tokio::test]
async fn partitions_batches_and_order_change_nothing() {
    let mut random = Random(5);
    for round in 0..60 {
        let mut rows = random_rows(&mut random);
        let expected = unordered(&flattened(&session(1, 8192), &batch(&rows), true).await);
        for partitions in [1, 2, 3] {
            let session = session(partitions, 1 + random.below(9) as usize);
            random.shuffle(&mut rows);
            let table = flattened(&session, &batch(&rows), false).await;
            assert_eq!(unordered(&table), expected, "round {round}: {rows:?}");
        }
    }
}

#[tokio::test]
async fn aggregation_after_it_is_the_same_and_partitions_stay() {
    let session = session(2, 8192);
    let rule = Rule::new(10, Some(8)).expect("in range");
    let order = StackOrder::Total;
    let states = table(&session, &batch(&hand()), true).await;
    let nested = aggregate_by_threshold(
        states.clone(),
        Aggregate {
            rule,
            nest: Nest::Flatten,
            order,
        },
    );
    let flat = flatten(states).and_then(|flat| {
        aggregate_by_threshold(
            flat,
            Aggregate {
                rule,
                nest: Nest::Keep,
                order,
            },
        )
    });
    let (nested, flat) = (nested.expect("a plan"), flat.expect("a plan"));
    let text = physical(&session, flat.clone()).await;
    assert_eq!(
        text.matches("RepartitionExec: partitioning=Hash").count(),
        1,
        "{text}"
    );
    let (nested, flat) = (
        collect(&session, nested).await,
        collect(&session, flat).await,
    );
    assert_eq!(
        lines(&flat.expect("a table")),
        lines(&nested.expect("a table"))
    );
}

#[tokio::test]
async fn columns_that_nobody_wants_are_not_read() {
    let session = session(1, 8192);
    let plan = flatten(table(&session, &batch(&hand()), true).await).expect("a plan");
    let plan = LogicalPlanBuilder::from(plan)
        .project([col("value"), col("start")])
        .and_then(LogicalPlanBuilder::build)
        .expect("a plan");
    let text = physical(&session, plan.clone()).await;
    assert!(!text.contains("id@"), "{text}");
    let table = collect(&session, plan).await.expect("a table");
    assert_eq!((table.num_rows(), table.num_columns()), (11, 2));
}

#[tokio::test]
async fn rows_are_let_go_and_those_still_open_are_kept() {
    // One state spans all, under many short ones that nobody else remembers.
    let mut rows: Vec<Row> = vec![(
        "a",
        "S",
        "a value of more than twelve bytes",
        0,
        4_000_001,
        0,
    )];
    for at in 0..400_000 {
        rows.push(("a", "S", "short", 10 * at + 1, 10 * at + 2, 1));
    }
    let batch = batch(&rows);
    // All rows at once take more than three times as much.
    let session = limited(1, 8192, Some(30_000_000));
    let table = flattened(&session, &batch, true).await;
    assert_eq!(table.num_rows(), 800_001);
    let time: i64 = int64(&table, "end")
        .iter()
        .zip(int64(&table, "start"))
        .map(|(end, start)| end - start)
        .sum();
    assert_eq!(time, 4_000_001);
    assert_eq!(
        int64(&table, "id").iter().filter(|&&id| id == 0).count(),
        400_001
    );
}
