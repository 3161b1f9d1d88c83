//! Writers of tables and of whole traces, by name and extension: Arrow batches in, bytes out. They know no
//! plans.

pub mod arrow;
pub mod atomic;
pub mod cell;
pub mod csv;
pub mod etf;
pub mod json;
pub mod markdown;
pub mod parquet;
pub mod provenance;
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
    /// Whether [`WriteOptions::metadata`] has a place in it.
    pub holds_metadata: bool,
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

/// One relation of a trace that is going to be written.
#[derive(Clone, Debug)]
pub struct TracePart {
    /// Its name, one of [`crate::model::schema::RELATIONS`].
    pub name: String,
    /// Its columns, with the metadata of time columns; hidden ones may be there.
    pub schema: SchemaRef,
    /// How many rows are coming.
    pub rows: usize,
}

/// Takes the relations of one trace, one after the other, in the order of [`TraceFormat::order`].
pub trait TraceWriter {
    /// The batches from here on are of this relation, one of those that the writer was opened with.
    fn relation(&mut self, name: &str) -> io::Result<()>;
    /// The next batch of the relation. States, links and variables come sorted by `start`, events by `time`.
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()>;
    /// The end. What the format could not hold as it is, in sentences with counts.
    fn finish(self: Box<Self>) -> io::Result<Vec<String>>;
}

/// A format of whole traces in one file.
#[derive(Debug)]
pub struct TraceFormat {
    /// Its name.
    pub name: &'static str,
    /// Extensions of files.
    pub extensions: &'static [&'static str],
    /// One sentence.
    pub about: &'static str,
    /// The relations that it holds, in the order in which its writer takes them.
    pub order: &'static [&'static str],
    /// Starts a trace whose ticks are those of the clock.
    pub open: OpenTrace,
}

/// Starts a trace.
pub type OpenTrace = for<'a> fn(
    Box<dyn Write + Send + 'a>,
    &[TracePart],
    crate::model::Clock,
    &WriteOptions,
) -> io::Result<Box<dyn TraceWriter + 'a>>;

/// The formats of whole traces. Parquet is none: there a trace is one file for each relation.
pub static TRACE_FORMATS: &[TraceFormat] = &[etf::FORMAT];

/// A format of traces by the extension of a path.
pub fn trace_by_extension(extension: &str) -> Option<&'static TraceFormat> {
    let extension = extension.to_ascii_lowercase();
    TRACE_FORMATS
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
