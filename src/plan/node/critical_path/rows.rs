//! From the answers of `algo::critical_path` to rows.

use std::num::NonZeroU32;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringViewArray, UInt32Array,
};
use arrow::compute::take;
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::error::Result;

use super::super::kernel::{Batches, Work};
use super::claims::Claims;
use super::{ADDED, CriticalPath, LinkCounts, field, mode};
use crate::algo::critical_path::{
    Analysis, Blocking, Dependencies, Dependency, Edge, Kind, Point, SweepRow,
};

/// The columns of the states, then those of the analysis; an earlier analysis' are replaced.
pub(super) fn claim_schema(states: &Schema) -> Schema {
    let kept = states
        .fields()
        .iter()
        .filter(|field| !ADDED.contains(&field.name().as_str()))
        .cloned();
    let added = [
        DataType::Boolean,
        DataType::Int64,
        DataType::Int64,
        DataType::Int64,
        DataType::Utf8View,
    ];
    let added = ADDED
        .into_iter()
        .zip(added)
        .map(|(name, data_type)| Arc::new(field(name, data_type)));
    Schema::new(kept.chain(added).collect::<Vec<_>>())
}

/// The states as they came, each with its columns.
pub(super) fn claims(
    states: Vec<RecordBatch>,
    claims: &Claims,
    analysis: &Arc<Analysis>,
    work: &Arc<Work>,
) -> Result<Batches> {
    let work = Arc::clone(work);
    let analysis = Arc::clone(analysis);
    let places = claims.place_of.clone();
    let mut first = 0;
    Ok(Box::new(states.into_iter().map(move |batch| {
        let places = &places[first..first + batch.num_rows()];
        first += batch.num_rows();
        let number = |column: &[Option<NonZeroU32>], place: usize| {
            let value = column.get(place).copied().flatten();
            value.map(|value| i64::from(value.get()))
        };
        let of = |place: &u32| *place as usize;
        let added: [ArrayRef; 5] = [
            Arc::new(BooleanArray::from_iter(
                places.iter().map(|p| analysis.critical.get(of(p)).copied()),
            )),
            Arc::new(Int64Array::from_iter(
                places
                    .iter()
                    .map(|p| analysis.slack.as_ref()?.get(of(p)).copied()),
            )),
            Arc::new(Int64Array::from_iter(
                places.iter().map(|p| number(&analysis.path_order, of(p))),
            )),
            Arc::new(Int64Array::from_iter(
                places
                    .iter()
                    .map(|p| number(&analysis.path_position, of(p))),
            )),
            Arc::new(StringViewArray::from_iter(places.iter().map(|p| {
                let waited = analysis.blocking.get(of(p)).copied().flatten();
                waited.map(blocking)
            }))),
        ];
        let schema = batch.schema();
        let kept = schema
            .fields()
            .iter()
            .zip(batch.columns())
            .filter(|(field, _)| !ADDED.contains(&field.name().as_str()))
            .map(|(_, column)| Arc::clone(column));
        let columns = kept.chain(added).collect();
        Ok(RecordBatch::try_new(Arc::clone(&work.output), columns)?)
    })))
}

fn blocking(blocking: Blocking) -> &'static str {
    match blocking {
        Blocking::Start => "start",
        Blocking::Dependency => "dependency",
        Blocking::Resource => "resource",
        Blocking::Other => "other",
    }
}

fn point(point: Point) -> &'static str {
    match point {
        Point::Start => "start",
        Point::End => "end",
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Dependency => "dependency",
        Kind::Resource => "resource",
        Kind::Other => "other",
    }
}

/// The edges as the verb shows them, and behind that what a link needs besides.
pub(super) fn edge_schema(id: &DataType) -> Schema {
    let text = |name: &str| field(name, DataType::Utf8View);
    let number = |name: &str| field(name, DataType::Int64);
    let fields: Vec<Field> = vec![
        field("from", id.clone()),
        field("to", id.clone()),
        text("from_point"),
        text("to_point"),
        number("gap"),
        field("is_application_dependency", DataType::Boolean),
        text("kind"),
        number("junction"),
        number("edge"),
        text("source_resource"),
        text("target_resource"),
        number("start"),
        number("end"),
    ];
    Schema::new(fields)
}

/// The first `most` critical edges, made as they are asked for.
pub(super) fn edges(
    claims: Claims,
    analysis: &Arc<Analysis>,
    most: usize,
    work: &Arc<Work>,
) -> Result<Batches> {
    let work = Arc::clone(work);
    let mut edges = analysis.edges.iter().take(most);
    let mut written = 0;
    Ok(Box::new(std::iter::from_fn(move || {
        let batch: Vec<Edge> = edges.by_ref().take(work.batch_size).collect();
        if batch.is_empty() {
            return None;
        }
        let rows = edge_rows(&claims, &batch, written, &work);
        written += batch.len() as i64;
        Some(rows)
    })))
}

fn edge_rows(claims: &Claims, edges: &[Edge], written: i64, work: &Work) -> Result<RecordBatch> {
    let ends = |end: fn(&Edge) -> u32| -> UInt32Array {
        edges
            .iter()
            .map(|edge| claims.row_at[end(edge) as usize])
            .collect()
    };
    let (from, to) = (ends(|edge| edge.from), ends(|edge| edge.to));
    let text = |of: &dyn Fn(&Edge) -> &'static str| -> ArrayRef {
        Arc::new(StringViewArray::from_iter_values(edges.iter().map(of)))
    };
    let number = |of: &dyn Fn(&Edge) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(edges.iter().map(of)))
    };
    let columns: Vec<ArrayRef> = vec![
        claims.ids.take(&from)?,
        claims.ids.take(&to)?,
        text(&|edge| point(edge.from_point)),
        text(&|edge| point(edge.to_point)),
        number(&|edge| edge.gap),
        Arc::new(BooleanArray::from_iter(
            edges.iter().map(|edge| edge.is_application_dependency),
        )),
        text(&|edge| kind(edge.kind)),
        Arc::new(Int64Array::from_iter(
            edges
                .iter()
                .map(|edge| edge.junction.map(|at| i64::from(at) + 1)),
        )),
        Arc::new(Int64Array::from_iter_values(
            (written + 1)..=(written + edges.len() as i64),
        )),
        take(&claims.resource_names, &from, None)?,
        take(&claims.resource_names, &to, None)?,
        number(&|edge| claims.time(edge.from, edge.from_point)),
        number(&|edge| claims.time(edge.to, edge.to_point)),
    ];
    Ok(RecordBatch::try_new(Arc::clone(&work.output), columns)?)
}

/// The columns of the dependencies that the trace violates.
pub(super) fn violation_schema(id: &DataType) -> Schema {
    let fields = edge_schema(id)
        .fields()
        .iter()
        .take(5)
        .cloned()
        .collect::<Vec<_>>();
    Schema::new(fields)
}

/// The dependencies that the trace violates, in the order of the input.
pub(super) fn violations(
    claims: &Claims,
    violated: &[Dependency],
    work: &Arc<Work>,
) -> Result<Batches> {
    let text = |of: &dyn Fn(&Dependency) -> Point| -> ArrayRef {
        let words = violated.iter().map(|dependency| point(of(dependency)));
        Arc::new(StringViewArray::from_iter_values(words))
    };
    let gap = |dependency: &Dependency| {
        let to = claims.time(dependency.to, dependency.to_point);
        to.checked_sub(claims.time(dependency.from, dependency.from_point))
    };
    let rows = |of: &dyn Fn(&Dependency) -> u32| -> UInt32Array {
        let rows = violated.iter().map(|d| claims.row_at[of(d) as usize]);
        rows.collect()
    };
    let columns: Vec<ArrayRef> = vec![
        claims.ids.take(&rows(&|dependency| dependency.from))?,
        claims.ids.take(&rows(&|dependency| dependency.to))?,
        text(&|dependency| dependency.from_point),
        text(&|dependency| dependency.to_point),
        Arc::new(Int64Array::from_iter(violated.iter().map(gap))),
    ];
    let batch = RecordBatch::try_new(Arc::clone(&work.output), columns)?;
    Ok(Box::new(std::iter::once(Ok(batch))))
}

/// The columns of the summary.
pub(super) fn summary_schema() -> Schema {
    let number = |name: &str| field(name, DataType::Int64);
    Schema::new(vec![
        field("mode", DataType::Utf8View),
        number("epsilon"),
        number("claims"),
        number("dependencies"),
        number("dropped_dependencies"),
        number("violated_dependencies"),
        number("makespan"),
        number("length"),
        number("path_gap"),
        field("share", DataType::Float64),
        number("critical_claims"),
        number("critical_edges"),
        field("first", DataType::Utf8View),
        field("last", DataType::Utf8View),
    ])
}

/// The one row about an analysis.
pub(super) fn summary(
    node: &CriticalPath,
    claims: &Claims,
    analysis: &Analysis,
    links: LinkCounts,
    work: &Arc<Work>,
) -> Result<Batches> {
    let one = |value: Option<i64>| -> ArrayRef { Arc::new(Int64Array::from(vec![value])) };
    let text = |value: Option<String>| -> ArrayRef { Arc::new(StringViewArray::from(vec![value])) };
    let is_full = node.options.dependencies == Dependencies::Full;
    let id = |place: Option<&u32>| place.map(|&p| claims.ids.text(claims.row_at[p as usize]));
    let path = &analysis.path;
    let counted = |count: usize| Some(count as i64);
    let makespan = analysis.makespan;
    let share = (makespan > 0).then(|| analysis.length as f64 / makespan as f64);
    let columns: Vec<ArrayRef> = vec![
        text(Some(mode(node.options.dependencies).to_owned())),
        one((!is_full).then_some(node.options.epsilon)),
        one(counted(claims.len())),
        one(links.is_known.then_some(links.used as i64)),
        one(links.is_known.then_some(links.dropped as i64)),
        one(is_full.then_some(analysis.violated.len() as i64)),
        one(Some(makespan)),
        one(Some(analysis.length)),
        one(Some(analysis.path_gap)),
        Arc::new(Float64Array::from(vec![share])),
        one(counted(analysis.critical.iter().filter(|is| **is).count())),
        one(i64::try_from(analysis.edges.len()).ok()),
        text(id(path.first())),
        text(id(path.last())),
    ];
    let batch = RecordBatch::try_new(Arc::clone(&work.output), columns)?;
    Ok(Box::new(std::iter::once(Ok(batch))))
}

/// The columns of a sweep.
pub(super) fn sweep_schema() -> Schema {
    let number = |name: &str| field(name, DataType::Int64);
    Schema::new(vec![
        number("epsilon"),
        number("length"),
        field("share", DataType::Float64),
        number("path_gap"),
        number("critical"),
        field("spans", DataType::Boolean),
    ])
}

/// A row for each tolerance.
pub(super) fn sweep(claims: &Claims, sweep: &[SweepRow], work: &Arc<Work>) -> Result<Batches> {
    let first = claims.start.iter().min().copied().unwrap_or(0);
    let last = claims.end.iter().max().copied().unwrap_or(0);
    let makespan = (i128::from(last) - i128::from(first)) as f64;
    let number = |of: &dyn Fn(&SweepRow) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(sweep.iter().map(of)))
    };
    let columns: Vec<ArrayRef> = vec![
        number(&|row| row.epsilon),
        number(&|row| row.length),
        Arc::new(Float64Array::from_iter(sweep.iter().map(|row| {
            (makespan > 0.0).then_some(row.length as f64 / makespan)
        }))),
        number(&|row| row.path_gap),
        number(&|row| row.critical as i64),
        Arc::new(BooleanArray::from_iter(
            sweep.iter().map(|row| Some(row.spans)),
        )),
    ];
    let batch = RecordBatch::try_new(Arc::clone(&work.output), columns)?;
    Ok(Box::new(std::iter::once(Ok(batch))))
}
