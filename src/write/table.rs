//! A table for reading: aligned, times in a unit that suits their column, at most some rows.

use super::cell::{Cells, columns};
use super::{Format, TableWriter, WriteOptions};
use crate::model::Clock;
use crate::model::clock::divide_half_even;
use crate::model::schema::type_of;
use crate::spec::{Decimal, TimeUnit};
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table};
use std::io::{self, Write};

/// The table on a terminal.
pub const FORMAT: Format = Format {
    name: "table",
    extensions: &[],
    binary: false,
    holds_metadata: false,
    about: "an aligned table for reading; long tables are cut, times get a unit that suits them",
    open,
};

struct Reading<'a> {
    out: Box<dyn Write + Send + 'a>,
    schema: SchemaRef,
    width: Option<usize>,
    limit: usize,
    kept: Vec<RecordBatch>,
    kept_rows: usize,
    rows: usize,
}

fn open<'a>(
    out: Box<dyn Write + Send + 'a>,
    schema: &SchemaRef,
    options: &WriteOptions,
) -> io::Result<Box<dyn TableWriter + 'a>> {
    Ok(Box::new(Reading {
        out,
        schema: schema.clone(),
        width: options.width,
        limit: options.rows,
        kept: Vec::new(),
        kept_rows: 0,
        rows: 0,
    }))
}

impl TableWriter for Reading<'_> {
    fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        self.rows += batch.num_rows();
        let wanted = (self.limit - self.kept_rows).min(batch.num_rows());
        if wanted > 0 {
            self.kept.push(batch.slice(0, wanted));
            self.kept_rows += wanted;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let mut table = Table::new();
        table.load_preset("     --            ");
        table.set_content_arrangement(ContentArrangement::Dynamic);
        // Off a terminal a table is as wide as it is.
        table.set_width(self.width.map_or(u16::MAX, |w| w.min(65_535) as u16));
        let batches: Vec<Vec<Cells>> = self
            .kept
            .iter()
            .map(|batch| columns(batch, &self.schema, None))
            .collect::<io::Result<_>>()?;
        let units: Vec<Option<TimeUnit>> = (0..self.schema.fields().len())
            .map(|index| suited(batches.iter().filter_map(|cells| cells.get(index))))
            .collect();
        table.set_header(self.schema.fields().iter().map(|f| plain(f.name())));
        for (batch, cells) in self.kept.iter().zip(&batches) {
            for row in 0..batch.num_rows() {
                table.add_row(
                    cells
                        .iter()
                        .zip(&units)
                        .map(|(c, unit)| shown(c, row, *unit)),
                );
            }
        }
        for (index, field) in self.schema.fields().iter().enumerate() {
            let ty = type_of(field);
            if let Some(column) = table.column_mut(index) {
                column.set_padding((0, 1));
                if ty.is_number() || ty.is_time() {
                    column.set_cell_alignment(CellAlignment::Right);
                }
            }
        }
        for line in table.lines() {
            writeln!(self.out, "{}", line.trim_end())?;
        }
        match (self.rows, self.kept_rows) {
            (0, _) => writeln!(self.out, "0 rows")?,
            (rows, kept) if kept < rows => {
                writeln!(
                    self.out,
                    "… {kept} of {rows} rows; `save` writes all of them"
                )?;
            }
            _ => {}
        }
        self.out.flush()
    }
}

fn plain(text: &str) -> String {
    crate::diag::printable(text, 200)
}

fn shown(cells: &Cells, row: usize, unit: Option<TimeUnit>) -> Cell {
    if cells.is_null(row) {
        return Cell::new("null");
    }
    match cells {
        Cells::Time(array, clock, _) => Cell::new(time(*clock, array.value(row), unit)),
        Cells::Float(array) => Cell::new(float(array.value(row))),
        _ => {
            let mut text = String::new();
            cells.append(row, &mut text);
            Cell::new(plain(&text))
        }
    }
}

/// Six significant digits: a table for reading, not for computing.
fn float(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return crate::spec::format_float(value);
    }
    let size = value.abs().log10().floor() as i32;
    if !(-5..15).contains(&size) {
        return format!("{value:.5e}");
    }
    let places = (5 - size).clamp(0, 12) as usize;
    let text = format!("{value:.places$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// The largest unit in which the largest time of a column is at least 1.
fn suited<'a>(cells: impl Iterator<Item = &'a Cells>) -> Option<TimeUnit> {
    let mut largest: u64 = 0;
    let mut physical = None;
    for column in cells {
        if let Cells::Time(array, clock, _) = column {
            physical = (!clock.is_logical()).then_some(*clock);
            for value in array.iter().flatten() {
                largest = largest.max(value.unsigned_abs());
            }
        }
    }
    let clock = physical?;
    let exact = i128::from(largest) * clock.resolution.picoseconds();
    let units = [
        TimeUnit::Second,
        TimeUnit::Millisecond,
        TimeUnit::Microsecond,
        TimeUnit::Nanosecond,
    ];
    Some(
        units
            .into_iter()
            .find(|unit| exact >= unit.picoseconds())
            .unwrap_or(if exact == 0 {
                TimeUnit::Second
            } else {
                TimeUnit::Picosecond
            }),
    )
}

/// `1.250 s`: three decimals of the column's unit.
fn time(clock: Clock, ticks: i64, unit: Option<TimeUnit>) -> String {
    let Some(unit) = unit else {
        return clock.format(ticks);
    };
    let exact = i128::from(ticks) * clock.resolution.picoseconds();
    let thousandth = (unit.picoseconds() / 1000).max(1);
    let (digits, _) = divide_half_even(exact, thousandth);
    let places = if unit == TimeUnit::Picosecond { 0 } else { 3 };
    let text = Decimal::new(digits, -places).to_string();
    let text = match (places, text.split_once('.')) {
        (0, _) => text,
        (_, Some((whole, part))) => format!("{whole}.{part:0<3}"),
        (_, None) => format!("{text}.000"),
    };
    format!("{text} {}", unit.name())
}

/// One value as a terminal shows it.
pub fn scalar(value: &crate::spec::Value) -> String {
    use crate::spec::Value;
    match value {
        Value::Time(exact) => {
            let units = [
                TimeUnit::Second,
                TimeUnit::Millisecond,
                TimeUnit::Microsecond,
                TimeUnit::Nanosecond,
            ];
            let unit = units
                .into_iter()
                .find(|unit| exact.abs() >= unit.picoseconds())
                .unwrap_or(TimeUnit::Second);
            let per = unit.picoseconds();
            let places = power(per);
            let text = Decimal::new(*exact, -places).to_string();
            let text = match text.split_once('.') {
                Some((whole, part)) => format!("{whole}.{part:0<3}"),
                None => format!("{text}.000"),
            };
            format!("{text} {}", unit.name())
        }
        other => plain(&other.to_string()),
    }
}

fn power(mut number: i128) -> i32 {
    let mut places = 0;
    while number >= 10 {
        number /= 10;
        places += 1;
    }
    places
}
