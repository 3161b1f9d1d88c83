//! Writers of tables, by name and extension: Arrow batches in, bytes out. They know no plans and no traces.

pub mod arrow;
pub mod atomic;
pub mod cell;
pub mod csv;
pub mod json;
pub mod markdown;
pub mod parquet;
pub mod table;

use crate::diag::Diag;
use crate::spec::TimeUnit;
use ::arrow::datatypes::SchemaRef;
use ::arrow::record_batch::RecordBatch;
use std::io::{self, Write};

/// How a table is written.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// The unit of times in text; None for that of the trace's file.
    pub unit: Option<TimeUnit>,
    /// Columns of the terminal, for tables made for reading.
    pub width: Option<usize>,
    /// Most rows of a table made for reading.
    pub rows: usize,
    /// Key and value pairs for formats that hold metadata.
    pub metadata: Vec<(String, String)>,
    /// Columns the rows are sorted by, for formats that can say so.
    pub sorted_by: Vec<String>,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions {
            unit: None,
            width: None,
            rows: 40,
            metadata: Vec::new(),
            sorted_by: Vec::new(),
        }
    }
}

/// Takes the batches of one table.
pub trait TableWriter {
    /// The next batch.
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()>;
    /// The end.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// A format of tables.
#[derive(Debug)]
pub struct Format {
    /// Its name for `--format`.
    pub name: &'static str,
    /// Extensions of files.
    pub extensions: &'static [&'static str],
    /// Whether its bytes are no text, so that a terminal refuses them.
    pub binary: bool,
    /// One sentence.
    pub about: &'static str,
    /// Starts a table; `schema` carries the metadata of time columns and has no hidden columns.
    pub open: Open,
}

/// Starts a table.
pub type Open = for<'a> fn(
    Box<dyn Write + Send + 'a>,
    &SchemaRef,
    &WriteOptions,
) -> io::Result<Box<dyn TableWriter + 'a>>;

/// The formats of tables.
pub static FORMATS: &[Format] = &[
    table::FORMAT,
    csv::CSV,
    csv::TSV,
    json::JSON,
    json::NDJSON,
    markdown::FORMAT,
    parquet::FORMAT,
    arrow::FORMAT,
];

/// A format by name.
pub fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// A format by the extension of a path.
pub fn by_extension(extension: &str) -> Option<&'static Format> {
    let extension = extension.to_ascii_lowercase();
    FORMATS
        .iter()
        .find(|format| format.extensions.contains(&extension.as_str()))
}

/// The diagnostic for a failed write.
pub fn output_error(path: &str, error: &io::Error) -> Diag {
    Diag::error(
        &crate::diag::code::OUTPUT,
        format!("`{path}` cannot be written: {error}"),
    )
}
