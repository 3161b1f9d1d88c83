//! Custom nodes for states: what relational algebra does not do well or not exactly. Each is a state machine per track
//! (one resource and type) that needs rows by start only; see aggregation.md and design.md, section 4.
//!
//! `step` is the frame that all share, `track` reads states, one file each holds a node; the functions here build plans.

mod buffers;
mod chunker;
mod comparison;
mod critical_path;
mod error;
mod flattener;
mod gap_finder;
mod kernel;
mod names;
mod occupancy;
mod overlap;
mod planner;
mod profiler;
mod slicer;
mod stacker;
mod step;
#[cfg(test)]
mod tests;
mod total;
mod track;

use arrow::datatypes::DataType;
use datafusion::common::{Column, ExprSchema, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast};

pub use crate::algo::chunk::{BadRule, Rule};
pub use chunker::{ChunkStep, Chunker};
pub use comparison::{Comparison, GROUP, RunSet};
pub use critical_path::{ADDED, CriticalPath, Output};
pub use error::{BadReason, BadState, ClaimFault, MemoryExceeded};
pub use flattener::{FlattenStep, Flattener};
pub use gap_finder::{GapFinder, GapStep};
pub use kernel::{Batches, Kernel, KernelExec, KernelNode, Shared, Work};
pub use occupancy::{CountStep, Counter, Occupier, OccupyStep};
pub use overlap::Overlap;
pub use planner::{StatePlanner, query_planner};
pub use profiler::{MergeStep, ProfileMerger, ProfileStep, Profiler};
pub use slicer::{BIN, SliceStep, Slicer, TICKS};
pub use stacker::{StackOrder, StackStep, Stacker};
pub use step::{Operator, Spread, Step, StepExec, StepNode};
pub use track::Nest;

use track::{DEPTH, END, RESOURCE, ROW, START, TYPE, VALUE};

/// The parameters of `aggregate-by-threshold`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct Aggregate {
    /// Threshold and greatest width of a subchunk, in ticks.
    pub rule: Rule,
    /// Which rows count.
    pub nest: Nest,
    /// Which value is at the bottom of a stack.
    pub order: StackOrder,
}

/// `aggregate-by-threshold` of states.
///
/// Columns: resource, type, chunk, subchunk, value, start, end, duration, number, activity, low, high, pure; ordered by
/// resource bytes, type bytes, chunk, subchunk and place in the stack.
pub fn aggregate_by_threshold(states: LogicalPlan, parameters: Aggregate) -> Result<LogicalPlan> {
    let Aggregate { rule, nest, order } = parameters;
    let cells = Chunker::try_new(ChunkStep { rule, nest }, of_states(states)?)?;
    Ok(Stacker::try_new(StackStep { order }, cells.into_plan())?.into_plan())
}

/// `flatten` of states: the exclusive pieces, with all columns of the states and in no order.
pub fn flatten(states: LogicalPlan) -> Result<LogicalPlan> {
    let columns = states.schema().columns();
    Ok(Flattener::try_new(FlattenStep, select(states, columns)?)?.into_plan())
}

/// `profile` of states. Columns: value, duration, number, share; ordered by duration from the largest, then name bytes.
pub fn profile(states: LogicalPlan, nest: Nest) -> Result<LogicalPlan> {
    let parts = Profiler::try_new(ProfileStep { nest }, of_states(states)?)?;
    Ok(ProfileMerger::try_new(MergeStep, parts.into_plan())?.into_plan())
}

/// `gaps` of states. Columns: resource, type, start, end, duration, before, after; in no order.
pub fn gaps(states: LogicalPlan) -> Result<LogicalPlan> {
    Ok(GapFinder::try_new(GapStep, of_states(states)?)?.into_plan())
}

/// `parallelism` of intervals with `start` and `end`. Columns: time, running; ordered by time.
pub fn parallelism(intervals: LogicalPlan) -> Result<LogicalPlan> {
    let columns = intervals.schema().columns();
    let read = [START, END, ROW];
    let columns = columns.into_iter().filter(|c| read.contains(&c.name()));
    let intervals = select(intervals, columns.collect())?;
    Ok(Counter::try_new(CountStep, intervals)?.into_plan())
}

/// The slices of rows with `start` and `end` at the multiples of a width in ticks: [`BIN`], [`TICKS`], and all columns of
/// the row.
pub fn slices(rows: LogicalPlan, width: i64) -> Result<LogicalPlan> {
    Ok(Slicer::try_new(SliceStep { width }, rows)?.into_plan())
}

/// `utilization` of claims with resource, start, end, amount and capacity, over a span whose missing ends are those of
/// the claims. Columns: resource, busy, idle, share; ordered by resource.
pub fn utilization(
    claims: LogicalPlan,
    low: Option<i64>,
    high: Option<i64>,
) -> Result<LogicalPlan> {
    Ok(Occupier::try_new(OccupyStep { low, high }, claims)?.into_plan())
}

/// The columns of states that a node reads, and no others.
fn of_states(states: LogicalPlan) -> Result<LogicalPlan> {
    let read = [RESOURCE, TYPE, VALUE, START, END, DEPTH, ROW];
    let columns = states.schema().columns();
    let columns = columns
        .into_iter()
        .filter(|column| read.contains(&column.name()))
        .collect();
    select(states, columns)
}

/// These columns by their bare names, with names as Utf8View.
fn select(states: LogicalPlan, columns: Vec<Column>) -> Result<LogicalPlan> {
    let mut expressions = Vec::with_capacity(columns.len());
    for column in columns {
        let name = column.name().to_owned();
        let data_type = states
            .schema()
            .field_from_column(&column)?
            .data_type()
            .clone();
        let expression = Expr::Column(column);
        expressions.push(match data_type {
            DataType::Utf8View => expression.alias(name),
            _ if ![RESOURCE, TYPE, VALUE].contains(&name.as_str()) => expression.alias(name),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Dictionary(..) | DataType::Null => {
                cast(expression, DataType::Utf8View).alias(name)
            }
            other => {
                return plan_err!("column `{name}` of states is {other} where names are wanted");
            }
        });
    }
    LogicalPlanBuilder::from(states)
        .project(expressions)?
        .build()
}
