//! The verb `gaps`: states by start in, the intervals between them out, track by track, in no order over all tracks.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::error::Result;

use super::error::{BadReason, BadState};
use super::step::{Operator, Spread, Step, StepNode};
use super::track::{END, Machines, RESOURCE, START, StateColumns, StateReader, TYPE, time_field};
use crate::algo::gap::{Gap, Gaps};

/// The logical node.
pub type GapFinder = StepNode<GapStep>;

/// It has no parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct GapStep;

impl Step for GapStep {
    const NAME: &'static str = "GapFinder";
    const VERB: &'static str = "gaps";
    const SPREAD: Spread = Spread::ByTrack;
    const INPUT_ORDER: &'static [&'static str] = &[START];

    fn schema(&self, input: &Schema) -> Result<Schema> {
        let columns = StateColumns::new(input)?;
        let time = input.field(columns.start);
        let name = |name: &str| Arc::new(Field::new(name, DataType::Utf8View, true));
        let fields = vec![
            name(RESOURCE),
            name(TYPE),
            time_field(START, time),
            time_field(END, time),
            time_field("duration", time),
            name("before"),
            name("after"),
        ];
        Ok(Schema::new_with_metadata(fields, input.metadata().clone()))
    }

    fn operator(
        &self,
        input: &SchemaRef,
        output: &SchemaRef,
        batch_size: usize,
    ) -> Result<Box<dyn Operator>> {
        Ok(Box::new(GapOperator {
            reader: StateReader::new(input)?,
            tracks: Machines::default(),
            gaps: Vec::new(),
            schema: Arc::clone(output),
            batch_size,
        }))
    }
}

struct GapOperator {
    reader: StateReader,
    tracks: Machines<Gaps>,
    /// Complete gaps with the number of their track.
    gaps: Vec<(u32, Gap)>,
    schema: SchemaRef,
    batch_size: usize,
}

impl GapOperator {
    fn rows(&mut self) -> Result<RecordBatch> {
        let gaps = std::mem::take(&mut self.gaps);
        let name = |of: &dyn Fn(&(u32, Gap)) -> u32| gaps.iter().map(of).collect::<Vec<u32>>();
        let tracks = &self.reader.tracks;
        let resource = name(&|(track, _)| tracks[*track as usize].0);
        let kind = name(&|(track, _)| tracks[*track as usize].1);
        let (before, after) = (name(&|(_, gap)| gap.before), name(&|(_, gap)| gap.after));
        let time = |of: &dyn Fn(&Gap) -> i64| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(
                gaps.iter().map(|(_, gap)| of(gap)),
            ))
        };
        let durations: Result<Int64Array, BadState> = gaps
            .iter()
            .map(|(_, gap)| {
                gap.end.checked_sub(gap.start).map(Some).ok_or(BadState {
                    row: None,
                    reason: BadReason::Overflow,
                })
            })
            .collect();
        let columns: Vec<ArrayRef> = vec![
            self.reader.resources.column(&resource)?,
            self.reader.types.column(&kind)?,
            time(&|gap| gap.start),
            time(&|gap| gap.end),
            Arc::new(durations?),
            self.reader.values.column(&before)?,
            self.reader.values.column(&after)?,
        ];
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }
}

impl Operator for GapOperator {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let states = self.reader.read(batch)?;
        let values = &self.reader.values;
        let names = |left, right| values.compare(left, right);
        let tracks = self.tracks.ready(self.reader.tracks.len(), states.len());
        for at in 0..states.len() {
            let number = states.track[at];
            let (start, end, value) = (states.start[at], states.end[at], states.value[at]);
            let gap = tracks[number as usize].push(start, end, value, &names);
            self.gaps.extend(gap.map(|gap| (number, gap)));
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        for (number, track) in self.tracks.all().iter_mut().enumerate() {
            self.gaps
                .extend(track.finish().map(|gap| (number as u32, gap)));
        }
        Ok(())
    }

    fn take(&mut self, all: bool) -> Result<Option<RecordBatch>> {
        let ready = self.gaps.len();
        if ready >= self.batch_size || (all && ready > 0) {
            return self.rows().map(Some);
        }
        Ok(None)
    }

    fn memory(&mut self) -> usize {
        self.reader.memory()
            + self.tracks.memory(|_| 0)
            + self.gaps.capacity() * size_of::<(u32, Gap)>()
    }
}
