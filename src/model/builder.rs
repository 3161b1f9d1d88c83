//! What readers fill: names become numbers, rows become columns, bad rows become counts, and at the end
//! everything is sorted, typed and handed over as Arrow batches.
//!
//! ```text
//! reader → begin_file → (record → name, time, add_…, set)* → finish → TraceData
//! ```
//!
//! A plain state takes 40 bytes here and 48 in the batches; sorting moves one column at a time.

mod cells;
mod delays;
mod finish;
mod ids;
mod index;
mod intern;
mod order;
mod policy;
mod resources;
mod rows;

use super::clock::{TimeError, TimeParser};
use super::schema::{self, column};
use super::{Clock, LoadReport, Policy};
use crate::diag::Diag;
use cells::Cells;
pub use index::RowIndex;
use intern::Interner;
use resources::{Entry, Resources};
pub use rows::{EventRow, LinkRow, ResourceRow, StateRow, VariableRow};
use rows::{Events, Links, Rejects, States, Variables};

/// "No time": a time cannot take this value, see [`TraceBuilder::time`].
const NO_TIME: i64 = i64::MIN;
/// The end of a state that the trace did not live to see.
const OPEN: i64 = i64::MIN + 1;
/// The number of a text (a type, a value, a metric, a bare name).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Name(u32);

impl Name {
    /// No text.
    pub const NULL: Name = Name(intern::NULL);

    /// True for no text.
    pub fn is_null(self) -> bool {
        self == Name::NULL
    }
}

/// The number of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Resource(u32);

/// A relation that rows can be added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// States of resources over time.
    States,
    /// Instants.
    Events,
    /// Arrows.
    Links,
    /// Numbers over time.
    Variables,
    /// The tree of resources.
    Resources,
}

impl Table {
    /// All of them, in the order of [`schema::RELATIONS`].
    pub const ALL: [Table; 5] = [
        Table::States,
        Table::Events,
        Table::Links,
        Table::Variables,
        Table::Resources,
    ];

    /// The name of the relation.
    pub fn relation(self) -> &'static str {
        match self {
            Table::States => schema::STATES,
            Table::Events => schema::EVENTS,
            Table::Links => schema::LINKS,
            Table::Variables => schema::VARIABLES,
            Table::Resources => schema::RESOURCES,
        }
    }
}

/// A column of the file that is no column of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    table: Table,
    index: u32,
}

/// A row that was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row(u32);

/// Where a time stands after a look at its text and the load policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Ticks.
    At(i64),
    /// No time, and the policy keeps such rows.
    Null,
    /// The row went to `rejects`; go on with the next.
    Rejected,
}

impl Bound {
    /// The ticks; None for [`Bound::Null`].
    pub fn ticks(self) -> Option<i64> {
        match self {
            Bound::At(ticks) => Some(ticks),
            Bound::Null | Bound::Rejected => None,
        }
    }
}

/// What the builder has to know about an input file.
#[derive(Clone, Debug)]
pub struct FileStart {
    /// The name that messages use, as the user wrote it.
    pub name: String,
    /// What tells the file's name from the others', without extension: `3` of `rank3.csv`.
    pub part: String,
    /// How its numbers become ticks. The resolution must be that of the trace.
    pub clock: Clock,
    /// Ticks added to every time of the file.
    pub offset: i64,
    /// Give the file's resources a root of this type, named by `part`, so that equal names of several
    /// files stay apart, and a column of this name.
    pub file_as: Option<String>,
}

#[derive(Debug)]
struct FileEntry {
    name: String,
    part: String,
    clock: Clock,
}

/// Collects the rows of a trace.
#[derive(Debug)]
pub struct TraceBuilder {
    clock: Clock,
    policy: Policy,
    parser: TimeParser,
    offset: i64,
    files: Vec<FileEntry>,
    file_as: Option<String>,
    line: u64,
    names: Interner,
    broken_text: bool,
    resources: Resources,
    states: States,
    events: Events,
    links: Links,
    variables: Variables,
    rejects: Rejects,
    attributes: [Vec<(String, Cells)>; Table::ALL.len()],
    report: LoadReport,
    ids_are_a_guess: bool,
}

impl TraceBuilder {
    /// An empty trace whose ticks are those of `clock`.
    pub fn new(clock: Clock, policy: Policy) -> TraceBuilder {
        TraceBuilder {
            clock,
            policy,
            parser: TimeParser::new(clock),
            offset: 0,
            files: Vec::new(),
            file_as: None,
            line: 0,
            names: Interner::default(),
            broken_text: false,
            resources: Resources::default(),
            states: States::default(),
            events: Events::default(),
            links: Links::default(),
            variables: Variables::default(),
            rejects: Rejects::default(),
            attributes: Default::default(),
            report: LoadReport::default(),
            ids_are_a_guess: false,
        }
    }

    /// The clock of the file being read.
    pub fn clock(&self) -> Clock {
        self.parser.clock()
    }

    /// What to do with bad rows.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Rows of a relation so far.
    pub fn rows(&self, table: Table) -> usize {
        match table {
            Table::States => self.states.start.len(),
            Table::Events => self.events.time.len(),
            Table::Links => self.links.start.len(),
            Table::Variables => self.variables.start.len(),
            Table::Resources => self.resources.entries.len(),
        }
    }

    /// Begins the next input file.
    pub fn begin_file(&mut self, file: FileStart) {
        self.parser = TimeParser::new(file.clock);
        self.offset = file.offset;
        self.line = 0;
        self.resources.set_root(None);
        if let Some(kind) = &file.file_as {
            let (name, kind) = (self.names.intern(&file.part), self.names.intern(kind));
            let root = self.resources.declare(new_entry(None, name, kind));
            self.resources.set_root(root);
        }
        self.file_as = file.file_as;
        self.files.push(FileEntry {
            name: file.name,
            part: file.part,
            clock: file.clock,
        });
    }

    /// Begins a file that adds to what the files before it said, in their unit of time: it has no resources
    /// and no `file_as=` part of its own.
    pub fn begin_companion(&mut self, name: &str) {
        self.line = 0;
        self.offset = 0;
        self.files.push(FileEntry {
            name: name.to_owned(),
            part: String::new(),
            clock: self.parser.clock(),
        });
    }

    /// Begins a record at this 1-based line. Everything up to the next record is about it.
    #[inline]
    pub fn record(&mut self, line: u64) {
        self.line = line;
        self.report.records += 1;
    }

    /// Says that the present record was none after all (a header row).
    pub fn no_record(&mut self) {
        self.report.records = self.report.records.saturating_sub(1);
    }

    /// The line of the present record.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// True while nothing was read.
    pub fn is_empty(&self) -> bool {
        self.report.records == 0
    }

    /// Goes back to an earlier record, for rows that are complete only later (a state at its end). The
    /// record is not counted again.
    pub fn set_line(&mut self, line: u64) {
        self.line = line;
    }

    /// Takes back that a record was counted as kept: two rows came from one record.
    pub fn unkeep_record(&mut self) {
        self.report.kept = self.report.kept.saturating_sub(1);
    }

    /// Counts the present record as kept, where it adds no row (a definition).
    pub fn keep_record(&mut self) {
        self.report.kept += 1;
    }

    /// The file being read.
    pub fn file_name(&self) -> &str {
        self.files.last().map_or("", |file| &file.name)
    }

    /// The number of a text; the empty text is [`Name::NULL`]. Bytes that are no UTF-8 are replaced and
    /// counted with the row.
    #[inline]
    pub fn name(&mut self, text: &[u8]) -> Name {
        if text.is_empty() {
            return Name::NULL;
        }
        match self.names.find(text) {
            Some(number) => Name(number),
            None => self.new_name(text),
        }
    }

    #[cold]
    fn new_name(&mut self, text: &[u8]) -> Name {
        match std::str::from_utf8(text) {
            Ok(text) => Name(self.names.intern(text)),
            Err(_) => {
                self.broken_text = true;
                Name(self.names.intern(&String::from_utf8_lossy(text)))
            }
        }
    }

    /// Looks for bytes that are no UTF-8 in the text of a record, also in cells that become attributes.
    /// They are replaced, and counted when the row is added.
    #[inline]
    pub fn check_bytes(&mut self, raw: &[u8]) {
        if !raw.is_ascii() && std::str::from_utf8(raw).is_err() {
            self.broken_text = true;
        }
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        self.names.get(name.0)
    }

    /// A point in time: ticks with the file's offset. Rounding to a tick is counted under every policy,
    /// and never an error.
    #[inline]
    pub fn time(&mut self, text: &[u8]) -> Result<i64, TimeError> {
        let parsed = self.parser.parse(text)?;
        if parsed.rounded {
            self.count_rounded();
        }
        parsed
            .ticks
            .checked_add(self.offset)
            .filter(|ticks| *ticks > OPEN)
            .ok_or(TimeError::OutOfRange)
    }

    #[cold]
    fn count_rounded(&mut self) {
        let file = self.files.last().map_or("", |file| file.name.as_str());
        self.report.repair("time_rounded", file, self.line);
    }

    /// A length of time: ticks, without the file's offset and without counting.
    #[inline]
    pub fn length(&self, text: &[u8]) -> Result<i64, TimeError> {
        self.parser.parse(text).map(|parsed| parsed.ticks)
    }

    /// The resource of that bare name: the latest declared in this trace, else a new one without parent
    /// and type. Null names a resource with an empty name.
    pub fn resource_named(&mut self, name: Name) -> Resource {
        let name = if name.is_null() {
            self.names.intern("")
        } else {
            name.0
        };
        Resource(self.resources.named(name, intern::NULL))
    }

    /// A resource that stands beside all others of its name, for a root that has no row of its own.
    pub fn root_resource(&mut self, name: Name) -> Resource {
        let entry = new_entry(None, name.0, intern::NULL);
        Resource(self.resources.beside(entry))
    }

    /// Declares a resource that the file knows by an id of its own: one with the same parent, name and id is
    /// the same; where only the id differs, identities end in `#` and the id. None (and a reject) where the tree gets deeper than 256.
    pub fn add_own_resource(
        &mut self,
        row: ResourceRow,
        id: Name,
        raw: &[u8],
    ) -> Result<Option<Resource>, Diag> {
        let parent = row.parent.map(|parent| parent.0);
        if self.resources.is_too_deep(parent) {
            self.reject("too_deep", "resources nest deeper than 256 levels", raw)?;
            return Ok(None);
        }
        let name = if row.name.is_null() {
            self.names.intern("")
        } else {
            row.name.0
        };
        let entry = Entry {
            start: row.start.unwrap_or(NO_TIME),
            end: row.end.unwrap_or(NO_TIME),
            capacity: row.capacity,
            own: id.0,
            ..new_entry(parent, name, row.kind.0)
        };
        let index = self.resources.own(entry);
        self.check_text(raw)?;
        Ok(Some(Resource(index)))
    }

    /// Declares a resource. One with the same parent and name is the same; one that was only named before
    /// becomes this. None (and a reject) where the tree gets deeper than 256.
    pub fn add_resource(&mut self, row: ResourceRow, raw: &[u8]) -> Result<Option<Resource>, Diag> {
        let name = if row.name.is_null() {
            self.names.intern("")
        } else {
            row.name.0
        };
        let entry = Entry {
            start: row.start.unwrap_or(NO_TIME),
            end: row.end.unwrap_or(NO_TIME),
            capacity: row.capacity,
            ..new_entry(row.parent.map(|parent| parent.0), name, row.kind.0)
        };
        match self.resources.declare(entry) {
            Some(index) => {
                self.check_text(raw)?;
                Ok(Some(Resource(index)))
            }
            None => {
                let message = "resources nest deeper than 256 levels";
                self.reject("too_deep", message, raw)?;
                Ok(None)
            }
        }
    }

    /// The column of a relation for an attribute of the file, made on first use. A name that the model
    /// uses becomes `attr.NAME`.
    pub fn attribute(&mut self, table: Table, name: &str) -> Attribute {
        let name = if is_model_column(table, name) {
            format!("attr.{name}")
        } else {
            name.to_owned()
        };
        let columns = &mut self.attributes[table as usize];
        let index = match columns.iter().position(|(known, _)| *known == name) {
            Some(index) => index,
            None => {
                columns.push((name, Cells::default()));
                columns.len() - 1
            }
        };
        Attribute {
            table,
            index: index as u32,
        }
    }

    /// Sets the cell of an attribute; the empty text and `NA` are null.
    pub fn set(&mut self, attribute: Attribute, row: Row, text: &[u8]) {
        let columns = &mut self.attributes[attribute.table as usize];
        if let Some((_, cells)) = columns.get_mut(attribute.index as usize) {
            cells.set(row.0 as usize, text);
        }
    }

    /// Sets the cell of an attribute of a resource.
    pub fn set_resource(&mut self, attribute: Attribute, resource: Resource, text: &[u8]) {
        self.set(attribute, Row(resource.0), text);
    }

    /// Says which format a file was read as.
    pub fn read_as(&mut self, format: &'static str) {
        if !self.report.formats.contains(&format) {
            self.report.formats.push(format);
        }
    }

    /// Says that own ids come from a column that only looks like one: if they repeat they are dropped
    /// rather than repaired.
    pub fn guess_ids(&mut self) {
        self.ids_are_a_guess = true;
    }

    fn row_number(&self, line: u64) -> i64 {
        let file = self.files.len().saturating_sub(1) as i64;
        (file << 40) | (line as i64 & ((1 << 40) - 1))
    }
}

fn new_entry(parent: Option<u32>, name: u32, kind: u32) -> Entry {
    Entry {
        parent,
        name,
        kind,
        start: NO_TIME,
        end: NO_TIME,
        capacity: None,
        declared: true,
        own: intern::NULL,
    }
}

/// True where an attribute may not have this name. Amount and offset of a claim are columns of the model
/// that come as attributes, because few traces have them.
fn is_model_column(table: Table, name: &str) -> bool {
    let clock = Clock::logical();
    let interval = !matches!(table, Table::Events | Table::Resources);
    (interval && name == column::DURATION)
        || schema::relation_fields(table.relation(), clock, false)
            .iter()
            .any(|field| field.name() == name)
}
