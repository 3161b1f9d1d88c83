//! How many bytes batches hold together: they may be slices of the same buffers, each of which counts once.

use arrow::array::{Array, ArrayData, RecordBatch};
use rustc_hash::FxHashSet;

/// The distinct buffers of some batches, known by their addresses.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    seen: FxHashSet<usize>,
    bytes: usize,
}

impl Buffers {
    /// Counts what `batch` holds and no batch before it did.
    pub(super) fn add(&mut self, batch: &RecordBatch) {
        for column in batch.columns() {
            self.measure(&column.to_data());
        }
    }

    /// Bytes of all of them.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    fn measure(&mut self, data: &ArrayData) {
        for buffer in data.buffers() {
            if self.seen.insert(buffer.data_ptr().as_ptr() as usize) {
                self.bytes += buffer.capacity();
            }
        }
        for child in data.child_data() {
            self.measure(child);
        }
    }
}
