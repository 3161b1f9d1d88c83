//! `compare`: the full outer match of two sides by key, from the groups of each run, by `algo::compare`.
//!
//! The input has the keys first, then the columns of [`GROUP`]: one row for each key of each run, which the engine has
//! counted and summed. Only these rows are kept, never the states.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch, StringViewArray, UInt32Array,
};
use arrow::compute::{concat_batches, take};
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use arrow::row::{RowConverter, SortField};
use datafusion::common::{plan_datafusion_err, plan_err};
use datafusion::error::Result;
use rustc_hash::FxHashSet;

use super::error::{BadReason, BadState, ClaimFault};
use super::kernel::{Batches, Kernel, Work};
use crate::algo::compare::{self, Part, Side, Status, Tolerance};
use crate::diag::{Diag, code};

/// An input of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct RunSet {
    /// Whether it belongs to the second side.
    pub is_second: bool,
    /// Whether a column tells several runs in it apart; else it is one run, also where it has no rows.
    pub is_split: bool,
}

/// The node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct Comparison {
    /// How many columns are keys.
    pub keys: usize,
    /// The inputs, by the number that a row has in the column `set`.
    pub sets: Vec<RunSet>,
    /// Whether a side may be several runs, so that the columns of their spread come out.
    pub several: bool,
    /// What still counts as the same.
    pub tolerance: Tolerance,
    /// What the columns of the result are called, behind the keys.
    pub names: Vec<String>,
}

/// The columns of the input behind the keys: number of the input, run within it, rows, rows that have an amount, amount.
pub const GROUP: [&str; 5] = ["‹set›", "‹run›", "‹number›", "‹known›", "‹amount›"];

/// A key with both sides.
struct Match {
    /// A row of the input that has the key.
    row: u32,
    status: Status,
    a: Side,
    b: Side,
    change: i64,
}

/// Bytes of a group beside its columns: its encoded key, its place in the order, its part, its match.
const BYTES_OF_A_GROUP: usize = 64 + size_of::<Part>() + size_of::<Match>();

impl Comparison {
    /// The types of the columns behind the keys.
    fn types(&self) -> Vec<DataType> {
        let number = if self.several {
            DataType::Float64
        } else {
            DataType::Int64
        };
        let mut types = vec![
            DataType::Utf8View,
            number.clone(),
            number,
            DataType::Int64,
            DataType::Int64,
            DataType::Int64,
            DataType::Float64,
        ];
        let spread = if self.several { 6 } else { 0 };
        // The last one is the place.
        types.extend(std::iter::repeat_n(DataType::Int64, spread + 1));
        types
    }

    /// The matches of all keys, in the order of the keys.
    fn matches(&self, rows: &RecordBatch, work: &Work) -> Result<Vec<Match>> {
        let whole = |at: usize| rows.column(self.keys + at).as_primitive::<Int64Type>();
        let (sets, numbers, known, amounts) = (whole(0), whole(2), whole(3), whole(4));
        let runs = self.runs(rows)?;
        let fields = rows.columns()[..self.keys].iter();
        let fields = fields.map(|key| {
            let nulls_last = arrow::compute::SortOptions {
                descending: false,
                nulls_first: false,
            };
            SortField::new_with_options(key.data_type().clone(), nulls_last)
        });
        let converter = RowConverter::new(fields.collect())?;
        let keys = converter.convert_columns(&rows.columns()[..self.keys])?;
        let mut order: Vec<u32> = (0..rows.num_rows() as u32).collect();
        order.sort_unstable_by(|a, b| keys.row(*a as usize).cmp(&keys.row(*b as usize)));
        let mut matches = Vec::new();
        let mut unknown: i128 = 0;
        for (at, group) in order
            .chunk_by(|a, b| keys.row(*a as usize) == keys.row(*b as usize))
            .enumerate()
        {
            if at % (1 << 14) == 0 && work.is_cancelled() {
                return Err(ClaimFault::Cancelled.into());
            }
            let mut parts = [Vec::new(), Vec::new()];
            for row in group.iter().map(|row| *row as usize) {
                unknown += i128::from(numbers.value(row)) - i128::from(known.value(row));
                parts[usize::from(self.set(sets.value(row))?.is_second)].push(Part {
                    number: numbers.value(row),
                    amount: if amounts.is_null(row) {
                        0
                    } else {
                        amounts.value(row)
                    },
                });
            }
            let [a, b] = &mut parts;
            let (a, b) = (compare::side(a, runs[0]), compare::side(b, runs[1]));
            let overflow = || BadState {
                row: None,
                reason: BadReason::Overflow,
            };
            matches.push(Match {
                row: group.first().copied().unwrap_or_default(),
                status: Status::of(&a, &b, self.tolerance),
                a,
                b,
                change: b.amount.checked_sub(a.amount).ok_or_else(overflow)?,
            });
        }
        if unknown > 0 {
            work.notes.add(Diag::warning(
                &code::NULLS_LEFT_OUT,
                format!("{unknown} rows are counted but have no value to sum"),
            ));
        }
        Ok(matches)
    }

    fn set(&self, number: i64) -> Result<RunSet> {
        usize::try_from(number)
            .ok()
            .and_then(|number| self.sets.get(number).copied())
            .ok_or_else(|| plan_datafusion_err!("a comparison has no input {number}"))
    }

    /// How many runs each side has.
    fn runs(&self, rows: &RecordBatch) -> Result<[usize; 2]> {
        let mut runs = [0, 0];
        for set in self.sets.iter().filter(|set| !set.is_split) {
            runs[usize::from(set.is_second)] += 1;
        }
        let sets = rows.column(self.keys).as_primitive::<Int64Type>();
        let names = rows.column(self.keys + 1).as_string_view();
        let mut seen: FxHashSet<(i64, Option<&str>)> = FxHashSet::default();
        for row in 0..rows.num_rows() {
            let number = sets.value(row);
            let set = self.set(number)?;
            let name = names.is_valid(row).then(|| names.value(row));
            if set.is_split && seen.insert((number, name)) {
                runs[usize::from(set.is_second)] += 1;
            }
        }
        Ok(runs)
    }

    /// The matches as rows.
    fn rows(&self, rows: &RecordBatch, matches: &[Match], work: &Work) -> Result<RecordBatch> {
        let places = UInt32Array::from_iter_values(matches.iter().map(|found| found.row));
        let mut columns = Vec::with_capacity(work.output.fields().len());
        for key in &rows.columns()[..self.keys] {
            columns.push(take(key, &places, None)?);
        }
        let whole = |of: &dyn Fn(&Match) -> i64| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(matches.iter().map(of)))
        };
        let number = |of: &dyn Fn(&Match) -> i128| -> ArrayRef {
            if self.several {
                let halves = matches.iter().map(|found| of(found) as f64 / 2.0);
                return Arc::new(Float64Array::from_iter_values(halves));
            }
            whole(&|found| (of(found) / 2) as i64)
        };
        let status = matches.iter().map(|found| Some(found.status.name()));
        columns.push(Arc::new(status.collect::<StringViewArray>()));
        columns.push(number(&|found| found.a.twice_number));
        columns.push(number(&|found| found.b.twice_number));
        columns.push(whole(&|found| found.a.amount));
        columns.push(whole(&|found| found.b.amount));
        columns.push(whole(&|found| found.change));
        let ratio = matches.iter().map(|found| {
            (found.a.amount != 0).then(|| found.b.amount as f64 / found.a.amount as f64)
        });
        columns.push(Arc::new(ratio.collect::<Float64Array>()));
        if self.several {
            columns.push(whole(&|found| found.a.runs as i64));
            columns.push(whole(&|found| found.b.runs as i64));
            columns.push(whole(&|found| found.a.lowest));
            columns.push(whole(&|found| found.a.highest));
            columns.push(whole(&|found| found.b.lowest));
            columns.push(whole(&|found| found.b.highest));
        }
        columns.push(Arc::new(Int64Array::from_iter_values(
            1..=matches.len() as i64,
        )));
        Ok(RecordBatch::try_new(Arc::clone(&work.output), columns)?)
    }
}

/// The largest change first; what changed alike stays in the order of the keys.
fn by_change(a: &Match, b: &Match) -> Ordering {
    b.change.unsigned_abs().cmp(&a.change.unsigned_abs())
}

impl Kernel for Comparison {
    const NAME: &'static str = "Comparison";
    const VERB: &'static str = "compare";

    fn schema(&self, inputs: &[&Schema]) -> Result<Schema> {
        let [input] = inputs else {
            return plan_err!("a comparison has one input");
        };
        let wanted = GROUP.iter().enumerate().all(|(at, name)| {
            let field = input.fields().get(self.keys + at);
            let data_type = if at == 1 {
                DataType::Utf8View
            } else {
                DataType::Int64
            };
            field.is_some_and(|field| field.name() == name && *field.data_type() == data_type)
        });
        let types = self.types();
        if !wanted || types.len() != self.names.len() {
            return plan_err!("these are no groups of runs");
        }
        let mut fields: Vec<Arc<Field>> = input.fields().iter().take(self.keys).cloned().collect();
        let ratio = 6;
        for (at, (name, data_type)) in self.names.iter().zip(types).enumerate() {
            fields.push(Arc::new(Field::new(name, data_type, at == ratio)));
        }
        Ok(Schema::new(fields))
    }

    fn parameters(&self) -> String {
        let second = self.sets.iter().filter(|set| set.is_second).count();
        format!(
            "{} keys, {} against {second} inputs",
            self.keys,
            self.sets.len() - second
        )
    }

    fn run(&self, inputs: Vec<Vec<RecordBatch>>, work: &Arc<Work>) -> Result<Batches> {
        let (Some(batches), Some(schema)) = (inputs.into_iter().next(), work.inputs.first()) else {
            return plan_err!("a comparison has one input");
        };
        let rows = concat_batches(schema, &batches)?;
        drop(batches);
        let count = rows.num_rows();
        if u32::try_from(count).is_err() {
            return Err(work.exceeded(rows.get_array_memory_size()).into());
        }
        work.grow(rows.get_array_memory_size() + count * BYTES_OF_A_GROUP)?;
        let mut matches = self.matches(&rows, work)?;
        matches.sort_by(by_change);
        let batch = self.rows(&rows, &matches, work)?;
        Ok(Box::new(std::iter::once(Ok(batch))))
    }
}
