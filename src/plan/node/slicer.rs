//! The verb `bin`: each interval becomes one row for each bin of the time axis that it lies in. Rows are made as they are
//! taken, so that a long interval and a narrow bin need no memory.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use datafusion::error::Result;

use super::error::{BadReason, BadState};
use super::step::{Operator, Spread, Step, StepNode};
use super::track::{END, START, place, time_field};
use crate::algo::slice::Slices;

/// The logical node.
pub type Slicer = StepNode<SliceStep>;

/// The width of a bin in ticks, above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct SliceStep {
    /// Ticks.
    pub width: i64,
}

/// Number of the bin; a name that no column of a user has.
pub const BIN: &str = "‹bin›";
/// Ticks that the interval has in the bin.
pub const TICKS: &str = "‹ticks›";

impl Step for SliceStep {
    const NAME: &'static str = "Slicer";
    const VERB: &'static str = "bin";
    const SPREAD: Spread = Spread::Single;
    const INPUT_ORDER: &'static [&'static str] = &[];

    fn schema(&self, input: &Schema) -> Result<Schema> {
        let time = input.field(place(input, START)?);
        place(input, END)?;
        let mut fields = vec![
            Arc::new(Field::new(BIN, DataType::Int64, false)),
            time_field(TICKS, time),
        ];
        fields.extend(input.fields().iter().cloned());
        Ok(Schema::new(fields))
    }

    fn parameters(&self) -> String {
        format!("width {}", self.width)
    }

    fn needs(&self, input: &Schema, wanted: &[usize]) -> Option<Vec<usize>> {
        let mut needed = vec![place(input, START).ok()?, place(input, END).ok()?];
        needed.extend(wanted.iter().filter_map(|at| at.checked_sub(2)));
        needed.sort_unstable();
        needed.dedup();
        Some(needed)
    }

    fn operator(
        &self,
        input: &SchemaRef,
        output: &SchemaRef,
        batch_size: usize,
    ) -> Result<Box<dyn Operator>> {
        Ok(Box::new(SliceOperator {
            width: self.width,
            start: place(input, START)?,
            end: place(input, END)?,
            current: None,
            row: 0,
            open: None,
            schema: Arc::clone(output),
            batch_size,
        }))
    }
}

struct SliceOperator {
    width: i64,
    start: usize,
    end: usize,
    /// The batch that is being cut.
    current: Option<RecordBatch>,
    /// Its first row that was not begun.
    row: usize,
    /// The row that was begun and what is left of it.
    open: Option<(u32, Slices)>,
    schema: SchemaRef,
    batch_size: usize,
}

impl Operator for SliceOperator {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        self.current = Some(batch.clone());
        self.row = 0;
        self.open = None;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn take(&mut self, _: bool) -> Result<Option<RecordBatch>> {
        let Some(batch) = &self.current else {
            return Ok(None);
        };
        let times = |at: usize| batch.column(at).as_primitive::<Int64Type>();
        let (starts, ends) = (times(self.start), times(self.end));
        let (mut rows, mut bins, mut ticks) = (Vec::new(), Vec::new(), Vec::new());
        while rows.len() < self.batch_size {
            if let Some((row, slices)) = &mut self.open {
                match slices.next() {
                    Some((bin, count)) => {
                        rows.push(*row);
                        bins.push(bin);
                        ticks.push(count);
                    }
                    None => self.open = None,
                }
                continue;
            }
            let row = self.row;
            if row >= batch.num_rows() {
                break;
            }
            self.row += 1;
            let bad = |reason| BadState { row: None, reason };
            if starts.is_null(row) {
                return Err(bad(BadReason::NoStart).into());
            }
            let start = starts.value(row);
            // A sample without an end is an instant.
            let end = if ends.is_null(row) {
                start
            } else {
                ends.value(row)
            };
            if end < start {
                return Err(bad(BadReason::EndBeforeStart { start, end }).into());
            }
            self.open = Some((row as u32, Slices::new(start, end, self.width)));
        }
        if rows.is_empty() {
            self.current = None;
            return Ok(None);
        }
        let places = UInt32Array::from(rows);
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(bins)),
            Arc::new(Int64Array::from(ticks)),
        ];
        for column in batch.columns() {
            columns.push(take(column, &places, None)?);
        }
        Ok(Some(RecordBatch::try_new(
            Arc::clone(&self.schema),
            columns,
        )?))
    }

    fn memory(&mut self) -> usize {
        self.current
            .as_ref()
            .map_or(0, RecordBatch::get_array_memory_size)
    }
}
