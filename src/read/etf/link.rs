//! Dependencies: read last, when every claim and event is known.

use super::key::Key;
use super::line::{Attributes, Words, cut};
use super::rows::{Rows, Waiting, few_or_many, has_word};
use crate::diag::Diag;
use crate::model::builder::{Attribute, LinkRow, Name, Resource, Row, RowIndex, Table};
use crate::model::schema::column;
use crate::model::{Policy, TraceBuilder};
use rustc_hash::FxHashMap;

/// Lines `D`, and the events that only stand for their ends.
#[derive(Debug)]
pub(super) struct Dependencies {
    lines: Waiting,
    places: FxHashMap<Vec<u8>, (Option<Resource>, Option<i64>)>,
    first_state: usize,
    first_event: usize,
}

/// What an id of a dependency names.
#[derive(Clone, Copy, Debug)]
enum End {
    State(Row),
    Event(Row),
    /// Resource and time, as marey writes them for links between places.
    Place(Option<Resource>, Option<i64>),
    Unknown,
}

/// What the attributes of a dependency say of one end.
#[derive(Clone, Copy, Debug, Default)]
struct Said {
    point: Option<Name>,
    resource: Option<Resource>,
    time: Option<i64>,
}

impl Dependencies {
    pub(super) fn new(b: &TraceBuilder) -> Dependencies {
        Dependencies {
            lines: Waiting::default(),
            places: FxHashMap::default(),
            first_state: b.rows(Table::States),
            first_event: b.rows(Table::Events),
        }
    }

    /// All of them, out of the rows that know everything else.
    pub(super) fn take(&mut self, b: &TraceBuilder) -> Dependencies {
        std::mem::replace(self, Dependencies::new(b))
    }

    pub(super) fn push(&mut self, line: u64, text: &[u8]) {
        self.lines.push(line, text);
    }

    /// An event that stands for an end of links.
    pub(super) fn place(&mut self, id: Vec<u8>, resource: Option<Resource>, time: Option<i64>) {
        self.places.insert(id, (resource, time));
    }

    /// Adds the links.
    pub(super) fn finish(self, rows: &mut Rows, b: &mut TraceBuilder) -> Result<(), Diag> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let ids = Ids {
            states: b.index_ids(Table::States, self.first_state),
            events: b.index_ids(Table::Events, self.first_event),
            both: false,
        };
        let mut links = Links {
            places: self.places,
            ids,
            events: [None; 2],
        };
        for (line, text) in self.lines.lines() {
            b.set_line(line);
            b.check_bytes(text);
            links.add(text, rows, b)?;
        }
        if links.ids.both {
            let file = b.file_name().to_owned();
            b.note(format!(
                "{file}: dependencies name ids that a claim and an event share; the claim was taken"
            ));
        }
        Ok(())
    }
}

struct Ids {
    states: RowIndex,
    events: RowIndex,
    /// Some id named a claim and an event.
    both: bool,
}

struct Links {
    places: FxHashMap<Vec<u8>, (Option<Resource>, Option<i64>)>,
    ids: Ids,
    /// The columns `source_event` and `target_event`.
    events: [Option<Attribute>; 2],
}

impl Links {
    fn end(&mut self, id: &[u8], is_place: bool, b: &TraceBuilder) -> End {
        if is_place && let Some((resource, time)) = self.places.get(id) {
            return End::Place(*resource, *time);
        }
        let event = b.find(&self.ids.events, id);
        match (b.find(&self.ids.states, id), event) {
            (Some(state), None) => End::State(state),
            (Some(state), Some(_)) => {
                self.ids.both = true;
                End::State(state)
            }
            (None, Some(event)) => End::Event(event),
            (None, None) => End::Unknown,
        }
    }

    fn add(&mut self, raw: &[u8], rows: &mut Rows, b: &mut TraceBuilder) -> Result<(), Diag> {
        let (_, head, attributes) = cut(raw);
        let words = Words::of(head);
        if !few_or_many("D", words, 4..=4, raw, b)? {
            return Ok(());
        }
        let (mut kind, mut value, mut key) = (None, Name::NULL, Name::NULL);
        let (mut source, mut target) = (Said::default(), Said::default());
        let (mut place, mut nulls) = (false, &b""[..]);
        for (name, text) in Attributes::of(attributes) {
            match rows.key(Table::Links, name, b) {
                Key::Name => value = rows.name(text, b),
                Key::Kind => kind = Some(rows.name(text, b)),
                Key::Label => key = rows.name(text, b),
                Key::SourcePoint => source.point = Some(rows.name(text, b)),
                Key::TargetPoint => target.point = Some(rows.name(text, b)),
                Key::SourceResource => source.resource = rows.resource_called(text),
                Key::TargetResource => target.resource = rows.resource_called(text),
                Key::Start => source.time = rows.extra_time(text, raw, b)?,
                Key::End => target.time = rows.extra_time(text, raw, b)?,
                Key::Place => place = true,
                Key::Null => nulls = text,
                _ => {}
            }
        }
        let ids = [rows.plain(words.get(2)), rows.plain(words.get(3))];
        let ends = [0, 1].map(|at| self.end(&ids[at], place, b));
        for (end, id) in ends.iter().zip(&ids) {
            if matches!(end, End::Unknown) && b.policy() != Policy::Keep {
                let shown = String::from_utf8_lossy(id);
                let message = format!("`{shown}` is the id of no claim and of no event");
                return b.reject("unknown_id", &message, raw);
            }
        }
        let null = |name: &str| has_word(nulls, name);
        let kind = match kind {
            Some(kind) => kind,
            None if null(column::TYPE) => Name::NULL,
            None => rows.name(words.get(1), b),
        };
        let points = [b.name(b"end"), b.name(b"start")];
        let point = |at: usize, said: Said, column: &str| match (said.point, ends.get(at)) {
            (Some(point), _) => point,
            (None, Some(End::State(_))) if !null(column) => {
                points.get(at).copied().unwrap_or(Name::NULL)
            }
            _ => Name::NULL,
        };
        let where_and_when = |at: usize, said: Said, names: [&str; 2]| {
            let (resource, time) = match ends.get(at) {
                Some(End::Event(event)) => {
                    let (resource, time) = b.event_place(*event);
                    (resource.filter(|r| !rows.is_trace(Some(*r))), time)
                }
                Some(End::Place(resource, time)) => (*resource, *time),
                _ => (None, None),
            };
            let resource = resource.filter(|_| !null(names[0]));
            let time = time.filter(|_| !null(names[1]));
            (said.resource.or(resource), said.time.or(time))
        };
        let (source_resource, start) =
            where_and_when(0, source, [column::SOURCE_RESOURCE, column::START]);
        let (target_resource, end) =
            where_and_when(1, target, [column::TARGET_RESOURCE, column::END]);
        let unknown = |at: usize| match ends.get(at) {
            Some(End::Unknown) => ids.get(at).map_or(&b""[..], |id| id),
            _ => b"",
        };
        let id = rows.plain(words.get(0));
        let row = LinkRow {
            kind,
            value,
            source: unknown(0),
            target: unknown(1),
            source_point: point(0, source, column::SOURCE_POINT),
            target_point: point(1, target, column::TARGET_POINT),
            source_resource,
            target_resource,
            start,
            end,
            key,
            id: &id,
        };
        let Some(link) = b.add_link(row, raw)? else {
            return Ok(());
        };
        let state = |end: End| match end {
            End::State(row) => Some(row),
            _ => None,
        };
        b.link_states(link, state(ends[0]), state(ends[1]));
        let names = [column::SOURCE_EVENT, column::TARGET_EVENT];
        for (at, (end, name)) in ends.iter().zip(names).enumerate() {
            if let (End::Event(_), Some(slot), Some(id)) =
                (end, self.events.get_mut(at), ids.get(at))
            {
                let attribute = *slot.get_or_insert_with(|| b.attribute(Table::Links, name));
                b.set(attribute, link, id);
            }
        }
        rows.set(Table::Links, link, attributes, raw, b)
    }
}
