//! Rows by column while they are collected, and the checks that every row goes through.

use super::cells::{Cells, put};
use super::{Bound, NO_TIME, Name, OPEN, Resource, Row, TraceBuilder};
use crate::diag::{Diag, code};
use crate::model::Policy;

/// A state to add.
#[derive(Clone, Copy, Debug)]
pub struct StateRow<'a> {
    /// Whose state.
    pub resource: Resource,
    /// Its type.
    pub kind: Name,
    /// Its value.
    pub value: Name,
    /// Ticks; None where the file has none and the policy keeps such rows.
    pub start: Option<i64>,
    /// Ticks; None likewise. Ignored where `open`.
    pub end: Option<i64>,
    /// Nesting depth, 0 outermost.
    pub depth: i32,
    /// The file ended before the state did: it ends with the trace and is `truncated`.
    pub open: bool,
    /// The state is `truncated` though its end is known (that of its container).
    pub truncated: bool,
    /// The file's own id; empty for none.
    pub id: &'a [u8],
    /// The line it began at; 0 for that of the present record.
    pub line: u64,
}

/// An event to add.
#[derive(Clone, Copy, Debug)]
pub struct EventRow<'a> {
    /// Where it happened.
    pub resource: Resource,
    /// Its type.
    pub kind: Name,
    /// Its value.
    pub value: Name,
    /// Ticks; None where the file has none and the policy keeps such rows.
    pub time: Option<i64>,
    /// The file's own id; empty for none.
    pub id: &'a [u8],
}

/// A link to add. Either end is known by the id of a state, by resource and time, or both.
#[derive(Clone, Copy, Debug)]
pub struct LinkRow<'a> {
    /// Its type.
    pub kind: Name,
    /// Its value.
    pub value: Name,
    /// Id of the state it leaves; empty for none.
    pub source: &'a [u8],
    /// Id of the state it reaches; empty for none.
    pub target: &'a [u8],
    /// `start` or `end` of the source state; null where unknown.
    pub source_point: Name,
    /// `start` or `end` of the target state; null where unknown.
    pub target_point: Name,
    /// Resource it leaves.
    pub source_resource: Option<Resource>,
    /// Resource it reaches.
    pub target_resource: Option<Resource>,
    /// Ticks.
    pub start: Option<i64>,
    /// Ticks; may lie before the start.
    pub end: Option<i64>,
    /// The file's key.
    pub key: Name,
    /// The file's own id of the link; empty for none.
    pub id: &'a [u8],
}

/// A step or sample of a variable to add.
#[derive(Clone, Copy, Debug)]
pub struct VariableRow {
    /// Of what.
    pub resource: Resource,
    /// The name of the variable.
    pub metric: Name,
    /// Ticks; None where the file has none and the policy keeps such rows.
    pub start: Option<i64>,
    /// Ticks; None for a sample.
    pub end: Option<i64>,
    /// The number; None where the file has none. Finite.
    pub value: Option<f64>,
}

/// A resource to declare.
#[derive(Clone, Copy, Debug)]
pub struct ResourceRow {
    /// What it is part of.
    pub parent: Option<Resource>,
    /// Its bare name.
    pub name: Name,
    /// Its type.
    pub kind: Name,
    /// Ticks.
    pub start: Option<i64>,
    /// Ticks.
    pub end: Option<i64>,
    /// How much of it there is.
    pub capacity: Option<f64>,
}

#[derive(Debug, Default)]
pub(super) struct States {
    pub(super) resource: Vec<u32>,
    pub(super) kind: Vec<u32>,
    pub(super) value: Vec<u32>,
    pub(super) start: Vec<i64>,
    pub(super) end: Vec<i64>,
    pub(super) depth: Vec<i32>,
    /// Shorter than the rest: false from there on.
    pub(super) truncated: Vec<bool>,
    pub(super) row: Vec<i64>,
    pub(super) id: Cells,
}

#[derive(Debug, Default)]
pub(super) struct Events {
    pub(super) resource: Vec<u32>,
    pub(super) kind: Vec<u32>,
    pub(super) value: Vec<u32>,
    pub(super) time: Vec<i64>,
    pub(super) row: Vec<i64>,
    pub(super) id: Cells,
}

#[derive(Debug, Default)]
pub(super) struct Links {
    pub(super) kind: Vec<u32>,
    pub(super) value: Vec<u32>,
    pub(super) source: Cells,
    pub(super) target: Cells,
    /// States by row number, where they were found already; shorter than the rest: none from there on.
    pub(super) source_row: Vec<u32>,
    /// Likewise.
    pub(super) target_row: Vec<u32>,
    pub(super) source_point: Vec<u32>,
    pub(super) target_point: Vec<u32>,
    pub(super) source_resource: Vec<u32>,
    pub(super) target_resource: Vec<u32>,
    pub(super) start: Vec<i64>,
    pub(super) end: Vec<i64>,
    pub(super) key: Vec<u32>,
    pub(super) row: Vec<i64>,
    pub(super) id: Cells,
}

#[derive(Debug, Default)]
pub(super) struct Variables {
    pub(super) resource: Vec<u32>,
    pub(super) metric: Vec<u32>,
    pub(super) start: Vec<i64>,
    pub(super) end: Vec<i64>,
    /// NaN is null.
    pub(super) value: Vec<f64>,
    pub(super) row: Vec<i64>,
}

#[derive(Debug, Default)]
pub(super) struct Rejects {
    pub(super) file: Vec<u32>,
    pub(super) line: Vec<u64>,
    pub(super) code: Vec<&'static str>,
    pub(super) text: Vec<String>,
}

impl TraceBuilder {
    /// Adds a state, or rejects it by the load policy (`Ok(None)`): its end before its start, or a time
    /// missing. `raw` is the text of the row.
    pub fn add_state(&mut self, row: StateRow<'_>, raw: &[u8]) -> Result<Option<Row>, Diag> {
        let start = match self.required(row.start, "start", raw)? {
            Some(start) => start,
            None => return Ok(None),
        };
        let end = if row.open {
            OPEN
        } else {
            match self.required(row.end, "end", raw)? {
                Some(end) => end,
                None => return Ok(None),
            }
        };
        if end < start && end > OPEN && !self.reversed(raw)? {
            return Ok(None);
        }
        let Some(at) = self.new_row(self.states.start.len(), raw)? else {
            return Ok(None);
        };
        let line = if row.line == 0 { self.line } else { row.line };
        let number = self.row_number(line);
        let states = &mut self.states;
        states.resource.push(row.resource.0);
        states.kind.push(row.kind.0);
        states.value.push(row.value.0);
        states.start.push(start);
        states.end.push(end);
        states.depth.push(row.depth);
        states.row.push(number);
        if row.open || row.truncated {
            put(&mut states.truncated, at.0 as usize, true, false);
        }
        if !row.id.is_empty() {
            states.id.set(at.0 as usize, row.id);
        }
        Ok(Some(at))
    }

    /// Adds an event, or rejects it by the load policy (`Ok(None)`): its time missing.
    pub fn add_event(&mut self, row: EventRow<'_>, raw: &[u8]) -> Result<Option<Row>, Diag> {
        let time = match self.required(row.time, "time", raw)? {
            Some(time) => time,
            None => return Ok(None),
        };
        let Some(at) = self.new_row(self.events.time.len(), raw)? else {
            return Ok(None);
        };
        let number = self.row_number(self.line);
        let events = &mut self.events;
        events.resource.push(row.resource.0);
        events.kind.push(row.kind.0);
        events.value.push(row.value.0);
        events.time.push(time);
        events.row.push(number);
        if !row.id.is_empty() {
            events.id.set(at.0 as usize, row.id);
        }
        Ok(Some(at))
    }

    /// Adds a link. Its end may lie before its start (clocks differ); its times may be missing.
    pub fn add_link(&mut self, row: LinkRow<'_>, raw: &[u8]) -> Result<Option<Row>, Diag> {
        let Some(at) = self.new_row(self.links.start.len(), raw)? else {
            return Ok(None);
        };
        let number = self.row_number(self.line);
        let resource = |end: Option<Resource>| end.map_or(Name::NULL.0, |resource| resource.0);
        let links = &mut self.links;
        links.kind.push(row.kind.0);
        links.value.push(row.value.0);
        links.source_point.push(row.source_point.0);
        links.target_point.push(row.target_point.0);
        links.source_resource.push(resource(row.source_resource));
        links.target_resource.push(resource(row.target_resource));
        links.start.push(row.start.unwrap_or(NO_TIME));
        links.end.push(row.end.unwrap_or(NO_TIME));
        links.key.push(row.key.0);
        links.row.push(number);
        links.source.set(at.0 as usize, row.source);
        links.target.set(at.0 as usize, row.target);
        links.id.set(at.0 as usize, row.id);
        Ok(Some(at))
    }

    /// Adds a step (with an end) or a sample of a variable, or rejects it by the load policy
    /// (`Ok(None)`): its end before its start, or its start missing.
    pub fn add_variable(&mut self, row: VariableRow, raw: &[u8]) -> Result<Option<Row>, Diag> {
        let start = match self.required(row.start, "start", raw)? {
            Some(start) => start,
            None => return Ok(None),
        };
        let end = row.end.unwrap_or(NO_TIME);
        if end < start && end > OPEN && !self.reversed(raw)? {
            return Ok(None);
        }
        let Some(at) = self.new_row(self.variables.start.len(), raw)? else {
            return Ok(None);
        };
        let number = self.row_number(self.line);
        let variables = &mut self.variables;
        variables.resource.push(row.resource.0);
        variables.metric.push(row.metric.0);
        variables.start.push(start);
        variables.end.push(end);
        variables.value.push(row.value.unwrap_or(f64::NAN));
        variables.row.push(number);
        Ok(Some(at))
    }

    /// A time that only `policy=keep` lets be missing: as stored, or None where the row was rejected.
    #[inline]
    fn required(
        &mut self,
        time: Option<i64>,
        field: &str,
        raw: &[u8],
    ) -> Result<Option<i64>, Diag> {
        match time {
            Some(ticks) => Ok(Some(ticks)),
            None => {
                let missing = crate::model::clock::TimeError::Missing;
                Ok(match self.no_time(missing, field, raw)? {
                    Bound::Rejected => None,
                    Bound::At(_) | Bound::Null => Some(NO_TIME),
                })
            }
        }
    }

    /// An end before its start: true where the policy keeps the row.
    #[cold]
    fn reversed(&mut self, raw: &[u8]) -> Result<bool, Diag> {
        if self.policy == Policy::Keep {
            return Ok(true);
        }
        self.reject("end_before_start", "ends before it starts", raw)?;
        Ok(false)
    }

    /// The number of the next row of a relation with `rows` rows.
    #[inline]
    fn new_row(&mut self, rows: usize, raw: &[u8]) -> Result<Option<Row>, Diag> {
        if self.broken_text {
            self.check_text(raw)?;
        }
        match u32::try_from(rows) {
            Ok(row) if row < u32::MAX => {
                self.report.kept += 1;
                Ok(Some(Row(row)))
            }
            _ => Err(Diag::error(
                &code::INPUT_UNREADABLE,
                "more than 4,294,967,294 rows of one kind",
            )
            .in_file(self.file_name(), self.line, "")),
        }
    }
}
