//! Ids of states, events and links: the file's own where it has them, else row numbers.
//!
//! Integers where every id of the trace is one. Rows without an own id get numbers past the largest (or
//! `#N` among texts). Where several files bring own ids, each gets its file's part in front: `rank3/17`.

use super::cells::{self, Cells};
use super::intern::{Interner, NULL};
use super::{FileEntry, NO_TIME, TraceBuilder};
use crate::diag::Diag;
use arrow::array::{Array, ArrayRef, StringViewArray};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// What the ids of a trace look like.
#[derive(Debug)]
pub(super) struct IdPlan {
    /// Text rather than integers.
    pub(super) text: bool,
    prefix: bool,
    parts: Vec<String>,
    texts: Interner,
}

/// A column of ids or of references to them, as made by [`IdPlan`].
#[derive(Debug)]
pub(super) enum IdColumn {
    Integers(Vec<i64>),
    Texts(Vec<u32>),
}

impl IdPlan {
    pub(super) fn new(
        files: &[FileEntry],
        own: [(&Cells, &[i64]); 2],
        references: [&Cells; 3],
    ) -> IdPlan {
        let mut with_ids = FxHashSet::default();
        for (cells, rows) in own {
            if files.len() < 2 || cells.is_empty() {
                continue;
            }
            for (at, row) in rows.iter().enumerate() {
                let file = row >> 40;
                if !with_ids.contains(&file) && cells.text(at).is_some() {
                    with_ids.insert(file);
                }
            }
        }
        let prefix = with_ids.len() > 1;
        let text = prefix
            || own.iter().any(|(cells, _)| cells.is_text())
            || references.iter().any(|cells| cells.is_text());
        IdPlan {
            text,
            prefix,
            parts: files.iter().map(|file| file.part.clone()).collect(),
            texts: Interner::default(),
        }
    }

    /// The number in `texts` of an own id or reference.
    fn text_of(&mut self, cells: &Cells, at: usize, row: i64) -> u32 {
        let Some(text) = cells.text(at) else {
            return NULL;
        };
        if !self.prefix {
            return self.texts.intern(&text);
        }
        let part = self.parts.get((row >> 40) as usize);
        let part = part.map_or("", String::as_str);
        self.texts.intern(&format!("{part}/{text}"))
    }

    /// The ids of a relation in the order of its rows. Also the rows whose own id was taken before.
    pub(super) fn ids(
        &mut self,
        cells: &Cells,
        rows: &[i64],
        order: Option<&[u32]>,
    ) -> (IdColumn, Vec<usize>) {
        let count = rows.len();
        let mut repeated = Vec::new();
        if cells.is_empty() {
            let column = if self.text {
                IdColumn::Texts(
                    (0..count)
                        .map(|n| self.texts.intern(&n.to_string()))
                        .collect(),
                )
            } else {
                IdColumn::Integers((0..count as i64).collect())
            };
            return (column, repeated);
        }
        // The first in the file keeps the id, whatever the order in time.
        let mut by_row: Vec<u32> = (0..count as u32).collect();
        if !rows.is_sorted() {
            by_row.sort_by_key(|at| rows.get(*at as usize).copied());
        }
        if self.text {
            let mut taken = FxHashSet::default();
            let mut numbers = vec![NULL; count];
            for at in by_row {
                let at = at as usize;
                let number = self.text_of(cells, at, rows.get(at).copied().unwrap_or(0));
                if number != NULL && !taken.insert(number) {
                    repeated.push(at);
                } else if let Some(slot) = numbers.get_mut(at) {
                    *slot = number;
                }
            }
            let mut numbers = cells::gather(numbers, NULL, count, order);
            for (at, number) in numbers.iter_mut().enumerate() {
                if *number == NULL {
                    let mut text = format!("#{at}");
                    *number = self.texts.intern(&text);
                    // A file may have such ids of its own.
                    while taken.contains(number) {
                        text.push('#');
                        *number = self.texts.intern(&text);
                    }
                }
            }
            return (IdColumn::Texts(numbers), repeated);
        }
        let mut taken = FxHashSet::default();
        let mut values = vec![NO_TIME; count];
        let mut largest = -1;
        for at in by_row {
            let at = at as usize;
            let Some(value) = cells.integer(at) else {
                continue;
            };
            largest = largest.max(value);
            if !taken.insert(value) {
                repeated.push(at);
            } else if let Some(slot) = values.get_mut(at) {
                *slot = value;
            }
        }
        let mut values = cells::gather(values, NO_TIME, count, order);
        let mut next = i128::from(largest) + 1;
        for value in &mut values {
            if *value == NO_TIME {
                // Past the largest integer the numbers go on below zero, where nothing else is.
                *value = i64::try_from(next)
                    .unwrap_or_else(|_| (i128::from(i64::MAX) - next) as i64 - 1);
                next += 1;
            }
        }
        (IdColumn::Integers(values), repeated)
    }

    /// References to ids, in the order of their rows: the id of the state that was found for the row, else
    /// the text of its cell.
    pub(super) fn references(
        &mut self,
        cells: &Cells,
        found: &FoundStates<'_>,
        rows: &[i64],
        order: Option<&[u32]>,
    ) -> IdColumn {
        let count = rows.len();
        let indices: Vec<usize> = cells::indices(count, order).collect();
        if self.text {
            let number = |at: &usize| match found.text(*at) {
                Some(number) => number,
                None => self.text_of(cells, *at, rows.get(*at).copied().unwrap_or(0)),
            };
            return IdColumn::Texts(indices.iter().map(number).collect());
        }
        let value = |at: &usize| {
            let own = || cells.integer(*at).unwrap_or(NO_TIME);
            found.integer(*at).unwrap_or_else(own)
        };
        IdColumn::Integers(indices.iter().map(value).collect())
    }

    /// The texts of all ids; empty for integers.
    pub(super) fn into_texts(self) -> Arc<StringViewArray> {
        Arc::new(self.texts.into_array())
    }
}

/// The states that rows of links were matched with, and the ids those got.
pub(super) struct FoundStates<'a> {
    /// By row of the links, the row of the states; shorter than the links where the rest has none.
    rows: &'a [u32],
    ids: &'a IdColumn,
    /// By row of the states, its place in `ids`; None where that is the same.
    places: Option<&'a [u32]>,
}

impl<'a> FoundStates<'a> {
    pub(super) fn new(
        rows: &'a [u32],
        ids: &'a IdColumn,
        places: Option<&'a [u32]>,
    ) -> FoundStates<'a> {
        FoundStates { rows, ids, places }
    }

    fn place(&self, link: usize) -> Option<usize> {
        let row = self.rows.get(link).copied().filter(|row| *row != NULL)?;
        match self.places {
            Some(places) => places.get(row as usize).map(|place| *place as usize),
            None => Some(row as usize),
        }
    }

    fn text(&self, link: usize) -> Option<u32> {
        match self.ids {
            IdColumn::Texts(numbers) => numbers.get(self.place(link)?).copied(),
            IdColumn::Integers(_) => None,
        }
    }

    fn integer(&self, link: usize) -> Option<i64> {
        match self.ids {
            IdColumn::Integers(values) => values.get(self.place(link)?).copied(),
            IdColumn::Texts(_) => None,
        }
    }
}

impl IdColumn {
    /// As an Arrow array.
    pub(super) fn into_array(self, texts: &Arc<StringViewArray>) -> ArrayRef {
        match self {
            IdColumn::Integers(values) => Arc::new(cells::nullable(values)),
            IdColumn::Texts(numbers) => {
                cells::dictionary(numbers, Arc::clone(texts), texts.len() > 65_536)
            }
        }
    }

    /// How many references are to ids of none of `known`.
    pub(super) fn missing(&self, known: &[&IdColumn]) -> usize {
        match self {
            IdColumn::Integers(values) => {
                let ids: FxHashSet<i64> = known
                    .iter()
                    .filter_map(|column| match column {
                        IdColumn::Integers(values) => Some(values.iter().copied()),
                        IdColumn::Texts(_) => None,
                    })
                    .flatten()
                    .collect();
                let lost = |value: &&i64| **value != NO_TIME && !ids.contains(*value);
                values.iter().filter(lost).count()
            }
            IdColumn::Texts(numbers) => {
                let ids: FxHashSet<u32> = known
                    .iter()
                    .filter_map(|column| match column {
                        IdColumn::Texts(numbers) => Some(numbers.iter().copied()),
                        IdColumn::Integers(_) => None,
                    })
                    .flatten()
                    .collect();
                let lost = |number: &&u32| **number != NULL && !ids.contains(*number);
                numbers.iter().filter(lost).count()
            }
        }
    }
}

impl TraceBuilder {
    /// Counts rows whose own id an earlier row has. They got numbers of their own under `policy=keep` too,
    /// so that an id always means one row.
    pub(super) fn count_repeated_ids(
        &mut self,
        repeated: &[usize],
        rows: &[i64],
    ) -> Result<(), Diag> {
        for at in repeated {
            let row = rows.get(*at).copied().unwrap_or(0);
            let line = (row & ((1 << 40) - 1)) as u64;
            let file = self.files.get((row >> 40) as usize);
            let file = file.map_or(String::new(), |file| file.name.clone());
            if self.policy == crate::model::Policy::Fail {
                let message = "an earlier row has the same id";
                return Err(Diag::error(&crate::diag::code::BAD_ROW, message)
                    .in_file(file, line, "")
                    .help("`policy=repair` gives such rows an id of their own"));
            }
            self.report.repair("duplicate_id", &file, line);
        }
        Ok(())
    }
}
