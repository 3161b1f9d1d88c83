//! The rows that `pj_dump` prints: `State, CPU0, Worker State, 0.000, 1.500, 1.500, 0.000, dgemm`.
//!
//! No header, one kind of record per line, nothing escaped. Old versions quote names. The unit is not in
//! the file. See the reader's `detail` for what becomes what.

use super::duration::Durations;
use super::{Head, Input, Line, ReadOptions, Reader, ReaderSpec, Vote};
use crate::diag::Diag;
use crate::model::TraceBuilder;
use crate::model::builder::{
    Attribute, Bound, EventRow, LinkRow, Name, Resource, ResourceRow, StateRow, Table, VariableRow,
};
use crate::model::clock::TimeError;
use memchr::memchr;

/// The reader.
pub struct PjDump;

static SPEC: ReaderSpec = ReaderSpec {
    name: "pj_dump",
    extensions: &["csv", "pjdump"],
    summary: "Rows printed by pj_dump, without a header.",
    detail: "Container rows become `resources`, State rows `states`, and so on. The root container `0` is left out. \
A row names its container by the bare name; where several containers have it, the one printed last before the row is meant. \
The value is the last fixed field. What follows it after a comma and a blank are user columns (`pj_dump -u`): `col9`, `col10`, …, \
or as `columns=[…]` names them; `columns=[]` says that there are none, so that values keep their commas. \
Quotes around names (old versions) are taken off. The depth is the printed imbrication; durations are `end - start`, the printed ones are only compared. \
Header rows of `pj_dump -h` are skipped. The output of `pj_dump -p` is not read.",
};

/// More user columns than this are no user columns.
const MAX_COLUMNS: usize = 1000;

impl Reader for PjDump {
    fn spec(&self) -> &'static ReaderSpec {
        &SPEC
    }

    fn sniff(&self, head: &Head<'_>) -> Vote {
        let mut vote = Vote::No;
        let names = head.lines().find(|line| !line.starts_with(b"#"));
        if Fields(names).any(|name| name.eq_ignore_ascii_case(b"nature")) {
            // The same rows under a header, which the table reader knows.
            return Vote::No;
        }
        for line in head.lines().filter(|l| !l.starts_with(b"#")).take(20) {
            let mut fields = Fields(Some(line));
            let Some(kind) = fields.next().and_then(Kind::of) else {
                continue;
            };
            let count = Fields(Some(line)).count();
            if count + 2 < kind.fields() {
                continue;
            }
            let second = fields.next().unwrap_or_default();
            let time = fields.nth(1).unwrap_or_default();
            let number = std::str::from_utf8(time).is_ok_and(|time| time.parse::<f64>().is_ok());
            if number || is_header(second) {
                return Vote::Sure;
            }
            vote = Vote::Likely;
        }
        vote
    }

    fn read(
        &self,
        input: &mut Input<'_>,
        options: &ReadOptions,
        builder: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        let mut rows = Rows::new(options);
        while let Some(line) = input.next_line()? {
            rows.line(line, builder)?;
        }
        rows.report(builder);
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    State,
    Event,
    Variable,
    Link,
    Container,
}

impl Kind {
    #[inline]
    fn of(field: &[u8]) -> Option<Kind> {
        match field {
            b"State" => Some(Kind::State),
            b"Event" => Some(Kind::Event),
            b"Variable" => Some(Kind::Variable),
            b"Link" => Some(Kind::Link),
            b"Container" => Some(Kind::Container),
            _ => None,
        }
    }

    /// Fields that a row must have.
    fn fields(self) -> usize {
        match self {
            Kind::State => 8,
            Kind::Event => 5,
            Kind::Link => 9,
            Kind::Variable | Kind::Container => 7,
        }
    }

    /// The relation, and the 1-based number of its first user column.
    fn user_columns(self) -> (Table, usize) {
        match self {
            Kind::State => (Table::States, 9),
            Kind::Event => (Table::Events, 6),
            Kind::Variable => (Table::Variables, 8),
            Kind::Link => (Table::Links, 11),
            Kind::Container => (Table::Resources, 8),
        }
    }
}

/// Cuts a line at its commas: blanks around fields and one pair of quotes are taken off.
struct Fields<'a>(Option<&'a [u8]>);

impl<'a> Fields<'a> {
    /// Everything that has not been handed out, without blanks around it.
    fn rest(&self) -> &'a [u8] {
        self.0.map(<[u8]>::trim_ascii).unwrap_or_default()
    }

    /// A field that begins with a quote: it ends at the quote before a comma or the end of the line.
    #[cold]
    fn quoted(&mut self, line: &'a [u8]) -> Option<&'a [u8]> {
        let inner = line.get(1..)?;
        let mut at = 0;
        while let Some(found) = memchr(b'"', inner.get(at..)?) {
            let close = at + found;
            let after = inner.get(close + 1..)?.trim_ascii_start();
            match after.split_first() {
                None => self.0 = None,
                Some((b',', rest)) => self.0 = Some(rest),
                Some(_) => {
                    at = close + 1;
                    continue;
                }
            }
            return inner.get(..close);
        }
        None
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let line = self.0?.trim_ascii_start();
        if line.first() == Some(&b'"')
            && let Some(field) = self.quoted(line)
        {
            return Some(field);
        }
        let (field, rest) = match memchr(b',', line) {
            Some(at) => (line.get(..at), line.get(at + 1..)),
            None => (Some(line), None),
        };
        self.0 = rest;
        field.map(<[u8]>::trim_ascii_end)
    }
}

/// A name that was looked up last: most rows have the same as the row before.
#[derive(Debug)]
struct Last<T> {
    text: Vec<u8>,
    found: Option<T>,
}

impl<T: Copy> Last<T> {
    fn new() -> Last<T> {
        Last {
            text: Vec::new(),
            found: None,
        }
    }

    #[inline]
    fn get(&mut self, text: &[u8], find: impl FnOnce() -> T) -> T {
        if let Some(found) = self.found
            && self.text == text
        {
            return found;
        }
        let found = find();
        self.text.clear();
        self.text.extend_from_slice(text);
        self.found = Some(found);
        found
    }
}

/// What a row means that names the container `0`.
#[derive(Clone, Copy, Debug)]
enum Root {
    /// The root, for the first time.
    Unused,
    /// The root.
    Used(Resource),
    /// Another container of that name.
    Hidden,
}

/// The state of reading one file.
struct Rows {
    /// Names of user columns that the user gave.
    columns: Option<Vec<String>>,
    /// The file writes a blank behind its commas; None before the first row.
    blanks: Option<bool>,
    container: Last<Resource>,
    kind: Last<Name>,
    user: [Vec<Attribute>; 5],
    owner: Option<Attribute>,
    root: Root,
    /// Rows with user columns, by kind; values that kept their commas.
    with_columns: [u64; 5],
    with_commas: u64,
    durations: Durations,
}

impl Rows {
    fn new(options: &ReadOptions) -> Rows {
        Rows {
            columns: options.columns.clone(),
            blanks: None,
            container: Last::new(),
            kind: Last::new(),
            user: Default::default(),
            owner: None,
            root: Root::Unused,
            with_columns: [0; 5],
            with_commas: 0,
            durations: Durations::default(),
        }
    }

    #[inline]
    fn line(&mut self, line: Line<'_>, builder: &mut TraceBuilder) -> Result<(), Diag> {
        let raw = line.text;
        let mut fields = Fields(Some(raw));
        let first = fields.next().unwrap_or_default();
        let Some(kind) = Kind::of(first) else {
            return self.no_kind(first, line, builder);
        };
        if self.blanks.is_none() {
            let rest = fields.0.unwrap_or_default();
            self.blanks = Some(rest.first().is_some_and(u8::is_ascii_whitespace));
        }
        builder.record(line.number);
        if line.cut {
            return builder.reject("cut_off", "the file ends in the middle of the row", raw);
        }
        match kind {
            Kind::State => self.state(fields, raw, builder),
            Kind::Event => self.event(fields, raw, builder),
            Kind::Variable => self.variable(fields, raw, builder),
            Kind::Link => self.link(fields, raw, builder),
            Kind::Container => self.container(fields, raw, builder),
        }
    }

    #[cold]
    fn no_kind(
        &mut self,
        first: &[u8],
        line: Line<'_>,
        builder: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        if line.text.trim_ascii().is_empty() || line.text.trim_ascii_start().starts_with(b"#") {
            return Ok(());
        }
        builder.record(line.number);
        if line.cut {
            return builder.reject(
                "cut_off",
                "the file ends in the middle of the row",
                line.text,
            );
        }
        let shown = String::from_utf8_lossy(first.get(..first.len().min(40)).unwrap_or(first));
        let message =
            format!("`{shown}` is no kind of record (Container, State, Event, Variable, Link)");
        builder.reject("unknown_kind", &message, line.text)
    }

    #[inline]
    fn state(&mut self, mut f: Fields<'_>, raw: &[u8], b: &mut TraceBuilder) -> Result<(), Diag> {
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

    fn event(&mut self, mut f: Fields<'_>, raw: &[u8], b: &mut TraceBuilder) -> Result<(), Diag> {
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

    fn variable(
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
        let value = match super::number(value) {
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

    fn link(&mut self, mut f: Fields<'_>, raw: &[u8], b: &mut TraceBuilder) -> Result<(), Diag> {
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

    fn container(
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
        self.container.found = None;
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

    /// What is worth saying once about the file.
    fn report(&self, b: &mut TraceBuilder) {
        let file = b.file_name().to_owned();
        let kinds = [
            Kind::State,
            Kind::Event,
            Kind::Variable,
            Kind::Link,
            Kind::Container,
        ];
        for kind in kinds {
            let rows = self.with_columns.get(kind as usize).copied().unwrap_or(0);
            let columns = self.user.get(kind as usize).map_or(0, Vec::len);
            if rows == 0 || self.columns.is_some() {
                continue;
            }
            let (_, first) = kind.user_columns();
            let range = match columns {
                1 => format!("column `col{first}`"),
                _ => format!("columns `col{first}` to `col{}`", first + columns - 1),
            };
            b.note(format!(
                "{file}: {rows} {kind:?} rows have more than {} fields; the rest became the {range}, which `columns=[…]` names",
                first - 1
            ));
        }
        if self.with_commas > 0 && self.columns.is_none() {
            b.note(format!(
                "{file}: {} rows have a comma in their value, which was kept whole",
                self.with_commas
            ));
        }
        self.durations.report(b);
    }
}

/// True for the second field of a header row of `pj_dump -h`.
fn is_header(second: &[u8]) -> bool {
    matches!(second, b"Container" | b"Parent")
}

#[cold]
fn too_few(kind: Kind, raw: &[u8], b: &mut TraceBuilder) -> Result<(), Diag> {
    let mut fields = Fields(Some(raw));
    let count = fields.by_ref().count();
    let wanted = kind.fields();
    let message = format!("{count} fields where {wanted} are wanted");
    b.reject("too_few_fields", &message, raw)
}

/// The first comma that a blank follows.
fn comma_blank(text: &[u8]) -> Option<usize> {
    text.windows(2)
        .position(|pair| matches!(pair, [b',', b' ' | b'\t']))
}

/// The imbrication, printed as a float: `1.000000`.
#[inline]
fn depth_of(text: &[u8]) -> Option<i32> {
    let whole = match memchr(b'.', text) {
        Some(at) => {
            let (whole, places) = text.split_at_checked(at)?;
            if !places.get(1..)?.iter().all(|byte| *byte == b'0') {
                return None;
            }
            whole
        }
        None => text,
    };
    if whole.is_empty() || whole.len() > 9 {
        return None;
    }
    let mut depth = 0;
    for byte in whole {
        if !byte.is_ascii_digit() {
            return None;
        }
        depth = depth * 10 + i32::from(byte - b'0');
    }
    Some(depth)
}
