//! Links as dependencies.

use super::row::id_of;
use super::table::Rows;
use super::text::{Pairs, push_text};
use super::{Etf, plain_integer};
use crate::model::schema::column;
use std::io;

/// The columns of one end of a link.
struct Columns {
    id: &'static str,
    event: &'static str,
    point: &'static str,
    resource: &'static str,
    time: &'static str,
    /// The point that a dependency joins where it says nothing.
    default: &'static str,
}

const ENDS: [Columns; 2] = [
    Columns {
        id: column::SOURCE,
        event: column::SOURCE_EVENT,
        point: column::SOURCE_POINT,
        resource: column::SOURCE_RESOURCE,
        time: column::START,
        default: "end",
    },
    Columns {
        id: column::TARGET,
        event: column::TARGET_EVENT,
        point: column::TARGET_POINT,
        resource: column::TARGET_RESOURCE,
        time: column::END,
        default: "start",
    },
];

/// What an end is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    State,
    Event,
    /// An event made for this end.
    Place,
}

impl Etf<'_> {
    /// `D id type source target`. An end that is no state and no event becomes an event of its own, at the
    /// time and resource of that end.
    pub(super) fn link(&mut self, rows: &Rows<'_>, row: usize) -> io::Result<()> {
        let id = id_of("link", rows, row)?;
        let mut ends = [(What::Place, String::new()), (What::Place, String::new())];
        for (end, columns) in ends.iter_mut().zip(&ENDS) {
            let state = rows.text(columns.id, row);
            let event = rows.text(columns.event, row);
            *end = if let Some(state) = state.filter(|state| self.states.has(state)) {
                (What::State, state)
            } else if let Some(event) = event.filter(|event| self.is_event(event)) {
                (What::Event, event)
            } else if rows.ticks(columns.time, row).is_some() {
                (What::Place, String::new())
            } else {
                self.lost_links += 1;
                return Ok(());
            };
        }
        for (end, columns) in ends.iter_mut().zip(&ENDS) {
            if end.0 == What::Place {
                end.1 = self.place(rows, row, columns)?;
            }
        }
        let resources = ENDS
            .each_ref()
            .map(|columns| rows.text(columns.resource, row));
        let mut known = Vec::with_capacity(2);
        for path in &resources {
            known.push(match path {
                Some(path) => Some(self.known(path)?.id),
                None => None,
            });
        }
        let kind = rows.text(column::TYPE, row);
        let number = kind.as_deref().filter(|kind| plain_integer(kind).is_some());
        self.line.push_str("D ");
        push_text(&mut self.line, &id, true, &mut self.counts);
        self.line.push(' ');
        self.line.push_str(number.unwrap_or("0"));
        for (_, id) in &ends {
            self.line.push(' ');
            push_text(&mut self.line, id, true, &mut self.counts);
        }
        let mut pairs = Pairs::begin(&mut self.line);
        if let Some(value) = rows.text(column::VALUE, row) {
            pairs.text("name", &value, &mut self.counts);
        }
        match (&kind, number) {
            (None, _) => pairs.null(column::TYPE),
            (Some(kind), None) => pairs.text("marey.type", kind, &mut self.counts),
            (Some(_), Some(_)) => {}
        }
        if let Some(key) = rows.text(column::KEY, row) {
            pairs.text("marey.key", &key, &mut self.counts);
        }
        if ends.iter().any(|(what, _)| *what == What::Place) {
            pairs.plain("marey.place", "true");
        }
        for (((what, _), columns), resource) in ends.iter().zip(&ENDS).zip(&known) {
            match rows.text(columns.point, row) {
                Some(point) if *what != What::State || point != columns.default => {
                    pairs.text(
                        &format!("marey.{}", columns.point),
                        &point,
                        &mut self.counts,
                    );
                }
                None if *what == What::State => pairs.null(columns.point),
                _ => {}
            }
            if *what == What::Place {
                continue;
            }
            match (resource, rows.text(columns.time, row)) {
                (Some(resource), _) => {
                    pairs.plain(&format!("marey.{}", columns.resource), resource)
                }
                (None, _) if *what == What::Event => pairs.null(columns.resource),
                _ => {}
            }
            match rows.text(columns.time, row) {
                Some(time) => pairs.plain(&format!("marey.{}", columns.time), &time),
                None if *what == What::Event => pairs.null(columns.time),
                None => {}
            }
        }
        for ((what, _), columns) in ends.iter().zip(&ENDS) {
            // What names no event of the trace stays an attribute.
            if *what != What::Event
                && let Some(event) = rows.text(columns.event, row)
            {
                pairs.text(
                    &format!("marey.attr.{}", columns.event),
                    &event,
                    &mut self.counts,
                );
            }
        }
        for (key, cells) in rows.attributes() {
            pairs.cell(key, cells, row, &mut self.counts);
        }
        pairs.end();
        self.put()
    }

    /// True where the id is that of an event and of no state, which would be taken for it.
    fn is_event(&self, id: &str) -> bool {
        self.events.has(id) && !self.states.has(id)
    }

    /// Writes the event that stands for an end and gives its id.
    fn place(&mut self, rows: &Rows<'_>, row: usize, columns: &Columns) -> io::Result<String> {
        let id = loop {
            self.places -= 1;
            let id = self.places.to_string();
            if !self.states.has(&id) && !self.events.has(&id) {
                break id;
            }
        };
        let resource = match rows.text(columns.resource, row) {
            Some(path) => Some(self.known(&path)?.id),
            None => None,
        };
        let time = rows.text(columns.time, row).unwrap_or_default();
        self.line.push_str(&format!("E {id} {time}"));
        let mut pairs = Pairs::begin(&mut self.line);
        if let Some(resource) = &resource {
            pairs.plain("resource", resource);
        }
        pairs.plain("marey.place", "true");
        pairs.end();
        self.put()?;
        Ok(id)
    }
}
