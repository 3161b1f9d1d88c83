//! Resources, states, events and variables as lines.

use super::table::Rows;
use super::text::{Counts, Pairs, push_float, push_text};
use super::{Etf, Known, unfit};
use crate::model::schema::column;
use std::io;

/// A resource until all are known.
#[derive(Debug)]
pub(super) struct ResourceLine {
    path: String,
    name: String,
    parent: Option<String>,
    kind: Option<String>,
    start: Option<String>,
    end: Option<String>,
    capacity: Option<f64>,
    uses_offset: bool,
    own: Option<String>,
    number: Option<String>,
    origin: Option<String>,
    /// Its attributes as they are written.
    attributes: String,
}

impl ResourceLine {
    fn attribute(&mut self, key: &str, text: &str, counts: &mut Counts) {
        if !self.attributes.is_empty() {
            self.attributes.push(',');
        }
        let mut pairs = Pairs::within(&mut self.attributes);
        pairs.text(key, text, counts);
        pairs.end();
    }

    /// True for the one that stands for what has no resource, where its name is no id or name of another.
    fn is_trace(&self, all: &[ResourceLine]) -> bool {
        let bare = self.parent.is_none() && self.start.is_none() && self.end.is_none();
        let whole = |origin: &String| super::plain_integer(origin).is_some();
        let bare = bare && self.origin.as_ref().is_none_or(whole) && self.own.is_none();
        let alone = || {
            let same = |other: &&ResourceLine| {
                other.name == self.name || other.own.as_ref() == Some(&self.name)
            };
            all.iter().filter(same).count() == 1 && super::plain_integer(&self.name).is_none()
        };
        self.kind.as_deref() == Some("Trace") && bare && self.capacity.is_none() && alone()
    }
}

impl Etf<'_> {
    /// Keeps a resource.
    pub(super) fn resource(&mut self, rows: &Rows<'_>, row: usize) -> io::Result<()> {
        let mut attributes = String::new();
        let mut pairs = Pairs::within(&mut attributes);
        for (key, cells) in rows.attributes() {
            pairs.cell(key, cells, row, &mut self.counts);
        }
        let uses = rows.text(column::USES_OFFSET, row);
        let said = rows.column(column::USES_OFFSET).is_some();
        if let Some(odd) = uses.as_ref().filter(|uses| *uses != "true") {
            pairs.text("marey.attr.uses_offset", odd, &mut self.counts);
        }
        pairs.end();
        self.resources.push(ResourceLine {
            path: rows.text(column::PATH, row).unwrap_or_default(),
            name: rows.text(column::NAME, row).unwrap_or_default(),
            parent: rows.text(column::PARENT, row),
            kind: rows.text(column::TYPE, row),
            start: rows.text(column::START, row),
            end: rows.text(column::END, row),
            capacity: rows.number(column::CAPACITY, row),
            uses_offset: if said {
                uses.as_deref() == Some("true")
            } else {
                self.offsets
            },
            own: rows.text(column::RESOURCE_ID, row),
            number: rows.text(column::ID, row),
            origin: rows.text(column::ORIGIN, row),
            attributes,
        });
        Ok(())
    }

    /// Writes the resources that were kept, with ids of their own where they have them.
    pub(super) fn write_resources(&mut self) -> io::Result<()> {
        let mut resources = std::mem::take(&mut self.resources);
        for resource in &resources {
            if let Some(own) = resource.own.as_ref().filter(|own| !own.is_empty()) {
                self.resource_ids.insert(own.clone());
            }
        }
        let mut given = rustc_hash::FxHashSet::default();
        let trace = resources.iter().position(|one| one.is_trace(&resources));
        for (at, resource) in resources.iter_mut().enumerate() {
            if self.trace.is_none() && Some(at) == trace {
                self.write_trace(resource)?;
                continue;
            }
            let own = resource.own.clone().filter(|own| !own.is_empty());
            let free = own.clone().filter(|own| given.insert(own.clone()));
            let id = match free {
                Some(own) => own,
                None => self.free_id(resource.number.clone()),
            };
            // Columns of these names that mean something else stay what they are.
            let odd = [
                ("marey.attr.resource_id", own.filter(|own| *own != id)),
                ("marey.attr.origin", resource.origin.take()),
            ];
            for (key, text) in odd {
                if let Some(text) = text {
                    resource.attribute(key, &text, &mut self.counts);
                }
            }
            self.write_resource(resource, &id)?;
        }
        Ok(())
    }

    /// The id wanted where it is free, else the next number that is.
    fn free_id(&mut self, wanted: Option<String>) -> String {
        if let Some(wanted) = wanted.filter(|id| self.resource_ids.insert(id.clone())) {
            return wanted;
        }
        loop {
            let id = self.next_resource.to_string();
            self.next_resource += 1;
            if self.resource_ids.insert(id.clone()) {
                return id;
            }
        }
    }

    fn write_trace(&mut self, resource: &ResourceLine) -> io::Result<()> {
        self.line.push_str("T ");
        let mut pairs = Pairs::within(&mut self.line);
        pairs.text("marey.trace", &resource.name, &mut self.counts);
        pairs.end();
        if !resource.attributes.is_empty() {
            self.line.push(',');
            self.line.push_str(&resource.attributes);
        }
        self.put()?;
        if let Some(origin) = &resource.origin {
            self.line.push_str("O ");
            self.line.push_str(origin);
            self.put()?;
        }
        let mut id = String::new();
        push_text(&mut id, &resource.name, true, &mut self.counts);
        self.trace = Some(resource.path.clone());
        let known = Known {
            id,
            uses_offset: false,
        };
        self.known.insert(resource.path.clone(), known);
        Ok(())
    }

    fn write_resource(&mut self, resource: &ResourceLine, id: &str) -> io::Result<()> {
        let mut word = String::new();
        push_text(&mut word, id, true, &mut self.counts);
        self.line.push_str("R ");
        self.line.push_str(&word);
        self.line.push(' ');
        push_float(&mut self.line, resource.capacity.unwrap_or(1.0));
        self.line.push_str(match resource.uses_offset {
            true => " true",
            false => " false",
        });
        let mut pairs = Pairs::begin(&mut self.line);
        pairs.text("name", &resource.name, &mut self.counts);
        if let Some(kind) = &resource.kind {
            pairs.text("marey.type", kind, &mut self.counts);
        }
        let parent = resource.parent.as_ref();
        if let Some(parent) = parent.and_then(|path| self.known.get(path)) {
            pairs.plain("marey.parent", &parent.id);
        }
        for (key, time) in [
            ("marey.start", &resource.start),
            ("marey.end", &resource.end),
        ] {
            if let Some(time) = time {
                pairs.plain(key, time);
            }
        }
        if resource.capacity.is_none() {
            pairs.null(column::CAPACITY);
        }
        pairs.end();
        if !resource.attributes.is_empty() {
            self.line.push(',');
            self.line.push_str(&resource.attributes);
        }
        let known = Known {
            id: word,
            uses_offset: resource.uses_offset,
        };
        self.known.insert(resource.path.clone(), known);
        self.put()
    }

    /// The resource of a row; declared here where the trace does not have it.
    pub(super) fn known(&mut self, path: &str) -> io::Result<Known> {
        if let Some(known) = self.known.get(path) {
            return Ok(known.clone());
        }
        let id = self.free_id(None);
        let line = std::mem::take(&mut self.line);
        let resource = ResourceLine {
            path: path.to_owned(),
            name: path.to_owned(),
            parent: None,
            kind: None,
            start: None,
            end: None,
            capacity: None,
            uses_offset: self.offsets,
            own: None,
            number: None,
            origin: None,
            attributes: String::new(),
        };
        self.write_resource(&resource, &id)?;
        self.line = line;
        let known = Known {
            id,
            uses_offset: self.offsets,
        };
        Ok(known)
    }

    pub(super) fn is_trace(&self, path: &str) -> bool {
        self.trace.as_deref() == Some(path)
    }

    /// `C id t0 t1 resource [offset] amount`.
    pub(super) fn state(&mut self, rows: &Rows<'_>, row: usize) -> io::Result<()> {
        let id = id_of("state", rows, row)?;
        let path = rows.text(column::RESOURCE, row).unwrap_or_default();
        let known = self.known(&path)?;
        let (start, end) = times("state", &id, rows, row)?;
        if self.has_links {
            self.states.insert(&id);
        }
        self.line.push_str("C ");
        push_text(&mut self.line, &id, true, &mut self.counts);
        for word in [&start, &end, &known.id] {
            self.line.push(' ');
            self.line.push_str(word);
        }
        let part = |name| {
            rows.has_part(name)
                .then(|| rows.number(name, row))
                .flatten()
        };
        let (offset, amount) = (part(column::OFFSET), part(column::AMOUNT));
        if known.uses_offset {
            self.line.push(' ');
            push_float(&mut self.line, offset.unwrap_or(0.0));
        }
        self.line.push(' ');
        push_float(&mut self.line, amount.unwrap_or(1.0));
        let mut pairs = Pairs::begin(&mut self.line);
        if let Some(value) = rows.text(column::VALUE, row) {
            pairs.text("name", &value, &mut self.counts);
        }
        if let Some(kind) = rows.text(column::TYPE, row) {
            pairs.text("marey.type", &kind, &mut self.counts);
        }
        if let Some(depth) = rows.text(column::DEPTH, row).filter(|depth| depth != "0") {
            pairs.plain("marey.depth", &depth);
        }
        if rows.text(column::TRUNCATED, row).as_deref() == Some("true") {
            pairs.plain("marey.truncated", "true");
        }
        for (key, cells) in rows.attributes() {
            pairs.cell(key, cells, row, &mut self.counts);
        }
        match offset {
            None if known.uses_offset => pairs.null(column::OFFSET),
            Some(offset) if !known.uses_offset => {
                pairs.plain("marey.attr.offset", &format!("{offset:?}"));
            }
            _ => {}
        }
        if amount.is_none() && rows.has_part(column::AMOUNT) {
            pairs.null(column::AMOUNT);
        }
        pairs.end();
        self.put()
    }

    /// `E id t`.
    pub(super) fn event(&mut self, rows: &Rows<'_>, row: usize) -> io::Result<()> {
        let id = id_of("event", rows, row)?;
        let path = rows.text(column::RESOURCE, row).unwrap_or_default();
        let known = self.known(&path)?;
        let Some(time) = rows.text(column::TIME, row) else {
            return Err(unfit("event", &id, "has no time"));
        };
        if self.has_links {
            self.events.insert(&id);
        }
        self.line.push_str("E ");
        push_text(&mut self.line, &id, true, &mut self.counts);
        self.line.push(' ');
        self.line.push_str(&time);
        let in_trace = self.is_trace(&path);
        let mut pairs = Pairs::begin(&mut self.line);
        if let Some(value) = rows.text(column::VALUE, row) {
            pairs.text("name", &value, &mut self.counts);
        }
        if !in_trace {
            pairs.plain("resource", &known.id);
        }
        if let Some(kind) = rows.text(column::TYPE, row) {
            pairs.text("marey.type", &kind, &mut self.counts);
        }
        for (key, cells) in rows.attributes() {
            pairs.cell(key, cells, row, &mut self.counts);
        }
        pairs.end();
        self.put()
    }

    /// A step as a piece of a constant signal, a sample as a point of a time series. Whatever else a row has
    /// belongs to the declaration of its series: rows that differ there are series of their own.
    pub(super) fn variable(&mut self, rows: &Rows<'_>, row: usize) -> io::Result<()> {
        let path = rows.text(column::RESOURCE, row).unwrap_or_default();
        let metric = rows.text(column::METRIC, row);
        let known = self.known(&path)?;
        let shown = metric.clone().unwrap_or_default();
        let is_step = rows.ticks(column::END, row).is_some();
        let value = rows.number(column::VALUE, row);
        let finite = value.filter(|value| value.is_finite());
        self.counts.not_finite += u64::from(value.is_some() && finite.is_none());
        let start = match is_step {
            true => times("variable", &shown, rows, row)?,
            false => match rows.text(column::START, row) {
                Some(start) => (start, String::new()),
                None => return Err(unfit("variable", &shown, "has a value without a time")),
            },
        };
        let mut attributes = String::new();
        let before = self.counts;
        let mut pairs = Pairs::within(&mut attributes);
        if !self.is_trace(&path) {
            pairs.plain("resource", &known.id);
        }
        for (key, cells) in rows.attributes() {
            pairs.cell(key, cells, row, &mut self.counts);
        }
        match metric.is_none() {
            true => pairs.null(column::METRIC),
            false if finite.is_none() => pairs.null(column::VALUE),
            false => {}
        }
        if metric.is_none() && finite.is_none() {
            pairs.null(column::VALUE);
        }
        pairs.end();
        let what = if is_step { "step" } else { "sample" };
        let key = format!("{what}\n{path}\n{shown}\n{attributes}");
        let id = match self.series.get(&key) {
            Some(id) => {
                // Counted when the series was declared.
                self.counts = before;
                *id
            }
            None => {
                let id = self.series.len() as u64;
                self.series.insert(key, id);
                self.declare(id, is_step, &path, metric.as_deref(), &attributes)?;
                id
            }
        };
        let id = id.to_string();
        if is_step {
            for word in ["F", &id, &start.0, &start.1] {
                self.line.push_str(word);
                self.line.push(' ');
            }
            push_float(&mut self.line, finite.unwrap_or(0.0));
            self.line.push_str(" 0.0 0.0");
        } else {
            for word in ["TSP", &id, "0", &start.0] {
                self.line.push_str(word);
                self.line.push(' ');
            }
            push_float(&mut self.line, finite.unwrap_or(0.0));
        }
        self.put()
    }

    fn declare(
        &mut self,
        id: u64,
        is_step: bool,
        path: &str,
        metric: Option<&str>,
        attributes: &str,
    ) -> io::Result<()> {
        let mut line = std::mem::take(&mut self.line);
        let name = metric.unwrap_or_default();
        let is_first = self.metrics.insert(format!("{path}\n{name}"));
        if is_step {
            line.push_str(&format!("S {id}"));
        } else {
            line.push_str(&format!("TS {id}"));
            let mut pairs = Pairs::begin(&mut line);
            pairs.text("name", name, &mut self.counts);
            pairs.end();
            line.push_str(&format!("\nTSS {id} 0"));
        }
        let mut pairs = Pairs::begin(&mut line);
        if is_step {
            pairs.text("name", name, &mut self.counts);
        }
        // A second signal of the name would be called otherwise.
        if metric.is_some() && (!is_step || !is_first) {
            pairs.text("marey.metric", name, &mut self.counts);
        }
        pairs.end();
        if !attributes.is_empty() {
            if !line.ends_with(';') {
                line.push(',');
            }
            line.push_str(attributes);
        }
        self.line = line;
        self.put()
    }
}

/// The id of a row, which no line can do without.
pub(super) fn id_of(what: &str, rows: &Rows<'_>, row: usize) -> io::Result<String> {
    let id = rows.text(column::ID, row).filter(|id| !id.is_empty());
    id.ok_or_else(|| unfit(what, &row.to_string(), "has no id"))
}

/// Start and end of an interval.
fn times(what: &str, id: &str, rows: &Rows<'_>, row: usize) -> io::Result<(String, String)> {
    let (Some(start), Some(end)) = (rows.text(column::START, row), rows.text(column::END, row))
    else {
        return Err(unfit(what, id, "has no start or no end"));
    };
    if rows.ticks(column::END, row) < rows.ticks(column::START, row) {
        return Err(unfit(what, id, "ends before it starts"));
    }
    Ok((start, end))
}
