//! Lines that become states and events, and what all lines share.

use super::key::{Key, Keys};
use super::line::{Attributes, Words, cut, unescaped};
use super::link::Dependencies;
use super::signal::Signals;
use crate::diag::Diag;
use crate::model::TraceBuilder;
use crate::model::builder::{Attribute, Bound, EventRow, Name, Resource, Row, StateRow, Table};
use crate::model::schema::column;
use crate::read::{Line, ReadOptions, number};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// The state of reading one file.
pub(super) struct Rows {
    pub(super) keys: Keys,
    pub(super) resources: FxHashMap<Vec<u8>, Known>,
    /// Resources by name; None where several have it.
    pub(super) names: FxHashMap<Vec<u8>, Option<Resource>>,
    /// The resource for what has none, once there is something.
    pub(super) trace: Option<Resource>,
    pub(super) trace_name: Vec<u8>,
    pub(super) origin: bool,
    /// Texts hold `%2C` for a comma.
    pub(super) escaped: bool,
    /// No claim has an amount, whatever its line says.
    pub(super) no_amounts: bool,
    amount: Option<Attribute>,
    offset: Option<Attribute>,
    pub(super) resource_id: Option<Attribute>,
    pub(super) uses_offset: Option<Attribute>,
    pub(super) signals: Signals,
    dependencies: Dependencies,
    /// Lines that wait for the end of the file.
    waiting: Waiting,
    claims: u64,
    named_claims: u64,
}

/// A resource of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) resource: Resource,
    pub(super) uses_offset: bool,
}

impl Known {
    /// Without offsets.
    pub(super) fn plain(resource: Resource) -> Known {
        Known {
            resource,
            uses_offset: false,
        }
    }
}

/// Lines kept for later, one after the other.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    text: Vec<u8>,
    ends: Vec<(u64, usize)>,
}

impl Waiting {
    pub(super) fn push(&mut self, line: u64, text: &[u8]) {
        self.text.extend_from_slice(text);
        self.ends.push((line, self.text.len()));
    }

    /// Number and text of each line.
    pub(super) fn lines(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let mut start = 0;
        self.ends.iter().map(move |(line, end)| {
            let text = self.text.get(start..*end).unwrap_or_default();
            start = *end;
            (*line, text)
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

impl Rows {
    pub(super) fn new(options: &ReadOptions, b: &TraceBuilder) -> Rows {
        Rows {
            keys: Keys::new(options.roles.value.as_deref()),
            resources: FxHashMap::default(),
            names: FxHashMap::default(),
            trace: None,
            trace_name: b"trace".to_vec(),
            origin: false,
            escaped: false,
            no_amounts: false,
            amount: None,
            offset: None,
            resource_id: None,
            uses_offset: None,
            signals: Signals::default(),
            dependencies: Dependencies::new(b),
            waiting: Waiting::default(),
            claims: 0,
            named_claims: 0,
        }
    }

    /// One line, comments and blank ones too.
    pub(super) fn line(&mut self, line: Line<'_>, b: &mut TraceBuilder) -> Result<(), Diag> {
        let text = line.text.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") {
            return Ok(());
        }
        b.record(line.number);
        if line.cut {
            return b.reject("cut_off", "the file ends in the middle of the line", text);
        }
        b.check_bytes(text);
        self.row(text, false, b)
    }

    /// What waited for the end of the file, dependencies last.
    pub(super) fn finish(mut self, b: &mut TraceBuilder) -> Result<(), Diag> {
        let waiting = std::mem::take(&mut self.waiting);
        for (line, text) in waiting.lines() {
            b.set_line(line);
            b.check_bytes(text);
            self.row(text, true, b)?;
        }
        let dependencies = self.dependencies.take(b);
        dependencies.finish(&mut self, b)?;
        if self.claims > 0 && self.named_claims == 0 {
            let keys: Vec<String> = self
                .keys
                .of_claims
                .iter()
                .take(8)
                .map(|key| format!("`{key}`"))
                .collect();
            let others = match keys.is_empty() {
                true => String::new(),
                false => format!(
                    "; `value=\"…\"` names another attribute: {}",
                    keys.join(", ")
                ),
            };
            let file = b.file_name().to_owned();
            b.note(format!(
                "{file}: no claim has an attribute `{}`, so states have no value{others}",
                self.keys.value()
            ));
        }
        Ok(())
    }

    /// A line with something on it. `last` where nothing more will be declared.
    fn row(&mut self, raw: &[u8], last: bool, b: &mut TraceBuilder) -> Result<(), Diag> {
        let (keyword, head, attributes) = cut(raw);
        let words = Words::of(head);
        match keyword {
            b"C" => self.claim(words, attributes, raw, last, b),
            b"E" => self.event(words, attributes, raw, last, b),
            b"D" => {
                self.dependencies.push(b.line(), raw);
                Ok(())
            }
            b"R" => self.resource(words, attributes, raw, last, b),
            b"T" => self.trace_line(raw, b),
            b"O" => self.origin_line(words, raw, b),
            b"S" | b"F" | b"TS" | b"TSS" | b"TSP" => {
                super::signal::line(self, keyword, head, attributes, raw, last, b)
            }
            b"TSR" => b.reject(
                "not_read",
                "`TSR` is not read: the form of its range is not published",
                raw,
            ),
            _ => {
                let shown = keyword.get(..keyword.len().min(40)).unwrap_or(keyword);
                let message = format!(
                    "`{}` is no kind of line (TU O T R C E D S F TS TSS TSP)",
                    String::from_utf8_lossy(shown)
                );
                b.reject("unknown_kind", &message, raw)
            }
        }
    }

    /// Keeps a line for the end of the file.
    pub(super) fn wait(&mut self, raw: &[u8], b: &TraceBuilder) {
        self.waiting.push(b.line(), raw);
    }

    /// A word or value as it was before marey wrote it.
    pub(super) fn plain<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        match self.escaped {
            true => unescaped(text),
            false => Cow::Borrowed(text),
        }
    }

    pub(super) fn name(&self, text: &[u8], b: &mut TraceBuilder) -> Name {
        let text = self.plain(text);
        b.name(&text)
    }

    /// What a key stands for.
    pub(super) fn key(&mut self, table: Table, key: &[u8], b: &mut TraceBuilder) -> Key {
        let key = self.plain(key);
        self.keys.get(table, &key, b)
    }

    /// Counts text between attributes that is none.
    pub(super) fn strays(
        &self,
        attributes: &Attributes<'_>,
        raw: &[u8],
        b: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        match attributes.stray {
            true => b.repair("bad_attribute", "an attribute is not `key=value`", raw),
            false => Ok(()),
        }
    }

    /// Sets the attributes of a row that are columns of their own.
    pub(super) fn set(
        &mut self,
        table: Table,
        row: Row,
        attributes: &[u8],
        raw: &[u8],
        b: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        let mut pairs = Attributes::of(attributes);
        for (key, value) in pairs.by_ref() {
            if let Key::Attribute(attribute) = self.key(table, key, b) {
                let value = self.plain(value);
                b.set(attribute, row, &value);
            }
        }
        self.strays(&pairs, raw, b)
    }

    fn claim(
        &mut self,
        words: Words<'_>,
        attributes: &[u8],
        raw: &[u8],
        last: bool,
        b: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        if !few_or_many("C", words, 5..=6, raw, b)? {
            return Ok(());
        }
        let id = self.plain(words.get(3));
        let declared = self.resources.get(&*id).copied();
        let known = match declared.or_else(|| self.resource_of(&id).map(Known::plain)) {
            Some(known) => known,
            None if !last => {
                self.wait(raw, b);
                return Ok(());
            }
            None => {
                let shown = String::from_utf8_lossy(&id);
                let message = format!("the resource `{shown}` is not declared");
                b.repair("unknown_resource", &message, raw)?;
                let id = id.into_owned();
                let Some(known) = self.undeclared(&id, raw, b)? else {
                    return Ok(());
                };
                known
            }
        };
        let start = match b.bound(words.get(1), "t0", raw)? {
            Bound::Rejected => return Ok(()),
            bound => bound.ticks(),
        };
        let end = match b.bound(words.get(2), "t1", raw)? {
            Bound::Rejected => return Ok(()),
            bound => bound.ticks(),
        };
        let (mut kind, mut value) = (Name::NULL, Name::NULL);
        let (mut depth, mut truncated, mut nulls) = (0, false, &b""[..]);
        for (key, text) in Attributes::of(attributes) {
            match self.key(Table::States, key, b) {
                Key::Name => value = self.name(text, b),
                Key::Kind => kind = self.name(text, b),
                Key::Depth => depth = integer(text).unwrap_or(0),
                Key::Truncated => truncated = text == b"true",
                Key::Null => nulls = text,
                _ => {}
            }
        }
        let id = self.plain(words.get(0));
        let row = StateRow {
            resource: known.resource,
            kind,
            value,
            start,
            end,
            depth,
            open: false,
            truncated,
            id: &id,
            line: 0,
        };
        let Some(row) = b.add_state(row, raw)? else {
            return Ok(());
        };
        self.claims += 1;
        self.named_claims += u64::from(!value.is_null());
        let has_offset = words.len() == 6;
        if has_offset != known.uses_offset {
            let message = match has_offset {
                true => "the claim has an offset, which its resource does not use",
                false => "the claim has no offset, which its resource uses",
            };
            b.repair("offset_mismatch", message, raw)?;
        }
        if has_offset && !has_word(nulls, column::OFFSET) {
            let to = &mut self.offset;
            amount(column::OFFSET, words.get(4), to, row, raw, b)?;
        }
        if !self.no_amounts && !has_word(nulls, column::AMOUNT) {
            let text = words.get(if has_offset { 5 } else { 4 });
            amount(column::AMOUNT, text, &mut self.amount, row, raw, b)?;
        }
        self.set(Table::States, row, attributes, raw, b)
    }

    fn event(
        &mut self,
        words: Words<'_>,
        attributes: &[u8],
        raw: &[u8],
        last: bool,
        b: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        if !few_or_many("E", words, 2..=2, raw, b)? {
            return Ok(());
        }
        let (mut kind, mut value) = (Name::NULL, Name::NULL);
        let (mut resource, mut unknown, mut place) = (None, None, false);
        for (key, text) in Attributes::of(attributes) {
            match self.key(Table::Events, key, b) {
                Key::Name => value = self.name(text, b),
                Key::Kind => kind = self.name(text, b),
                Key::Place => place = true,
                Key::Resource => match self.resource_called(text) {
                    Some(found) => resource = Some(found),
                    None if !last => {
                        self.wait(raw, b);
                        return Ok(());
                    }
                    None => unknown = Some(text),
                },
                _ => {}
            }
        }
        let time = match b.bound(words.get(1), "t", raw)? {
            Bound::Rejected => return Ok(()),
            bound => bound.ticks(),
        };
        let id = self.plain(words.get(0)).into_owned();
        if place {
            self.dependencies.place(id, resource, time);
            b.keep_record();
            return Ok(());
        }
        let resource = match resource {
            Some(resource) => resource,
            None => self.trace(raw, b)?,
        };
        let row = EventRow {
            resource,
            kind,
            value,
            time,
            id: &id,
        };
        let Some(row) = b.add_event(row, raw)? else {
            return Ok(());
        };
        if let Some(text) = unknown {
            let attribute = self.keys.attribute(Table::Events, column::RESOURCE, b);
            let text = self.plain(text);
            b.set(attribute, row, &text);
        }
        self.set(Table::Events, row, attributes, raw, b)
    }

    /// A time in an attribute, which no row depends on.
    pub(super) fn extra_time(
        &self,
        text: &[u8],
        raw: &[u8],
        b: &mut TraceBuilder,
    ) -> Result<Option<i64>, Diag> {
        match b.time(text) {
            Ok(ticks) => Ok(Some(ticks)),
            Err(error) => {
                let message = format!("a time among the attributes {}", error.about());
                b.repair(error.code(), &message, raw)?;
                Ok(None)
            }
        }
    }
}

/// False, with a reject, where the line has another number of words than it should.
pub(super) fn few_or_many(
    keyword: &str,
    words: Words<'_>,
    wanted: std::ops::RangeInclusive<usize>,
    raw: &[u8],
    b: &mut TraceBuilder,
) -> Result<bool, Diag> {
    if wanted.contains(&words.len()) {
        return Ok(true);
    }
    let few = words.len() < *wanted.start();
    let message = format!(
        "`{keyword}` has {} fields where {} are wanted",
        words.len(),
        match (wanted.start(), wanted.end()) {
            (one, same) if one == same => one.to_string(),
            (low, high) => format!("{low} or {high}"),
        }
    );
    let reason = if few {
        "too_few_fields"
    } else {
        "too_many_fields"
    };
    b.reject(reason, &message, raw)?;
    Ok(false)
}

/// True where a list of words has this one.
pub(super) fn has_word(list: &[u8], word: &str) -> bool {
    super::line::blanks(list).any(|known| known == word.as_bytes())
}

fn integer(text: &[u8]) -> Option<i32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Sets amount or offset of a claim; one that is no number is counted and null.
fn amount(
    name: &str,
    text: &[u8],
    attribute: &mut Option<Attribute>,
    row: Row,
    raw: &[u8],
    b: &mut TraceBuilder,
) -> Result<(), Diag> {
    let value = match number(text) {
        Ok(Some(value)) => value,
        Ok(None) | Err(_) => {
            let message = format!("the {name} of the claim is not a number");
            return b.repair("amount_not_a_number", &message, raw);
        }
    };
    let attribute = *attribute.get_or_insert_with(|| b.attribute(Table::States, name));
    // As the column will read it: `007` would make it text.
    if value.fract() == 0.0 && value.abs() < 1e15 {
        b.set(attribute, row, (value as i64).to_string().as_bytes());
    } else {
        b.set(attribute, row, format!("{value:?}").as_bytes());
    }
    Ok(())
}
