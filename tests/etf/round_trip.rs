//! Writing and reading of TRACE4CPS traces undo each other: for a file by hand, and for any trace.

use super::made::{key, made, row};
use arrow::util::display::array_value_to_string;
use marey::model::schema::{self, column};
use marey::model::{Clock, TraceData};
use marey::read::{ReadOptions, read};
use marey::spec::TimeUnit;
use marey::write::etf::{FORMAT, unit_of};
use marey::write::{TracePart, WriteOptions};
use proptest::prelude::*;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

/// A file in memory.
#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The text of a trace and the notes.
fn written(trace: &TraceData, unit: Option<TimeUnit>) -> io::Result<(String, Vec<String>)> {
    let buffer = Buffer::default();
    let parts: Vec<TracePart> = FORMAT
        .order
        .iter()
        .filter_map(|name| trace.relation(name))
        .map(|relation| TracePart {
            name: relation.name.to_owned(),
            schema: relation.schema.clone(),
            rows: relation.rows(),
        })
        .collect();
    let options = WriteOptions {
        unit,
        ..WriteOptions::default()
    };
    let mut writer = (FORMAT.open)(Box::new(buffer.clone()), &parts, trace.clock, &options)?;
    for part in &parts {
        writer.relation(&part.name)?;
        for batch in &trace.relation(&part.name).unwrap().batches {
            writer.batch(batch)?;
        }
    }
    let notes = writer.finish()?;
    let bytes = buffer.0.lock().unwrap().clone();
    Ok((String::from_utf8(bytes).unwrap(), notes))
}

fn loaded(text: &str) -> TraceData {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    load(file.path())
}

fn load(path: &Path) -> TraceData {
    let options = ReadOptions {
        paths: vec![path.display().to_string()],
        ..ReadOptions::default()
    };
    read(&options, &AtomicBool::new(false), &|_| {}).expect("a trace")
}

/// Every cell of a relation, but for the hidden line numbers and columns that `skipped` names.
fn cells(trace: &TraceData, relation: &str, columns: &[String]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for batch in &trace.relation(relation).unwrap().batches {
        for row in 0..batch.num_rows() {
            let cell = |name: &String| match batch.column_by_name(name) {
                Some(array) if !array.is_null(row) => {
                    format!("{name}={}", array_value_to_string(array, row).unwrap())
                }
                _ => format!("{name} is null"),
            };
            rows.push(columns.iter().map(cell).collect());
        }
    }
    rows
}

/// Everything that `first` has is in `second`, row by row, and nothing else but what files of this format
/// always say.
fn same(first: &TraceData, second: &TraceData) {
    assert_eq!(second.report.line(), {
        let report = &second.report;
        format!("{} records read, {} kept", report.records, report.records)
    });
    assert_eq!(first.clock, second.clock);
    for name in FORMAT.order {
        let columns = |trace: &TraceData| -> Vec<String> {
            let fields = trace.relation(name).unwrap().schema.fields().clone();
            let names = fields.iter().map(|field| field.name().clone());
            names.filter(|name| name != column::ROW).collect()
        };
        let known = columns(first);
        assert_eq!(
            cells(first, name, &known),
            cells(second, name, &known),
            "{name}"
        );
        for more in columns(second) {
            let always = [column::RESOURCE_ID, column::USES_OFFSET];
            assert!(
                known.contains(&more) || always.contains(&more.as_str()),
                "{name}: {more}"
            );
        }
    }
}

#[test]
fn a_file_of_the_format_comes_back() {
    let machine = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/machine.etf");
    let trace = load(&machine);
    let (text, notes) = written(&trace, None).unwrap();
    let back = loaded(&text);
    same(&trace, &back);
    // Nothing is added by a second round.
    assert_eq!(written(&back, None).unwrap().0, text);
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].starts_with("1 texts hold a comma"), "{notes:?}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..2], ["TU MILLISECONDS", "T marey.escape=percent"]);
    for line in [
        "R 3 1.0 false;name=3",
        "R 1 1.0 false;name=drill",
        "R 4 1.5 false;name=drill,kind=spare",
        "R 2 4.0 true;name=memory",
        "R 0 1.0 false;name=saw,row=3",
        "T marey.trace=trace,author=hand,run=7",
        "O 1609459200000",
        "C 10 0 2.5 0 1.0;name=cut,part=A,id=007",
        "C 12 0.000001 5 2 0.0 3.0;name=hold,part=A",
        "C 11 2.5 4 1 1.0;name=bore%2C deep,part=A",
        "E 0 0.5;name=begin,resource=0",
        "E 1 8;name=done,part=A",
        "D 0 0 10 11;name=part,min_delay=0.25",
    ] {
        assert!(lines.contains(&line), "{line} is not in\n{text}");
    }
}

#[test]
fn the_unit_is_one_of_the_format() {
    let trace = loaded("TU SECONDS\nR 0 1 false;name=a\nC 0 0.5 1.25 0 1;name=x\n");
    let in_unit = |unit| written(&trace, Some(unit)).unwrap().0;
    let text = in_unit(TimeUnit::Millisecond);
    assert!(
        text.starts_with("TU MILLISECONDS\n") && text.contains("C 0 500 1250 0 1.0;"),
        "{text}"
    );
    let text = in_unit(TimeUnit::Picosecond);
    assert!(
        text.starts_with("TU NANOSECONDS\n") && text.contains("C 0 500000000 "),
        "{text}"
    );
    let hours = loaded(&in_unit(TimeUnit::Hour));
    let columns = [column::START, column::END].map(str::to_owned);
    let states = |trace| cells(trace, schema::STATES, &columns);
    assert_eq!(states(&hours), states(&trace));
    let mut logical = trace.clone();
    logical.clock = Clock::logical();
    let error = written(&logical, None).unwrap_err().to_string();
    assert!(error.contains("no unit"), "{error}");
    assert_eq!(unit_of(Clock::logical(), None), None);
}

#[test]
fn links_between_places_stay_so() {
    let text = "TU MILLISECONDS\nT marey.escape=percent,marey.null=amount\n\
        R 0 1.0 false;name=a,marey.null=capacity\nR 1 1.0 false;name=b,marey.null=capacity\n\
        E -1 5;resource=0,marey.place=true\nE -2 3;resource=1,marey.place=true\n\
        D 0 0 -1 -2;marey.place=true,marey.null=type\n";
    let back = loaded(text);
    assert_eq!(back.relation(schema::EVENTS).unwrap().rows(), 0);
    let columns = [
        "source",
        "source_resource",
        "target_resource",
        "start",
        "end",
        "type",
    ];
    assert_eq!(
        cells(&back, schema::LINKS, &columns.map(str::to_owned))[0].join(", "),
        "source is null, source_resource=a, target_resource=b, start=5000000, end=3000000, type is null"
    );
    assert_eq!(written(&back, None).unwrap().0, text);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_trace_comes_back(
        kind in any::<u8>(),
        keys in prop::collection::vec(prop::collection::vec(key(), 0..4), 5),
        rows in prop::collection::vec(prop::collection::vec(row(), 0..6), 5),
    ) {
        let trace = made(kind, &keys, &rows);
        let (text, _) = written(&trace, None).unwrap();
        let back = loaded(&text);
        same(&trace, &back);
        same(&back, &loaded(&written(&back, None).unwrap().0));
    }
}
