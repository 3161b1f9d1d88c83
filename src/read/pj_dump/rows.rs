//! One method for each kind of row, and what they share.

use super::fields::{Fields, comma_blank, depth_of};
use super::{Kind, MAX_COLUMNS, Root, Rows, is_header};
use crate::diag::Diag;
use crate::model::TraceBuilder;
use crate::model::builder::{
    Attribute, Bound, EventRow, LinkRow, Name, Resource, ResourceRow, StateRow, Table, VariableRow,
};
use crate::model::clock::TimeError;
use crate::read::number;
use memchr::memchr;

impl Rows {
    #[inline]
    pub(super) fn state(
        &mut self,
        mut f: Fields<'_>,
        raw: &[u8],
        b: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        let (Some(container), Some(kind), Some(start), Some(end), Some(duration), Some(depth)) =
            (f.next(), f.next(), f.next(), f.next(), f.next(), f.next())
        else {
            return too_few(Kind::State, raw, b);
        };
        if f.0.is_none() {
            return too_few(Kind::State, raw, b);
        }
        let start = match b.time(start) {
            Ok(ticks) => Some(ticks),
            Err(error) => match self.no_time(error, "start", container, raw, b)? {
                Some(bound) => bound.ticks(),
                None => return Ok(()),
            },
        };
        let end = match b.time(end) {
            Ok(ticks) => Some(ticks),
            Err(error) => match self.no_time(error, "end", container, raw, b)? {
                Some(bound) => bound.ticks(),
                None => return Ok(()),
            },
        };
        if let (Some(start), Some(end)) = (start, end) {
            self.durations.compare(duration, start, end, b);
        }
        let depth = match depth_of(depth) {
            Some(depth) => depth,
            None => {
                b.repair(
                    "depth_not_a_number",
                    "the depth (imbrication) is not a number",
                    raw,
                )?;
                0
            }
        };
        let (value, user) = self.value(Kind::State, f);
        let row = StateRow {
            resource: self.resource(container, b),
            kind: self.kind.get(kind, || b.name(kind)),
            value: b.name(value),
            start,
            end,
            depth,
            open: false,
            truncated: false,
            id: b"",
            line: 0,
        };
        let Some(row) = b.add_state(row, raw)? else {
            return Ok(());
        };
        match user {
            Some(user) => self.user(Kind::State, user, raw, b, |b, at, text| {
                b.set(at, row, text)
            }),
            None => Ok(()),
        }
    }

    pub(super) fn event(
        &mut self,
        mut f: Fields<'_>,
        raw: &[u8],
        b: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        let (Some(container), Some(kind), Some(time)) = (f.next(), f.next(), f.next()) else {
            return too_few(Kind::Event, raw, b);
        };
        if f.0.is_none() {
            return too_few(Kind::Event, raw, b);
        }
        let time = match b.time(time) {
            Ok(ticks) => Some(ticks),
            Err(error) => match self.no_time(error, "time", container, raw, b)? {
                Some(bound) => bound.ticks(),
                None => return Ok(()),
            },
        };
        let (value, user) = self.value(Kind::Event, f);
        let row = EventRow {
            resource: self.resource(container, b),
            kind: self.kind.get(kind, || b.name(kind)),
            value: b.name(value),
            time,
            id: b"",
        };
        let Some(row) = b.add_event(row, raw)? else {
            return Ok(());
        };
        match user {
            Some(user) => self.user(Kind::Event, user, raw, b, |b, at, text| {
                b.set(at, row, text)
            }),
            None => Ok(()),
        }
    }

    pub(super) fn variable(
        &mut self,
        mut f: Fields<'_>,
        raw: &[u8],
        b: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        let (Some(container), Some(kind), Some(start), Some(end), Some(_), Some(value)) =
            (f.next(), f.next(), f.next(), f.next(), f.next(), f.next())
        else {
            return too_few(Kind::Variable, raw, b);
        };
        let start = match b.time(start) {
            Ok(ticks) => Some(ticks),
            Err(error) => match self.no_time(error, "start", container, raw, b)? {
                Some(bound) => bound.ticks(),
                None => return Ok(()),
            },
        };
        let end = match b.bound(end, "end", raw)? {
            Bound::Rejected => return Ok(()),
            bound => bound.ticks(),
        };
        let value = match number(value) {
            Ok(value) => value,
            Err((reason, message)) => return b.reject(reason, message, raw),
        };
        let row = VariableRow {
            resource: self.resource(container, b),
            metric: self.kind.get(kind, || b.name(kind)),
            start,
            end,
            value,
        };
        let Some(row) = b.add_variable(row, raw)? else {
            return Ok(());
        };
        match f.0 {
            Some(_) => self.user(Kind::Variable, f, raw, b, |b, at, text| {
                b.set(at, row, text)
            }),
            None => Ok(()),
        }
    }

    pub(super) fn link(
        &mut self,
        mut f: Fields<'_>,
        raw: &[u8],
        b: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        let (Some(owner), Some(kind), Some(start), Some(end), Some(_)) =
            (f.next(), f.next(), f.next(), f.next(), f.next())
        else {
            return too_few(Kind::Link, raw, b);
        };
        let start = match b.time(start) {
            Ok(ticks) => Some(ticks),
            Err(error) => match self.no_time(error, "start", owner, raw, b)? {
                Some(bound) => bound.ticks(),
                None => return Ok(()),
            },
        };
        let end = match b.bound(end, "end", raw)? {
            Bound::Rejected => return Ok(()),
            bound => bound.ticks(),
        };
        let (Some(value), Some(source), Some(target)) = (f.next(), f.next(), f.next()) else {
            return too_few(Kind::Link, raw, b);
        };
        let key = f.next().unwrap_or_default();
        let (source, target) = (b.name(source), b.name(target));
        let row = LinkRow {
            kind: b.name(kind),
            value: b.name(value),
            source: b"",
            target: b"",
            source_point: Name::NULL,
            target_point: Name::NULL,
            source_resource: Some(b.resource_named(source)),
            target_resource: Some(b.resource_named(target)),
            start,
            end,
            key: b.name(key),
            id: b"",
        };
        let Some(row) = b.add_link(row, raw)? else {
            return Ok(());
        };
        // The owner is the common ancestor of the ends, mostly the root.
        if owner != b"0" {
            let attribute = *self
                .owner
                .get_or_insert_with(|| b.attribute(Table::Links, "owner"));
            b.set(attribute, row, owner);
        }
        match f.0 {
            Some(_) => self.user(Kind::Link, f, raw, b, |b, at, text| b.set(at, row, text)),
            None => Ok(()),
        }
    }

    pub(super) fn container(
        &mut self,
        mut f: Fields<'_>,
        raw: &[u8],
        b: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        let (Some(parent), Some(kind), Some(start), Some(end), Some(_)) =
            (f.next(), f.next(), f.next(), f.next(), f.next())
        else {
            return too_few(Kind::Container, raw, b);
        };
        if f.0.is_none() {
            return too_few(Kind::Container, raw, b);
        }
        let rest = f.rest();
        let name = match rest.first() {
            Some(b'"') => f.next().unwrap_or_default(),
            _ => rest,
        };
        if parent == b"0" && kind == b"0" && name == b"0" {
            b.keep_record();
            return Ok(());
        }
        if is_header(parent) && b.time(start) == Err(TimeError::NotANumber) {
            b.no_record();
            return Ok(());
        }
        // The tree matters more than the times, which have six digits only.
        let mut times = [None; 2];
        for (time, (text, field)) in times.iter_mut().zip([(start, "start"), (end, "end")]) {
            match b.time(text) {
                Ok(ticks) => *time = Some(ticks),
                Err(error) => {
                    b.repair(error.code(), &format!("`{field}` {}", error.about()), raw)?;
                }
            }
        }
        let parent = match parent {
            b"0" => None,
            name => {
                let name = b.name(name);
                Some(b.resource_named(name))
            }
        };
        let row = ResourceRow {
            parent,
            name: b.name(name),
            kind: b.name(kind),
            start: times[0],
            end: times[1],
            capacity: None,
        };
        self.container.forget();
        if name == b"0" {
            self.root = Root::Hidden;
        }
        if b.add_resource(row, raw)?.is_some() {
            b.keep_record();
        }
        Ok(())
    }

    /// A time that is none, by the policy; None where the row is done with (rejected, or a header).
    #[cold]
    fn no_time(
        &mut self,
        error: TimeError,
        field: &str,
        container: &[u8],
        raw: &[u8],
        b: &mut TraceBuilder,
    ) -> Result<Option<Bound>, Diag> {
        if error == TimeError::NotANumber && is_header(container) {
            b.no_record();
            return Ok(None);
        }
        match b.no_time(error, field, raw)? {
            Bound::Rejected => Ok(None),
            bound => Ok(Some(bound)),
        }
    }

    #[inline]
    fn resource(&mut self, name: &[u8], b: &mut TraceBuilder) -> Resource {
        let root = self.root;
        let mut found_root = None;
        let resource = self.container.get(name, || {
            let number = b.name(name);
            match root {
                // The root is called `0` and is no resource unless something happens there.
                Root::Unused if name == b"0" => *found_root.insert(b.root_resource(number)),
                Root::Used(resource) if name == b"0" => resource,
                _ => b.resource_named(number),
            }
        });
        if let Some(root) = found_root {
            self.root = Root::Used(root);
        }
        resource
    }

    /// The value that ends the fixed fields, and what is left if there are user columns.
    #[inline]
    fn value<'a>(&mut self, kind: Kind, mut f: Fields<'a>) -> (&'a [u8], Option<Fields<'a>>) {
        let rest = f.rest();
        if memchr(b',', rest).is_none() && rest.first() != Some(&b'"') {
            return (rest, None);
        }
        if rest.first() == Some(&b'"') {
            let value = f.next().unwrap_or_default();
            return (value, f.0.map(|rest| Fields(Some(rest))));
        }
        let split = match &self.columns {
            Some(columns) => !columns.is_empty(),
            // pj_dump writes a blank behind its commas; one without is part of a text.
            None => self.blanks != Some(true) || comma_blank(rest).is_some(),
        };
        if !split {
            self.with_commas += 1;
            return (rest, None);
        }
        let end = match (&self.columns, self.blanks) {
            (None, Some(true)) => comma_blank(rest),
            _ => memchr(b',', rest),
        };
        let end = end.unwrap_or(rest.len());
        let _ = kind;
        let value = rest.get(..end).unwrap_or(rest).trim_ascii_end();
        (value, rest.get(end + 1..).map(|rest| Fields(Some(rest))))
    }

    /// Hands user columns to `set`.
    #[cold]
    fn user(
        &mut self,
        kind: Kind,
        fields: Fields<'_>,
        raw: &[u8],
        b: &mut TraceBuilder,
        set: impl Fn(&mut TraceBuilder, Attribute, &[u8]),
    ) -> Result<(), Diag> {
        if let Some(count) = self.with_columns.get_mut(kind as usize) {
            *count += 1;
        }
        let (table, first) = kind.user_columns();
        for (index, text) in fields.enumerate() {
            if index >= MAX_COLUMNS {
                return b.repair("too_many_fields", "more than 1000 user columns", raw);
            }
            let known = self
                .user
                .get(kind as usize)
                .and_then(|u| u.get(index).copied());
            let attribute = match known {
                Some(attribute) => attribute,
                None => {
                    let given = self.columns.as_ref().and_then(|names| names.get(index));
                    let attribute = match given {
                        Some(name) => b.attribute(table, name),
                        None => b.attribute(table, &format!("col{}", first + index)),
                    };
                    if let Some(list) = self.user.get_mut(kind as usize) {
                        list.push(attribute);
                    }
                    attribute
                }
            };
            set(b, attribute, text);
        }
        Ok(())
    }
}

#[cold]
fn too_few(kind: Kind, raw: &[u8], b: &mut TraceBuilder) -> Result<(), Diag> {
    let mut fields = Fields(Some(raw));
    let count = fields.by_ref().count();
    let wanted = kind.fields();
    let message = format!("{count} fields where {wanted} are wanted");
    b.reject("too_few_fields", &message, raw)
}
