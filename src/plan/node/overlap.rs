//! `join how=overlap`: pairs of rows of two inputs whose intervals overlap, by the sweep of `algo::overlap`.
//!
//! Both inputs have their keys first, then `start` and `end`, then what is carried along. Out come the intersection as
//! `start`, `end`, its length `overlap`, and what the left and the right row carry. Pairs are made batch by batch.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch, UInt32Array};
use arrow::compute::{concat_batches, take};
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use arrow::row::{RowConverter, SortField};
use datafusion::common::{plan_datafusion_err, plan_err};
use datafusion::error::Result;
use rustc_hash::FxHashMap;

use super::error::{BadReason, BadState, ClaimFault};
use super::kernel::{Batches, Kernel, Work};
use super::track::{END, START, time_field};
use crate::algo::overlap::{Interval, Overlaps};

/// The node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct Overlap {
    /// How many columns of each input are keys: only rows that are equal in them, and null in none, meet.
    pub keys: usize,
}

/// The columns that every output has before those that are carried.
const OWN: [&str; 3] = [START, END, "overlap"];

/// Bytes of an interval and of its group's number.
const BYTES_OF_A_ROW: usize = size_of::<Interval>() + size_of::<u32>();

impl Overlap {
    /// The place of the first column that is carried.
    fn carried(self) -> usize {
        self.keys + 2
    }

    /// The columns of an input that are carried.
    fn payload(self, schema: &Schema) -> usize {
        schema.fields().len().saturating_sub(self.carried())
    }

    /// Checks the types of one input.
    fn check(self, schema: &Schema) -> Result<()> {
        for at in self.keys..self.carried() {
            match schema.fields().get(at) {
                Some(field) if *field.data_type() == DataType::Int64 => {}
                _ => return plan_err!("column {at} of an overlap join is no time"),
            }
        }
        Ok(())
    }
}

impl Kernel for Overlap {
    const NAME: &'static str = "OverlapJoin";
    const VERB: &'static str = "join";

    fn schema(&self, inputs: &[&Schema]) -> Result<Schema> {
        let [left, right] = inputs else {
            return plan_err!("an overlap join has two inputs");
        };
        self.check(left)?;
        self.check(right)?;
        let time = left.field(self.keys);
        let mut fields: Vec<Arc<Field>> = OWN.iter().map(|name| time_field(name, time)).collect();
        for schema in [left, right] {
            fields.extend(schema.fields().iter().skip(self.carried()).cloned());
        }
        Ok(Schema::new(fields))
    }

    fn parameters(&self) -> String {
        format!("{} keys", self.keys)
    }

    fn needs(&self, inputs: &[&Schema], wanted: &[usize]) -> Option<Vec<Vec<usize>>> {
        let [left, right] = inputs else { return None };
        let (left_payload, right_payload) = (self.payload(left), self.payload(right));
        let own: Vec<usize> = (0..self.carried()).collect();
        let (mut mine, mut theirs) = (own.clone(), own);
        for at in wanted.iter().filter_map(|at| at.checked_sub(OWN.len())) {
            match at.checked_sub(left_payload) {
                None => mine.push(self.carried() + at),
                Some(at) if at < right_payload => theirs.push(self.carried() + at),
                Some(_) => return None,
            }
        }
        let mut needed = vec![mine, theirs];
        for list in &mut needed {
            list.sort_unstable();
            list.dedup();
        }
        Some(needed)
    }

    fn run(&self, mut inputs: Vec<Vec<RecordBatch>>, work: &Arc<Work>) -> Result<Batches> {
        let (Some(right), Some(left)) = (inputs.pop(), inputs.pop()) else {
            return plan_err!("an overlap join has two inputs");
        };
        let mut groups = Groups::default();
        let (left_rows, left) = self.read(0, &left, &mut groups, work)?;
        let (right_rows, right) = self.read(1, &right, &mut groups, work)?;
        drop(groups);
        let mut pairs = Overlaps::new(left, right);
        let work = Arc::clone(work);
        let carried = self.carried();
        Ok(Box::new(std::iter::from_fn(move || {
            if work.is_cancelled() {
                return Some(Err(ClaimFault::Cancelled.into()));
            }
            let batch: Vec<_> = pairs.by_ref().take(work.batch_size).collect();
            if batch.is_empty() {
                return None;
            }
            let build = || -> Result<RecordBatch> {
                let times = |of: &dyn Fn(&crate::algo::overlap::Pair) -> Option<i64>| {
                    let times: Option<Vec<i64>> = batch.iter().map(of).collect();
                    times.map(|times| Arc::new(Int64Array::from(times)) as ArrayRef)
                };
                let overflow = || BadState {
                    row: None,
                    reason: BadReason::Overflow,
                };
                let mut columns = vec![
                    times(&|pair| Some(pair.start)).ok_or_else(overflow)?,
                    times(&|pair| Some(pair.end)).ok_or_else(overflow)?,
                    times(&|pair| pair.end.checked_sub(pair.start)).ok_or_else(overflow)?,
                ];
                let left = UInt32Array::from_iter_values(batch.iter().map(|pair| pair.left));
                let right = UInt32Array::from_iter_values(batch.iter().map(|pair| pair.right));
                for (rows, places) in [(&left_rows, left), (&right_rows, right)] {
                    for column in rows.columns().iter().skip(carried) {
                        columns.push(take(column, &places, None)?);
                    }
                }
                Ok(RecordBatch::try_new(Arc::clone(&work.output), columns)?)
            };
            Some(build())
        })))
    }
}

impl Overlap {
    /// One input as one batch, and its intervals; rows without a key are left out.
    fn read(
        &self,
        input: usize,
        batches: &[RecordBatch],
        groups: &mut Groups,
        work: &Work,
    ) -> Result<(RecordBatch, Vec<Interval>)> {
        let schema = work
            .inputs
            .get(input)
            .ok_or_else(|| plan_datafusion_err!("an overlap join has two inputs"))?;
        let rows = concat_batches(schema, batches)?;
        let count = rows.num_rows();
        if u32::try_from(count).is_err() {
            return Err(work.exceeded(rows.get_array_memory_size()).into());
        }
        work.grow(rows.get_array_memory_size() + count * BYTES_OF_A_ROW)?;
        let numbers = groups.numbers(&rows.columns()[..self.keys], count)?;
        let time = |at: usize| rows.column(at).as_primitive::<Int64Type>();
        let (starts, ends) = (time(self.keys), time(self.keys + 1));
        let mut intervals = Vec::with_capacity(count);
        for (row, number) in numbers.into_iter().enumerate() {
            if row % (1 << 16) == 0 && work.is_cancelled() {
                return Err(ClaimFault::Cancelled.into());
            }
            let bad = |reason| BadState { row: None, reason };
            if starts.is_null(row) {
                return Err(bad(BadReason::NoStart).into());
            }
            if ends.is_null(row) {
                return Err(bad(BadReason::NoEnd).into());
            }
            let (start, end) = (starts.value(row), ends.value(row));
            if end < start {
                return Err(bad(BadReason::EndBeforeStart { start, end }).into());
            }
            intervals.extend(number.map(|group| Interval {
                group,
                start,
                end,
                row: row as u32,
            }));
        }
        Ok((rows, intervals))
    }
}

/// The numbers of keys.
#[derive(Default)]
struct Groups {
    numbers: FxHashMap<Box<[u8]>, u32>,
}

impl Groups {
    /// The number of each row's key; None where a part of it is null.
    fn numbers(&mut self, keys: &[ArrayRef], count: usize) -> Result<Vec<Option<u32>>> {
        if keys.is_empty() {
            return Ok(vec![Some(0); count]);
        }
        let fields = keys
            .iter()
            .map(|key| SortField::new(key.data_type().clone()));
        let converter = RowConverter::new(fields.collect())?;
        let rows = converter.convert_columns(keys)?;
        let mut out = Vec::with_capacity(count);
        for (at, row) in rows.iter().enumerate() {
            if keys.iter().any(|key| key.is_null(at)) {
                out.push(None);
                continue;
            }
            let bytes: &[u8] = row.as_ref();
            let number = match self.numbers.get(bytes) {
                Some(number) => *number,
                None => {
                    let number = self.numbers.len() as u32;
                    self.numbers.insert(bytes.into(), number);
                    number
                }
            };
            out.push(Some(number));
        }
        Ok(out)
    }
}
