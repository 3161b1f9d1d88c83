//! The nodes under DataFusion: any number of partitions, any batch size, any order of rows gives the same table.

mod aggregate;
mod cases;
mod flatten;
mod profile;

use std::sync::Arc;

use arrow::array::{
    ArrayRef, AsArray, Int32Array, Int64Array, RecordBatch, StringViewArray, UInt32Array,
};
use arrow::compute::{concat_batches, take_record_batch};
use arrow::datatypes::{DataType, Field, Float64Type, Int64Type, Schema, SchemaRef};
use datafusion::datasource::MemTable;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::{LogicalPlan, SortExpr};
use datafusion::prelude::{SessionConfig, SessionContext};

use super::{BadState, query_planner};
use crate::algo::flatten::tests::{NAMES, Random, random_track};

/// A state as (resource, type, value, start, end, depth).
type Row = (&'static str, &'static str, &'static str, i64, i64, i32);

/// A session with so many partitions and rows in a batch.
fn session(partitions: usize, batch_size: usize) -> SessionContext {
    limited(partitions, batch_size, None)
}

/// The same with at most so many bytes.
fn limited(partitions: usize, batch_size: usize, bytes: Option<usize>) -> SessionContext {
    let mut config = SessionConfig::new()
        .with_target_partitions(partitions)
        .with_batch_size(batch_size);
    // Else a table in memory is cut in two and forgets its order.
    config.options_mut().optimizer.repartition_file_scans = false;
    config.options_mut().optimizer.prefer_existing_sort = true;
    let mut runtime = RuntimeEnvBuilder::new();
    if let Some(bytes) = bytes {
        runtime = runtime.with_memory_limit(bytes, 1.0);
    }
    let state = SessionStateBuilder::new_with_default_features()
        .with_config(config)
        .with_runtime_env(runtime.build_arc().expect("a runtime"))
        .with_query_planner(query_planner())
        .build();
    SessionContext::new_with_state(state)
}

fn schema() -> SchemaRef {
    let time = |name| {
        let metadata = [("marey.time".to_owned(), "ms".to_owned())];
        Field::new(name, DataType::Int64, true).with_metadata(metadata.into())
    };
    Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int64, true),
        Field::new("resource", DataType::Utf8View, true),
        Field::new("type", DataType::Utf8View, true),
        Field::new("value", DataType::Utf8View, true),
        time("start"),
        time("end"),
        Field::new("depth", DataType::Int32, true),
        Field::new("row", DataType::Int64, true),
    ]))
}

fn batch(rows: &[Row]) -> RecordBatch {
    let names = |of: fn(&Row) -> &'static str| -> ArrayRef {
        Arc::new(
            rows.iter()
                .map(|row| Some(of(row)))
                .collect::<StringViewArray>(),
        )
    };
    let whole =
        |of: fn(&Row) -> i64| -> ArrayRef { Arc::new(rows.iter().map(of).collect::<Int64Array>()) };
    let counted: ArrayRef = Arc::new((0..rows.len() as i64).collect::<Int64Array>());
    let columns = vec![
        Arc::clone(&counted),
        names(|row| row.0),
        names(|row| row.1),
        names(|row| row.2),
        whole(|row| row.3),
        whole(|row| row.4),
        Arc::new(rows.iter().map(|row| row.5).collect::<Int32Array>()),
        counted,
    ];
    RecordBatch::try_new(schema(), columns).expect("a batch")
}

/// A plan that reads the batch in pieces of a few rows; `sorted` declares the order by start.
async fn table(session: &SessionContext, rows: &RecordBatch, sorted: bool) -> LogicalPlan {
    let size = session.copied_config().batch_size();
    let count = rows.num_rows();
    // Copies, as slices would share their buffers and with them the count of their bytes.
    let piece = |at: usize| {
        let rows_of_it = UInt32Array::from_iter_values(at as u32..count.min(at + size) as u32);
        take_record_batch(rows, &rows_of_it).expect("a piece")
    };
    let pieces = (0..count).step_by(size).map(piece).collect();
    let mut table = MemTable::try_new(rows.schema(), vec![pieces]).expect("a table");
    if sorted {
        let order: Vec<Vec<SortExpr>> =
            vec![vec![datafusion::prelude::col("start").sort(true, false)]];
        table = table.with_sort_order(order);
    }
    let frame = session.read_table(Arc::new(table)).expect("a frame");
    frame.into_unoptimized_plan()
}

async fn collect(session: &SessionContext, plan: LogicalPlan) -> Result<RecordBatch> {
    let schema = Arc::clone(plan.schema().inner());
    let batches = session.execute_logical_plan(plan).await?.collect().await?;
    Ok(concat_batches(
        batches.first().map_or(&schema, |batch| batch.schema_ref()),
        &batches,
    )?)
}

/// The physical plan, for a look at what the optimizer has put in.
async fn physical(session: &SessionContext, plan: LogicalPlan) -> String {
    let frame = session.execute_logical_plan(plan).await.expect("a frame");
    let plan = frame.create_physical_plan().await.expect("a plan");
    datafusion::physical_plan::displayable(plan.as_ref())
        .indent(false)
        .to_string()
}

/// One line for each row, columns by `|`, doubles to 12 digits.
fn lines(batch: &RecordBatch) -> Vec<String> {
    let cell = |column: &ArrayRef, row: usize| match column.data_type() {
        DataType::Float64 => format!("{:.12}", column.as_primitive::<Float64Type>().value(row)),
        _ => arrow::util::display::array_value_to_string(column, row).expect("text"),
    };
    (0..batch.num_rows())
        .map(|row| {
            batch
                .columns()
                .iter()
                .map(|column| cell(column, row))
                .collect::<Vec<_>>()
                .join("|")
        })
        .collect()
}

fn int64(batch: &RecordBatch, name: &str) -> Vec<i64> {
    let column = batch.column_by_name(name).expect("the column");
    column.as_primitive::<Int64Type>().values().to_vec()
}

/// The bad state that an error carries.
fn bad_state(error: &DataFusionError) -> BadState {
    match error.find_root() {
        DataFusionError::External(inner) => *inner.downcast_ref().expect("a bad state"),
        other => panic!("{other}"),
    }
}

/// Some tracks of two types with all there is to trip over, sorted by start.
fn random_rows(random: &mut Random) -> Vec<Row> {
    const RESOURCES: [&str; 4] = ["CPU10", "CPU2", "", "a resource with a long name"];
    let mut rows = Vec::new();
    for resource in &RESOURCES[..1 + random.below(4) as usize] {
        for kind in ["Worker State", "Memory State"] {
            for (start, end, depth, value) in random_track(random) {
                rows.push((
                    *resource,
                    kind,
                    NAMES[value as usize],
                    start,
                    end,
                    depth as i32,
                ));
            }
        }
    }
    random.shuffle(&mut rows);
    rows.sort_by_key(|row| row.3);
    rows
}

/// The rows of `hand.csv`.
fn hand() -> Vec<Row> {
    let row =
        |resource, value, start, end, depth| (resource, "Worker State", value, start, end, depth);
    vec![
        row("CPU0", "A", 0, 30, 0),
        row("CPU1", "P", 0, 40, 0),
        row("CPU1", "Q", 10, 15, 1),
        row("CPU0", "B", 30, 33, 0),
        row("CPU0", "A", 34, 38, 0),
        row("CPU0", "B", 38, 48, 0),
        row("CPU0", "C", 58, 61, 0),
        row("CPU0", "A", 72, 74, 0),
        row("CPU0", "B", 74, 74, 0),
        row("CPU0", "C", 75, 100, 0),
    ]
}
