//! From rows to what the kernel of `algo::critical_path` reads: claims in the order of the input, dependencies by the places
//! of their ends.

use std::cmp::Ordering;

use arrow::array::{
    Array, ArrayRef, AsArray, Int64Array, RecordBatch, StringViewArray, UInt32Array,
    new_empty_array,
};
use arrow::compute::{cast, concat, take};
use arrow::datatypes::{DataType, Int64Type, SchemaRef};
use datafusion::common::exec_datafusion_err;
use datafusion::error::Result;

use super::super::error::{BadReason, BadState, ClaimFault};
use super::super::kernel::Work;
use super::super::names::Names;
use super::super::track::{END, RESOURCE, ROW, START};
use crate::algo::critical_path::{Dependency, Point};

/// The column of ids.
pub(super) const ID: &str = "id";

/// Ids of claims, by row.
#[derive(Debug)]
pub(super) enum Ids {
    Number(Int64Array),
    Text(StringViewArray),
}

impl Ids {
    fn new(column: &ArrayRef) -> Result<Self> {
        Ok(match column.data_type() {
            DataType::Int64 => Self::Number(column.as_primitive::<Int64Type>().clone()),
            _ => Self::Text(cast(column, &DataType::Utf8View)?.as_string_view().clone()),
        })
    }

    fn compare(&self, left: u32, right: u32) -> Ordering {
        let (left, right) = (left as usize, right as usize);
        match self {
            Self::Number(ids) => ids.value(left).cmp(&ids.value(right)),
            Self::Text(ids) => ids.value(left).cmp(ids.value(right)),
        }
    }

    fn is_null(&self, row: u32) -> bool {
        match self {
            Self::Number(ids) => ids.is_null(row as usize),
            Self::Text(ids) => ids.is_null(row as usize),
        }
    }

    /// The id of a row as text.
    pub(super) fn text(&self, row: u32) -> String {
        match self {
            Self::Number(ids) => ids.value(row as usize).to_string(),
            Self::Text(ids) => ids.value(row as usize).to_owned(),
        }
    }

    /// The ids of some rows as a column.
    pub(super) fn take(&self, rows: &UInt32Array) -> Result<ArrayRef> {
        Ok(match self {
            Self::Number(ids) => take(ids, rows, None)?,
            Self::Text(ids) => take(ids, rows, None)?,
        })
    }
}

/// The claims. A place is where a claim stands in the input (by file and line, then start, then id): the kernel counts in
/// places. A row is where it stands in the batches.
#[derive(Debug)]
pub(super) struct Claims {
    pub(super) ids: Ids,
    /// The row at each place.
    pub(super) row_at: Vec<u32>,
    /// The place of each row.
    pub(super) place_of: Vec<u32>,
    /// By place.
    pub(super) start: Vec<i64>,
    pub(super) end: Vec<i64>,
    pub(super) resource: Vec<u32>,
    /// By row.
    pub(super) resource_names: StringViewArray,
    /// Rows by id.
    by_id: Vec<u32>,
}

impl Claims {
    /// Reads the states. Every row needs an id of its own, a start and an end that is not before it.
    pub(super) fn read(schema: &SchemaRef, batches: &[RecordBatch], work: &Work) -> Result<Self> {
        let count: usize = batches.iter().map(RecordBatch::num_rows).sum();
        // Start, end, id and line by row; start, end and resource by place; two permutations; ids in order.
        work.grow(count * (4 * 8 + 2 * 8 + 4 + 3 * 4))?;
        let column = |name: &str| -> Result<ArrayRef> {
            let at = schema.index_of(name)?;
            let parts: Vec<&dyn Array> = batches
                .iter()
                .map(|batch| batch.column(at).as_ref())
                .collect();
            if parts.is_empty() {
                return Ok(new_empty_array(schema.field(at).data_type()));
            }
            Ok(concat(&parts)?)
        };
        let times = |name: &str| -> Result<Int64Array> {
            Ok(cast(&column(name)?, &DataType::Int64)?
                .as_primitive::<Int64Type>()
                .clone())
        };
        let (starts, ends) = (times(START)?, times(END)?);
        let file_rows = match schema.field_with_name(ROW) {
            Ok(field) if *field.data_type() == DataType::Int64 => Some(times(ROW)?),
            _ => None,
        };
        let ids = Ids::new(&column(ID)?)?;
        check(&starts, &ends, file_rows.as_ref())?;
        let by_id = by_id(&ids, count)?;
        let line = |row: u32| {
            file_rows
                .as_ref()
                .filter(|rows| rows.is_valid(row as usize))
                .map(|rows| rows.value(row as usize))
        };
        let mut row_at: Vec<u32> = (0..count as u32).collect();
        let order = |&left: &u32, &right: &u32| {
            line(left)
                .cmp(&line(right))
                .then_with(|| {
                    starts
                        .value(left as usize)
                        .cmp(&starts.value(right as usize))
                })
                .then_with(|| ids.compare(left, right))
        };
        // A sort cannot be stopped: do without where the rows stand right.
        if !row_at.is_sorted_by(|left, right| order(left, right).is_le()) {
            row_at.sort_unstable_by(order);
        }
        let mut place_of = vec![0; count];
        for (place, &row) in row_at.iter().enumerate() {
            place_of[row as usize] = place as u32;
        }
        let mut names = Names::default();
        let resources = cast(&column(RESOURCE)?, &DataType::Utf8View)?;
        let resource_names = resources.as_string_view().clone();
        let mut resources = names.intern(&resource_names);
        // A resource that is not known is the same as no other.
        let mut unknown = u32::MAX;
        for (row, number) in resources.iter_mut().enumerate() {
            if resource_names.is_null(row) {
                *number = unknown;
                unknown -= 1;
            }
        }
        let at_place = |values: &Int64Array| -> Vec<i64> {
            row_at
                .iter()
                .map(|&row| values.value(row as usize))
                .collect()
        };
        Ok(Self {
            start: at_place(&starts),
            end: at_place(&ends),
            resource: row_at.iter().map(|&row| resources[row as usize]).collect(),
            resource_names,
            ids,
            row_at,
            place_of,
            by_id,
        })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.row_at.len()
    }

    /// When a point of a claim is.
    pub(super) fn time(&self, place: u32, point: Point) -> i64 {
        match point {
            Point::Start => self.start[place as usize],
            Point::End => self.end[place as usize],
        }
    }

    /// The claim with this id.
    fn find(&self, other: &Ids, row: u32) -> Option<u32> {
        let found = self
            .by_id
            .binary_search_by(|&mine| match (&self.ids, other) {
                (Ids::Number(ids), Ids::Number(others)) => {
                    ids.value(mine as usize).cmp(&others.value(row as usize))
                }
                (Ids::Text(ids), Ids::Text(others)) => {
                    ids.value(mine as usize).cmp(others.value(row as usize))
                }
                _ => self.ids.text(mine).cmp(&other.text(row)),
            });
        found
            .ok()
            .and_then(|at| self.by_id.get(at))
            .map(|&row| self.place_of[row as usize])
    }
}

fn check(starts: &Int64Array, ends: &Int64Array, rows: Option<&Int64Array>) -> Result<()> {
    let bad = |row: usize, reason: BadReason| BadState {
        row: rows
            .filter(|rows| rows.is_valid(row))
            .map(|rows| rows.value(row)),
        reason,
    };
    for row in 0..starts.len() {
        if starts.is_null(row) {
            return Err(bad(row, BadReason::NoStart).into());
        }
        if ends.is_null(row) {
            return Err(bad(row, BadReason::NoEnd).into());
        }
        let (start, end) = (starts.value(row), ends.value(row));
        if end < start {
            return Err(bad(row, BadReason::EndBeforeStart { start, end }).into());
        }
    }
    Ok(())
}

/// Rows by id, each of which stands once.
fn by_id(ids: &Ids, count: usize) -> Result<Vec<u32>> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    if let Some(&row) = order.iter().find(|&&row| ids.is_null(row)) {
        return Err(ClaimFault::NoId { row }.into());
    }
    let is_sorted = order
        .windows(2)
        .all(|pair| ids.compare(pair[0], pair[1]) == Ordering::Less);
    if !is_sorted {
        order.sort_unstable_by(|&left, &right| ids.compare(left, right));
    }
    for pair in order.windows(2) {
        if ids.compare(pair[0], pair[1]) == Ordering::Equal {
            return Err(ClaimFault::DuplicateId {
                id: ids.text(pair[0]),
            }
            .into());
        }
    }
    Ok(order)
}

/// The dependencies of the trace that both ends are in view of.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// By the places of the claims.
    pub(super) list: Vec<Dependency>,
    /// How many lost an end.
    pub(super) dropped: usize,
    /// How many links say which claims they join.
    pub(super) named: usize,
    /// How many only join places.
    pub(super) unnamed: usize,
}

/// Reads the links. A link whose end is no claim was dropped by a filter where there was one (`is_filtered`), and is an
/// error else.
pub(super) fn links(batches: &[RecordBatch], claims: &Claims, is_filtered: bool) -> Result<Links> {
    let mut out = Links::default();
    for batch in batches {
        let column = |name: &str| batch.column_by_name(name);
        let (Some(source), Some(target)) = (column("source"), column("target")) else {
            return Err(exec_datafusion_err!("links have no `source` and `target`"));
        };
        let (sources, targets) = (Ids::new(source)?, Ids::new(target)?);
        let point = |name: &str| -> Result<Option<ArrayRef>> {
            column(name)
                .map(|column| Ok(cast(column, &DataType::Utf8View)?))
                .transpose()
        };
        let points = [point("source_point")?, point("target_point")?];
        let delay = |name: &str| -> Result<Option<ArrayRef>> {
            column(name)
                .filter(|column| *column.data_type() == DataType::Int64)
                .map(|column| Ok(cast(column, &DataType::Int64)?))
                .transpose()
        };
        let delays = [delay("min_delay")?, delay("max_delay")?];
        for row in 0..batch.num_rows() as u32 {
            if sources.is_null(row) || targets.is_null(row) {
                out.unnamed += 1;
                continue;
            }
            out.named += 1;
            let ends = (claims.find(&sources, row), claims.find(&targets, row));
            let (Some(from), Some(to)) = ends else {
                if !is_filtered {
                    let missing = if ends.0.is_none() { &sources } else { &targets };
                    return Err(ClaimFault::UnknownId {
                        id: missing.text(row),
                        from: sources.text(row),
                        to: targets.text(row),
                    }
                    .into());
                }
                out.dropped += 1;
                continue;
            };
            let at = |points: &Option<ArrayRef>, default: Point| match points {
                Some(points) if points.is_valid(row as usize) => {
                    match points.as_string_view().value(row as usize) {
                        "start" => Ok(Point::Start),
                        "end" => Ok(Point::End),
                        other => Err(ClaimFault::BadPoint {
                            point: other.to_owned(),
                            from: sources.text(row),
                            to: targets.text(row),
                        }),
                    }
                }
                _ => Ok(default),
            };
            let ticks = |delays: &Option<ArrayRef>| {
                delays
                    .as_ref()
                    .map(|delays| delays.as_primitive::<Int64Type>())
                    .filter(|delays| delays.is_valid(row as usize))
                    .map(|delays| delays.value(row as usize))
            };
            out.list.push(Dependency {
                from,
                to,
                from_point: at(&points[0], Point::End)?,
                to_point: at(&points[1], Point::Start)?,
                min_delay: ticks(&delays[0]),
                max_delay: ticks(&delays[1]),
            });
        }
    }
    Ok(out)
}
