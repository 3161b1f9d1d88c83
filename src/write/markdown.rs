//! A Markdown table: exact like CSV, with numbers to the right.

use super::cell::columns;
use super::{Format, TableWriter, WriteOptions};
use crate::model::schema::type_of;
use crate::spec::TimeUnit;
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use std::io::{self, Write};

/// Markdown.
pub const FORMAT: Format = Format {
    name: "markdown",
    extensions: &["md"],
    binary: false,
    holds_metadata: false,
    about: "a table for a Markdown page",
    open,
};

struct Markdown<'a> {
    out: Box<dyn Write + Send + 'a>,
    schema: SchemaRef,
    unit: Option<TimeUnit>,
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace(['\n', '\r'], " ")
}

fn open<'a>(
    mut out: Box<dyn Write + Send + 'a>,
    schema: &SchemaRef,
    options: &WriteOptions,
) -> io::Result<Box<dyn TableWriter + 'a>> {
    let names: Vec<String> = schema.fields().iter().map(|f| escaped(f.name())).collect();
    let rules: Vec<&str> = schema
        .fields()
        .iter()
        .map(|field| {
            let ty = type_of(field);
            if ty.is_number() || ty.is_time() {
                "--:"
            } else {
                "---"
            }
        })
        .collect();
    writeln!(out, "| {} |\n| {} |", names.join(" | "), rules.join(" | "))?;
    Ok(Box::new(Markdown {
        out,
        schema: schema.clone(),
        unit: options.unit,
    }))
}

impl TableWriter for Markdown<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let cells = columns(batch, &self.schema, self.unit)?;
        for row in 0..batch.num_rows() {
            let texts: Vec<String> = cells
                .iter()
                .map(|column| {
                    let mut text = String::new();
                    column.append(row, &mut text);
                    escaped(&text)
                })
                .collect();
            writeln!(self.out, "| {} |", texts.join(" | "))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}
