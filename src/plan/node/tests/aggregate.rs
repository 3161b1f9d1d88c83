//! `aggregate-by-threshold`.

use arrow::array::new_null_array;
use datafusion::logical_expr::LogicalPlanBuilder;
use datafusion::prelude::{col, lit};

use super::*;
use crate::plan::node::{
    Aggregate, BadReason, MemoryExceeded, Nest, Rule, StackOrder, aggregate_by_threshold,
};

fn parameters(threshold: i64, max: Option<i64>, nest: Nest, order: StackOrder) -> Aggregate {
    let rule = Rule::new(threshold, max).expect("in range");
    Aggregate { rule, nest, order }
}

fn plain(threshold: i64) -> Aggregate {
    parameters(threshold, None, Nest::Flatten, StackOrder::Total)
}

async fn aggregated(
    session: &SessionContext,
    rows: &RecordBatch,
    sorted: bool,
    with: Aggregate,
) -> Result<RecordBatch> {
    let plan = aggregate_by_threshold(table(session, rows, sorted).await, with)?;
    collect(session, plan).await
}

#[tokio::test]
async fn the_worked_example_of_section_4() {
    let with = parameters(10, Some(8), Nest::Flatten, StackOrder::Total);
    let table = aggregated(&session(2, 3), &batch(&hand()), true, with)
        .await
        .expect("a table");
    let schema = table.schema();
    let names: Vec<_> = schema
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .collect();
    let expected =
        "resource type chunk subchunk value start end duration number activity low high pure";
    assert_eq!(names.join(" "), expected);
    for time in ["start", "end", "duration"] {
        let field = schema.field_with_name(time).expect("a field");
        assert_eq!(
            field.metadata().get("marey.time").map(String::as_str),
            Some("ms")
        );
    }
    assert_eq!(
        lines(&table)
            .join("\n")
            .replace("000000000|", "|")
            .replace("Worker State", "W"),
        "CPU0|W|0|0|A|0|30|30|1|1.000|0.000|1.000|true\n\
         CPU0|W|1|0|A|30|38|4|1|0.500|0.000|0.500|false\n\
         CPU0|W|1|0|B|30|38|3|1|0.375|0.500|0.875|false\n\
         CPU0|W|1|1|B|38|48|10|1|1.000|0.000|1.000|true\n\
         CPU0|W|1|3|C|58|61|3|1|1.000|0.000|1.000|true\n\
         CPU0|W|2|0|A|72|74|2|1|1.000|0.000|1.000|false\n\
         CPU0|W|2|0|B|72|74|0|1|0.000|1.000|1.000|false\n\
         CPU0|W|3|0|C|75|100|25|1|1.000|0.000|1.000|true\n\
         CPU1|W|0|0|P|0|10|10|1|1.000|0.000|1.000|true\n\
         CPU1|W|0|1|Q|10|15|5|1|1.000|0.000|1.000|true\n\
         CPU1|W|1|0|P|15|40|25|1|1.000|0.000|1.000|true"
    );
}

#[tokio::test]
async fn partitions_batches_and_order_change_nothing() {
    let mut random = Random(4);
    for round in 0..60 {
        let mut rows = random_rows(&mut random);
        let max = random.below(8) as i64;
        let nest =
            [Nest::Flatten, Nest::Keep, Nest::Depth(0), Nest::Depth(1)][random.below(4) as usize];
        let order = [StackOrder::Total, StackOrder::Name][random.below(2) as usize];
        let with = parameters(
            random.below(6) as i64,
            (max > 0).then_some(max),
            nest,
            order,
        );
        let expected = aggregated(&session(1, 8192), &batch(&rows), true, with)
            .await
            .expect("a table");
        for partitions in [1, 2, 3] {
            let size = 1 + random.below(9) as usize;
            let session = session(partitions, size);
            let table = aggregated(&session, &batch(&rows), true, with)
                .await
                .expect("a table");
            assert_eq!(
                lines(&table),
                lines(&expected),
                "round {round} {with:?}: {rows:?}"
            );
            random.shuffle(&mut rows);
            let table = aggregated(&session, &batch(&rows), false, with)
                .await
                .expect("a table");
            assert_eq!(
                lines(&table),
                lines(&expected),
                "round {round} shuffled {with:?}: {rows:?}"
            );
            rows.sort_by_key(|row| row.3);
        }
    }
}

#[tokio::test]
async fn sorted_input_is_not_sorted_again_and_other_input_is() {
    let states = batch(&hand());
    // Fewer rows than a batch would not be worth two partitions.
    let session = session(2, 3);
    let plan =
        aggregate_by_threshold(table(&session, &states, true).await, plain(10)).expect("a plan");
    let text = physical(&session, plan).await;
    let above = text.split("Chunker").next().expect("a part");
    let below = text.split("Chunker").nth(1).expect("a part");
    assert!(
        above.contains("SortExec") && !below.contains("SortExec"),
        "{text}"
    );
    assert!(below.contains("Hash([resource"), "{text}");
    let plan =
        aggregate_by_threshold(table(&session, &states, false).await, plain(10)).expect("a plan");
    let text = physical(&session, plan).await;
    assert!(
        text.split("Chunker")
            .nth(1)
            .is_some_and(|below| below.contains("SortExec")),
        "{text}"
    );
}

#[tokio::test]
async fn a_filter_after_it_changes_no_total() {
    // In all A has most time, on CPU0 alone B has.
    let rows = [
        ("CPU0", "S", "A", 0, 1, 0),
        ("CPU0", "S", "B", 1, 3, 0),
        ("CPU1", "S", "A", 0, 9, 0),
    ];
    let session = session(2, 8192);
    let plan = aggregate_by_threshold(table(&session, &batch(&rows), false).await, plain(20))
        .expect("a plan");
    let filtered = LogicalPlanBuilder::from(plan)
        .filter(col("resource").eq(lit("CPU0")))
        .and_then(|builder| builder.project([col("value"), col("low")]))
        .and_then(LogicalPlanBuilder::build)
        .expect("a plan");
    let text = physical(&session, filtered.clone()).await;
    assert!(
        text.split("Stacker")
            .next()
            .is_some_and(|above| above.contains("FilterExec")),
        "{text}"
    );
    let table = collect(&session, filtered).await.expect("a table");
    assert_eq!(lines(&table), ["A|0.000000000000", "B|0.333333333333"]);
}

#[tokio::test]
async fn the_order_of_the_output_is_known() {
    let session = session(2, 8192);
    let plan = aggregate_by_threshold(table(&session, &batch(&hand()), true).await, plain(10))
        .expect("a plan");
    let sorted = LogicalPlanBuilder::from(plan)
        .sort(["resource", "type", "chunk"].map(|name| col(name).sort(true, true)))
        .and_then(LogicalPlanBuilder::build)
        .expect("a plan");
    let text = physical(&session, sorted).await;
    assert!(text.trim_start().starts_with("Stacker"), "{text}");
}

#[tokio::test]
async fn no_rows_are_an_empty_table() {
    for sorted in [true, false] {
        let table = aggregated(&session(2, 8192), &batch(&[]), sorted, plain(1))
            .await
            .expect("a table");
        assert_eq!((table.num_rows(), table.num_columns()), (0, 13));
    }
}

#[tokio::test]
async fn names_may_be_null_or_dictionaries_and_depth_may_be_missing() {
    let rows = batch(&[("a", "S", "v", 0, 5, 0), ("a", "S", "w", 5, 6, 0)]);
    let mut columns: Vec<ArrayRef> = rows
        .project(&[1, 2, 3, 4, 5])
        .expect("columns")
        .columns()
        .to_vec();
    columns[0] = new_null_array(&DataType::Utf8View, 2);
    columns[1] = arrow::compute::cast(&columns[1], &DataType::Utf8).expect("text");
    let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    columns[2] = arrow::compute::cast(&columns[2], &dictionary).expect("a dictionary");
    let names = ["resource", "type", "value", "start", "end"];
    let rows = RecordBatch::try_from_iter_with_nullable(
        names
            .into_iter()
            .zip(columns)
            .map(|(name, column)| (name, column, true)),
    )
    .expect("a batch");
    let table = aggregated(&session(2, 8192), &rows, false, plain(9))
        .await
        .expect("a table");
    assert_eq!(
        lines(&table),
        [
            "|S|0|0|v|0|6|5|1|0.833333333333|0.000000000000|0.833333333333|false",
            "|S|0|0|w|0|6|1|1|0.166666666667|0.833333333333|1.000000000000|false"
        ]
    );
}

#[tokio::test]
async fn totals_may_pass_64_bits() {
    // Of B there is more than of A only if nothing wraps.
    let most = i64::MAX / 2;
    let mut rows: Vec<Row> = ["r0", "r1", "r2", "r3", "r4"]
        .map(|name| (name, "S", "B", 0, most, 0))
        .to_vec();
    rows.push(("r9", "S", "A", 0, most, 0));
    rows.push(("r9", "S", "B", most, most + 1, 0));
    let table = aggregated(&session(2, 8192), &batch(&rows), true, plain(i64::MAX))
        .await
        .expect("a table");
    let last: Vec<_> = lines(&table).split_off(5);
    assert!(
        last[0].starts_with("r9|S|0|0|B|") && last[1].starts_with("r9|S|0|0|A|"),
        "{last:?}"
    );
}

#[tokio::test]
async fn bad_rows_are_named() {
    let state = |start, end| ("a", "S", "v", start, end, 0);
    let fails = async |rows: RecordBatch, sorted: bool, with: Aggregate| {
        let error = aggregated(&session(2, 8192), &rows, sorted, with)
            .await
            .expect_err("a bad row");
        bad_state(&error)
    };
    let bad = |row, reason| BadState { row, reason };

    let reason = BadReason::EndBeforeStart { start: 5, end: 3 };
    let rows = batch(&[state(0, 1), state(5, 3)]);
    assert_eq!(fails(rows, false, plain(1)).await, bad(Some(1), reason));

    let reason = BadReason::OutOfOrder;
    let rows = batch(&[state(5, 6), state(4, 6)]);
    assert_eq!(fails(rows, true, plain(1)).await, bad(Some(1), reason));

    let rows = batch(&[state(i64::MIN, i64::MAX)]);
    assert_eq!(
        fails(rows, true, plain(1)).await.reason,
        BadReason::Overflow
    );

    let keep = parameters(i64::MAX, None, Nest::Keep, StackOrder::Total);
    let rows = batch(&[state(0, i64::MAX), state(1, i64::MAX)]);
    assert_eq!(fails(rows, true, keep).await.reason, BadReason::Overflow);

    for (column, reason) in [(4, BadReason::NoStart), (5, BadReason::NoEnd)] {
        let rows = batch(&[state(0, 1)]);
        let mut columns = rows.columns().to_vec();
        columns[column] = new_null_array(&DataType::Int64, 1);
        let rows = RecordBatch::try_new(rows.schema(), columns).expect("a batch");
        assert_eq!(fails(rows, false, plain(1)).await, bad(Some(0), reason));
    }
}

#[tokio::test]
async fn columns_that_are_missing_or_of_the_wrong_type_are_refused() {
    let rows = batch(&hand());
    let session = session(1, 8192);
    let without = rows.project(&[1, 2, 3, 4]).expect("columns");
    let error = aggregate_by_threshold(table(&session, &without, false).await, plain(1))
        .expect_err("no end");
    assert!(error.to_string().contains("no column `end`"), "{error}");
    let mut columns = rows.columns().to_vec();
    columns[4] = arrow::compute::cast(&columns[4], &DataType::Float64).expect("doubles");
    let names = [
        "id", "resource", "type", "value", "start", "end", "depth", "row",
    ];
    let doubles = RecordBatch::try_from_iter(names.into_iter().zip(columns)).expect("a batch");
    let error = aggregate_by_threshold(table(&session, &doubles, false).await, plain(1))
        .expect_err("doubles");
    assert!(
        error.to_string().contains("Float64 where Int64 is wanted"),
        "{error}"
    );
}

#[tokio::test]
async fn memory_has_a_limit_that_is_named() {
    // All short and of one time: every row waits.
    let rows: Vec<Row> = (0..100_000).map(|_| ("a", "S", "v", 0, 0, 0)).collect();
    let limited = limited(1, 8192, Some(1_000_000));
    let error = aggregated(&limited, &batch(&rows), true, plain(1))
        .await
        .expect_err("too much");
    let DataFusionError::External(inner) = error.find_root() else {
        panic!("{error}");
    };
    let exceeded: &MemoryExceeded = inner.downcast_ref().expect("the error");
    assert_eq!(
        (exceeded.verb, exceeded.limit),
        ("aggregate-by-threshold", Some(1_000_000))
    );
}
