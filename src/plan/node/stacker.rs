//! The second half of `aggregate-by-threshold`: sorted cells in, behind the totals that [`super::chunker`] sends ahead;
//! cells with their share of time and their place in the stack out. One subchunk at a time is held.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, RecordBatch, UInt32Array};
use arrow::compute::{concat_batches, partition, take_record_batch};
use arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use datafusion::common::internal_err;
use datafusion::error::Result;

use super::chunker::{CHUNK, DURATION, NUMBER, PURE, SUBCHUNK};
use super::names::Names;
use super::step::{Operator, Spread, Step, StepNode};
use super::total::{entry, whole};
use super::track::{END, RESOURCE, START, TYPE, VALUE, names, place};

/// Names of the columns that are made here.
const ACTIVITY: &str = "activity";
const LOW: &str = "low";
const HIGH: &str = "high";

/// Which value is at the bottom of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub enum StackOrder {
    /// The one with most time in the whole input, then by name bytes.
    Total,
    /// The first by name bytes.
    Name,
}

/// The logical node.
pub type Stacker = StepNode<StackStep>;

/// Its parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct StackStep {
    /// Order of the stack.
    pub order: StackOrder,
}

impl Step for StackStep {
    const NAME: &'static str = "Stacker";
    const VERB: &'static str = "aggregate-by-threshold";
    const SPREAD: Spread = Spread::Single;
    const INPUT_ORDER: &'static [&'static str] = &[RESOURCE, TYPE, CHUNK, SUBCHUNK];
    const OUTPUT_ORDER: &'static [&'static str] = Self::INPUT_ORDER;

    fn schema(&self, input: &Schema) -> Result<Schema> {
        let kept = |name| Ok(Arc::clone(&input.fields()[place(input, name)?]));
        // Only the rows of totals had nulls here.
        let number = |name| Ok(Arc::new(kept(name)?.as_ref().clone().with_nullable(false)));
        let share = |name| Arc::new(Field::new(name, DataType::Float64, false));
        let fields: Result<Vec<_>> = [
            kept(RESOURCE),
            kept(TYPE),
            number(CHUNK),
            number(SUBCHUNK),
            kept(VALUE),
            kept(START),
            kept(END),
            kept(DURATION),
            kept(NUMBER),
            Ok(share(ACTIVITY)),
            Ok(share(LOW)),
            Ok(share(HIGH)),
            kept(PURE),
        ]
        .into_iter()
        .collect();
        Ok(Schema::new_with_metadata(fields?, input.metadata().clone()))
    }

    fn parameters(&self) -> String {
        format!("order={:?}", self.order)
    }

    fn operator(
        &self,
        input: &SchemaRef,
        output: &SchemaRef,
        batch_size: usize,
    ) -> Result<Box<dyn Operator>> {
        Ok(Box::new(StackOperator {
            order: self.order,
            columns: CellColumns::new(input)?,
            names: Names::default(),
            totals: Vec::new(),
            ranks: None,
            pending: Vec::new(),
            ready: Vec::new(),
            ready_rows: 0,
            input: Arc::clone(input),
            output: Arc::clone(output),
            batch_size,
        }))
    }
}

/// Where the columns of cells are.
#[derive(Clone, Copy, Debug)]
struct CellColumns {
    key: [usize; 4],
    value: usize,
    start: usize,
    end: usize,
    duration: usize,
}

impl CellColumns {
    fn new(schema: &Schema) -> Result<Self> {
        Ok(Self {
            key: [
                place(schema, RESOURCE)?,
                place(schema, TYPE)?,
                place(schema, CHUNK)?,
                place(schema, SUBCHUNK)?,
            ],
            value: place(schema, VALUE)?,
            start: place(schema, START)?,
            end: place(schema, END)?,
            duration: place(schema, DURATION)?,
        })
    }

    fn keys(&self, batch: &RecordBatch) -> Vec<ArrayRef> {
        self.key
            .iter()
            .map(|&at| Arc::clone(batch.column(at)))
            .collect()
    }
}

struct StackOperator {
    order: StackOrder,
    columns: CellColumns,
    names: Names,
    /// Total time by value.
    totals: Vec<i128>,
    /// Place in every stack by value, from the bottom; known once all totals are in.
    ranks: Option<Vec<u32>>,
    /// Cells of the subchunk that is not complete yet.
    pending: Vec<RecordBatch>,
    ready: Vec<RecordBatch>,
    ready_rows: usize,
    input: SchemaRef,
    output: SchemaRef,
    batch_size: usize,
}

impl StackOperator {
    fn add_totals(&mut self, batch: &RecordBatch) -> Result<()> {
        if self.ranks.is_some() {
            return internal_err!("totals came after cells");
        }
        let values = self.names.intern(names(batch, self.columns.value)?);
        let upper = batch.column(self.columns.start).as_primitive::<Int64Type>();
        let lower = batch
            .column(self.columns.duration)
            .as_primitive::<Int64Type>();
        for ((value, &upper), &lower) in values.into_iter().zip(upper.values()).zip(lower.values())
        {
            *entry(&mut self.totals, value) += whole(upper, lower);
        }
        Ok(())
    }

    /// The place of each value in the stack.
    fn rank(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.totals.len() as u32).collect();
        match self.order {
            StackOrder::Name => order.sort_by(|&left, &right| self.names.compare(left, right)),
            StackOrder::Total => order.sort_by(|&left, &right| {
                let total = |value: u32| Reverse(self.totals[value as usize]);
                total(left)
                    .cmp(&total(right))
                    .then_with(|| self.names.compare(left, right))
            }),
        }
        let mut ranks = vec![0; order.len()];
        for (rank, value) in order.into_iter().enumerate() {
            ranks[value as usize] = rank as u32;
        }
        ranks
    }

    /// Takes cells; those of complete subchunks are stacked, the last subchunk waits for its end.
    fn add_cells(&mut self, cells: RecordBatch) -> Result<()> {
        let mut subchunks = partition(&self.columns.keys(&cells))?.ranges();
        let Some(last) = subchunks.pop() else {
            return Ok(());
        };
        let waiting: usize = self.pending.iter().map(RecordBatch::num_rows).sum();
        let goes_on = self.goes_on(&cells)?;
        if goes_on && subchunks.is_empty() {
            self.pending.push(cells);
            return Ok(());
        }
        for subchunk in &mut subchunks {
            *subchunk = subchunk.start + waiting..subchunk.end + waiting;
        }
        match subchunks.first_mut() {
            Some(first) if goes_on => first.start = 0,
            _ if waiting > 0 => subchunks.insert(0, 0..waiting),
            _ => {}
        }
        if last.start > 0 {
            self.pending.push(cells.slice(0, last.start));
        }
        self.stack(&subchunks)?;
        self.pending.push(cells.slice(last.start, last.len()));
        Ok(())
    }

    /// Whether the subchunk that waits goes on in these cells.
    fn goes_on(&self, cells: &RecordBatch) -> Result<bool> {
        let Some(before) = self.pending.last() else {
            return Ok(false);
        };
        let ends = [&before.slice(before.num_rows() - 1, 1), &cells.slice(0, 1)];
        let ends = concat_batches(&self.input, ends)?;
        Ok(partition(&self.columns.keys(&ends))?.len() == 1)
    }

    /// Stacks all that is pending, which is these complete subchunks.
    fn stack(&mut self, subchunks: &[Range<usize>]) -> Result<()> {
        let mut cells = match self.pending.as_slice() {
            [] => return Ok(()),
            [cells] => cells.clone(),
            several => concat_batches(&self.input, several)?,
        };
        self.pending.clear();
        let Some(ranks) = &self.ranks else {
            return internal_err!("cells came before totals");
        };
        let values = self.names.intern(names(&cells, self.columns.value)?);
        if self.names.len() > ranks.len() {
            return internal_err!("a value has no total");
        }
        let place = |row: &u32| ranks[values[*row as usize] as usize];
        let mut order: Vec<u32> = (0..cells.num_rows() as u32).collect();
        let mut moved = false;
        for subchunk in subchunks {
            let rows = &mut order[subchunk.clone()];
            if !rows.is_sorted_by_key(place) {
                rows.sort_unstable_by_key(place);
                moved = true;
            }
        }
        if moved {
            cells = take_record_batch(&cells, &UInt32Array::from(order))?;
        }
        let columns = [self.columns.start, self.columns.end, self.columns.duration];
        let times = |at: usize| cells.column(at).as_primitive::<Int64Type>().values();
        let [start, end, duration] = columns.map(times);
        let mut shares = Shares::default();
        for subchunk in subchunks {
            let first = subchunk.start;
            let width = i128::from(end[first]) - i128::from(start[first]);
            shares.add(width, &duration[subchunk.clone()]);
        }
        self.ready_rows += cells.num_rows();
        self.ready.push(shares.columns(&cells, &self.output)?);
        Ok(())
    }
}

impl Operator for StackOperator {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        // The sort has put them first.
        let totals = batch.column(self.columns.key[2]).null_count();
        if totals > 0 {
            self.add_totals(&batch.slice(0, totals))?;
        }
        if totals == batch.num_rows() {
            return Ok(());
        }
        if self.ranks.is_none() {
            self.ranks = Some(self.rank());
        }
        self.add_cells(batch.slice(totals, batch.num_rows() - totals))
    }

    fn finish(&mut self) -> Result<()> {
        let waiting: usize = self.pending.iter().map(RecordBatch::num_rows).sum();
        self.stack(std::slice::from_ref(&(0..waiting)))
    }

    fn take(&mut self, all: bool) -> Result<Option<RecordBatch>> {
        if self.ready_rows == 0 || (!all && self.ready_rows < self.batch_size) {
            return Ok(None);
        }
        self.ready_rows = 0;
        let mut ready = std::mem::take(&mut self.ready);
        match (ready.pop(), ready.is_empty()) {
            (Some(one), true) => Ok(Some(one)),
            (one, _) => Ok(Some(concat_batches(
                &self.output,
                ready.iter().chain(&one),
            )?)),
        }
    }

    fn memory(&mut self) -> usize {
        let held = self.pending.iter().chain(&self.ready);
        self.names.memory()
            + self.totals.capacity() * (size_of::<i128>() + size_of::<u32>())
            + held.map(RecordBatch::get_array_memory_size).sum::<usize>()
    }
}

/// The columns that tell where cells stand, in shares of the width of their subchunk.
#[derive(Debug, Default)]
struct Shares {
    activity: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Shares {
    /// One subchunk, from the bottom. Sums are taken in ticks, so that a full stack ends at exactly 1.
    fn add(&mut self, width: i128, durations: &[i64]) {
        let share = |time: i128| {
            if width == 0 {
                0.0
            } else {
                time as f64 / width as f64
            }
        };
        let mut below: i128 = 0;
        for &duration in durations {
            self.activity.push(share(i128::from(duration)));
            self.low.push(share(below));
            below += i128::from(duration);
            self.high.push(share(below));
        }
    }

    /// The output columns, which are those of `cells` and these three before `pure`.
    fn columns(self, cells: &RecordBatch, output: &SchemaRef) -> Result<RecordBatch> {
        let mut made = [self.activity, self.low, self.high]
            .map(Float64Array::from)
            .into_iter();
        let input = cells.schema_ref();
        let column = |field: &Arc<Field>| -> Result<ArrayRef> {
            if let Some((at, _)) = input.fields().find(field.name()) {
                return Ok(Arc::clone(cells.column(at)));
            }
            match made.next() {
                Some(share) => Ok(Arc::new(share)),
                None => internal_err!("no column `{}`", field.name()),
            }
        };
        let columns: Result<Vec<_>> = output.fields().iter().map(column).collect();
        Ok(RecordBatch::try_new(Arc::clone(output), columns?)?)
    }
}
