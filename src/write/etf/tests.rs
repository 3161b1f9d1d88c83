//! What is written, by hand. That reading undoes it is tested from outside (`tests/etf/`).

#![allow(clippy::unwrap_used)]

use super::*;
use crate::model::builder::{FileStart, LinkRow, Name, Resource, StateRow, TraceBuilder};
use crate::model::{Policy, TraceData};
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

#[test]
fn the_unit_is_one_of_the_format() {
    let mut builder = builder();
    let name = builder.name(b"a");
    let resource = builder.resource_named(name);
    builder.record(1);
    let state = StateRow {
        start: Some(500_000_000),
        end: Some(1_250_000_000),
        ..state_on(resource)
    };
    builder.add_state(state, b"").unwrap();
    let mut trace = builder.finish(&AtomicBool::new(false)).unwrap();
    let in_unit = |unit| written(&trace, Some(unit)).unwrap().0;
    for (unit, first, claim) in [
        (
            TimeUnit::Millisecond,
            "TU MILLISECONDS\n",
            "C 0 500 1250 0 1.0;",
        ),
        (TimeUnit::Second, "TU SECONDS\n", "C 0 0.5 1.25 0 1.0;"),
        (
            TimeUnit::Picosecond,
            "TU NANOSECONDS\n",
            "C 0 500000000 1250000000 0 1.0;",
        ),
    ] {
        let text = in_unit(unit);
        assert!(text.starts_with(first) && text.contains(claim), "{text}");
    }
    trace.clock = Clock::logical();
    let error = written(&trace, None).unwrap_err().to_string();
    assert!(error.contains("no unit"), "{error}");
    assert_eq!(unit_of(Clock::logical(), None), None);
}

#[test]
fn links_between_places_become_events() {
    let mut builder = builder();
    let names = [b"a", b"b"].map(|name| builder.name(name));
    let [source, target] = names.map(|name| builder.resource_named(name));
    let link = LinkRow {
        source_resource: Some(source),
        target_resource: Some(target),
        start: Some(5_000_000),
        end: Some(3_000_000),
        ..empty_link()
    };
    builder.record(1);
    builder.add_link(link, b"").unwrap();
    builder.record(2);
    builder
        .add_link(LinkRow { end: None, ..link }, b"")
        .unwrap();
    let trace = builder.finish(&AtomicBool::new(false)).unwrap();
    let (text, notes) = written(&trace, None).unwrap();
    let wanted = "TU MILLISECONDS\nT marey.escape=percent,marey.null=amount\n\
        R 0 1.0 false;name=a,marey.null=capacity\nR 1 1.0 false;name=b,marey.null=capacity\n\
        E -1 5;resource=0,marey.place=true\nE -2 3;resource=1,marey.place=true\n\
        D 0 0 -1 -2;marey.place=true,marey.null=type\n";
    assert_eq!(text, wanted);
    assert!(notes[0].starts_with("1 links were left out"), "{notes:?}");
}

#[test]
fn what_has_no_time_is_an_error_that_names_it() {
    let mut builder = TraceBuilder::new(clock(), Policy::Keep);
    builder.begin_file(start());
    let name = builder.name(b"a");
    let resource = builder.resource_named(name);
    builder.record(1);
    let state = StateRow {
        start: None,
        ..state_on(resource)
    };
    builder
        .add_state(StateRow { id: b"77", ..state }, b"")
        .unwrap();
    let trace = builder.finish(&AtomicBool::new(false)).unwrap();
    let error = written(&trace, None).unwrap_err().to_string();
    assert_eq!(error, "state `77` has no start or no end");
}

fn clock() -> Clock {
    Clock::physical(TimeUnit::Millisecond, TimeUnit::Nanosecond)
}

fn start() -> FileStart {
    FileStart {
        name: "made".to_owned(),
        part: "made".to_owned(),
        clock: clock(),
        offset: 0,
        file_as: None,
    }
}

fn builder() -> TraceBuilder {
    let mut builder = TraceBuilder::new(clock(), Policy::Fail);
    builder.begin_file(start());
    builder
}

fn state_on(resource: Resource) -> StateRow<'static> {
    StateRow {
        resource,
        kind: Name::NULL,
        value: Name::NULL,
        start: Some(0),
        end: Some(0),
        depth: 0,
        open: false,
        truncated: false,
        id: b"",
        line: 0,
    }
}

fn empty_link() -> LinkRow<'static> {
    LinkRow {
        kind: Name::NULL,
        value: Name::NULL,
        source: b"",
        target: b"",
        source_point: Name::NULL,
        target_point: Name::NULL,
        source_resource: None,
        target_resource: None,
        start: None,
        end: None,
        key: Name::NULL,
        id: b"",
    }
}
