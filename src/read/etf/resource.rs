//! Resources, and the one that stands for the whole trace: `R`, `T`, `O`.

use super::key::Key;
use super::line::{Attributes, Words};
use super::rows::{Known, Rows, few_or_many, has_word};
use crate::diag::Diag;
use crate::model::TraceBuilder;
use crate::model::builder::{Name, Resource, ResourceRow, Table};
use crate::model::schema::column;
use crate::read::number;

impl Rows {
    /// The resource of an id of the file.
    pub(super) fn resource_of(&self, id: &[u8]) -> Option<Resource> {
        let known = self.resources.get(id).map(|known| known.resource);
        known.or_else(|| self.trace.filter(|_| *id == *self.trace_name))
    }

    /// The resource that an attribute names, by id or else by name.
    pub(super) fn resource_called(&self, text: &[u8]) -> Option<Resource> {
        let text = self.plain(text);
        self.resource_of(&text)
            .or_else(|| self.names.get(&*text).copied().flatten())
    }

    /// The resource for what has none.
    pub(super) fn trace(&mut self, raw: &[u8], b: &mut TraceBuilder) -> Result<Resource, Diag> {
        if let Some(trace) = self.trace {
            return Ok(trace);
        }
        let row = ResourceRow {
            parent: None,
            name: b.name(&self.trace_name),
            kind: b.name(b"Trace"),
            start: None,
            end: None,
            capacity: None,
        };
        let id = b.name(b"trace");
        let trace = match b.add_own_resource(row, id, raw)? {
            Some(trace) => trace,
            None => b.resource_named(row.name),
        };
        self.trace = Some(trace);
        Ok(trace)
    }

    pub(super) fn is_trace(&self, resource: Option<Resource>) -> bool {
        self.trace.is_some() && resource == self.trace
    }

    /// `R id capacity usesOffset`.
    pub(super) fn resource(
        &mut self,
        words: Words<'_>,
        attributes: &[u8],
        raw: &[u8],
        last: bool,
        b: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        if !few_or_many("R", words, 3..=3, raw, b)? {
            return Ok(());
        }
        let id = self.plain(words.get(0)).into_owned();
        if self.resources.contains_key(&id) {
            let shown = String::from_utf8_lossy(&id);
            let message = format!("the resource `{shown}` is declared before");
            return b.reject("duplicate_resource", &message, raw);
        }
        let (mut name, mut kind, mut parent) = (None, Name::NULL, None);
        let (mut start, mut end, mut nulls) = (None, None, &b""[..]);
        for (key, text) in Attributes::of(attributes) {
            match self.key(Table::Resources, key, b) {
                Key::Name => name = Some(text),
                Key::Kind => kind = self.name(text, b),
                Key::Start => start = self.extra_time(text, raw, b)?,
                Key::End => end = self.extra_time(text, raw, b)?,
                Key::Null => nulls = text,
                Key::Parent => match self.resource_of(&self.plain(text)) {
                    Some(found) => parent = Some(found),
                    None if !last => {
                        self.wait(raw, b);
                        return Ok(());
                    }
                    None => b.repair("unknown_resource", "the parent is not declared", raw)?,
                },
                _ => {}
            }
        }
        let uses_offset = words.get(2).eq_ignore_ascii_case(b"true");
        if !uses_offset && !words.get(2).eq_ignore_ascii_case(b"false") {
            let message = "the third field of a resource is `true` or `false`";
            b.repair("bad_uses_offset", message, raw)?;
        }
        let mut capacity = None;
        if !has_word(nulls, column::CAPACITY) {
            match number(words.get(1)) {
                Ok(found) => capacity = found,
                Err(_) => b.repair("capacity_not_a_number", "the capacity is not a number", raw)?,
            }
        }
        let name = match name.filter(|name| !name.is_empty()) {
            Some(name) => self.plain(name).into_owned(),
            None => id.clone(),
        };
        let row = ResourceRow {
            parent,
            name: b.name(&name),
            kind,
            start,
            end,
            capacity,
        };
        let own = b.name(&id);
        let Some(resource) = b.add_own_resource(row, own, raw)? else {
            return Ok(());
        };
        b.keep_record();
        let attribute = self.resource_id;
        let attribute =
            attribute.unwrap_or_else(|| b.attribute(Table::Resources, column::RESOURCE_ID));
        self.resource_id = Some(attribute);
        b.set_resource(attribute, resource, &id);
        if uses_offset {
            let attribute = self.uses_offset;
            let attribute =
                attribute.unwrap_or_else(|| b.attribute(Table::Resources, column::USES_OFFSET));
            self.uses_offset = Some(attribute);
            b.set_resource(attribute, resource, b"true");
        }
        let known = Known {
            resource,
            uses_offset,
        };
        self.resources.insert(id, known);
        self.names
            .entry(name)
            .and_modify(|known| *known = None)
            .or_insert(Some(resource));
        self.set_resource(resource, attributes, raw, b)
    }

    fn set_resource(
        &mut self,
        resource: Resource,
        attributes: &[u8],
        raw: &[u8],
        b: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        let mut pairs = Attributes::of(attributes);
        for (key, value) in pairs.by_ref() {
            if let Key::Attribute(attribute) = self.key(Table::Resources, key, b) {
                let value = self.plain(value);
                b.set_resource(attribute, resource, &value);
            }
        }
        self.strays(&pairs, raw, b)
    }

    /// A resource that only claims name.
    pub(super) fn undeclared(
        &mut self,
        id: &[u8],
        raw: &[u8],
        b: &mut TraceBuilder,
    ) -> Result<Option<Known>, Diag> {
        let name = b.name(id);
        let row = ResourceRow {
            parent: None,
            name,
            kind: Name::NULL,
            start: None,
            end: None,
            capacity: None,
        };
        let known = b.add_own_resource(row, name, raw)?.map(Known::plain);
        if let Some(known) = known {
            self.resources.insert(id.to_vec(), known);
        }
        Ok(known)
    }

    /// `T key=value, …`: of the whole trace, or what marey says to itself about the file.
    pub(super) fn trace_line(&mut self, raw: &[u8], b: &mut TraceBuilder) -> Result<(), Diag> {
        let text = raw.get(1..).unwrap_or_default().trim_ascii_start();
        let text = text.strip_prefix(b";").unwrap_or(text);
        let mut pairs = Attributes::of(text);
        for (key, value) in pairs.by_ref() {
            // `name` is an attribute here: it does not rename what events may hang on already.
            let own = self.plain(key);
            let key = match &*own {
                b"name" => Key::Attribute(b.attribute(Table::Resources, "name")),
                key => self.keys.get(Table::Resources, key, b),
            };
            match key {
                Key::Escape => self.escaped = value == b"percent",
                Key::Null => self.no_amounts |= has_word(value, column::AMOUNT),
                Key::Trace => {
                    self.trace_name = self.plain(value).into_owned();
                    self.trace(raw, b)?;
                }
                Key::Attribute(attribute) => {
                    let trace = self.trace(raw, b)?;
                    let value = self.plain(value);
                    b.set_resource(attribute, trace, &value);
                }
                _ => {}
            }
        }
        b.keep_record();
        self.strays(&pairs, raw, b)
    }

    /// `O milliseconds`.
    pub(super) fn origin_line(
        &mut self,
        words: Words<'_>,
        raw: &[u8],
        b: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        let text = words.get(0);
        let whole = std::str::from_utf8(text).is_ok_and(|text| text.parse::<i64>().is_ok());
        if words.len() != 1 || !whole {
            let message = "the offset from the epoch is a whole number of milliseconds";
            return b.reject("bad_origin", message, raw);
        }
        if std::mem::replace(&mut self.origin, true) {
            return b.reject("duplicate_origin", "a second offset from the epoch", raw);
        }
        let trace = self.trace(raw, b)?;
        let attribute = b.attribute(Table::Resources, column::ORIGIN);
        b.set_resource(attribute, trace, text);
        b.keep_record();
        Ok(())
    }
}
