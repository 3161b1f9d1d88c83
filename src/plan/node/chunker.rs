//! The first half of `aggregate-by-threshold`: states by start in, cells without their place in the stack out, as they
//! are completed. At the end of each partition one row for each value carries its total time there, with nulls for the
//! key, so that a sort with nulls first brings the totals to the stacker ahead of all cells.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, new_null_array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::error::Result;

use super::error::BadState;
use super::step::{Operator, Spread, Step, StepNode};
use super::total::{entry, lower, upper};
use super::track::{END, Machines, Nest, START, StateColumns, StateReader, States, time_field};
use crate::algo::chunk::{Cell, Chunks, Overflow, Rule, Ties};
use crate::algo::flatten::{Flatten, State};

/// Names of the columns that cells have beyond those of states.
pub(super) const CHUNK: &str = "chunk";
pub(super) const SUBCHUNK: &str = "subchunk";
pub(super) const DURATION: &str = "duration";
pub(super) const NUMBER: &str = "number";
pub(super) const PURE: &str = "pure";

/// The logical node.
pub type Chunker = StepNode<ChunkStep>;

/// Its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct ChunkStep {
    /// Threshold and greatest width of a subchunk, in ticks.
    pub rule: Rule,
    /// Which rows count.
    pub nest: Nest,
}

impl Step for ChunkStep {
    const NAME: &'static str = "Chunker";
    const VERB: &'static str = "aggregate-by-threshold";
    const SPREAD: Spread = Spread::ByTrack;
    const INPUT_ORDER: &'static [&'static str] = &[START];

    fn schema(&self, input: &Schema) -> Result<Schema> {
        let columns = StateColumns::new(input)?;
        let model = input.field(columns.start);
        let [resource, kind, value] = columns
            .names
            .map(|at| Arc::new(input.field(at).clone().with_nullable(true)));
        let whole = |name, nullable| Arc::new(Field::new(name, DataType::Int64, nullable));
        let fields = vec![
            resource,
            kind,
            whole(CHUNK, true),
            whole(SUBCHUNK, true),
            value,
            time_field(START, model),
            time_field(END, model),
            time_field(DURATION, model),
            whole(NUMBER, false),
            Arc::new(Field::new(PURE, DataType::Boolean, false)),
        ];
        Ok(Schema::new_with_metadata(fields, input.metadata().clone()))
    }

    fn parameters(&self) -> String {
        let max = match self.rule.max() {
            Some(max) => format!(", max={max}"),
            None => String::new(),
        };
        format!(
            "threshold={}{max}, nest={:?}",
            self.rule.threshold(),
            self.nest
        )
    }

    fn operator(
        &self,
        input: &SchemaRef,
        output: &SchemaRef,
        batch_size: usize,
    ) -> Result<Box<dyn Operator>> {
        Ok(Box::new(ChunkOperator {
            step: *self,
            reader: StateReader::new(input)?,
            tracks: Machines::default(),
            cells: Cells::default(),
            totals: None,
            schema: Arc::clone(output),
            batch_size,
        }))
    }
}

/// The machines of one track; of the first two only the one that `nest` asks for is used.
#[derive(Debug, Default)]
struct Track {
    flatten: Flatten<()>,
    ties: Ties,
    chunks: Chunks,
}

impl Track {
    fn memory(&self) -> usize {
        self.flatten.memory() + self.ties.memory() + self.chunks.memory()
    }
}

struct ChunkOperator {
    step: ChunkStep,
    reader: StateReader,
    tracks: Machines<Track>,
    cells: Cells,
    /// The rows that end the output, once the input has ended.
    totals: Option<RecordBatch>,
    schema: SchemaRef,
    batch_size: usize,
}

impl ChunkOperator {
    fn push_flat(&mut self, states: &States) -> Result<()> {
        let values = &self.reader.values;
        let names = |left, right| values.compare(left, right);
        let (rule, cells) = (&self.step.rule, &mut self.cells);
        let tracks = self.tracks.ready(self.reader.tracks.len(), states.len());
        for at in 0..states.len() {
            let number = states.track[at];
            let Track {
                flatten, chunks, ..
            } = &mut tracks[number as usize];
            let state = State {
                start: states.start[at],
                end: states.end[at],
                depth: states.depth(at),
                value: states.value[at],
                payload: (),
            };
            let pushed = flatten.push(state, &names, &mut |piece| {
                chunks.push(rule, piece.start, piece.end, piece.value, &mut |cell| {
                    cells.add(number, cell)
                })
            });
            pushed.map_err(|overflow| states.overflow(at, overflow))?;
        }
        Ok(())
    }

    fn push_kept(&mut self, states: &States, depth: Option<i64>) -> Result<()> {
        let values = &self.reader.values;
        let names = |left, right| values.compare(left, right);
        let (rule, cells) = (&self.step.rule, &mut self.cells);
        let tracks = self.tracks.ready(self.reader.tracks.len(), states.len());
        for at in 0..states.len() {
            if depth.is_some_and(|depth| depth != states.depth(at)) {
                continue;
            }
            let number = states.track[at];
            let Track { ties, chunks, .. } = &mut tracks[number as usize];
            let pushed = ties.push(
                states.start[at],
                states.end[at],
                states.value[at],
                &names,
                &mut |start, end, value| {
                    chunks.push(rule, start, end, value, &mut |cell| cells.add(number, cell))
                },
            );
            pushed.map_err(|overflow| states.overflow(at, overflow))?;
        }
        Ok(())
    }

    /// The cells that are complete, as a batch.
    fn cells(&mut self) -> Result<RecordBatch> {
        let cells = std::mem::take(&mut self.cells.rows);
        let of_track = |name: fn(&(u32, u32)) -> u32| -> Vec<u32> {
            (cells.track.iter())
                .map(|&track| name(&self.reader.tracks[track as usize]))
                .collect()
        };
        let resource = of_track(|track| track.0);
        let kind = of_track(|track| track.1);
        let columns: Vec<ArrayRef> = vec![
            self.reader.resources.column(&resource)?,
            self.reader.types.column(&kind)?,
            Arc::new(Int64Array::from(cells.chunk)),
            Arc::new(Int64Array::from(cells.subchunk)),
            self.reader.values.column(&cells.value)?,
            Arc::new(Int64Array::from(cells.start)),
            Arc::new(Int64Array::from(cells.end)),
            Arc::new(Int64Array::from(cells.duration)),
            Arc::new(Int64Array::from(cells.number)),
            Arc::new(BooleanArray::from(cells.pure)),
        ];
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }

    /// One row for each value: its total time in this partition, the upper 64 bits as `start`, the lower as `duration`.
    fn total_rows(&mut self) -> Result<RecordBatch> {
        let totals = &self.cells.totals;
        let rows = totals.len();
        let value: Vec<u32> = (0..rows as u32).collect();
        let null = |at: usize| new_null_array(self.schema.field(at).data_type(), rows);
        let zero: ArrayRef = Arc::new(Int64Array::from(vec![0; rows]));
        let columns: Vec<ArrayRef> = vec![
            null(0),
            null(1),
            null(2),
            null(3),
            self.reader.values.column(&value)?,
            Arc::new(
                totals
                    .iter()
                    .map(|&total| upper(total))
                    .collect::<Int64Array>(),
            ),
            Arc::clone(&zero),
            Arc::new(
                totals
                    .iter()
                    .map(|&total| lower(total))
                    .collect::<Int64Array>(),
            ),
            zero,
            Arc::new(BooleanArray::from(vec![false; rows])),
        ];
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }
}

impl Operator for ChunkOperator {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let states = self.reader.read(batch)?;
        match self.step.nest {
            Nest::Flatten => self.push_flat(&states),
            Nest::Keep => self.push_kept(&states, None),
            Nest::Depth(depth) => self.push_kept(&states, Some(depth)),
        }
    }

    fn finish(&mut self) -> Result<()> {
        let values = &self.reader.values;
        let names = |left, right| values.compare(left, right);
        let (rule, cells) = (&self.step.rule, &mut self.cells);
        for (number, track) in self.tracks.all().iter_mut().enumerate() {
            let Track {
                flatten,
                ties,
                chunks,
            } = track;
            let mut sink = |cell: &Cell| cells.add(number as u32, cell);
            let mut row = |start, end, value| chunks.push(rule, start, end, value, &mut sink);
            flatten
                .finish(&names, &mut |piece| {
                    row(piece.start, piece.end, piece.value)
                })
                .and_then(|()| ties.finish(&names, &mut row))
                .and_then(|()| chunks.finish(&mut sink))
                .map_err(BadState::from)?;
        }
        self.totals = Some(self.total_rows()?);
        Ok(())
    }

    fn take(&mut self, all: bool) -> Result<Option<RecordBatch>> {
        let ready = self.cells.rows.track.len();
        if ready >= self.batch_size || (all && ready > 0) {
            return self.cells().map(Some);
        }
        Ok(self.totals.take().filter(|totals| totals.num_rows() > 0))
    }

    fn memory(&mut self) -> usize {
        self.reader.memory() + self.tracks.memory(Track::memory) + self.cells.memory()
    }
}

/// Complete cells that wait to become a batch, and the totals of all.
#[derive(Debug, Default)]
struct Cells {
    rows: CellRows,
    /// By value.
    totals: Vec<i128>,
}

#[derive(Debug, Default)]
struct CellRows {
    track: Vec<u32>,
    chunk: Vec<i64>,
    subchunk: Vec<i64>,
    value: Vec<u32>,
    start: Vec<i64>,
    end: Vec<i64>,
    duration: Vec<i64>,
    number: Vec<i64>,
    pure: Vec<bool>,
}

impl Cells {
    fn add(&mut self, track: u32, cell: &Cell) -> Result<(), Overflow> {
        let rows = &mut self.rows;
        for share in cell.shares {
            rows.track.push(track);
            rows.chunk.push(cell.chunk);
            rows.subchunk.push(cell.subchunk);
            rows.value.push(share.value);
            rows.start.push(cell.start);
            rows.end.push(cell.end);
            rows.duration.push(share.duration);
            rows.number.push(share.number);
            rows.pure.push(cell.pure);
            *entry(&mut self.totals, share.value) += i128::from(share.duration);
        }
        Ok(())
    }

    fn memory(&self) -> usize {
        self.rows.track.capacity()
            * (2 * size_of::<u32>() + 6 * size_of::<i64>() + size_of::<bool>())
            + self.totals.capacity() * size_of::<i128>()
    }
}
