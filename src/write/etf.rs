//! TRACE4CPS execution traces: a whole trace as one text file that `load` reads back.
//!
//! ```text
//! resources → R (and T, O)      states → C      events → E
//! variables → S F (steps), TS TSS TSP (samples)      links → D
//! ```
//!
//! The format has places for less than a trace holds. What has none is written as an attribute that begins
//! with `marey.` (the list is in the reader, `read/etf/key.rs`), so that other programs show it and marey takes
//! it back. Texts with commas and the like are written with codes (`%2C`), which the first line says and the
//! reader undoes. Rows stream; kept are the resources, one entry for each series of a variable, and, where
//! there are links, the ids of states and events.

mod link;
mod row;
mod table;
#[cfg(test)]
mod tests;
mod text;

use super::{TraceFormat, TracePart, TraceWriter, WriteOptions};
use crate::model::Clock;
use crate::model::schema::{self, column};
use crate::spec::TimeUnit;
use arrow::record_batch::RecordBatch;
use rustc_hash::{FxHashMap, FxHashSet};
use std::io::{self, Write};
use table::Layout;
use text::Counts;

/// ETF.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "etf",
    extensions: &["etf"],
    about: "an execution trace of TRACE4CPS: claims, resources, events, signals, dependencies; exact decimals",
    order: &[
        schema::RESOURCES,
        schema::STATES,
        schema::EVENTS,
        schema::VARIABLES,
        schema::LINKS,
    ],
    open,
};

/// The words of the format for units of time; the unit of a trace that it has no word for becomes the next.
const UNITS: [(TimeUnit, &str); 6] = [
    (TimeUnit::Nanosecond, "NANOSECONDS"),
    (TimeUnit::Microsecond, "MICROSECONDS"),
    (TimeUnit::Millisecond, "MILLISECONDS"),
    (TimeUnit::Second, "SECONDS"),
    (TimeUnit::Minute, "MINUTES"),
    (TimeUnit::Hour, "HOURS"),
];

/// The unit a trace is written in: the one asked for, else its own; picoseconds become nanoseconds. None for
/// a trace without a unit and none asked for, which would be taken for seconds.
pub fn unit_of(clock: Clock, asked: Option<TimeUnit>) -> Option<TimeUnit> {
    match asked.or(clock.unit)? {
        TimeUnit::Picosecond => Some(TimeUnit::Nanosecond),
        unit => Some(unit),
    }
}

/// What lines need to know of a resource.
#[derive(Clone, Debug)]
struct Known {
    /// Its id as a word of the file.
    id: String,
    uses_offset: bool,
}

struct Etf<'a> {
    out: Box<dyn Write + Send + 'a>,
    unit: TimeUnit,
    layouts: Vec<Layout>,
    current: Option<usize>,
    line: String,
    counts: Counts,
    notes: Vec<String>,
    /// Resources of the trace until all are there.
    resources: Vec<row::ResourceLine>,
    /// By path.
    known: FxHashMap<String, Known>,
    /// Ids of resources in the file.
    resource_ids: FxHashSet<String>,
    next_resource: u64,
    /// The path of the resource for what has none.
    trace: Option<String>,
    /// States have offsets.
    offsets: bool,
    has_links: bool,
    states: Ids,
    events: Ids,
    /// Series of variables: what tells them apart, to their number.
    series: FxHashMap<String, u64>,
    /// Resource and metric of signals that are called by their name alone.
    metrics: FxHashSet<String>,
    places: i64,
    /// Links that join nothing the format can name.
    lost_links: u64,
}

/// Ids that were written.
#[derive(Debug, Default)]
struct Ids {
    integers: FxHashSet<i64>,
    texts: FxHashSet<String>,
}

impl Ids {
    fn insert(&mut self, id: &str) {
        match plain_integer(id) {
            Some(number) => self.integers.insert(number),
            None => self.texts.insert(id.to_owned()),
        };
    }

    fn has(&self, id: &str) -> bool {
        match plain_integer(id) {
            Some(number) => self.integers.contains(&number),
            None => self.texts.contains(id),
        }
    }
}

/// The integer that is written exactly so.
fn plain_integer(text: &str) -> Option<i64> {
    let number: i64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

fn open<'a>(
    mut out: Box<dyn Write + Send + 'a>,
    parts: &[TracePart],
    clock: Clock,
    options: &WriteOptions,
) -> io::Result<Box<dyn TraceWriter + 'a>> {
    let Some(unit) = unit_of(clock, options.unit) else {
        return Err(io::Error::other(
            "the trace has no unit of time, and the format would take its numbers for seconds",
        ));
    };
    let word = UNITS.iter().find(|(known, _)| *known == unit);
    let word = word.map_or("SECONDS", |(_, word)| word);
    let part = |name: &str| parts.iter().find(|part| part.name == name);
    let layouts: Vec<Layout> = parts
        .iter()
        .map(|part| Layout::new(&part.name, &part.schema))
        .collect();
    let has = |column: &str| {
        let mut states = layouts
            .iter()
            .filter(|layout| layout.name == schema::STATES);
        states.any(|layout| layout.has_part(column))
    };
    let nulls = match has(column::AMOUNT) {
        true => "",
        false => ",marey.null=amount",
    };
    writeln!(out, "TU {word}\nT marey.escape=percent{nulls}")?;
    let offsets = has(column::OFFSET);
    let mut notes = Vec::new();
    if clock.resolution.picoseconds() < TimeUnit::Nanosecond.picoseconds() && !clock.is_logical() {
        notes.push(format!(
            "the trace counts in {}, so `load` needs `resolution={}` to read all digits back",
            clock.resolution.name(),
            clock.resolution.name()
        ));
    }
    for layout in &layouts {
        let times: Vec<String> = layout
            .time_attributes()
            .map(|name| format!("`{name}`"))
            .collect();
        if !times.is_empty() {
            notes.push(format!(
                "times in {} of {} are written as numbers and read back as such",
                times.join(", "),
                layout.name
            ));
        }
    }
    Ok(Box::new(Etf {
        out,
        unit,
        layouts,
        current: None,
        line: String::new(),
        counts: Counts::default(),
        notes,
        resources: Vec::new(),
        known: FxHashMap::default(),
        resource_ids: FxHashSet::default(),
        next_resource: 0,
        trace: None,
        offsets,
        has_links: part(schema::LINKS).is_some_and(|part| part.rows > 0),
        states: Ids::default(),
        events: Ids::default(),
        series: FxHashMap::default(),
        metrics: FxHashSet::default(),
        places: 0,
        lost_links: 0,
    }))
}

impl TraceWriter for Etf<'_> {
    fn relation(&mut self, name: &str) -> io::Result<()> {
        self.write_resources()?;
        self.current = self.layouts.iter().position(|layout| layout.name == name);
        match self.current {
            Some(_) => Ok(()),
            None => Err(io::Error::other(format!(
                "no relation `{name}` was announced"
            ))),
        }
    }

    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let layout = self.current.and_then(|at| self.layouts.get(at)).cloned();
        let Some(layout) = layout else {
            return Err(io::Error::other("rows of no relation"));
        };
        let rows = layout.rows(batch, Some(self.unit))?;
        for row in 0..rows.count {
            match layout.name.as_str() {
                schema::RESOURCES => self.resource(&rows, row)?,
                schema::STATES => self.state(&rows, row)?,
                schema::EVENTS => self.event(&rows, row)?,
                schema::VARIABLES => self.variable(&rows, row)?,
                schema::LINKS => self.link(&rows, row)?,
                other => {
                    let message = format!("the format has no place for `{other}`");
                    return Err(io::Error::other(message));
                }
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<Vec<String>> {
        self.write_resources()?;
        self.out.flush()?;
        let counted = [
            (
                self.counts.escaped,
                "texts hold a comma or another sign of the format and are written with codes such as `%2C`, which `load` undoes",
            ),
            (
                self.counts.empty,
                "attributes are empty or `NA` and read back as nulls",
            ),
            (
                self.counts.not_finite,
                "numbers are not finite and were left out",
            ),
            (
                self.lost_links,
                "links were left out: an end has neither a state of the trace nor a time",
            ),
        ];
        for (count, what) in counted {
            if count > 0 {
                self.notes.push(format!("{count} {what}"));
            }
        }
        Ok(self.notes)
    }
}

impl Etf<'_> {
    /// Ends the line and writes it.
    fn put(&mut self) -> io::Result<()> {
        self.line.push('\n');
        self.out.write_all(self.line.as_bytes())?;
        self.line.clear();
        Ok(())
    }
}

/// The error about a row that the format cannot hold.
fn unfit(what: &str, id: &str, why: &str) -> io::Error {
    io::Error::other(format!("{what} `{id}` {why}"))
}
