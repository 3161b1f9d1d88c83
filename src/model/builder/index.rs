//! Finding rows again by an id that the file gave them, for what names them later: dependencies.

use super::cells::{Cells, plain_integer};
use super::{Name, Resource, Row, Table, TraceBuilder};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Rows of one relation by the cell of one column: see [`TraceBuilder::index_ids`] and
/// [`TraceBuilder::index_states`]. Takes 24 bytes a row; texts stay where they are.
#[derive(Clone, Debug)]
pub struct RowIndex {
    column: Column,
    /// The integer, or the number of the text, to the row.
    rows: FxHashMap<i64, Found>,
}

#[derive(Clone, Copy, Debug)]
enum Column {
    Id(Table),
    Attribute(u32),
}

#[derive(Clone, Copy, Debug)]
struct Found {
    row: u32,
    /// Rows of several files have this cell, so it names none.
    ambiguous: bool,
}

impl TraceBuilder {
    /// True where rows of states or events have ids of their own, and not row numbers only.
    pub fn has_own_ids(&self, table: Table) -> bool {
        self.own_ids(table).is_some_and(|cells| !cells.is_empty())
    }

    /// The names of the attributes of a relation so far.
    pub fn attributes(&self, table: Table) -> impl Iterator<Item = &str> {
        let columns = self.attributes.get(table as usize);
        let columns = columns.into_iter().flatten();
        columns.map(|(name, _)| name.as_str())
    }

    /// Rows of states or events from row `first` on, by their own ids. Of equal ids the first row in the
    /// file is meant, as it keeps the id; where ids are a guess, see [`TraceBuilder::index_states`].
    pub fn index_ids(&self, table: Table, first: usize) -> RowIndex {
        let by_rank = self.ids_are_a_guess && table == Table::States;
        self.index(Column::Id(table), table, first, by_rank)
    }

    /// States by an attribute that may repeat (a job that was interrupted has several states). Of equal
    /// cells the outermost state is meant, then the longest, then the first. None where no state has such
    /// an attribute.
    pub fn index_states(&self, attribute: &str) -> Option<RowIndex> {
        let at = self
            .attributes(Table::States)
            .position(|name| name == attribute)?;
        let index = self.index(Column::Attribute(at as u32), Table::States, 0, true);
        (!index.rows.is_empty()).then_some(index)
    }

    fn index(&self, column: Column, table: Table, first: usize, by_rank: bool) -> RowIndex {
        let mut rows: FxHashMap<i64, Found> = FxHashMap::default();
        let Some(cells) = self.cells(column) else {
            return RowIndex { column, rows };
        };
        for row in first..self.rows(table) {
            let Some(key) = cells.key(row) else { continue };
            let row = row as u32;
            let found = rows.entry(key).or_insert(Found {
                row,
                ambiguous: false,
            });
            if found.row == row {
                continue;
            }
            found.ambiguous |= !self.same_file(table, found.row, row);
            if by_rank && self.rank(row) < self.rank(found.row) {
                found.row = row;
            }
        }
        RowIndex { column, rows }
    }

    /// The row whose cell is this text; None where there is none, or where rows of several files have it.
    pub fn find(&self, index: &RowIndex, text: &[u8]) -> Option<Row> {
        let key = self.cells(index.column)?.key_of(text)?;
        let found = index.rows.get(&key).filter(|found| !found.ambiguous)?;
        Some(Row(found.row))
    }

    /// Where and when an event happened; None for a time that is missing.
    pub fn event_place(&self, event: Row) -> (Option<Resource>, Option<i64>) {
        let at = event.0 as usize;
        let time = self.events.time.get(at).copied();
        (
            self.events.resource.get(at).copied().map(Resource),
            time.filter(|time| *time != super::NO_TIME),
        )
    }

    /// Says that a link leaves or reaches these states, whatever their ids turn out to be. Overrides what
    /// [`super::LinkRow`] said of that end.
    pub fn link_states(&mut self, link: Row, source: Option<Row>, target: Option<Row>) {
        let at = link.0 as usize;
        let none = Name::NULL.0;
        for (rows, row) in [
            (&mut self.links.source_row, source),
            (&mut self.links.target_row, target),
        ] {
            if let Some(row) = row {
                super::cells::put(rows, at, row.0, none);
            }
        }
    }

    fn own_ids(&self, table: Table) -> Option<&Cells> {
        match table {
            Table::States => Some(&self.states.id),
            Table::Events => Some(&self.events.id),
            Table::Links | Table::Variables | Table::Resources => None,
        }
    }

    fn cells(&self, column: Column) -> Option<&Cells> {
        match column {
            Column::Id(table) => self.own_ids(table),
            Column::Attribute(at) => {
                let columns = self.attributes.get(Table::States as usize)?;
                columns.get(at as usize).map(|(_, cells)| cells)
            }
        }
    }

    /// Small for the state that stands for others of its job: outermost, longest, first.
    fn rank(&self, row: u32) -> (i32, Reverse<i64>, i64, i64) {
        let at = row as usize;
        let get = |values: &[i64]| values.get(at).copied().unwrap_or(i64::MAX);
        let (start, end) = (get(&self.states.start), get(&self.states.end));
        let depth = self.states.depth.get(at).copied().unwrap_or(0);
        let length = Reverse(end.saturating_sub(start));
        (depth, length, start, get(&self.states.row))
    }

    fn same_file(&self, table: Table, a: u32, b: u32) -> bool {
        let rows = match table {
            Table::Events => &self.events.row,
            _ => &self.states.row,
        };
        let file = |row: u32| rows.get(row as usize).map(|row| row >> 40);
        file(a) == file(b)
    }
}

impl Cells {
    /// What tells the cell from others of its column.
    fn key(&self, row: usize) -> Option<i64> {
        match self {
            Cells::Integers(_) => self.integer(row),
            Cells::Texts(numbers, _) => {
                let number = numbers.get(row).copied()?;
                (number != Name::NULL.0).then_some(i64::from(number))
            }
        }
    }

    /// The key of cells with this text.
    fn key_of(&self, text: &[u8]) -> Option<i64> {
        match self {
            Cells::Integers(_) => plain_integer(text),
            Cells::Texts(_, texts) => texts.find(text).map(i64::from),
        }
    }
}
