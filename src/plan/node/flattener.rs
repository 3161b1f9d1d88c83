//! The verb `flatten`: states by start in, exclusive pieces with all columns of their state out. `start` and `end` are
//! those of the piece and `depth` is 0. Pieces come as they are settled, so the output has no order over all tracks.
//!
//! A piece points at the row that it is of. Input batches are held while a row of theirs may still come out; from time to
//! time the rows still wanted are copied together and the batches let go.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch};
use arrow::compute::{cast, interleave};
use arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::error::Result;

use super::buffers::Buffers;
use super::step::{Operator, Spread, Step, StepNode};
use super::track::{Machines, START, StateColumns, StateReader};
use crate::algo::flatten::{Flatten, Piece, State};

/// The logical node.
pub type Flattener = StepNode<FlattenStep>;

/// It has no parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct FlattenStep;

impl Step for FlattenStep {
    const NAME: &'static str = "Flattener";
    const VERB: &'static str = "flatten";
    const SPREAD: Spread = Spread::ByTrack;
    const INPUT_ORDER: &'static [&'static str] = &[START];

    fn schema(&self, input: &Schema) -> Result<Schema> {
        StateColumns::new(input)?;
        Ok(input.clone())
    }

    fn needs(&self, input: &Schema, wanted: &[usize]) -> Option<Vec<usize>> {
        let mut needed: Vec<usize> = StateColumns::new(input)
            .ok()?
            .all()
            .chain(wanted.iter().copied())
            .collect();
        needed.sort_unstable();
        needed.dedup();
        Some(needed)
    }

    fn keeps_columns(&self) -> bool {
        true
    }

    fn operator(
        &self,
        input: &SchemaRef,
        output: &SchemaRef,
        batch_size: usize,
    ) -> Result<Box<dyn Operator>> {
        Ok(Box::new(FlattenOperator {
            columns: StateColumns::new(input)?,
            reader: StateReader::new(input)?,
            tracks: Machines::default(),
            held: Held::default(),
            pieces: Vec::new(),
            schema: Arc::clone(output),
            batch_size,
        }))
    }
}

/// A row of a batch that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RowAt {
    batch: u32,
    row: u32,
}

impl RowAt {
    fn index(self) -> (usize, usize) {
        (self.batch as usize, self.row as usize)
    }
}

struct FlattenOperator {
    columns: StateColumns,
    reader: StateReader,
    tracks: Machines<Flatten<RowAt>>,
    held: Held,
    pieces: Vec<Piece<RowAt>>,
    schema: SchemaRef,
    batch_size: usize,
}

impl FlattenOperator {
    /// The pieces that wait, as rows.
    fn rows(&mut self) -> Result<RecordBatch> {
        let pieces = std::mem::take(&mut self.pieces);
        let origin: Vec<_> = pieces.iter().map(|piece| piece.payload.index()).collect();
        let columns =
            (self.schema.fields().iter().enumerate()).map(|(at, field)| -> Result<ArrayRef> {
                if at == self.columns.start {
                    return Ok(Arc::new(
                        pieces
                            .iter()
                            .map(|piece| piece.start)
                            .collect::<Int64Array>(),
                    ));
                }
                if at == self.columns.end {
                    return Ok(Arc::new(
                        pieces.iter().map(|piece| piece.end).collect::<Int64Array>(),
                    ));
                }
                if self.columns.depth == Some(at) {
                    let outermost = Int64Array::from(vec![0; pieces.len()]);
                    return Ok(cast(&outermost, field.data_type())?);
                }
                self.held.gather(at, &origin)
            });
        let columns: Result<Vec<_>> = columns.collect();
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns?)?)
    }

    /// Copies the rows that may still come out together and lets all batches go.
    fn compact(&mut self) -> Result<()> {
        let in_tracks = self.tracks.all().iter_mut().flat_map(Flatten::payloads_mut);
        let waiting = self.pieces.iter_mut().map(|piece| &mut piece.payload);
        let mut wanted = Vec::new();
        for (row, at) in in_tracks.chain(waiting).enumerate() {
            wanted.push(at.index());
            *at = RowAt {
                batch: 0,
                row: row as u32,
            };
        }
        self.held.keep_only(&wanted, &self.schema)
    }
}

impl Operator for FlattenOperator {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let states = self.reader.read(batch)?;
        if self.held.is_due() {
            self.compact()?;
        }
        let number = self.held.add(batch.clone());
        let values = &self.reader.values;
        let names = |left, right| values.compare(left, right);
        let pieces = &mut self.pieces;
        let mut sink = |piece| -> Result<()> {
            pieces.push(piece);
            Ok(())
        };
        let tracks = self.tracks.ready(self.reader.tracks.len(), states.len());
        for at in 0..states.len() {
            let state = State {
                start: states.start[at],
                end: states.end[at],
                depth: states.depth(at),
                value: states.value[at],
                payload: RowAt {
                    batch: number,
                    row: at as u32,
                },
            };
            tracks[states.track[at] as usize].push(state, &names, &mut sink)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        let values = &self.reader.values;
        let names = |left, right| values.compare(left, right);
        let pieces = &mut self.pieces;
        let mut sink = |piece| -> Result<()> {
            pieces.push(piece);
            Ok(())
        };
        self.tracks
            .all()
            .iter_mut()
            .try_for_each(|track| track.finish(&names, &mut sink))
    }

    fn take(&mut self, all: bool) -> Result<Option<RecordBatch>> {
        let ready = self.pieces.len();
        if ready >= self.batch_size || (all && ready > 0) {
            return self.rows().map(Some);
        }
        Ok(None)
    }

    fn memory(&mut self) -> usize {
        self.reader.memory()
            + self.tracks.memory(Flatten::memory)
            + self.held.buffers.bytes()
            + self.pieces.capacity() * size_of::<Piece<RowAt>>()
    }
}

/// The batches of which rows may still come out.
#[derive(Debug, Default)]
struct Held {
    batches: Vec<RecordBatch>,
    /// Rows that came since the last clearing, and rows that were left by it.
    came: usize,
    left: usize,
    buffers: Buffers,
}

impl Held {
    /// Fewer rows than this are not worth a clearing.
    const FEW: usize = 128 * 1024;

    fn add(&mut self, batch: RecordBatch) -> u32 {
        self.came += batch.num_rows();
        self.buffers.add(&batch);
        self.batches.push(batch);
        self.batches.len() as u32 - 1
    }

    /// Whether as many rows have come as a clearing may have to copy.
    fn is_due(&self) -> bool {
        self.came > self.left.max(Self::FEW)
    }

    fn gather(&self, column: usize, rows: &[(usize, usize)]) -> Result<ArrayRef> {
        let columns: Vec<&dyn Array> = self
            .batches
            .iter()
            .map(|batch| batch.column(column).as_ref())
            .collect();
        Ok(interleave(&columns, rows)?)
    }

    fn keep_only(&mut self, rows: &[(usize, usize)], schema: &SchemaRef) -> Result<()> {
        let columns = (0..schema.fields().len()).map(|at| self.gather(at, rows).map(detached));
        let columns: Result<Vec<_>> = columns.collect();
        let kept = RecordBatch::try_new(Arc::clone(schema), columns?)?;
        *self = Self::default();
        self.add(kept);
        self.came = 0;
        self.left = rows.len();
        Ok(())
    }
}

/// The column without what it shares with batches that are to be let go.
fn detached(column: ArrayRef) -> ArrayRef {
    match column.data_type() {
        DataType::Utf8View => Arc::new(column.as_string_view().gc()),
        DataType::BinaryView => Arc::new(column.as_binary_view().gc()),
        _ => column,
    }
}
