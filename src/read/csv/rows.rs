//! One record of a table into one row of a relation.

use super::layout::Layout;
use super::records::Record;
use super::roles::Role;
use crate::diag::Diag;
use crate::model::TraceBuilder;
use crate::model::builder::{
    Bound, EventRow, LinkRow, Name, Resource, ResourceRow, Row, StateRow, Table, VariableRow,
};
use crate::read::duration::Durations;
use crate::read::number;

/// What adding rows needs besides the layout.
#[derive(Debug)]
pub struct Rows {
    /// Printed durations against `end - start`.
    pub durations: Durations,
    /// Numbers are written `1,5`.
    pub decimal_comma: bool,
    /// A number with its comma replaced.
    pub cell: Vec<u8>,
}

/// What a record lacks, as its load policy decides.
enum Step<T> {
    Go(T),
    /// The row was rejected.
    Next,
}

impl Rows {
    /// Adds the record, or rejects it.
    pub fn add(
        &mut self,
        record: &Record,
        layout: &mut Layout,
        b: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        if record.cut {
            return b.reject(
                "cut_off",
                "the file ends in the middle of the row",
                record.raw(),
            );
        }
        b.check_bytes(record.raw());
        let row = match layout.table {
            Table::States => self.state(record, layout, b)?,
            Table::Events => self.event(record, layout, b)?,
            Table::Links => self.link(record, layout, b)?,
            Table::Variables => self.variable(record, layout, b)?,
            Table::Resources => return self.resource(record, layout, b),
        };
        if let Some(row) = row {
            self.attributes(record, layout, b, |b, attribute, text| {
                b.set(attribute, row, text)
            });
        }
        Ok(())
    }

    fn state(
        &mut self,
        record: &Record,
        layout: &Layout,
        b: &mut TraceBuilder,
    ) -> Result<Option<Row>, Diag> {
        let Step::Go(resource) = owner(record, layout, b)? else {
            return Ok(None);
        };
        let Step::Go(start) = self.time(record, layout, Role::Start, b)? else {
            return Ok(None);
        };
        let Step::Go(end) = self.end(record, layout, start, b)? else {
            return Ok(None);
        };
        let depth = match cell(record, layout, Role::Depth) {
            b"" | b"NA" => 0,
            text => match depth(self.plain(text)) {
                Some(depth) => depth,
                None => {
                    let message = format!("`{}` is not a number", layout.name(Role::Depth));
                    b.repair("depth_not_a_number", &message, record.raw())?;
                    0
                }
            },
        };
        let truncated = cell(record, layout, Role::Truncated);
        let row = StateRow {
            resource,
            kind: b.name(label(record, layout, Role::Kind)),
            value: b.name(label(record, layout, Role::Value)),
            start,
            end,
            depth,
            open: false,
            truncated: truncated.eq_ignore_ascii_case(b"true"),
            id: cell(record, layout, Role::Id),
            line: 0,
        };
        b.add_state(row, record.raw())
    }

    fn event(
        &mut self,
        record: &Record,
        layout: &Layout,
        b: &mut TraceBuilder,
    ) -> Result<Option<Row>, Diag> {
        let Step::Go(resource) = owner(record, layout, b)? else {
            return Ok(None);
        };
        let Step::Go(time) = self.time(record, layout, Role::Time, b)? else {
            return Ok(None);
        };
        let row = EventRow {
            resource,
            kind: b.name(label(record, layout, Role::Kind)),
            value: b.name(label(record, layout, Role::Value)),
            time,
            id: cell(record, layout, Role::Id),
        };
        b.add_event(row, record.raw())
    }

    fn link(
        &mut self,
        record: &Record,
        layout: &Layout,
        b: &mut TraceBuilder,
    ) -> Result<Option<Row>, Diag> {
        let mut times = [None; 2];
        for (time, role) in times.iter_mut().zip([Role::Start, Role::End]) {
            // A link between states has the times of its ends, so it needs none of its own.
            if cell(record, layout, role).is_empty() && layout.column(Role::Source).is_some() {
                continue;
            }
            if layout.column(role).is_some() {
                let Step::Go(found) = self.time(record, layout, role, b)? else {
                    return Ok(None);
                };
                *time = found;
            }
        }
        let place = |role, b: &mut TraceBuilder| match cell(record, layout, role) {
            b"" => None,
            text => {
                let name = b.name(text);
                Some(b.resource_named(name))
            }
        };
        let row = LinkRow {
            kind: b.name(label(record, layout, Role::Kind)),
            value: b.name(label(record, layout, Role::Value)),
            source: cell(record, layout, Role::Source),
            target: cell(record, layout, Role::Target),
            source_point: b.name(label(record, layout, Role::SourcePoint)),
            target_point: b.name(label(record, layout, Role::TargetPoint)),
            source_resource: place(Role::SourceResource, b),
            target_resource: place(Role::TargetResource, b),
            start: times[0],
            end: times[1],
            key: b.name(label(record, layout, Role::Key)),
            id: cell(record, layout, Role::Id),
        };
        if row.source.is_empty() && row.target.is_empty() && times == [None; 2] {
            b.reject(
                "link_without_ends",
                "the link names neither states nor times",
                record.raw(),
            )?;
            return Ok(None);
        }
        let added = b.add_link(row, record.raw())?;
        // The container that owns the link, a common ancestor of its ends; `0` is the root of all.
        let owner = cell(record, layout, Role::Resource);
        if let Some(row) = added
            && !matches!(owner, b"" | b"0")
        {
            let attribute = b.attribute(Table::Links, "owner");
            b.set(attribute, row, owner);
        }
        Ok(added)
    }

    fn variable(
        &mut self,
        record: &Record,
        layout: &Layout,
        b: &mut TraceBuilder,
    ) -> Result<Option<Row>, Diag> {
        let Step::Go(resource) = owner(record, layout, b)? else {
            return Ok(None);
        };
        let Step::Go(start) = self.time(record, layout, Role::Start, b)? else {
            return Ok(None);
        };
        // Without an end it is a sample.
        let is_step = [Role::End, Role::Duration]
            .into_iter()
            .any(|role| !matches!(cell(record, layout, role), b"" | b"NA"));
        let end = match is_step {
            false => None,
            true => match self.end(record, layout, start, b)? {
                Step::Go(end) => end,
                Step::Next => return Ok(None),
            },
        };
        let text = self.plain(cell(record, layout, Role::Value));
        let value = match number(text) {
            Ok(value) => value,
            Err((reason, message)) => {
                b.reject(reason, message, record.raw())?;
                return Ok(None);
            }
        };
        let row = VariableRow {
            resource,
            metric: b.name(cell(record, layout, Role::Metric)),
            start,
            end,
            value,
        };
        b.add_variable(row, record.raw())
    }

    fn resource(
        &mut self,
        record: &Record,
        layout: &mut Layout,
        b: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        let role = match layout.column(Role::Name) {
            Some(_) => Role::Name,
            None => Role::Resource,
        };
        let name = cell(record, layout, role);
        let parent = cell(record, layout, Role::Parent);
        let root: &[u8] = b"0";
        if name == root && parent == root {
            b.keep_record();
            return Ok(());
        }
        let mut times = [None; 2];
        for (time, role) in times.iter_mut().zip([Role::Start, Role::End]) {
            let text = self.plain(cell(record, layout, role));
            if matches!(text, b"" | b"NA") {
                continue;
            }
            match b.time(text) {
                Ok(ticks) => *time = Some(ticks),
                Err(error) => {
                    let message = format!("`{}` {}", layout.name(role), error.about());
                    b.repair(error.code(), &message, record.raw())?;
                }
            }
        }
        let capacity = number(self.plain(cell(record, layout, Role::Capacity)));
        let parent = match parent {
            b"" | b"0" | b"NA" => None,
            name => {
                let name = b.name(name);
                Some(b.resource_named(name))
            }
        };
        let row = ResourceRow {
            parent,
            name: b.name(name),
            kind: b.name(label(record, layout, Role::Kind)),
            start: times[0],
            end: times[1],
            capacity: capacity.ok().flatten(),
        };
        if let Some(resource) = b.add_resource(row, record.raw())? {
            b.keep_record();
            self.attributes(record, layout, b, |b, attribute, text| {
                b.set_resource(attribute, resource, text);
            });
        }
        Ok(())
    }

    /// A time by its part. A column that is not there is a missing time.
    fn time(
        &mut self,
        record: &Record,
        layout: &Layout,
        role: Role,
        b: &mut TraceBuilder,
    ) -> Result<Step<Option<i64>>, Diag> {
        let text = self.plain(cell(record, layout, role));
        Ok(match b.bound(text, layout.name(role), record.raw())? {
            Bound::Rejected => Step::Next,
            bound => Step::Go(bound.ticks()),
        })
    }

    /// The end of an interval: its own column, else start and duration. A duration beside an end is only
    /// compared.
    fn end(
        &mut self,
        record: &Record,
        layout: &Layout,
        start: Option<i64>,
        b: &mut TraceBuilder,
    ) -> Result<Step<Option<i64>>, Diag> {
        let no_end = matches!(cell(record, layout, Role::End), b"" | b"NA");
        let duration = cell(record, layout, Role::Duration);
        if no_end && (!duration.is_empty() || layout.column(Role::End).is_none()) {
            let name = layout.name(Role::Duration);
            let length = match b.length(self.plain(duration)) {
                Ok(length) => length,
                Err(error) => {
                    return Ok(match b.no_time(error, name, record.raw())? {
                        Bound::Rejected => Step::Next,
                        bound => Step::Go(bound.ticks()),
                    });
                }
            };
            let Some(start) = start else {
                return Ok(Step::Go(None));
            };
            return match start.checked_add(length) {
                Some(end) => Ok(Step::Go(Some(end))),
                None => {
                    let error = crate::model::clock::TimeError::OutOfRange;
                    b.no_time(error, name, record.raw())?;
                    Ok(Step::Next)
                }
            };
        }
        let end = self.time(record, layout, Role::End, b)?;
        if let (Some(start), Step::Go(Some(end))) = (start, &end)
            && !duration.is_empty()
        {
            let end = *end;
            let printed = plain(&mut self.cell, self.decimal_comma, duration);
            self.durations.compare(printed, start, end, b);
        }
        Ok(end)
    }

    /// Every cell that plays no part goes to an attribute.
    fn attributes(
        &mut self,
        record: &Record,
        layout: &mut Layout,
        b: &mut TraceBuilder,
        set: impl Fn(&mut TraceBuilder, crate::model::builder::Attribute, &[u8]),
    ) {
        for (column, text) in record.cells().enumerate() {
            if text.is_empty() {
                continue;
            }
            if let Some(attribute) = layout.attribute(column, b) {
                set(b, attribute, self.plain(text));
            }
        }
    }

    /// A cell with a decimal point: `1,5` becomes `1.5` where the table writes so.
    fn plain<'a>(&'a mut self, text: &'a [u8]) -> &'a [u8] {
        plain(&mut self.cell, self.decimal_comma, text)
    }
}

fn plain<'a>(cell: &'a mut Vec<u8>, decimal_comma: bool, text: &'a [u8]) -> &'a [u8] {
    if !decimal_comma || !text.contains(&b',') {
        return text;
    }
    let number =
        |byte: &u8| byte.is_ascii_digit() || matches!(byte, b',' | b'-' | b'+' | b'e' | b'E');
    if text.iter().filter(|byte| **byte == b',').count() != 1 || !text.iter().all(number) {
        return text;
    }
    cell.clear();
    cell.extend(
        text.iter()
            .map(|byte| if *byte == b',' { b'.' } else { *byte }),
    );
    cell
}

/// The cell of a part; empty where there is none.
fn cell<'a>(record: &'a Record, layout: &Layout, role: Role) -> &'a [u8] {
    let column = layout.column(role);
    column
        .and_then(|column| record.cell(column))
        .unwrap_or_default()
}

/// The cell of a part that is a name; `NA` is null.
fn label<'a>(record: &'a Record, layout: &Layout, role: Role) -> &'a [u8] {
    match cell(record, layout, role) {
        b"NA" => b"",
        text => text,
    }
}

/// The resource of a row, which no row can lack.
fn owner(record: &Record, layout: &Layout, b: &mut TraceBuilder) -> Result<Step<Resource>, Diag> {
    let text = cell(record, layout, Role::Resource);
    if matches!(text, b"" | b"NA") {
        let message = format!("`{}` is missing", layout.name(Role::Resource));
        b.reject("resource_missing", &message, record.raw())?;
        return Ok(Step::Next);
    }
    let name: Name = b.name(text);
    Ok(Step::Go(b.resource_named(name)))
}

/// A nesting depth: `1`, `1.000000`.
fn depth(text: &[u8]) -> Option<i32> {
    let number = std::str::from_utf8(text).ok()?.parse::<f64>().ok()?;
    let whole = number >= 0.0 && number <= f64::from(i32::MAX) && number.fract() == 0.0;
    whole.then_some(number as i32)
}
