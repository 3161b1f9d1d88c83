//! The verbs `parallelism` and `utilization`: states by start in one partition; a step function of how many run, or how
//! long each resource is busy.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Float64Type, Int64Type, Schema, SchemaRef};
use datafusion::error::Result;

use super::error::{BadReason, BadState};
use super::names::Names;
use super::step::{Operator, Spread, Step, StepNode};
use super::track::{END, RESOURCE, ROW, START, names, place, time_field};
use crate::algo::busy::{Busy, PARTS};
use crate::algo::parallelism::Parallelism;
use crate::model::clock::divide_half_even;

/// The logical node of `parallelism`.
pub type Counter = StepNode<CountStep>;

/// It has no parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct CountStep;

/// The logical node of `utilization`.
pub type Occupier = StepNode<OccupyStep>;

/// The span that counts; a missing end is that of the states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct OccupyStep {
    /// First tick.
    pub low: Option<i64>,
    /// One past the last tick.
    pub high: Option<i64>,
}

/// Amount of a claim, Float64; null takes all of the resource.
pub const AMOUNT: &str = "amount";
/// Capacity of the resource of a claim, Float64; null where it has none.
pub const CAPACITY: &str = "capacity";

/// Reads intervals by start.
struct Intervals {
    start: usize,
    end: usize,
    row: Option<usize>,
    latest: i64,
}

impl Intervals {
    fn new(input: &Schema) -> Result<Self> {
        let row = input.fields().find(ROW);
        Ok(Self {
            start: place(input, START)?,
            end: place(input, END)?,
            row: row
                .filter(|(_, field)| *field.data_type() == DataType::Int64)
                .map(|(at, _)| at),
            latest: i64::MIN,
        })
    }

    /// The intervals of a batch, checked.
    fn read(&mut self, batch: &RecordBatch) -> Result<Vec<(i64, i64)>, BadState> {
        let times = |at: usize| batch.column(at).as_primitive::<Int64Type>();
        let (starts, ends) = (times(self.start), times(self.end));
        let mut out = Vec::with_capacity(batch.num_rows());
        for (at, ends) in starts.iter().zip(ends).enumerate() {
            let bad = |reason| {
                let rows = self.row.map(times);
                let row = rows.filter(|rows| rows.is_valid(at));
                BadState {
                    row: row.map(|rows| rows.value(at)),
                    reason,
                }
            };
            let (start, end) = match ends {
                (Some(start), Some(end)) => (start, end),
                (None, _) => return Err(bad(BadReason::NoStart)),
                (_, None) => return Err(bad(BadReason::NoEnd)),
            };
            if end < start {
                return Err(bad(BadReason::EndBeforeStart { start, end }));
            }
            if start < self.latest {
                return Err(bad(BadReason::OutOfOrder));
            }
            self.latest = start;
            out.push((start, end));
        }
        Ok(out)
    }
}

impl Step for CountStep {
    const NAME: &'static str = "RunningCounter";
    const VERB: &'static str = "parallelism";
    const SPREAD: Spread = Spread::Single;
    const INPUT_ORDER: &'static [&'static str] = &[START];
    const OUTPUT_ORDER: &'static [&'static str] = &["time"];

    fn schema(&self, input: &Schema) -> Result<Schema> {
        let time = input.field(place(input, START)?);
        let running = Field::new("running", DataType::Int64, false);
        Ok(Schema::new(vec![
            time_field("time", time),
            Arc::new(running),
        ]))
    }

    fn operator(
        &self,
        input: &SchemaRef,
        output: &SchemaRef,
        batch_size: usize,
    ) -> Result<Box<dyn Operator>> {
        Ok(Box::new(CountOperator {
            intervals: Intervals::new(input)?,
            machine: Parallelism::default(),
            steps: Vec::new(),
            schema: Arc::clone(output),
            batch_size,
        }))
    }
}

struct CountOperator {
    intervals: Intervals,
    machine: Parallelism,
    steps: Vec<(i64, i64)>,
    schema: SchemaRef,
    batch_size: usize,
}

impl Operator for CountOperator {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        for (start, end) in self.intervals.read(batch)? {
            self.machine.push(start, end, &mut self.steps);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.machine.finish(&mut self.steps);
        Ok(())
    }

    fn take(&mut self, all: bool) -> Result<Option<RecordBatch>> {
        let ready = self.steps.len();
        if ready == 0 || (!all && ready < self.batch_size) {
            return Ok(None);
        }
        let steps = std::mem::take(&mut self.steps);
        let column = |of: &dyn Fn(&(i64, i64)) -> i64| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(steps.iter().map(of)))
        };
        let columns = vec![column(&|step| step.0), column(&|step| step.1)];
        Ok(Some(RecordBatch::try_new(
            Arc::clone(&self.schema),
            columns,
        )?))
    }

    fn memory(&mut self) -> usize {
        self.machine.memory() + self.steps.capacity() * size_of::<(i64, i64)>()
    }
}

impl Step for OccupyStep {
    const NAME: &'static str = "Occupier";
    const VERB: &'static str = "utilization";
    const SPREAD: Spread = Spread::Single;
    const INPUT_ORDER: &'static [&'static str] = &[START];
    const STREAMS: bool = false;

    fn schema(&self, input: &Schema) -> Result<Schema> {
        let time = input.field(place(input, START)?);
        Ok(Schema::new(vec![
            Arc::new(Field::new(RESOURCE, DataType::Utf8View, true)),
            time_field("busy", time),
            time_field("idle", time),
            Arc::new(Field::new("share", DataType::Float64, true)),
        ]))
    }

    fn parameters(&self) -> String {
        let end = |end: Option<i64>| end.map(|end| end.to_string()).unwrap_or_default();
        format!("span {}..{}", end(self.low), end(self.high))
    }

    fn operator(
        &self,
        input: &SchemaRef,
        output: &SchemaRef,
        _: usize,
    ) -> Result<Box<dyn Operator>> {
        Ok(Box::new(OccupyOperator {
            step: *self,
            intervals: Intervals::new(input)?,
            resource: place(input, RESOURCE)?,
            amount: place(input, AMOUNT)?,
            capacity: place(input, CAPACITY)?,
            resources: Names::default(),
            busy: Vec::new(),
            span: None,
            schema: Arc::clone(output),
        }))
    }
}

struct OccupyOperator {
    step: OccupyStep,
    intervals: Intervals,
    resource: usize,
    amount: usize,
    capacity: usize,
    resources: Names,
    /// The machine of each resource and its capacity in parts, where it has one.
    busy: Vec<(Busy, Option<i128>)>,
    /// First start and last end of all states.
    span: Option<(i64, i64)>,
    schema: SchemaRef,
}

/// An amount in parts; None where it is none.
fn parts(amount: Option<f64>) -> Option<i128> {
    let scaled = (amount? * PARTS as f64).round();
    (scaled.is_finite() && scaled.abs() < 1e30).then_some(scaled as i128)
}

fn overflow() -> BadState {
    BadState {
        row: None,
        reason: BadReason::Overflow,
    }
}

impl Operator for OccupyOperator {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let numbers = self.resources.intern(names(batch, self.resource)?);
        let floats = |at: usize| batch.column(at).as_primitive::<Float64Type>();
        let (amounts, capacities) = (floats(self.amount), floats(self.capacity));
        let claims = amounts.iter().zip(capacities);
        self.busy.resize(self.resources.len(), Default::default());
        let (low, high) = (self.step.low, self.step.high);
        let intervals = self.intervals.read(batch)?;
        for (((start, end), (amount, capacity)), number) in
            intervals.into_iter().zip(claims).zip(numbers)
        {
            let span = self.span.get_or_insert((start, end));
            *span = (span.0.min(start), span.1.max(end));
            let Some((busy, known)) = self.busy.get_mut(number as usize) else {
                continue;
            };
            let capacity = parts(capacity).filter(|capacity| *capacity > 0);
            *known = known.or(capacity);
            // Without an amount a state takes all there is.
            let amount = parts(amount).or(capacity).unwrap_or(0);
            let start = low.map_or(start, |low| start.max(low));
            let end = high.map_or(end, |high| end.min(high));
            busy.push(start, end, amount).ok_or_else(overflow)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn take(&mut self, all: bool) -> Result<Option<RecordBatch>> {
        if !all || self.busy.is_empty() {
            return Ok(None);
        }
        let machines = std::mem::take(&mut self.busy);
        let (first, last) = self.span.unwrap_or_default();
        let (low, high) = (
            self.step.low.unwrap_or(first),
            self.step.high.unwrap_or(last),
        );
        let span = (i128::from(high) - i128::from(low)).max(0);
        let mut order: Vec<u32> = (0..machines.len() as u32).collect();
        order.sort_by(|a, b| self.resources.compare(*a, *b));
        let (mut busy, mut idle, mut share) = (Vec::new(), Vec::new(), Vec::new());
        for number in &order {
            let Some((machine, capacity)) = machines.get(*number as usize) else {
                continue;
            };
            let ticks = match capacity {
                Some(capacity) => divide_half_even(machine.claimed(), *capacity).0,
                None => machine.union(),
            };
            let narrow = |ticks: i128| i64::try_from(ticks).map_err(|_| overflow());
            busy.push(narrow(ticks)?);
            idle.push(narrow(span - ticks)?);
            share.push((span > 0).then(|| ticks as f64 / span as f64));
        }
        let columns: Vec<ArrayRef> = vec![
            self.resources.column(&order)?,
            Arc::new(Int64Array::from(busy)),
            Arc::new(Int64Array::from(idle)),
            Arc::new(Float64Array::from(share)),
        ];
        Ok(Some(RecordBatch::try_new(
            Arc::clone(&self.schema),
            columns,
        )?))
    }

    fn memory(&mut self) -> usize {
        self.resources.memory() + self.busy.capacity() * size_of::<(Busy, Option<i128>)>()
    }
}
