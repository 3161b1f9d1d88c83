//! CSV (RFC 4180, LF line ends, header) and TSV. Times are exact decimals in the unit of the file.

use super::cell::{CellKind, columns};
use super::{Format, TableWriter, WriteOptions};
use crate::spec::TimeUnit;
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use std::io::{self, Write};

/// Comma-separated.
pub const CSV: Format = Format {
    name: "csv",
    extensions: &["csv"],
    binary: false,
    holds_metadata: false,
    about: "comma-separated, RFC 4180, with a header; exact decimals",
    open: |out, schema, options| open(out, schema, options, ','),
};

/// Tab-separated.
pub const TSV: Format = Format {
    name: "tsv",
    extensions: &["tsv", "tab"],
    binary: false,
    holds_metadata: false,
    about: "tab-separated, with a header; exact decimals",
    open: |out, schema, options| open(out, schema, options, '\t'),
};

struct Separated<'a> {
    out: Box<dyn Write + Send + 'a>,
    schema: SchemaRef,
    unit: Option<TimeUnit>,
    separator: char,
    has_header: bool,
    line: String,
    cell: String,
}

fn open<'a>(
    out: Box<dyn Write + Send + 'a>,
    schema: &SchemaRef,
    options: &WriteOptions,
    separator: char,
) -> io::Result<Box<dyn TableWriter + 'a>> {
    Ok(Box::new(Separated {
        out,
        schema: schema.clone(),
        unit: options.unit,
        separator,
        has_header: false,
        line: String::new(),
        cell: String::new(),
    }))
}

impl Separated<'_> {
    /// Writes the header before the first row, or at the end of a table without rows: a run that fails
    /// before it has a row prints nothing.
    fn header(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.has_header, true) {
            return Ok(());
        }
        self.line.clear();
        for (index, field) in self.schema.fields().iter().enumerate() {
            if index > 0 {
                self.line.push(self.separator);
            }
            push_quoted(&mut self.line, field.name(), self.separator, false);
        }
        self.line.push('\n');
        self.out.write_all(self.line.as_bytes())
    }
}

/// Quotes where the text would be read otherwise. An empty text is quoted, so that it is no null.
fn push_quoted(line: &mut String, text: &str, separator: char, is_text: bool) {
    let needs = (is_text && text.is_empty())
        || text.contains([separator, '"', '\n', '\r'])
        || text.starts_with([' ', '\t'])
        || text.ends_with([' ', '\t']);
    if needs {
        line.push('"');
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(text);
    }
}

impl TableWriter for Separated<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.header()?;
        let cells = columns(batch, &self.schema, self.unit)?;
        for row in 0..batch.num_rows() {
            self.line.clear();
            for (index, column) in cells.iter().enumerate() {
                if index > 0 {
                    self.line.push(self.separator);
                }
                self.cell.clear();
                let kind = column.append(row, &mut self.cell);
                push_quoted(
                    &mut self.line,
                    &self.cell,
                    self.separator,
                    kind == CellKind::Text,
                );
            }
            self.line.push('\n');
            self.out.write_all(self.line.as_bytes())?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.header()?;
        self.out.flush()
    }
}
