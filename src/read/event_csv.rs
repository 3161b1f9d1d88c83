//! Tables of Enter and Leave events, one call stack per process (and thread): each pair becomes a state.
//!
//! ```text
//! Timestamp (s), Event Type, Name, Process
//! 0, Enter, main(), 0
//! ```

use super::csv::dialect::{self, Dialect};
use super::csv::records::{Record, Records};
use super::csv::roles::{Finder, Role, unit_of};
use super::{Head, Input, ReadOptions, Reader, ReaderSpec, Vote};
use crate::diag::{Diag, code};
use crate::model::TraceBuilder;
use crate::model::builder::{Bound, EventRow, Name, Resource, ResourceRow, StateRow};
use crate::spec::TimeUnit;

/// The reader.
pub struct EventCsv;

static SPEC: ReaderSpec = ReaderSpec {
    name: "event_csv",
    extensions: &["csv"],
    summary: "Tables of Enter and Leave events with a timestamp, a name and a process.",
    detail: "Columns are found by name: a timestamp (a unit in brackets counts), `Event Type` with Enter and Leave (or Begin and End), `Name`, `Process` and perhaps `Thread`. \
Rows are sorted by time within each process; of equal times the order of the file holds. Enter opens a state one level deeper, Leave closes the innermost one. \
A Leave without Enter goes to `rejects`; a name that differs from the one entered is counted; what stays open ends with the trace and is `truncated`. Other event types become `events`.",
};

/// Where the table keeps what.
struct Columns {
    time: usize,
    kind: usize,
    name: usize,
    process: usize,
    thread: Option<usize>,
}

impl Columns {
    fn of(dialect: &Dialect) -> Option<Columns> {
        let roles = super::Roles::default();
        let finder = Finder::new(&dialect.header, &roles);
        let find = |names: &[&str]| {
            let found = finder.find_among(Role::Kind, &[names]);
            found.ok().flatten().map(|found| found.column)
        };
        Some(Columns {
            time: find(&["timestamp", "time"])?,
            kind: find(&["eventtype", "event"])?,
            name: find(&["name", "function", "region"])?,
            process: find(&["process", "rank", "pid"])?,
            thread: find(&["thread", "tid"]),
        })
    }
}

/// A row, until all rows are known.
struct Pending {
    time: i64,
    line: u64,
    resource: Resource,
    enters: Option<bool>,
    kind: Name,
    name: Name,
}

impl Reader for EventCsv {
    fn spec(&self) -> &'static ReaderSpec {
        &SPEC
    }

    fn sniff(&self, head: &Head<'_>) -> Vote {
        let Ok(Some(dialect)) = dialect::look(head, &ReadOptions::default()) else {
            return Vote::No;
        };
        let Some(columns) = Columns::of(&dialect) else {
            return Vote::No;
        };
        let first = head
            .lines()
            .nth(dialect.header_line + 1)
            .unwrap_or_default();
        let mut record = Record::of(first);
        record.split(dialect.separator, true);
        match record.cell(columns.kind).and_then(enters) {
            Some(_) => Vote::Sure,
            None => Vote::No,
        }
    }

    fn unit(&self, head: &Head<'_>, options: &ReadOptions) -> Option<TimeUnit> {
        let dialect = dialect::look(head, options).ok().flatten()?;
        let time = Columns::of(&dialect)?.time;
        unit_of(dialect.header.get(time)?)
    }

    fn read(
        &self,
        input: &mut Input<'_>,
        options: &ReadOptions,
        builder: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        let dialect = dialect::look(&input.head(), options)?;
        let Some((dialect, columns)) = dialect.and_then(|d| Columns::of(&d).map(|c| (d, c))) else {
            let message =
                "the table lacks a column for the time, the event type, the name or the process";
            return Err(input.error(&code::MISSING_ROLE, message, b""));
        };
        let mut records = Records::new(dialect.separator);
        records.skip_header(input, dialect.header_line)?;
        let mut rows = Vec::new();
        while let Some(record) = records.next(input)? {
            builder.record(record.line);
            if let Some(row) = row(record, &columns, builder)? {
                rows.push(row);
            }
        }
        // Stable: of equal times the order of the file holds.
        rows.sort_by_key(|row| row.time);
        pair(&rows, builder)
    }
}

fn enters(kind: &[u8]) -> Option<bool> {
    match kind.to_ascii_lowercase().as_slice() {
        b"enter" | b"begin" => Some(true),
        b"leave" | b"exit" | b"end" => Some(false),
        _ => None,
    }
}

fn row(record: &Record, columns: &Columns, b: &mut TraceBuilder) -> Result<Option<Pending>, Diag> {
    let raw = record.raw();
    if record.cut {
        b.reject("cut_off", "the file ends in the middle of the row", raw)?;
        return Ok(None);
    }
    let cell = |column: usize| record.cell(column).unwrap_or_default();
    let time = match b.bound(cell(columns.time), "time", raw)? {
        Bound::At(time) => time,
        Bound::Rejected => return Ok(None),
        Bound::Null => {
            // Without a time there is no place in a stack, whatever the policy.
            b.reject("time_missing", "the time is missing", raw)?;
            return Ok(None);
        }
    };
    let process = b.name(cell(columns.process));
    let mut resource = b.resource_named(process);
    if let Some(column) = columns.thread {
        let thread = ResourceRow {
            parent: Some(resource),
            name: b.name(cell(column)),
            kind: b.name(b"Thread"),
            start: None,
            end: None,
            capacity: None,
        };
        match b.add_resource(thread, raw)? {
            Some(thread) => resource = thread,
            None => return Ok(None),
        }
    }
    Ok(Some(Pending {
        time,
        line: record.line,
        resource,
        enters: enters(cell(columns.kind)),
        kind: b.name(cell(columns.kind)),
        name: b.name(cell(columns.name)),
    }))
}

/// Pairs Enter and Leave by their place in the stack of each resource.
fn pair(rows: &[Pending], b: &mut TraceBuilder) -> Result<(), Diag> {
    let mut stacks: rustc_hash::FxHashMap<Resource, Vec<&Pending>> =
        rustc_hash::FxHashMap::default();
    let mut other_names = 0_u64;
    for row in rows {
        b.set_line(row.line);
        let stack = stacks.entry(row.resource).or_default();
        match row.enters {
            Some(true) => {
                // The pair is one row of two records.
                b.keep_record();
                stack.push(row);
            }
            Some(false) => {
                let Some(open) = stack.pop() else {
                    let name = b.text(row.name).to_owned();
                    let message = format!("`{name}` ends but nothing is open");
                    b.reject("end_without_begin", &message, name.as_bytes())?;
                    continue;
                };
                if open.name != row.name && !row.name.is_null() {
                    other_names += 1;
                }
                let depth = stack.len() as i32;
                b.add_state(state(open, Some(row.time), depth), b"")?;
            }
            None => {
                let event = EventRow {
                    resource: row.resource,
                    kind: row.kind,
                    value: row.name,
                    time: Some(row.time),
                    id: b"",
                };
                b.add_event(event, b"")?;
            }
        }
    }
    let mut open: Vec<(usize, &Pending)> = stacks
        .values()
        .flat_map(|stack| stack.iter().copied().enumerate())
        .collect();
    open.sort_by_key(|(_, row)| row.line);
    for (depth, row) in open {
        b.set_line(row.line);
        b.add_state(state(row, None, depth as i32), b"")?;
        // Its one record was counted when it began.
        b.unkeep_record();
    }
    if other_names > 0 {
        let file = b.file_name().to_owned();
        b.note(format!(
            "{file}: {other_names} states end under another name than they began with; the first counts"
        ));
    }
    Ok(())
}

fn state(open: &Pending, end: Option<i64>, depth: i32) -> StateRow<'static> {
    StateRow {
        resource: open.resource,
        kind: Name::NULL,
        value: open.name,
        start: Some(open.time),
        end,
        depth,
        open: end.is_none(),
        truncated: false,
        id: b"",
        line: open.line,
    }
}
