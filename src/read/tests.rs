//! Loads of small texts and of sample files, through the same door as `load`.

mod dependencies;
mod etf;
mod input;
mod pj_dump;
mod property;
mod table;

use super::{ReadOptions, read};
use crate::diag::Diag;
use crate::model::{Policy, TraceData};
use crate::spec::TimeUnit;
use arrow::util::display::array_value_to_string;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Milliseconds, and bad rows repaired.
fn milliseconds() -> ReadOptions {
    ReadOptions {
        unit: Some(TimeUnit::Millisecond),
        ..ReadOptions::default()
    }
}

fn load_files(paths: &[PathBuf], mut options: ReadOptions) -> Result<TraceData, Diag> {
    options.paths = paths.iter().map(|p| p.display().to_string()).collect();
    read(&options, &AtomicBool::new(false), &|_| {})
}

fn load_bytes(bytes: &[u8], options: ReadOptions) -> Result<TraceData, Diag> {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("the file is written");
    load_files(&[file.path().to_owned()], options)
}

fn load(text: &str) -> TraceData {
    load_bytes(text.as_bytes(), milliseconds()).expect(text)
}

fn fails(text: &str, options: ReadOptions) -> Diag {
    load_bytes(text.as_bytes(), options).expect_err(text)
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

/// Rows of a relation as text: the named columns, `-` for null.
fn rows(trace: &TraceData, relation: &str, columns: &[&str]) -> Vec<String> {
    let relation = trace.relation(relation).expect("the relation");
    let mut rows = Vec::new();
    for batch in &relation.batches {
        for row in 0..batch.num_rows() {
            let cells = columns.iter().map(|column| {
                let array = batch.column_by_name(column).expect(column);
                match array.is_null(row) {
                    true => "-".to_owned(),
                    false => array_value_to_string(array, row).expect("a value"),
                }
            });
            rows.push(cells.collect::<Vec<_>>().join(" "));
        }
    }
    rows
}

fn type_of(trace: &TraceData, relation: &str, column: &str) -> String {
    let relation = trace.relation(relation).expect("the relation");
    let field = relation.schema.field_with_name(column).expect(column);
    crate::model::schema::type_of(field).to_string()
}
