//! Traces of any kind, made by the builder.

use marey::model::builder::{
    EventRow, FileStart, LinkRow, Name, Resource, ResourceRow, StateRow, Table, TraceBuilder,
    VariableRow,
};
use marey::model::schema::column;
use marey::model::{Clock, Policy, TraceData};
use marey::spec::TimeUnit;
use proptest::prelude::*;
use std::sync::atomic::AtomicBool;

pub(super) fn clock() -> Clock {
    Clock::physical(TimeUnit::Millisecond, TimeUnit::Nanosecond)
}

pub(super) fn start() -> FileStart {
    FileStart {
        name: "made".to_owned(),
        part: "made".to_owned(),
        clock: clock(),
        offset: 0,
        file_as: None,
    }
}

pub(super) fn builder() -> TraceBuilder {
    let mut builder = TraceBuilder::new(clock(), Policy::Fail);
    builder.begin_file(start());
    builder
}

pub(super) fn state_on(resource: Resource) -> StateRow<'static> {
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

/// A text as files of other formats hold it, sometimes none.
pub(super) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("Trace".to_owned()),
        "[a-c]",
        "[ -~\u{e9}\u{1F600}\n\r\t]{1,6}".prop_map(|text| match text.as_str() {
            "NA" => "N".to_owned(),
            _ => text,
        }),
        "[0-9]{1,3}(\\.[0-9])?",
    ]
}

/// A name of an attribute, also ones that mean something in the format or in the model.
pub(super) fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]",
        "[ -~]{1,5}".prop_filter("no blanks around", |key| key.trim() == key),
        prop::sample::select(vec![
            "name",
            "id",
            "type",
            "resource",
            "value",
            "marey.type",
            "marey.attr.x",
            "attr.id",
            "amount",
            "offset",
            "origin",
            "uses_offset",
            "source_event",
            "metric",
            "start",
            "a",
            "weight",
        ])
        .prop_map(str::to_owned),
    ]
}

/// A row of any relation: numbers that pick its parts, and texts.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) pick: [u8; 6],
    pub(super) times: [i64; 2],
    pub(super) texts: [String; 3],
    pub(super) attributes: Vec<(u8, String)>,
}

pub(super) fn row() -> impl Strategy<Value = Row> {
    let attributes = prop::collection::vec((any::<u8>(), text()), 0..3);
    (
        any::<[u8; 6]>(),
        [-1_000_000_000_000..1_000_000_000_000_i64, 0..10_000_000_i64],
        [text(), text(), text()],
        attributes,
    )
        .prop_map(|(pick, times, texts, mut attributes)| {
            // A cell that is set twice leaves its column the type of both texts.
            attributes.truncate(1);
            (pick, times, texts, attributes)
        })
        .prop_map(|(pick, times, texts, attributes)| Row {
            pick,
            times,
            texts,
            attributes,
        })
}

/// Whether rows have ids of their own: none, integers, texts.
pub(super) fn own_id(kind: u8, number: usize) -> String {
    match kind % 3 {
        0 => String::new(),
        1 => (number * 7 + 3).to_string(),
        _ => format!("j {number}%"),
    }
}

pub(super) fn made(kind: u8, keys: &[Vec<String>], rows: &[Vec<Row>]) -> TraceData {
    let mut b = builder();
    let name = |text: &str, b: &mut TraceBuilder| b.name(text.as_bytes());
    let mut resources: Vec<Resource> = Vec::new();
    let mut names = std::collections::HashSet::new();
    let mut line = 0;
    let mut record = |b: &mut TraceBuilder| {
        line += 1;
        b.record(line);
    };
    let set = |table: Table, at, row: &Row, b: &mut TraceBuilder| {
        for (pick, text) in &row.attributes {
            let keys = &keys[table as usize];
            if !keys.is_empty() {
                let attribute = b.attribute(table, &keys[usize::from(*pick) % keys.len()]);
                b.set(attribute, at, text.as_bytes());
            }
        }
    };
    for (at, row) in rows[Table::Resources as usize].iter().enumerate() {
        record(&mut b);
        // Names repeat under different parents only.
        let parent = row.pick[0] % 3 == 0 && at > 0;
        let bare = row.texts[0].replace('/', "|");
        let short = (usize::from(row.pick[2]) % at.max(1), row.pick[1] % 2);
        let bare = match parent && names.insert(short) {
            true => format!("n{}", short.1),
            false => format!("{bare}{at}"),
        };
        let made = ResourceRow {
            parent: parent.then(|| resources[usize::from(row.pick[2]) % at]),
            name: name(&bare, &mut b),
            kind: name(&row.texts[1], &mut b),
            start: (row.pick[3] % 3 == 0).then_some(row.times[0]),
            end: (row.pick[3] % 2 == 0).then_some(row.times[0] + row.times[1]),
            capacity: (row.pick[4] % 2 == 0).then_some(f64::from(row.pick[5]) / 4.0),
        };
        let resource = b.add_resource(made, b"").unwrap().unwrap();
        b.keep_record();
        resources.push(resource);
        for (pick, text) in &row.attributes {
            let keys = &keys[Table::Resources as usize];
            if !keys.is_empty() {
                let key = &keys[usize::from(*pick) % keys.len()];
                let attribute = b.attribute(Table::Resources, key);
                b.set_resource(attribute, resource, text.as_bytes());
            }
        }
    }
    if resources.is_empty() {
        let first = name("first", &mut b);
        resources.push(b.resource_named(first));
    }
    let some = |pick: u8| resources[usize::from(pick) % resources.len()];
    for (at, row) in rows[Table::States as usize].iter().enumerate() {
        record(&mut b);
        let id = own_id(kind, at);
        let state = StateRow {
            kind: name(&row.texts[0], &mut b),
            value: name(&row.texts[1], &mut b),
            start: Some(row.times[0]),
            end: Some(row.times[0] + row.times[1]),
            depth: i32::from(row.pick[1] % 3),
            truncated: row.pick[2] % 5 == 0,
            id: id.as_bytes(),
            ..state_on(some(row.pick[0]))
        };
        let state = b.add_state(state, b"").unwrap().unwrap();
        set(Table::States, state, row, &mut b);
        let free = |name: &str| !keys[Table::States as usize].iter().any(|key| key == name);
        if free(column::AMOUNT) && kind & 8 != 0 && row.pick[3] % 2 == 0 {
            let amount = b.attribute(Table::States, column::AMOUNT);
            b.set(amount, state, b"1.5");
        }
        if free(column::OFFSET) && kind & 16 != 0 && row.pick[4] % 2 == 0 {
            let offset = b.attribute(Table::States, column::OFFSET);
            b.set(offset, state, b"2");
        }
    }
    for (at, row) in rows[Table::Events as usize].iter().enumerate() {
        record(&mut b);
        let id = match own_id(kind >> 1, at) {
            id if id.is_empty() => id,
            id => format!("9{id}"),
        };
        let event = EventRow {
            resource: some(row.pick[0]),
            kind: name(&row.texts[0], &mut b),
            value: name(&row.texts[1], &mut b),
            time: Some(row.times[0]),
            id: id.as_bytes(),
        };
        let event = b.add_event(event, b"").unwrap().unwrap();
        set(Table::Events, event, row, &mut b);
    }
    for row in &rows[Table::Variables as usize] {
        record(&mut b);
        let variable = VariableRow {
            resource: some(row.pick[0]),
            metric: name(&row.texts[0], &mut b),
            start: Some(row.times[0]),
            end: (row.pick[1] % 2 == 0).then_some(row.times[0] + row.times[1]),
            value: (row.pick[2] % 4 != 0).then_some(f64::from(row.pick[3]) / 3.0),
        };
        let variable = b.add_variable(variable, b"").unwrap().unwrap();
        set(Table::Variables, variable, row, &mut b);
    }
    let states = rows[Table::States as usize].len();
    for (at, row) in rows[Table::Links as usize].iter().enumerate() {
        record(&mut b);
        let place = |bit: u8| row.pick[5] & bit != 0;
        let point = |pick: u8| ["", "start", "end"][usize::from(pick) % 3];
        let id = own_id(kind >> 2, at);
        let ids = [row.pick[0], row.pick[1]].map(|pick| {
            let number = usize::from(pick) % states.max(1);
            match own_id(kind, number) {
                // Rows without ids of their own are numbered in the order of time.
                id if id.is_empty() => number.to_string(),
                id => id,
            }
        });
        let [source, target] = [1, 2].map(|bit| place(bit) || states == 0);
        let link = LinkRow {
            kind: name(&row.texts[0], &mut b),
            value: name(&row.texts[1], &mut b),
            source: if source { b"" } else { ids[0].as_bytes() },
            target: if target { b"" } else { ids[1].as_bytes() },
            source_point: name(point(row.pick[2]), &mut b),
            target_point: name(point(row.pick[3]), &mut b),
            source_resource: place(4).then(|| some(row.pick[0])),
            target_resource: place(8).then(|| some(row.pick[1])),
            start: (source || place(16)).then_some(row.times[0]),
            end: (target || place(32)).then_some(row.times[0] - row.times[1]),
            key: name(&row.texts[2], &mut b),
            id: id.as_bytes(),
        };
        let link = b.add_link(link, b"").unwrap().unwrap();
        set(Table::Links, link, row, &mut b);
        if row.pick[4] % 3 == 0 {
            let delay = b.attribute(Table::Links, column::MIN_DELAY);
            b.set(delay, link, b"0.125");
        }
    }
    b.finish(&AtomicBool::new(false)).unwrap()
}
