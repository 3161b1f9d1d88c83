//! What flows through a pipe, as the checker knows it before anything runs: the kind, the columns of each
//! relation with their types, the clock, and which stage dropped what.

use crate::diag::Span;
use crate::model::Clock;
use crate::model::schema::{column, is_hidden, type_of};
use crate::spec::{Kind, Type};
use arrow::datatypes::Schema;

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Shown only when named.
    pub hidden: bool,
}

/// A column that a stage dropped, for "dropped by `select` on line 4".
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped {
    /// The column.
    pub name: String,
    /// The verb that dropped it.
    pub verb: &'static str,
    /// Where that stage stands.
    pub span: Span,
}

/// The columns of a relation.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// In order.
    pub list: Vec<Column>,
    /// How the ticks of its time columns count.
    pub clock: Clock,
    /// What earlier stages dropped.
    pub dropped: Vec<Dropped>,
}

impl Columns {
    /// The columns of an Arrow schema.
    pub fn of_schema(schema: &Schema, clock: Clock) -> Columns {
        let list = schema
            .fields()
            .iter()
            .map(|field| Column {
                name: field.name().clone(),
                ty: type_of(field),
                hidden: is_hidden(field),
            })
            .collect();
        Columns {
            list,
            clock,
            dropped: Vec::new(),
        }
    }

    /// A table made from nothing but names and types.
    pub fn new(list: impl IntoIterator<Item = (String, Type)>, clock: Clock) -> Columns {
        let list = list
            .into_iter()
            .map(|(name, ty)| Column {
                name,
                ty,
                hidden: false,
            })
            .collect();
        Columns {
            list,
            clock,
            dropped: Vec::new(),
        }
    }

    /// A column by its exact name.
    pub fn find(&self, name: &str) -> Option<&Column> {
        self.list.iter().find(|column| column.name == name)
    }

    /// True where the column exists.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The names that are shown.
    pub fn visible(&self) -> impl Iterator<Item = &Column> {
        self.list.iter().filter(|column| !column.hidden)
    }

    /// The type that times have here.
    pub fn time_type(&self) -> Type {
        if self.clock.is_logical() {
            Type::LogicalTime
        } else {
            Type::Time
        }
    }

    /// True where `duration` is computed from `start` and `end`.
    pub fn has_computed_duration(&self) -> bool {
        !self.has(column::DURATION) && self.is_time(column::START) && self.is_time(column::END)
    }

    fn is_time(&self, name: &str) -> bool {
        self.find(name).is_some_and(|column| column.ty.is_time())
    }

    /// A new list of columns; what is missing in it counts as dropped by this stage.
    pub fn replaced(&self, list: Vec<Column>, verb: &'static str, span: Span) -> Columns {
        let mut dropped = self.dropped.clone();
        for column in &self.list {
            if !list.iter().any(|kept| kept.name == column.name) {
                dropped.push(Dropped {
                    name: column.name.clone(),
                    verb,
                    span,
                });
            }
        }
        Columns {
            list,
            clock: self.clock,
            dropped,
        }
    }
}

/// A trace: its relations and the one in focus.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceFlow {
    /// Name and columns.
    pub relations: Vec<(String, Columns)>,
    /// The relation that verbs work on.
    pub focus: String,
}

impl TraceFlow {
    /// A relation's columns.
    pub fn relation(&self, name: &str) -> Option<&Columns> {
        self.relations
            .iter()
            .find(|(relation, _)| relation == name)
            .map(|(_, columns)| columns)
    }

    /// The columns in focus.
    pub fn focused(&self) -> Option<&Columns> {
        self.relation(&self.focus)
    }

    /// The same trace with other columns in focus.
    pub fn with_focused(&self, columns: Columns) -> TraceFlow {
        let mut out = self.clone();
        for (name, slot) in &mut out.relations {
            if *name == self.focus {
                *slot = columns.clone();
            }
        }
        out
    }
}

/// What flows.
#[derive(Clone, Debug, PartialEq)]
pub enum Flow {
    /// A bundle of relations.
    Trace(TraceFlow),
    /// One relation.
    Table(Columns),
    /// A picture.
    Figure,
    /// One value.
    Scalar(Type),
}

impl Flow {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Flow::Trace(_) => Kind::Trace,
            Flow::Table(_) => Kind::Table,
            Flow::Figure => Kind::Figure,
            Flow::Scalar(_) => Kind::Scalar,
        }
    }

    /// The columns that column expressions see.
    pub fn columns(&self) -> Option<&Columns> {
        match self {
            Flow::Trace(trace) => trace.focused(),
            Flow::Table(columns) => Some(columns),
            _ => None,
        }
    }

    /// The same kind with other columns.
    pub fn with_columns(&self, columns: Columns) -> Flow {
        match self {
            Flow::Trace(trace) => Flow::Trace(trace.with_focused(columns)),
            _ => Flow::Table(columns),
        }
    }
}
