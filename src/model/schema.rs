//! Names, Arrow types and metadata of the relations of a trace (design.md section 3).
//!
//! In plans every name column is `Utf8View`; stored batches may hold dictionaries of the same text, which
//! the scan unpacks. Times are Int64 ticks whose field metadata says so.

use super::Clock;
use crate::spec::{TimeUnit, Type};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use std::collections::HashMap;
use std::sync::Arc;

/// Column names of the model.
pub mod column {
    /// Identity of a row: the file's own ids, else row numbers.
    pub const ID: &str = "id";
    /// Identity of the resource, see [`PATH`].
    pub const RESOURCE: &str = "resource";
    /// Type of the state, event or link.
    pub const TYPE: &str = "type";
    /// Value (name) of the state, event or link; number of a variable.
    pub const VALUE: &str = "value";
    /// Start of an interval, ticks.
    pub const START: &str = "start";
    /// End of an interval, ticks.
    pub const END: &str = "end";
    /// Time of an event, ticks.
    pub const TIME: &str = "time";
    /// Nesting depth, 0 outermost.
    pub const DEPTH: &str = "depth";
    /// True where the trace ended before the state did.
    pub const TRUNCATED: &str = "truncated";
    /// Hidden: where the row came from, `file index * 2^40 + line`; breaks last ties.
    pub const ROW: &str = "row";
    /// Computed: `end - start`.
    pub const DURATION: &str = "duration";
    /// Name of a variable.
    pub const METRIC: &str = "metric";
    /// State id a link leaves from.
    pub const SOURCE: &str = "source";
    /// State id a link arrives at.
    pub const TARGET: &str = "target";
    /// `start` or `end`: which end of the source state the link leaves.
    pub const SOURCE_POINT: &str = "source_point";
    /// `start` or `end`: which end of the target state the link reaches.
    pub const TARGET_POINT: &str = "target_point";
    /// Resource a link leaves from.
    pub const SOURCE_RESOURCE: &str = "source_resource";
    /// Resource a link arrives at.
    pub const TARGET_RESOURCE: &str = "target_resource";
    /// Attribute of a link: the least time between its ends, where there is such a bound; ticks.
    pub const MIN_DELAY: &str = "min_delay";
    /// Attribute of a link: the most time between its ends; ticks.
    pub const MAX_DELAY: &str = "max_delay";
    /// Attribute of a link: the id of the event it leaves, where that is no state.
    pub const SOURCE_EVENT: &str = "source_event";
    /// Attribute of a link: the id of the event it reaches, where that is no state.
    pub const TARGET_EVENT: &str = "target_event";
    /// Attribute of a resource: the file's own id, where it has one.
    pub const RESOURCE_ID: &str = "resource_id";
    /// Attribute of a resource: `true` where claims say which part of it they take.
    pub const USES_OFFSET: &str = "uses_offset";
    /// Attribute of the resource that stands for the whole trace: milliseconds from the Unix epoch to time 0.
    pub const ORIGIN: &str = "origin";
    /// The file's key of a link.
    pub const KEY: &str = "key";
    /// Identity of a resource: its bare name where no other of the trace has it, else the names from its
    /// root down (`root/program/CPU0`).
    pub const PATH: &str = "path";
    /// Bare name of a resource.
    pub const NAME: &str = "name";
    /// Identity of the parent resource.
    pub const PARENT: &str = "parent";
    /// Capacity of a resource.
    pub const CAPACITY: &str = "capacity";
    /// Amount of a claim.
    pub const AMOUNT: &str = "amount";
    /// Offset of a claim within the capacity.
    pub const OFFSET: &str = "offset";
    /// File of a rejected row.
    pub const FILE: &str = "file";
    /// Line of a rejected row.
    pub const LINE: &str = "line";
    /// Reason code of a rejected row.
    pub const CODE: &str = "code";
    /// Text of a rejected row.
    pub const TEXT: &str = "text";
}

/// The relations of a trace, in the order they are listed.
pub const RELATIONS: [&str; 6] = [STATES, EVENTS, LINKS, VARIABLES, RESOURCES, REJECTS];
/// States of resources over time.
pub const STATES: &str = "states";
/// Instants.
pub const EVENTS: &str = "events";
/// Arrows between states or places.
pub const LINKS: &str = "links";
/// Numbers over time.
pub const VARIABLES: &str = "variables";
/// The tree of resources.
pub const RESOURCES: &str = "resources";
/// Rows the reader could not use.
pub const REJECTS: &str = "rejects";

/// Field metadata key: the resolution of a time column (`ns`), or `logical`.
pub const TIME_KEY: &str = "marey.time";
/// Field metadata key: the unit of the file a time column came from.
pub const UNIT_KEY: &str = "marey.unit";
/// Field metadata key: the column is not shown unless named.
pub const HIDDEN_KEY: &str = "marey.hidden";

/// A time column.
pub fn time_field(name: &str, clock: Clock, nullable: bool) -> Field {
    Field::new(name, DataType::Int64, nullable).with_metadata(time_metadata(clock))
}

/// The metadata of a time column.
pub fn time_metadata(clock: Clock) -> HashMap<String, String> {
    let resolution = if clock.is_logical() {
        "logical"
    } else {
        clock.resolution.name()
    };
    let mut metadata = HashMap::from([(TIME_KEY.to_owned(), resolution.to_owned())]);
    if let Some(unit) = clock.unit {
        metadata.insert(UNIT_KEY.to_owned(), unit.name().to_owned());
    }
    metadata
}

/// The clock that a time column's metadata says; None for other columns.
pub fn clock_of(field: &Field) -> Option<Clock> {
    let resolution = field.metadata().get(TIME_KEY)?;
    if resolution == "logical" {
        return Some(Clock::logical());
    }
    let resolution = TimeUnit::from_name(resolution)?;
    let unit = field
        .metadata()
        .get(UNIT_KEY)
        .and_then(|unit| TimeUnit::from_name(unit))
        .unwrap_or(resolution);
    Some(Clock::physical(unit, resolution))
}

/// True where the column is shown only when named.
pub fn is_hidden(field: &Field) -> bool {
    field.metadata().contains_key(HIDDEN_KEY)
}

/// A name column.
pub fn name_field(name: &str, nullable: bool) -> Field {
    Field::new(name, DataType::Utf8View, nullable)
}

/// The hidden column [`column::ROW`].
pub fn row_field() -> Field {
    Field::new(column::ROW, DataType::Int64, true)
        .with_metadata(HashMap::from([(HIDDEN_KEY.to_owned(), "true".to_owned())]))
}

/// The Arrow type of ids: integers where every id of the trace is one.
pub fn id_type(text_ids: bool) -> DataType {
    if text_ids {
        DataType::Utf8View
    } else {
        DataType::Int64
    }
}

/// The model columns of a relation, without attributes; `row` is last where the relation has it.
pub fn relation_fields(relation: &str, clock: Clock, text_ids: bool) -> Vec<Field> {
    let id = |name: &str, nullable| Field::new(name, id_type(text_ids), nullable);
    match relation {
        STATES => vec![
            id(column::ID, false),
            name_field(column::RESOURCE, false),
            name_field(column::TYPE, true),
            name_field(column::VALUE, true),
            time_field(column::START, clock, true),
            time_field(column::END, clock, true),
            Field::new(column::DEPTH, DataType::Int32, false),
            Field::new(column::TRUNCATED, DataType::Boolean, false),
            row_field(),
        ],
        EVENTS => vec![
            id(column::ID, false),
            name_field(column::RESOURCE, false),
            name_field(column::TYPE, true),
            name_field(column::VALUE, true),
            time_field(column::TIME, clock, true),
            row_field(),
        ],
        LINKS => vec![
            id(column::ID, false),
            name_field(column::TYPE, true),
            name_field(column::VALUE, true),
            id(column::SOURCE, true),
            id(column::TARGET, true),
            name_field(column::SOURCE_POINT, true),
            name_field(column::TARGET_POINT, true),
            name_field(column::SOURCE_RESOURCE, true),
            name_field(column::TARGET_RESOURCE, true),
            time_field(column::START, clock, true),
            time_field(column::END, clock, true),
            name_field(column::KEY, true),
            row_field(),
        ],
        VARIABLES => vec![
            name_field(column::RESOURCE, false),
            name_field(column::METRIC, true),
            time_field(column::START, clock, true),
            time_field(column::END, clock, true),
            Field::new(column::VALUE, DataType::Float64, true),
            row_field(),
        ],
        RESOURCES => vec![
            Field::new(column::ID, DataType::Int64, false),
            name_field(column::PATH, false),
            name_field(column::NAME, false),
            name_field(column::PARENT, true),
            name_field(column::TYPE, true),
            time_field(column::START, clock, true),
            time_field(column::END, clock, true),
            Field::new(column::CAPACITY, DataType::Float64, true),
        ],
        _ => vec![
            name_field(column::FILE, false),
            Field::new(column::LINE, DataType::Int64, false),
            name_field(column::CODE, false),
            name_field(column::TEXT, false),
        ],
    }
}

/// The schema of a relation without attributes.
pub fn relation_schema(relation: &str, clock: Clock, text_ids: bool) -> SchemaRef {
    Arc::new(Schema::new(relation_fields(relation, clock, text_ids)))
}

/// The type users see of an Arrow field.
pub fn type_of(field: &Field) -> Type {
    if let Some(clock) = clock_of(field) {
        return if clock.is_logical() {
            Type::LogicalTime
        } else {
            Type::Time
        };
    }
    match field.data_type() {
        DataType::Boolean => Type::Bool,
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
        | DataType::UInt64 => Type::Int,
        DataType::Float16
        | DataType::Float32
        | DataType::Float64
        | DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => Type::Float,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Type::String,
        DataType::Dictionary(_, value) => type_of(&Field::new("", (**value).clone(), true)),
        DataType::Null => Type::Null,
        _ => Type::Other,
    }
}
