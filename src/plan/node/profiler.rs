//! The verb `profile` (aggregation.md, section 7): first the time and the number of states of each value in each
//! partition, then their sums over one partition. DataFusion's `sum` wraps, so both are nodes of our own with 128 bits.

use std::cmp::Reverse;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use datafusion::error::Result;

use super::chunker::{DURATION, NUMBER};
use super::error::{BadReason, BadState};
use super::names::Names;
use super::step::{Operator, Spread, Step, StepNode};
use super::total::{entry, lower, upper, whole};
use super::track::{
    Machines, Nest, START, StateColumns, StateReader, VALUE, names, place, time_field,
};
use crate::algo::flatten::{Flatten, Piece, State};

/// The upper half of a sum of time; `duration` is the lower one.
const UPPER: &str = "upper";
const SHARE: &str = "share";

/// The logical node that makes a profile of each partition.
pub type Profiler = StepNode<ProfileStep>;

/// The logical node that adds the profiles up.
pub type ProfileMerger = StepNode<MergeStep>;

/// The parameters of [`Profiler`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct ProfileStep {
    /// Which rows count.
    pub nest: Nest,
}

/// [`ProfileMerger`] has no parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct MergeStep;

impl Step for ProfileStep {
    const NAME: &'static str = "Profiler";
    const VERB: &'static str = "profile";
    const SPREAD: Spread = Spread::ByTrack;
    const INPUT_ORDER: &'static [&'static str] = &[START];
    const STREAMS: bool = false;

    fn schema(&self, input: &Schema) -> Result<Schema> {
        let columns = StateColumns::new(input)?;
        let [_, _, value] = columns.names.map(|at| Arc::clone(&input.fields()[at]));
        let model = input.field(columns.start);
        let whole = |name| Arc::new(Field::new(name, DataType::Int64, false));
        let fields = vec![
            value,
            whole(UPPER),
            time_field(DURATION, model),
            whole(NUMBER),
        ];
        Ok(Schema::new_with_metadata(fields, input.metadata().clone()))
    }

    fn parameters(&self) -> String {
        format!("nest={:?}", self.nest)
    }

    fn operator(
        &self,
        input: &SchemaRef,
        output: &SchemaRef,
        _batch_size: usize,
    ) -> Result<Box<dyn Operator>> {
        Ok(Box::new(ProfileOperator {
            nest: self.nest,
            reader: StateReader::new(input)?,
            tracks: Machines::default(),
            sums: Sums::default(),
            result: None,
            schema: Arc::clone(output),
        }))
    }
}

/// Sums by the number of the value.
#[derive(Debug, Default)]
struct Sums {
    duration: Vec<i128>,
    number: Vec<i64>,
}

impl Sums {
    fn add_time(&mut self, value: u32, time: i128) {
        *entry(&mut self.duration, value) += time;
    }

    /// Also makes the value known, so that one that is wholly hidden has its row.
    fn add_number(&mut self, value: u32, number: i64) {
        *entry(&mut self.number, value) += number;
        self.add_time(value, 0);
    }

    fn memory(&self) -> usize {
        self.duration.capacity() * size_of::<i128>() + self.number.capacity() * size_of::<i64>()
    }
}

struct ProfileOperator {
    nest: Nest,
    reader: StateReader,
    tracks: Machines<Flatten<()>>,
    sums: Sums,
    result: Option<RecordBatch>,
    schema: SchemaRef,
}

impl Operator for ProfileOperator {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let states = self.reader.read(batch)?;
        let values = &self.reader.values;
        let names = |left, right| values.compare(left, right);
        let tracks = self.tracks.ready(self.reader.tracks.len(), states.len());
        for at in 0..states.len() {
            let (start, end, depth, value) = (
                states.start[at],
                states.end[at],
                states.depth(at),
                states.value[at],
            );
            if matches!(self.nest, Nest::Depth(wanted) if wanted != depth) {
                continue;
            }
            self.sums.add_number(value, 1);
            if self.nest != Nest::Flatten {
                self.sums.add_time(value, span(start, end));
                continue;
            }
            let state = State {
                start,
                end,
                depth,
                value,
                payload: (),
            };
            let sums = &mut self.sums;
            tracks[states.track[at] as usize]
                .push(state, &names, &mut |piece| add_piece(sums, piece))?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        let values = &self.reader.values;
        let names = |left, right| values.compare(left, right);
        for track in self.tracks.all() {
            track.finish(&names, &mut |piece| add_piece(&mut self.sums, piece))?;
        }
        let known: Vec<u32> = (0..self.reader.values.len() as u32)
            .filter(|&value| {
                self.sums
                    .number
                    .get(value as usize)
                    .is_some_and(|&number| number > 0)
            })
            .collect();
        let total = |value: &u32| self.sums.duration[*value as usize];
        let columns: Vec<ArrayRef> = vec![
            self.reader.values.column(&known)?,
            Arc::new(
                known
                    .iter()
                    .map(|value| upper(total(value)))
                    .collect::<Int64Array>(),
            ),
            Arc::new(
                known
                    .iter()
                    .map(|value| lower(total(value)))
                    .collect::<Int64Array>(),
            ),
            Arc::new(
                known
                    .iter()
                    .map(|&value| self.sums.number[value as usize])
                    .collect::<Int64Array>(),
            ),
        ];
        self.result = Some(RecordBatch::try_new(Arc::clone(&self.schema), columns)?);
        Ok(())
    }

    fn take(&mut self, _all: bool) -> Result<Option<RecordBatch>> {
        Ok(self.result.take().filter(|result| result.num_rows() > 0))
    }

    fn memory(&mut self) -> usize {
        self.reader.memory() + self.tracks.memory(Flatten::memory) + self.sums.memory()
    }
}

fn span(start: i64, end: i64) -> i128 {
    i128::from(end) - i128::from(start)
}

fn add_piece(sums: &mut Sums, piece: Piece<()>) -> Result<()> {
    sums.add_time(piece.value, span(piece.start, piece.end));
    Ok(())
}

impl Step for MergeStep {
    const NAME: &'static str = "ProfileMerger";
    const VERB: &'static str = "profile";
    const SPREAD: Spread = Spread::Single;
    const INPUT_ORDER: &'static [&'static str] = &[];
    const STREAMS: bool = false;

    fn schema(&self, input: &Schema) -> Result<Schema> {
        let kept = |name| Ok(Arc::clone(&input.fields()[place(input, name)?]));
        let share = Arc::new(Field::new(SHARE, DataType::Float64, false));
        let fields: Result<Vec<_>> = [kept(VALUE), kept(DURATION), kept(NUMBER), Ok(share)]
            .into_iter()
            .collect();
        Ok(Schema::new_with_metadata(fields?, input.metadata().clone()))
    }

    fn operator(
        &self,
        input: &SchemaRef,
        output: &SchemaRef,
        _batch_size: usize,
    ) -> Result<Box<dyn Operator>> {
        let columns = [VALUE, UPPER, DURATION, NUMBER].map(|name| place(input, name));
        let [value, upper, lower, number] = columns;
        Ok(Box::new(MergeOperator {
            value: value?,
            sums_at: [upper?, lower?, number?],
            names: Names::default(),
            sums: Sums::default(),
            result: None,
            schema: Arc::clone(output),
        }))
    }
}

struct MergeOperator {
    value: usize,
    /// Places of the upper and lower half of the time, and of the number.
    sums_at: [usize; 3],
    names: Names,
    sums: Sums,
    result: Option<RecordBatch>,
    schema: SchemaRef,
}

impl Operator for MergeOperator {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let values = self.names.intern(names(batch, self.value)?);
        let [upper, lower, number] = self
            .sums_at
            .map(|at| batch.column(at).as_primitive::<Int64Type>().values());
        for (row, value) in values.into_iter().enumerate() {
            self.sums.add_number(value, number[row]);
            self.sums.add_time(value, whole(upper[row], lower[row]));
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        let total: i128 = self.sums.duration.iter().sum();
        let of = |value: u32| self.sums.duration[value as usize];
        let mut order: Vec<u32> = (0..self.names.len() as u32).collect();
        order.sort_by(|&left, &right| {
            let by_time = Reverse(of(left)).cmp(&Reverse(of(right)));
            by_time.then_with(|| self.names.compare(left, right))
        });
        let ticks = |&value: &u32| i64::try_from(of(value));
        let duration: Result<Vec<i64>, _> = order.iter().map(ticks).collect();
        let duration = duration.map_err(|_| BadState {
            row: None,
            reason: BadReason::Overflow,
        })?;
        let share = |&value: &u32| {
            if total == 0 {
                0.0
            } else {
                of(value) as f64 / total as f64
            }
        };
        let columns: Vec<ArrayRef> = vec![
            self.names.column(&order)?,
            Arc::new(Int64Array::from(duration)),
            Arc::new(
                order
                    .iter()
                    .map(|&value| self.sums.number[value as usize])
                    .collect::<Int64Array>(),
            ),
            Arc::new(order.iter().map(share).collect::<Float64Array>()),
        ];
        self.result = Some(RecordBatch::try_new(Arc::clone(&self.schema), columns)?);
        Ok(())
    }

    fn take(&mut self, _all: bool) -> Result<Option<RecordBatch>> {
        Ok(self.result.take().filter(|result| result.num_rows() > 0))
    }

    fn memory(&mut self) -> usize {
        self.names.memory() + self.sums.memory()
    }
}
