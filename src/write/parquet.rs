//! Parquet with all metadata of a relation and its sort order, so that it reads back exactly.

use super::arrow::{failed, restamped};
use super::{Format, TableWriter, WriteOptions};
use arrow::datatypes::{Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::WriterProperties;
use std::io::{self, Write};
use std::sync::Arc;

/// Parquet.
pub const FORMAT: Format = Format {
    name: "parquet",
    extensions: &["parquet", "pq"],
    binary: true,
    holds_metadata: true,
    about: "Parquet; times are ticks, the metadata says their unit; a trace keeps all of it",
    open,
};

struct Columnar<'a> {
    writer: ArrowWriter<Box<dyn Write + Send + 'a>>,
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
    let sorting: Vec<SortingColumn> = options
        .sorted_by
        .iter()
        .map_while(|name| schema.index_of(name).ok())
        .map(|index| SortingColumn {
            column_idx: index as i32,
            descending: false,
            nulls_first: false,
        })
        .collect();
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).map_err(failed)?))
        .set_created_by(format!("marey {}", env!("CARGO_PKG_VERSION")))
        .set_sorting_columns((!sorting.is_empty()).then_some(sorting))
        .build();
    let writer = ArrowWriter::try_new(out, schema.clone(), Some(properties)).map_err(failed)?;
    Ok(Box::new(Columnar { writer, schema }))
}

impl TableWriter for Columnar<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let batch = restamped(batch, &self.schema)?;
        self.writer.write(&batch).map_err(failed)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.writer.close().map(|_| ()).map_err(failed)
    }
}
