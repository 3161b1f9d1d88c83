//! The rows that `pj_dump` prints: `State, CPU0, Worker State, 0.000, 1.500, 1.500, 0.000, dgemm`.
//!
//! No header, one kind of record per line, nothing escaped. Old versions quote names. The unit is not in
//! the file. See the reader's `detail` for what becomes what.

mod fields;
mod rows;

use super::duration::Durations;
use super::{Head, Input, Line, ReadOptions, Reader, ReaderSpec, Vote};
use crate::diag::Diag;
use crate::model::TraceBuilder;
use crate::model::builder::{Attribute, Name, Resource, Table};
use fields::{Fields, Last};

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
        builder.check_bytes(raw);
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
