//! Arrow IPC files, with the metadata of times in the schema.

use super::{Format, TableWriter, WriteOptions};
use arrow::array::RecordBatchOptions;
use arrow::datatypes::{Schema, SchemaRef};
use arrow::ipc::writer::FileWriter;
use arrow::record_batch::RecordBatch;
use std::io::{self, Write};
use std::sync::Arc;

/// Arrow IPC.
pub const FORMAT: Format = Format {
    name: "arrow",
    extensions: &["arrow", "ipc", "feather"],
    binary: true,
    holds_metadata: true,
    about: "an Arrow IPC file; times are ticks, the metadata says their unit",
    open,
};

struct Ipc<'a> {
    writer: FileWriter<Box<dyn Write + Send + 'a>>,
    schema: SchemaRef,
}

fn open<'a>(
    out: Box<dyn Write + Send + 'a>,
    schema: &SchemaRef,
    options: &WriteOptions,
) -> io::Result<Box<dyn TableWriter + 'a>> {
    let schema = Arc::new(
        Schema::new(schema.fields().clone())
            .with_metadata(options.metadata.iter().cloned().collect()),
    );
    let writer = FileWriter::try_new(out, &schema).map_err(failed)?;
    Ok(Box::new(Ipc { writer, schema }))
}

pub(super) fn failed(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

/// The batch under the schema with metadata.
pub(super) fn restamped(batch: &RecordBatch, schema: &SchemaRef) -> io::Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), batch.columns().to_vec(), &options)
        .map_err(failed)
}

impl TableWriter for Ipc<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let batch = restamped(batch, &self.schema)?;
        self.writer.write(&batch).map_err(failed)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.writer.finish().map_err(failed)
    }
}
