//! The pipeline model as relations: it is small, so the whole run is made once and kept.

use super::super::opened::{Opened, open_data};
use super::{CAPACITY, IMAGES, MEMORIES, TASKS, count, optional, seed, texts, whole};
use crate::algo::pipeline::{
    self, Dependency, ParameterError, Parameters, ResourceRow, Run, Usage, task_name,
};
use crate::diag::{Diag, code};
use crate::lang::plan::Arguments;
use crate::model::schema::{
    EVENTS, LINKS, REJECTS, RESOURCES, STATES, VARIABLES, column, relation_fields,
};
use crate::model::{Clock, LoadReport, Relation, TraceData};
use crate::plan::{Data, Engine};
use crate::spec::TimeUnit;
use datafusion::arrow::array::{ArrayRef, BooleanArray, Float64Array, Int32Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::record_batch::RecordBatch;
use std::sync::Arc;

/// The number of the image; `id` is a column of the model, so the attribute has the prefix.
const IMAGE: &str = "attr.id";
/// Rows of a batch.
const BATCH: usize = 65_536;

/// Opens the model.
pub fn open(arguments: &Arguments, engine: &Engine) -> Result<Opened, Diag> {
    let parameters = parameters(arguments)?;
    let failed = |error: ParameterError| invalid(&error, arguments);
    let resources = pipeline::resources(&parameters).map_err(failed)?;
    let run = pipeline::run(&parameters).map_err(failed)?;
    let mut opened = open_data(trace(&resources, &run)?, engine)?;
    opened.report = None;
    if let Data::Trace(trace) = &mut opened.data {
        trace.has_dependencies = true;
    }
    Ok(opened)
}

fn invalid(error: &ParameterError, arguments: &Arguments) -> Diag {
    let param = match error {
        ParameterError::Tasks(_) => &TASKS,
        ParameterError::Memories(..) => &MEMORIES,
        ParameterError::Capacity(_) => &CAPACITY,
        ParameterError::Images(_) => &IMAGES,
    };
    Diag::error(&code::INVALID_VALUE, error.to_string()).at(arguments.span_of(param), "here")
}

fn parameters(arguments: &Arguments) -> Result<Parameters, Diag> {
    let default = Parameters::default();
    let tasks = count(arguments, &TASKS, default.tasks)?;
    let parameters = Parameters {
        tasks,
        // one stage has no use for a second memory
        memories: count(arguments, &MEMORIES, default.memories.min(tasks))?,
        capacity: count(arguments, &CAPACITY, default.capacity)?,
        images: count(arguments, &IMAGES, default.images)?,
        seed: seed(arguments, default.seed)?,
    };
    parameters
        .validate()
        .map_err(|error| invalid(&error, arguments))?;
    Ok(parameters)
}

fn trace(resources: &[ResourceRow], run: &Run) -> Result<TraceData, Diag> {
    let clock = Clock::physical(TimeUnit::Millisecond, TimeUnit::Nanosecond);
    let name = |index: u32| {
        let resource = resources.get(index as usize);
        resource.map(|resource| resource.name.as_str())
    };
    let relation = |relation, columns, sorted_by| make(relation, clock, columns, sorted_by);
    let by_start = [column::START, column::ROW];
    Ok(TraceData {
        clock,
        relations: vec![
            relation(STATES, states(run, name), &by_start)?,
            relation(EVENTS, Vec::new(), &[])?,
            relation(LINKS, links(run, name), &by_start)?,
            relation(VARIABLES, variables(run, name), &by_start)?,
            relation(RESOURCES, rows_of_resources(resources), &[column::ID])?,
            relation(REJECTS, Vec::new(), &[])?,
        ],
        report: LoadReport::default(),
    })
}

/// The columns of the model and the attributes, which come before the hidden number of the row.
fn fields(relation: &str, clock: Clock) -> Vec<Field> {
    let mut fields = relation_fields(relation, clock, false);
    if relation == STATES {
        let row = fields.iter().position(|field| field.name() == column::ROW);
        let attributes = [
            Field::new(column::AMOUNT, DataType::Float64, true),
            Field::new(column::OFFSET, DataType::Float64, true),
            Field::new(IMAGE, DataType::Int64, true),
        ];
        let at = row.unwrap_or(fields.len());
        fields.splice(at..at, attributes);
    }
    fields
}

/// A relation of these columns; no columns are no rows.
fn make(
    name: &'static str,
    clock: Clock,
    columns: Vec<ArrayRef>,
    sorted_by: &[&'static str],
) -> Result<Relation, Diag> {
    let schema = Arc::new(Schema::new(fields(name, clock)));
    let mut batches = Vec::new();
    if !columns.is_empty() {
        let all = RecordBatch::try_new(schema.clone(), columns)
            .map_err(|error| Diag::error(&code::INTERNAL, format!("relation `{name}`: {error}")))?;
        let rows = all.num_rows();
        let slice = |start: usize| all.slice(start, BATCH.min(rows - start));
        batches.extend((0..rows).step_by(BATCH).map(slice));
    }
    Ok(Relation {
        name,
        schema,
        batches,
        sorted_by: sorted_by.to_vec(),
    })
}

/// 0, 1, … for each row.
fn numbers(rows: usize) -> ArrayRef {
    whole(0..i64::try_from(rows).unwrap_or(i64::MAX))
}

/// The same text in each row.
fn same(text: Option<&str>, rows: usize) -> ArrayRef {
    texts(std::iter::repeat_n(text, rows))
}

fn floats(values: impl Iterator<Item = u32>) -> ArrayRef {
    Arc::new(Float64Array::from_iter_values(values.map(f64::from)))
}

fn states<'a>(run: &Run, name: impl Fn(u32) -> Option<&'a str>) -> Vec<ArrayRef> {
    let claims = &run.claims;
    vec![
        numbers(claims.len()),
        texts(claims.iter().map(|claim| name(claim.resource))),
        texts(claims.iter().map(|claim| Some(claim.kind.name()))),
        texts(claims.iter().map(|claim| Some(task_name(claim.stage)))),
        whole(claims.iter().map(|claim| claim.start)),
        whole(claims.iter().map(|claim| claim.end)),
        Arc::new(Int32Array::from(vec![0; claims.len()])),
        Arc::new(BooleanArray::from(vec![false; claims.len()])),
        floats(claims.iter().map(|claim| claim.amount)),
        floats(claims.iter().map(|claim| claim.offset)),
        whole(claims.iter().map(|claim| i64::from(claim.image))),
        numbers(claims.len()),
    ]
}

fn links<'a>(run: &Run, name: impl Fn(u32) -> Option<&'a str>) -> Vec<ArrayRef> {
    let links = &run.dependencies;
    let claim = |id: u32| run.claims.get(id as usize);
    let resource = |id: u32| claim(id).and_then(|claim| name(claim.resource));
    vec![
        numbers(links.len()),
        same(Some(Dependency::TYPE), links.len()),
        texts(links.iter().map(|link| Some(link.data.name()))),
        whole(links.iter().map(|link| i64::from(link.source))),
        whole(links.iter().map(|link| i64::from(link.target))),
        same(Some("end"), links.len()),
        same(Some("start"), links.len()),
        texts(links.iter().map(|link| resource(link.source))),
        texts(links.iter().map(|link| resource(link.target))),
        optional(links.iter().map(|link| claim(link.source).map(|c| c.end))),
        optional(links.iter().map(|link| claim(link.target).map(|c| c.start))),
        same(None, links.len()),
        numbers(links.len()),
    ]
}

fn variables<'a>(run: &Run, name: impl Fn(u32) -> Option<&'a str>) -> Vec<ArrayRef> {
    let steps = &run.usage;
    vec![
        texts(steps.iter().map(|step| name(step.resource))),
        same(Some(Usage::METRIC), steps.len()),
        whole(steps.iter().map(|step| step.start)),
        whole(steps.iter().map(|step| step.end)),
        floats(steps.iter().map(|step| step.amount)),
        numbers(steps.len()),
    ]
}

fn rows_of_resources(resources: &[ResourceRow]) -> Vec<ArrayRef> {
    let names = || {
        texts(
            resources
                .iter()
                .map(|resource| Some(resource.name.as_str())),
        )
    };
    let never = || optional(resources.iter().map(|_| None));
    vec![
        numbers(resources.len()),
        names(),
        names(),
        same(None, resources.len()),
        texts(resources.iter().map(|resource| Some(resource.kind.name()))),
        never(),
        never(),
        floats(resources.iter().map(|resource| resource.capacity)),
    ]
}
