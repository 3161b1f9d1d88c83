//! Reading states for the nodes that work track by track: columns found by name, rows checked, names and tracks
//! numbered. A track is one (resource, type).

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch, StringViewArray};
use arrow::buffer::ScalarBuffer;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use datafusion::common::{exec_datafusion_err, plan_datafusion_err, plan_err};
use datafusion::error::Result;
use rustc_hash::FxHashMap;

use super::error::{BadReason, BadState};
use super::names::Names;
use crate::algo::chunk::Overflow;

/// Which rows count, and how nested states do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub enum Nest {
    /// At every instant only the state on top.
    Flatten,
    /// All rows as they are.
    Keep,
    /// The rows of this depth only, as they are.
    Depth(i64),
}

/// Names of the columns of states.
pub(super) const RESOURCE: &str = "resource";
pub(super) const TYPE: &str = "type";
pub(super) const VALUE: &str = "value";
pub(super) const START: &str = "start";
pub(super) const END: &str = "end";
pub(super) const DEPTH: &str = "depth";
/// Where a row stood in its source; hidden, for messages only.
pub(super) const ROW: &str = "row";

/// Where the columns of states are in a schema, after a check of their types.
#[derive(Clone, Copy, Debug)]
pub(super) struct StateColumns {
    pub(super) names: [usize; 3],
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) depth: Option<usize>,
    pub(super) row: Option<usize>,
}

impl StateColumns {
    pub(super) fn new(schema: &Schema) -> Result<Self> {
        let find = |name: &str| -> Option<(usize, &Field)> {
            let (at, field) = schema.fields().find(name)?;
            Some((at, field))
        };
        let want = |name: &str, data_type: DataType| -> Result<usize> {
            let Some((at, field)) = find(name) else {
                return plan_err!("states have no column `{name}`");
            };
            if *field.data_type() != data_type {
                return plan_err!(
                    "column `{name}` of states is {} where {data_type} is wanted",
                    field.data_type()
                );
            }
            Ok(at)
        };
        let depth = match find(DEPTH) {
            Some((_, field)) if !field.data_type().is_integer() && !field.data_type().is_null() => {
                return plan_err!(
                    "column `{DEPTH}` of states is {} where an integer is wanted",
                    field.data_type()
                );
            }
            found => found.map(|(at, _)| at),
        };
        Ok(Self {
            names: [
                want(RESOURCE, DataType::Utf8View)?,
                want(TYPE, DataType::Utf8View)?,
                want(VALUE, DataType::Utf8View)?,
            ],
            start: want(START, DataType::Int64)?,
            end: want(END, DataType::Int64)?,
            depth,
            row: find(ROW)
                .filter(|(_, field)| *field.data_type() == DataType::Int64)
                .map(|(at, _)| at),
        })
    }

    /// All columns that are read.
    pub(super) fn all(&self) -> impl Iterator<Item = usize> {
        self.names
            .into_iter()
            .chain([self.start, self.end])
            .chain(self.depth)
            .chain(self.row)
    }
}

/// Checked states of one batch, column by column.
pub(super) struct States {
    /// Number of the track.
    pub(super) track: Vec<u32>,
    /// Number of the value's name.
    pub(super) value: Vec<u32>,
    pub(super) start: ScalarBuffer<i64>,
    pub(super) end: ScalarBuffer<i64>,
    depth: Option<ScalarBuffer<i64>>,
    row: Option<Int64Array>,
}

impl States {
    pub(super) fn len(&self) -> usize {
        self.track.len()
    }

    /// Imbrication of a state; 0 where nothing is said.
    #[inline]
    pub(super) fn depth(&self, at: usize) -> i64 {
        self.depth.as_ref().map_or(0, |depth| depth[at])
    }

    /// The error that the sums have run over at this state.
    pub(super) fn overflow(&self, at: usize, _: Overflow) -> BadState {
        bad(self.row.as_ref(), at, BadReason::Overflow)
    }
}

/// Reads batches of states and keeps the numbers of names and tracks.
#[derive(Debug)]
pub(super) struct StateReader {
    columns: StateColumns,
    pub(super) resources: Names,
    pub(super) types: Names,
    pub(super) values: Names,
    numbers: FxHashMap<u64, u32>,
    /// Numbers of the names of resource and type of each track.
    pub(super) tracks: Vec<(u32, u32)>,
    latest_start: i64,
}

impl StateReader {
    pub(super) fn new(schema: &Schema) -> Result<Self> {
        Ok(Self {
            columns: StateColumns::new(schema)?,
            resources: Names::default(),
            types: Names::default(),
            values: Names::default(),
            numbers: FxHashMap::default(),
            tracks: Vec::new(),
            latest_start: i64::MIN,
        })
    }

    pub(super) fn read(&mut self, batch: &RecordBatch) -> Result<States> {
        let columns = self.columns;
        let row = columns
            .row
            .map(|row| batch.column(row).as_primitive::<Int64Type>().clone());
        let start = times(
            batch.column(columns.start),
            row.as_ref(),
            BadReason::NoStart,
        )?;
        let end = times(batch.column(columns.end), row.as_ref(), BadReason::NoEnd)?;
        self.check(&start, &end, row.as_ref())?;
        let depth = columns
            .depth
            .map(|depth| depths(batch.column(depth)))
            .transpose()?;
        let [resource, kind, value] = columns.names;
        let resource = self.resources.intern(names(batch, resource)?);
        let kind = self.types.intern(names(batch, kind)?);
        let value = self.values.intern(names(batch, value)?);
        let track = resource
            .iter()
            .zip(&kind)
            .map(|(&resource, &kind)| self.track(resource, kind))
            .collect();
        Ok(States {
            track,
            value,
            start,
            end,
            depth,
            row,
        })
    }

    /// Bytes on the heap, about.
    pub(super) fn memory(&self) -> usize {
        self.resources.memory()
            + self.types.memory()
            + self.values.memory()
            + self.tracks.capacity() * size_of::<(u32, u32)>()
            + self.numbers.capacity() * size_of::<(u64, u32)>()
    }

    fn track(&mut self, resource: u32, kind: u32) -> u32 {
        let next = self.tracks.len() as u32;
        let key = u64::from(resource) << 32 | u64::from(kind);
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.tracks.push((resource, kind));
        }
        number
    }

    /// No state may end before it starts, and no start may fall.
    fn check(&mut self, start: &[i64], end: &[i64], row: Option<&Int64Array>) -> Result<()> {
        if let Some(at) = (0..start.len()).find(|&at| end[at] < start[at]) {
            let (start, end) = (start[at], end[at]);
            return Err(bad(row, at, BadReason::EndBeforeStart { start, end }).into());
        }
        let mut latest = self.latest_start;
        for (at, &start) in start.iter().enumerate() {
            if start < latest {
                return Err(bad(row, at, BadReason::OutOfOrder).into());
            }
            latest = start;
        }
        self.latest_start = latest;
        Ok(())
    }
}

/// One machine for each track, and what they hold in all.
#[derive(Debug)]
pub(super) struct Machines<M> {
    machines: Vec<M>,
    /// Bytes as last measured, and rows since then: measuring visits all tracks, so it waits for some rows of each.
    measured: usize,
    rows: usize,
}

impl<M> Default for Machines<M> {
    fn default() -> Self {
        Self {
            machines: Vec::new(),
            measured: 0,
            rows: 0,
        }
    }
}

impl<M: Default> Machines<M> {
    /// The machines of all tracks that are known, before `rows` more rows go in.
    pub(super) fn ready(&mut self, tracks: usize, rows: usize) -> &mut [M] {
        self.machines.resize_with(tracks, M::default);
        self.rows += rows;
        &mut self.machines
    }

    pub(super) fn all(&mut self) -> &mut [M] {
        &mut self.machines
    }

    /// Bytes of all machines; `heap` says what one has outside itself.
    pub(super) fn memory(&mut self, heap: impl Fn(&M) -> usize) -> usize {
        if self.rows >= 8 * self.machines.len() {
            self.rows = 0;
            self.measured = self.machines.iter().map(heap).sum();
        }
        self.measured + self.machines.capacity() * size_of::<M>()
    }
}

fn bad(row: Option<&Int64Array>, at: usize, reason: BadReason) -> BadState {
    let row = row.filter(|row| row.is_valid(at)).map(|row| row.value(at));
    BadState { row, reason }
}

fn times(
    column: &ArrayRef,
    row: Option<&Int64Array>,
    missing: BadReason,
) -> Result<ScalarBuffer<i64>> {
    let times = column.as_primitive::<Int64Type>();
    if let Some(nulls) = times.nulls().filter(|nulls| nulls.null_count() > 0) {
        let at = (0..nulls.len()).find(|&at| nulls.is_null(at)).unwrap_or(0);
        return Err(bad(row, at, missing).into());
    }
    Ok(times.values().clone())
}

fn depths(column: &ArrayRef) -> Result<ScalarBuffer<i64>> {
    let depths = cast(column, &DataType::Int64)?;
    let depths = depths.as_primitive::<Int64Type>();
    if depths.null_count() == 0 {
        return Ok(depths.values().clone());
    }
    Ok(depths.iter().map(|depth| depth.unwrap_or(0)).collect())
}

/// A column of names.
pub(super) fn names(batch: &RecordBatch, at: usize) -> Result<&StringViewArray> {
    let column = batch.column(at).as_string_view_opt();
    column.ok_or_else(|| exec_datafusion_err!("column {at} is not Utf8View"))
}

/// The place of a column that the node before this one makes.
pub(super) fn place(schema: &Schema, name: &str) -> Result<usize> {
    let found = schema.fields().find(name).map(|(at, _)| at);
    found.ok_or_else(|| plan_datafusion_err!("the input has no column `{name}`"))
}

/// A column of ticks that says so like `model`, the column `start` of the input.
pub(super) fn time_field(name: &str, model: &Field) -> Arc<Field> {
    Arc::new(Field::new(name, DataType::Int64, false).with_metadata(model.metadata().clone()))
}
