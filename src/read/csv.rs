//! Tables with a row of column names: those of StarVZ and notebooks, whose first column `Nature` says what
//! each row is, and any other whose columns can be told apart by name or by the options of `load`.

pub(super) mod dialect;
pub(super) mod layout;
pub(super) mod records;
pub(super) mod roles;
mod rows;

use super::duration::Durations;
use super::{Head, Input, ReadOptions, Reader, ReaderSpec, Vote};
use crate::diag::{Diag, code};
use crate::model::TraceBuilder;
use crate::model::builder::Table;
use crate::spec::TimeUnit;
use layout::Layout;
use records::Records;
use rows::Rows;

/// The reader.
pub struct Csv;

static SPEC: ReaderSpec = ReaderSpec {
    name: "csv",
    extensions: &["csv", "tsv", "txt"],
    summary: "Tables with a row of column names, also those of StarVZ.",
    detail: "The first line that is no comment (`#`) names the columns. If one of them is `Nature`, it says what each row is (State, Event, Link, Variable, Container). \
Otherwise the columns decide: `start` and `end` (or `duration`) make states, `time` events, `metric` variables, `source` and `target` (or `from`, `to`) links between the states with these ids, `parent` and `name` resources. \
`resource=`, `value=`, `start=` … of `load` name columns; the rest is found by usual names, and what was taken for what is said once. \
Separator (`,`, `;`, tab, `|`) and decimal mark are found, or given by `separator=` and `decimal=`. \
Short rows end in nulls; cells beyond the names become `col9`, `col10`, …. Every other column is an attribute, typed from the whole column; an empty cell and `NA` are null.",
};

impl Reader for Csv {
    fn spec(&self) -> &'static ReaderSpec {
        &SPEC
    }

    fn sniff(&self, head: &Head<'_>) -> Vote {
        let first = head.lines().next().unwrap_or_default();
        let other = matches!(first.first(), Some(b'{' | b'[' | b'<' | b'%'));
        if other || head.text.contains(&0) {
            return Vote::No;
        }
        match dialect::look(head, &ReadOptions::default()) {
            Ok(Some(dialect)) if dialect.header.iter().any(|name| layout::is_nature(name)) => {
                Vote::Sure
            }
            // Two readings are a question to the user, asked by `read`.
            Ok(Some(_)) | Err(_) => Vote::Maybe,
            Ok(None) => Vote::No,
        }
    }

    fn unit(&self, head: &Head<'_>, options: &ReadOptions) -> Option<TimeUnit> {
        let dialect = dialect::look(head, options).ok().flatten()?;
        layout::unit(&dialect.header, &options.roles)
    }

    fn read(
        &self,
        input: &mut Input<'_>,
        options: &ReadOptions,
        builder: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        let first = input.head().lines().next().unwrap_or_default();
        let first = first.get(..first.len().min(1024)).unwrap_or(first).to_vec();
        let shown = String::from_utf8_lossy(&first);
        let dialect = dialect::look(&input.head(), options);
        let Some(dialect) = dialect.map_err(|diag| diag.in_file(input.name(), 1, &shown))? else {
            let message = "the table has no row of column names, or only one column";
            return Err(input
                .error(&code::UNKNOWN_INPUT_FORMAT, message, &first)
                .help("a first line such as `resource,value,start,end`; `separator=` says what stands between columns"));
        };
        if let Some(guessed) = &dialect.guessed {
            let note = format!("{}: {guessed}", input.name());
            builder.note(note);
        }
        let mut records = Records::new(dialect.separator);
        records.skip_header(input, dialect.header_line)?;
        let header = layout::distinct_names(&dialect.header);
        let nature = header.iter().position(|name| layout::is_nature(name));
        let mut rows = Rows {
            durations: Durations::default(),
            decimal_comma: dialect.decimal_comma,
            cell: Vec::new(),
        };
        let placed = |diag: Diag| match diag.place {
            Some(_) => diag,
            None => diag.in_file(input.name(), input.line(), &dialect.header.join(", ")),
        };
        match nature {
            Some(column) => {
                let mut layouts = Natures::new(header, options, column);
                // A table of other columns fails before its first row.
                layouts.check().map_err(placed)?;
                while let Some(record) = records.next(input)? {
                    layouts.row(record, &mut rows, builder)?;
                }
                layouts.report(builder);
            }
            None => {
                let relation = relation_of(options)?;
                let layout = layout::of_table(&header, &options.roles, relation);
                let mut layout = layout.map_err(placed)?;
                if let Some(note) = layout.note(input.name()) {
                    builder.note(note);
                }
                if layout.guesses_ids() {
                    builder.guess_ids();
                }
                while let Some(record) = records.next(input)? {
                    builder.record(record.line);
                    rows.add(record, &mut layout, builder)?;
                }
            }
        }
        rows.durations.report(builder);
        if records.open_quotes() > 0 {
            let note = format!(
                "{}: {} rows have a quote that does not close, which was taken as it is",
                input.name(),
                records.open_quotes()
            );
            builder.note(note);
        }
        Ok(())
    }
}

/// The relation that `relation=` names.
fn relation_of(options: &ReadOptions) -> Result<Option<Table>, Diag> {
    let Some(name) = &options.relation else {
        return Ok(None);
    };
    match Table::ALL
        .into_iter()
        .find(|table| table.relation() == name)
    {
        Some(table) => Ok(Some(table)),
        None => {
            let names: Vec<&str> = Table::ALL.iter().map(|table| table.relation()).collect();
            let message = format!("rows of a table cannot be `{name}`");
            Err(Diag::error(&code::INVALID_VALUE, message).help(names.join(", ")))
        }
    }
}

/// Rows of several kinds, told apart by the column `Nature`.
struct Natures<'a> {
    header: Vec<String>,
    options: &'a ReadOptions,
    column: usize,
    layouts: [Option<Layout>; Table::ALL.len()],
    /// Rows that only define types.
    definitions: u64,
}

impl<'a> Natures<'a> {
    fn new(header: Vec<String>, options: &'a ReadOptions, column: usize) -> Natures<'a> {
        Natures {
            header,
            options,
            column,
            layouts: Default::default(),
            definitions: 0,
        }
    }

    /// A tree of types and containers: names and parents, but no times.
    fn is_tree(&self) -> bool {
        layout::of_nature(&self.header, &self.options.roles, Table::Resources).is_ok()
            && layout::of_nature(&self.header, &self.options.roles, Table::States).is_err()
    }

    /// An error where the columns fit no kind of row.
    fn check(&self) -> Result<(), Diag> {
        let layout = |table| layout::of_nature(&self.header, &self.options.roles, table);
        let mut first = None;
        for table in Table::ALL {
            match layout(table) {
                Ok(_) => return Ok(()),
                Err(diag) => first = first.or(Some(diag)),
            }
        }
        first.map_or(Ok(()), Err)
    }

    fn row(
        &mut self,
        record: &records::Record,
        rows: &mut Rows,
        builder: &mut TraceBuilder,
    ) -> Result<(), Diag> {
        let nature = record.cell(self.column).unwrap_or_default();
        let table = match nature {
            b"State" => Table::States,
            b"Event" => Table::Events,
            b"Link" => Table::Links,
            b"Variable" => Table::Variables,
            b"Container" => Table::Resources,
            _ => {
                builder.record(record.line);
                let shown =
                    String::from_utf8_lossy(nature.get(..nature.len().min(40)).unwrap_or(nature));
                let message = format!(
                    "`{shown}` is no kind of record (Container, State, Event, Variable, Link)"
                );
                return builder.reject("unknown_kind", &message, record.raw());
            }
        };
        let known = self
            .layouts
            .get(table as usize)
            .is_some_and(Option::is_some);
        if !known {
            if table != Table::Resources && self.is_tree() {
                self.definitions += 1;
                return Ok(());
            }
            match layout::of_nature(&self.header, &self.options.roles, table) {
                Ok(layout) => {
                    if layout.guesses_ids() {
                        builder.guess_ids();
                    }
                    if let Some(slot) = self.layouts.get_mut(table as usize) {
                        *slot = Some(layout);
                    }
                }
                Err(diag) => {
                    builder.record(record.line);
                    return builder.reject("missing_columns", &diag.message, record.raw());
                }
            }
        }
        builder.record(record.line);
        match self.layouts.get_mut(table as usize) {
            Some(Some(layout)) => rows.add(record, layout, builder),
            _ => Ok(()),
        }
    }

    fn report(&self, builder: &mut TraceBuilder) {
        if self.definitions > 0 {
            let note = format!(
                "{}: {} rows define types of states, links or variables and make no rows",
                builder.file_name(),
                self.definitions
            );
            builder.note(note);
        }
    }
}
