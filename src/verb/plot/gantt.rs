//! From the rows of `plot-gantt` to the chart: bars, arrows between them, lines to compare with.

use super::rows::{Names, part, time_base};
use crate::diag::{Diag, code};
use crate::figure::chart::gantt::{
    Claim, Critical, End, Link, LinkClass, Marks, Options, Reference, Row, Table,
};
use crate::figure::chart::{self, Chart};
use crate::model::Clock;
use crate::model::schema::column;
use crate::plan::data::{Draw, Inputs};
use crate::spec::format_float;
use crate::verb::analysis::critical_path::CRITICAL;
use crate::verb::context::texts;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, StringViewArray};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::arrow::record_batch::RecordBatch;
use std::collections::HashMap;

pub use crate::figure::scale::Lens;

/// How a null is written where a name stands.
const NULL: &str = "(null)";

/// More arrows than that are a smear, and slow to draw.
const MOST_ARROWS: usize = 20_000;

/// How the states are drawn.
pub struct Gantt {
    /// Everything that needs no rows.
    pub options: Options,
    /// The part of the time axis that is shown.
    pub range: (Option<i64>, Option<i64>),
    /// Columns that hold ticks and are shown as times.
    pub times: Vec<&'static str>,
    /// The dependencies say which critical edges the application asked for.
    pub is_application: bool,
    /// A row is a resource, so that its capacity is known and an arrow may end at a place.
    pub is_resource_view: bool,
}

/// The bars of all batches, by column.
#[derive(Default)]
struct Bars {
    rows: Names<String>,
    groups: Names<String>,
    /// The group of each row.
    group_of: Vec<Option<u32>>,
    values: Names<String>,
    labels: Names<String>,
    marks: Marks,
    /// Marks by the id of their state.
    ids: HashMap<String, u32>,
    without_time: usize,
}

impl Gantt {
    /// A column as text: times as a script would write them.
    fn text(
        &self,
        batch: &RecordBatch,
        name: &str,
        clock: Clock,
    ) -> Result<Option<StringViewArray>, Diag> {
        if batch.column_by_name(name).is_none() {
            return Ok(None);
        }
        if let Some(floats) = batch
            .column_by_name(name)
            .and_then(|column| column.as_primitive_opt::<Float64Type>())
        {
            let texts = floats.iter().map(|number| number.map(format_float));
            return Ok(Some(texts.collect()));
        }
        if self.times.contains(&name) {
            let ticks = part(batch, name, &DataType::Int64)?;
            let ticks = ticks.as_primitive::<Int64Type>();
            let texts = ticks
                .iter()
                .map(|tick| tick.map(|tick| clock.written(tick)));
            return Ok(Some(texts.collect()));
        }
        let text = part(batch, name, &DataType::Utf8View)?;
        Ok(Some(text.as_string_view().clone()))
    }

    fn add(
        &self,
        bars: &mut Bars,
        batch: &RecordBatch,
        clock: Clock,
        capacities: &HashMap<String, f64>,
    ) -> Result<(), Diag> {
        let text = |name: &str| self.text(batch, name, clock);
        let (row, group) = (text("row")?, text("group")?);
        let (value, label) = (text("value")?, text("label")?);
        let (id, blocking) = (text(column::ID)?, text("blocking")?);
        let typed = |name: &str, data_type: &DataType| -> Result<Option<ArrayRef>, Diag> {
            match batch.column_by_name(name) {
                Some(_) => part(batch, name, data_type).map(Some),
                None => Ok(None),
            }
        };
        let (start, end) = (
            part(batch, column::START, &DataType::Int64)?,
            part(batch, column::END, &DataType::Int64)?,
        );
        let (start, end) = (
            start.as_primitive::<Int64Type>(),
            end.as_primitive::<Int64Type>(),
        );
        let depth = typed(column::DEPTH, &DataType::Int64)?;
        let depth = depth
            .as_ref()
            .map(|depth| depth.as_primitive::<Int64Type>());
        let amount = typed(column::AMOUNT, &DataType::Float64)?;
        let amount = amount
            .as_ref()
            .map(|amount| amount.as_primitive::<Float64Type>());
        let offset = typed(column::OFFSET, &DataType::Float64)?;
        let offset = offset
            .as_ref()
            .map(|offset| offset.as_primitive::<Float64Type>());
        let critical = typed("critical", &DataType::Boolean)?;
        let critical = critical.as_ref().map(|critical| critical.as_boolean());
        let marks = &mut bars.marks;
        for at in 0..batch.num_rows() {
            if start.is_null(at) || end.is_null(at) {
                bars.without_time += 1;
                continue;
            }
            let name = |column: &Option<StringViewArray>| -> String {
                match column {
                    Some(column) if column.is_valid(at) => column.value(at).to_owned(),
                    Some(_) => NULL.to_owned(),
                    None => String::new(),
                }
            };
            let resource = name(&row);
            let capacity = capacities.get(&resource).copied();
            let number = bars.rows.number(&resource);
            if number as usize == bars.group_of.len() {
                let group = group.as_ref().map(|group| (group, group.is_valid(at)));
                bars.group_of.push(match group {
                    Some((group, true)) => Some(bars.groups.number(&group.value(at).to_owned())),
                    _ => None,
                });
            }
            if id.is_some() {
                bars.ids.insert(name(&id), marks.row.len() as u32);
            }
            marks.row.push(number);
            marks.start.push(start.value(at));
            marks.end.push(end.value(at).max(start.value(at)));
            if value.is_some() {
                marks.value.push(bars.values.number(&name(&value)));
            }
            if let Some(label) = &label {
                let text = label.is_valid(at).then(|| label.value(at).to_owned());
                let text = text.filter(|text| !text.is_empty());
                marks.label.push(text.map(|text| bars.labels.number(&text)));
            }
            if let Some(depth) = depth {
                let depth = if depth.is_valid(at) {
                    depth.value(at)
                } else {
                    0
                };
                marks.depth.push(u32::try_from(depth).unwrap_or(0));
            }
            if let Some(amount) = amount {
                let amount = amount.is_valid(at).then(|| amount.value(at));
                let offset = offset
                    .filter(|offset| offset.is_valid(at))
                    .map(|offset| offset.value(at));
                let claim = amount.zip(capacity).map(|(amount, capacity)| Claim {
                    amount: amount.max(0.0),
                    capacity,
                    offset: offset.map(|offset| offset.max(0.0)),
                });
                marks.claim.push(claim);
            }
            if let Some(critical) = critical {
                let is_critical = critical.is_valid(at) && critical.value(at);
                let is_blocked_otherwise =
                    self.is_application && matches!(name(&blocking).as_str(), "resource" | "other");
                marks
                    .critical
                    .push(match (is_critical, is_blocked_otherwise) {
                        (false, _) => Critical::NotCritical,
                        (true, false) => Critical::Critical,
                        (true, true) => Critical::NotBlockedByDependency,
                    });
            }
        }
        Ok(())
    }

    /// The arrows whose ends are both in the picture, and how many are not.
    fn links(&self, bars: &mut Bars, batches: &[RecordBatch]) -> Result<(Vec<Link>, usize), Diag> {
        let mut out = Vec::new();
        let mut left_out = 0;
        for batch in batches {
            let text = |name: &str| self.text(batch, name, Clock::logical());
            let (kind, value) = (text(column::TYPE)?, text(column::VALUE)?);
            let ids = [text(column::SOURCE)?, text(column::TARGET)?];
            let points = [text(column::SOURCE_POINT)?, text(column::TARGET_POINT)?];
            let places = [
                text(column::SOURCE_RESOURCE)?,
                text(column::TARGET_RESOURCE)?,
            ];
            let times = [column::START, column::END].map(|name| {
                batch
                    .column_by_name(name)
                    .and_then(|column| column.as_primitive_opt::<Int64Type>())
            });
            for at in 0..batch.num_rows() {
                let cell = |column: &Option<StringViewArray>| {
                    let column = column.as_ref().filter(|column| column.is_valid(at))?;
                    Some(column.value(at).to_owned())
                };
                let end = |side: usize| -> Option<End> {
                    let default = if side == 0 { "end" } else { "start" };
                    if let Some(mark) = cell(&ids[side]).and_then(|id| bars.ids.get(&id).copied()) {
                        let point = cell(&points[side]);
                        let index = mark as usize;
                        let time = if point.as_deref().unwrap_or(default) == "start" {
                            bars.marks.start.get(index)
                        } else {
                            bars.marks.end.get(index)
                        };
                        return Some(End {
                            row: bars.marks.row.get(index).copied()?,
                            time: time.copied()?,
                            mark: Some(mark),
                        });
                    }
                    let row = cell(&places[side]).filter(|_| self.is_resource_view)?;
                    let times = times[side].filter(|times| times.is_valid(at))?;
                    Some(End {
                        row: bars.rows.find(&row)?,
                        time: times.value(at),
                        mark: None,
                    })
                };
                let (Some(from), Some(to)) = (end(0), end(1)) else {
                    left_out += 1;
                    continue;
                };
                let is_critical = cell(&kind).as_deref() == Some(CRITICAL);
                let conforms = cell(&value).as_deref() == Some("dependency");
                let class = match (is_critical, self.is_application && !conforms) {
                    (false, _) => LinkClass::Normal,
                    (true, false) => LinkClass::Critical,
                    (true, true) => LinkClass::NotDependency,
                };
                out.push(Link { class, from, to });
            }
        }
        // Critical arrows lie over the others.
        out.sort_by_key(|link| match link.class {
            LinkClass::Normal => 0,
            LinkClass::Critical => 1,
            LinkClass::NotDependency => 2,
        });
        Ok((out, left_out))
    }
}

/// The lines at the length of the path and the makespan, counted from the first start.
fn references(batches: &[RecordBatch], first: i64) -> Vec<Reference> {
    let cell = |name: &str| {
        let batch = batches.iter().find(|batch| batch.num_rows() > 0)?;
        let column = batch
            .column_by_name(name)?
            .as_primitive_opt::<Int64Type>()?;
        column.is_valid(0).then(|| column.value(0))
    };
    [("length", "critical length"), ("makespan", "makespan")]
        .into_iter()
        .filter_map(|(name, label)| {
            Some(Reference {
                time: first.checked_add(cell(name)?)?,
                label: label.to_owned(),
            })
        })
        .collect()
}

impl Draw for Gantt {
    fn chart(
        &self,
        inputs: &Inputs,
        domain: &[String],
    ) -> Result<(Box<dyn Chart>, Vec<Diag>), Diag> {
        let clock = inputs.clock;
        let mut capacities = HashMap::new();
        for batch in inputs.rows("resources") {
            let paths = part(batch, "path", &DataType::Utf8View)?;
            let numbers = part(batch, column::CAPACITY, &DataType::Float64)?;
            let numbers = numbers.as_primitive::<Float64Type>();
            for (path, capacity) in paths.as_string_view().iter().zip(numbers.iter()) {
                if let (Some(path), Some(capacity)) = (path, capacity)
                    && capacity > 0.0
                {
                    capacities.insert(path.to_owned(), capacity);
                }
            }
        }
        let mut bars = Bars::default();
        for batch in inputs.rows("bars") {
            self.add(&mut bars, batch, clock, &capacities)?;
        }
        let (mut links, left_out) = self.links(&mut bars, inputs.rows("links"))?;
        let too_many = links.len().saturating_sub(MOST_ARROWS);
        // The critical ones stand last and stay.
        links.drain(..too_many);
        let domain = match inputs.has("domain") {
            true => texts(inputs.rows("domain"), 0),
            false => domain.to_vec(),
        };
        let first = bars.marks.start.iter().min().copied();
        let last = bars.marks.end.iter().max().copied();
        let mut options = self.options.clone();
        let mut diags = Vec::new();
        let (low, high) = (self.range.0.or(first), self.range.1.or(last));
        if let (Some(lens), Some(low), Some(high)) = (options.lens, low, high)
            && (lens.end <= low || lens.start >= high)
        {
            options.lens = None;
            diags.push(Diag::warning(
                &code::FIGURE,
                format!(
                    "`fisheye` magnifies nothing: the figure shows {} to {}",
                    clock.written(low),
                    clock.written(high)
                ),
            ));
        }
        if self.range.0.is_some() || self.range.1.is_some() {
            options.time_range = Some((
                self.range.0.or(first).unwrap_or(0),
                self.range.1.or(last).unwrap_or(0),
            ));
        }
        let table = Table {
            rows: bars
                .rows
                .list
                .into_iter()
                .zip(bars.group_of)
                .map(|(label, group)| Row { label, group })
                .collect(),
            groups: bars.groups.list,
            domain: super::rows::with_made(domain, &bars.values.list),
            values: bars.values.list,
            labels: bars.labels.list,
            references: references(inputs.rows("summary"), first.unwrap_or(0)),
            marks: bars.marks,
            links,
            time: time_base(clock),
        };
        for (count, what) in [
            (bars.without_time, "states without a start or end were"),
            (left_out, "links without both ends in the picture were"),
            (too_many, "arrows beyond 20,000 were"),
        ] {
            if count > 0 {
                diags.push(Diag::warning(
                    &code::NULLS_LEFT_OUT,
                    format!("{count} {what} left out of the figure"),
                ));
            }
        }
        Ok((Box::new(chart::Gantt { table, options }), diags))
    }
}
