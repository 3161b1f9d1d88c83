//! The columns of a relation by the part they play in a line.

use crate::model::Clock;
use crate::model::schema::{self, clock_of, column, is_hidden};
use crate::spec::TimeUnit;
use crate::write::cell::{Cells, columns};
use arrow::datatypes::{Field, SchemaRef};
use arrow::record_batch::RecordBatch;
use std::io;

/// Which columns a relation has.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) name: String,
    schema: SchemaRef,
    /// Index and key of each attribute.
    attributes: Vec<(usize, String)>,
}

/// Columns that are written as parts of lines though the model has them as attributes.
fn parts(relation: &str) -> &'static [&'static str] {
    match relation {
        schema::STATES => &[column::AMOUNT, column::OFFSET],
        schema::LINKS => &[column::SOURCE_EVENT, column::TARGET_EVENT],
        schema::RESOURCES => &[column::RESOURCE_ID, column::USES_OFFSET, column::ORIGIN],
        _ => &[],
    }
}

/// True for a column that is written as a part of lines. Amounts and offsets are numbers: a column of texts
/// that happens to be called so is an attribute.
fn is_part(relation: &str, field: &Field) -> bool {
    let is_number = field.data_type().is_numeric() && clock_of(field).is_none();
    parts(relation).contains(&field.name().as_str()) && (relation != schema::STATES || is_number)
}

/// Attributes that the reader makes itself, so that their bare names mean something else in a file.
fn made(relation: &str) -> &'static [&'static str] {
    match relation {
        schema::VARIABLES => &["c", "b", "a"],
        _ => parts(relation),
    }
}

/// Keys that are no attributes on lines of this relation.
fn is_special(relation: &str, key: &str) -> bool {
    key == "name"
        || key.starts_with("marey.")
        || (key == "resource" && matches!(relation, schema::EVENTS | schema::VARIABLES))
}

impl Layout {
    /// Of a relation with these columns.
    pub(super) fn new(name: &str, schema: &SchemaRef) -> Layout {
        let model = schema::relation_fields(name, Clock::logical(), false);
        let is_model = |column: &str| {
            let duration = matches!(name, schema::STATES | schema::LINKS | schema::VARIABLES)
                && column == column::DURATION;
            duration || model.iter().any(|field| field.name() == column)
        };
        let attributes = schema
            .fields()
            .iter()
            .enumerate()
            .filter(|(_, field)| {
                !is_hidden(field) && !is_model(field.name()) && !is_part(name, field)
            })
            .map(|(index, field)| {
                let column = field.name().as_str();
                let bare = column.strip_prefix("attr.");
                let key = match bare.filter(|b| is_model(b) || made(name).contains(b)) {
                    Some(bare) => bare,
                    None => column,
                };
                let ambiguous =
                    is_special(name, key) || (key == column && made(name).contains(&key));
                let key = match ambiguous {
                    true => format!("marey.attr.{column}"),
                    false => key.to_owned(),
                };
                let mut escaped = String::new();
                let mut counts = super::text::Counts::default();
                super::text::push_text(&mut escaped, &key, false, &mut counts);
                (index, escaped)
            })
            .collect();
        Layout {
            name: name.to_owned(),
            schema: schema.clone(),
            attributes,
        }
    }

    /// True where the column of this name is a part of lines.
    pub(super) fn has_part(&self, column: &str) -> bool {
        let field = self.schema.field_with_name(column);
        field.is_ok_and(|field| is_part(&self.name, field))
    }

    /// Attributes that hold times. Read back they are numbers, but for the delays of links.
    pub(super) fn time_attributes(&self) -> impl Iterator<Item = &str> {
        let fields = self
            .attributes
            .iter()
            .map(|(index, _)| self.schema.field(*index));
        fields
            .filter(|field| clock_of(field).is_some())
            .map(|field| field.name().as_str())
            .filter(|name| {
                let delay = matches!(*name, column::MIN_DELAY | column::MAX_DELAY);
                !(delay && self.name == schema::LINKS)
            })
    }

    /// The cells of a batch.
    pub(super) fn rows(&self, batch: &RecordBatch, unit: Option<TimeUnit>) -> io::Result<Rows<'_>> {
        Ok(Rows {
            layout: self,
            cells: columns(batch, &self.schema, unit)?,
            count: batch.num_rows(),
        })
    }
}

/// The cells of one batch by name.
pub(super) struct Rows<'a> {
    layout: &'a Layout,
    cells: Vec<Cells>,
    pub(super) count: usize,
}

impl Rows<'_> {
    /// The cells of a column, where there is one.
    pub(super) fn column(&self, name: &str) -> Option<&Cells> {
        let (index, _) = self.layout.schema.column_with_name(name)?;
        self.cells.get(index)
    }

    /// A cell as text: times in the unit of the file, exactly. None for null and for no such column.
    pub(super) fn text(&self, name: &str, row: usize) -> Option<String> {
        let cells = self.column(name).filter(|cells| !cells.is_null(row))?;
        let mut text = String::new();
        match cells {
            Cells::Float(array) => super::text::push_float(&mut text, array.value(row)),
            cells => {
                cells.append(row, &mut text);
            }
        }
        Some(text)
    }

    /// A time in ticks.
    pub(super) fn ticks(&self, name: &str, row: usize) -> Option<i64> {
        match self.column(name).filter(|cells| !cells.is_null(row))? {
            Cells::Time(array, ..) | Cells::Int(array) => Some(array.value(row)),
            _ => None,
        }
    }

    /// True where the column of this name is a part of lines.
    pub(super) fn has_part(&self, column: &str) -> bool {
        self.layout.has_part(column)
    }

    /// A number.
    pub(super) fn number(&self, name: &str, row: usize) -> Option<f64> {
        match self.column(name).filter(|cells| !cells.is_null(row))? {
            Cells::Float(array) => Some(array.value(row)),
            Cells::Int(array) => Some(array.value(row) as f64),
            _ => None,
        }
    }

    /// Key and cells of each attribute.
    pub(super) fn attributes(&self) -> impl Iterator<Item = (&str, &Cells)> {
        let list = self.layout.attributes.iter();
        list.filter_map(|(index, key)| Some((key.as_str(), self.cells.get(*index)?)))
    }
}
