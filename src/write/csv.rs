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
    about: "comma-separated, RFC 4180, with a header; exact decimals",
    open: |out, schema, options| open(out, schema, options, ','),
};

/// Tab-separated.
pub const TSV: Format = Format {
    name: "tsv",
    extensions: &["tsv", "tab"],
    binary: false,
    about: "tab-separated, with a header; exact decimals",
    open: |out, schema, options| open(out, schema, options, '\t'),
};

struct Separated<'a> {
    out: Box<dyn Write + Send + 'a>,
    schema: SchemaRef,
    unit: Option<TimeUnit>,
    separator: char,
    line: String,
    cell: String,
}

fn open<'a>(
    out: Box<dyn Write + Send + 'a>,
    schema: &SchemaRef,
    options: &WriteOptions,
    separator: char,
) -> io::Result<Box<dyn TableWriter + 'a>> {
    let mut writer = Separated {
        out,
        schema: schema.clone(),
        unit: options.unit,
        separator,
        line: String::new(),
        cell: String::new(),
    };
    for (index, field) in schema.fields().iter().enumerate() {
        if index > 0 {
            writer.line.push(separator);
        }
        push_quoted(&mut writer.line, field.name(), separator, false);
    }
    writer.line.push('\n');
    writer.out.write_all(writer.line.as_bytes())?;
    Ok(Box::new(writer))
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
        self.out.flush()
    }
}
