//! What a reader hands over: a loaded trace as Arrow batches, ready to be registered as plans.

use super::{Clock, LoadReport};
use arrow::array::ArrayData;
use arrow::buffer::Buffer;
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use std::collections::HashSet;

/// One relation in memory.
#[derive(Clone, Debug)]
pub struct Relation {
    /// One of [`super::schema::RELATIONS`].
    pub name: &'static str,
    /// The schema plans see: names as `Utf8View`.
    pub schema: SchemaRef,
    /// The rows. Columns of type `Utf8View` in `schema` may be dictionaries (UInt32 keys, Utf8View
    /// values) here; everything else has the type of `schema`. Batches have at most 65,536 rows.
    pub batches: Vec<RecordBatch>,
    /// Column names the rows are sorted by, ascending, nulls last; empty where unknown.
    pub sorted_by: Vec<&'static str>,
}

impl Relation {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Bytes held in memory. Batches share buffers (they are slices of whole columns, and names share one
    /// dictionary): each buffer counts once.
    pub fn bytes(&self) -> usize {
        let mut seen = HashSet::new();
        let columns = self.batches.iter().flat_map(RecordBatch::columns);
        columns
            .map(|column| count_buffers(&column.to_data(), &mut seen))
            .sum()
    }
}

fn count_buffers(data: &ArrayData, seen: &mut HashSet<usize>) -> usize {
    let nulls = data.nulls().map(|nulls| nulls.buffer());
    let own: usize = data
        .buffers()
        .iter()
        .chain(nulls)
        .filter(|buffer| seen.insert(buffer.data_ptr().as_ptr() as usize))
        .map(Buffer::capacity)
        .sum();
    let children = data.child_data().iter();
    own + children
        .map(|child| count_buffers(child, seen))
        .sum::<usize>()
}

/// A loaded trace.
#[derive(Clone, Debug)]
pub struct TraceData {
    /// How its ticks relate to the file's numbers.
    pub clock: Clock,
    /// All relations of [`super::schema::RELATIONS`], in that order, also the empty ones.
    pub relations: Vec<Relation>,
    /// What loading did.
    pub report: LoadReport,
}

impl TraceData {
    /// A relation by name.
    pub fn relation(&self, name: &str) -> Option<&Relation> {
        self.relations.iter().find(|relation| relation.name == name)
    }
}
