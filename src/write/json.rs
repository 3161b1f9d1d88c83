//! JSON (one array of objects) and NDJSON (one object a line). Times are exact decimal numbers in the unit
//! of the file; what JSON has no number for (NaN, infinities) is text.

use super::cell::{CellKind, columns};
use super::{Format, TableWriter, WriteOptions};
use crate::spec::TimeUnit;
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use std::io::{self, Write};

/// One array.
pub const JSON: Format = Format {
    name: "json",
    extensions: &["json"],
    binary: false,
    holds_metadata: false,
    about: "one array of objects; times are exact decimal numbers",
    open: |out, schema, options| open(out, schema, options, true),
};

/// One object a line.
pub const NDJSON: Format = Format {
    name: "ndjson",
    extensions: &["ndjson", "jsonl"],
    binary: false,
    holds_metadata: false,
    about: "one JSON object a line",
    open: |out, schema, options| open(out, schema, options, false),
};

struct Objects<'a> {
    out: Box<dyn Write + Send + 'a>,
    schema: SchemaRef,
    keys: Vec<String>,
    unit: Option<TimeUnit>,
    array: bool,
    first: bool,
    line: String,
    cell: String,
}

fn open<'a>(
    out: Box<dyn Write + Send + 'a>,
    schema: &SchemaRef,
    options: &WriteOptions,
    array: bool,
) -> io::Result<Box<dyn TableWriter + 'a>> {
    let keys = schema
        .fields()
        .iter()
        .map(|field| serde_json::to_string(field.name()).map_err(io::Error::from))
        .collect::<io::Result<Vec<_>>>()?;
    Ok(Box::new(Objects {
        out,
        schema: schema.clone(),
        keys,
        unit: options.unit,
        array,
        first: true,
        line: String::new(),
        cell: String::new(),
    }))
}

impl TableWriter for Objects<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let cells = columns(batch, &self.schema, self.unit)?;
        for row in 0..batch.num_rows() {
            self.line.clear();
            if self.array {
                self.line
                    .push_str(if self.first { "[\n  " } else { ",\n  " });
            }
            self.first = false;
            self.line.push('{');
            for (index, (column, key)) in cells.iter().zip(&self.keys).enumerate() {
                if index > 0 {
                    self.line.push(',');
                }
                self.line.push_str(key);
                self.line.push(':');
                self.cell.clear();
                match column.append(row, &mut self.cell) {
                    CellKind::Null => self.line.push_str("null"),
                    CellKind::Bare => self.line.push_str(&self.cell),
                    CellKind::Text => self
                        .line
                        .push_str(&serde_json::to_string(&self.cell).map_err(io::Error::from)?),
                }
            }
            self.line.push('}');
            if !self.array {
                self.line.push('\n');
            }
            self.out.write_all(self.line.as_bytes())?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if self.array {
            let end: &[u8] = if self.first { b"[]\n" } else { b"\n]\n" };
            self.out.write_all(end)?;
        }
        self.out.flush()
    }
}
