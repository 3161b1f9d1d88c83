//! The Cholesky model as relations: each scan simulates the run again and keeps only a batch of rows.

use super::super::opened::{Opened, table_of, trace_of};
use super::{CPUS, GPUS, TILES, count, int, optional, seed, texts, whole};
use crate::algo::cholesky::{
    self, EventRow, LinkRow, Parameters, ResourceRow, StateRow, TaskAttributes, VariableRow,
};
use crate::diag::{Diag, code};
use crate::lang::flow::Columns;
use crate::lang::plan::Arguments;
use crate::model::Clock;
use crate::model::schema::{
    EVENTS, LINKS, REJECTS, RESOURCES, STATES, VARIABLES, column, relation_fields,
};
use crate::plan::source::{RowSource, Rows, SourceTable};
use crate::plan::{Data, Engine, Lineage};
use crate::spec::TimeUnit;
use datafusion::arrow::array::{ArrayRef, BooleanArray, Float64Array, Int32Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::project_schema;
use datafusion::error::{DataFusionError, Result as EngineResult};
use std::fmt;
use std::sync::Arc;

/// Opens the model.
pub fn open(arguments: &Arguments, engine: &Engine) -> Result<Opened, Diag> {
    let parameters = parameters(arguments)?;
    let clock = Clock::physical(TimeUnit::Millisecond, TimeUnit::Nanosecond);
    let resources: Arc<[ResourceRow]> = cholesky::resources(&parameters)
        .map_err(|error| invalid(&error.to_string(), arguments))?
        .into();
    let source = |relation| Simulated::new(relation, parameters, resources.clone(), clock);
    let draft = Lineage::new(None);
    let mut relations = Vec::new();
    for relation in [STATES, EVENTS, LINKS, VARIABLES, RESOURCES, REJECTS] {
        let source = Arc::new(source(relation));
        let columns = Columns::of_schema(&source.schema, clock);
        let provider = Arc::new(SourceTable::new(source));
        relations.push((
            relation.to_owned(),
            table_of(engine, provider, columns, &draft)?,
        ));
    }
    let lineage = Lineage::new(relations.first().map(|(_, states)| states.plan.clone()));
    for (_, table) in &mut relations {
        table.lineage = lineage.clone();
    }
    let trace = trace_of(relations, lineage);
    Ok(Opened {
        flow: trace.flow(),
        data: Data::Trace(trace),
        report: None,
        reservation: None,
        files: Vec::new(),
    })
}

fn invalid(message: &str, arguments: &Arguments) -> Diag {
    Diag::error(&code::INVALID_VALUE, message.to_owned()).at(arguments.span, "in this stage")
}

fn parameters(arguments: &Arguments) -> Result<Parameters, Diag> {
    let default = Parameters::default();
    let parameters = Parameters {
        tiles: count(arguments, &TILES, default.tiles)?,
        cpus: count(arguments, &CPUS, default.cpus)?,
        gpus: count(arguments, &GPUS, default.gpus)?,
        seed: seed(arguments, default.seed)?,
    };
    parameters
        .validate()
        .map_err(|error| invalid(&error.to_string(), arguments))?;
    Ok(parameters)
}

/// One relation of the simulated run.
struct Simulated {
    relation: &'static str,
    parameters: Parameters,
    resources: Arc<[ResourceRow]>,
    schema: SchemaRef,
}

impl fmt::Debug for Simulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {:?}", self.relation, self.parameters)
    }
}

/// Attributes of tasks and links, behind the columns of the model.
fn attributes(relation: &str) -> Vec<Field> {
    let int = |name: &str| Field::new(name, DataType::Int64, true);
    match relation {
        STATES => vec![
            int("job_id"),
            int("submit_order"),
            int("priority"),
            int("iteration"),
            int("tile_x"),
            int("tile_y"),
            Field::new("gflop", DataType::Float64, true),
        ],
        EVENTS => vec![int("iteration")],
        LINKS => vec![int("tile_x"), int("tile_y")],
        _ => Vec::new(),
    }
}

impl Simulated {
    fn new(
        relation: &'static str,
        parameters: Parameters,
        resources: Arc<[ResourceRow]>,
        clock: Clock,
    ) -> Self {
        let mut fields = relation_fields(relation, clock, false);
        let hidden = fields.iter().position(|field| field.name() == column::ROW);
        let at = hidden.unwrap_or(fields.len());
        fields.splice(at..at, attributes(relation));
        Simulated {
            relation,
            parameters,
            resources,
            schema: Arc::new(Schema::new(fields)),
        }
    }

    fn resource(&self, index: u32) -> Option<&str> {
        self.resources
            .get(index as usize)
            .map(|resource| resource.name.as_str())
    }
}

/// Pulls rows into batches, making only the columns that are asked for.
fn batches<R: Send + 'static>(
    rows: impl Iterator<Item = R> + Send + 'static,
    schema: &SchemaRef,
    projection: &[usize],
    batch_size: usize,
    make: impl Fn(&str, &[R]) -> ArrayRef + Send + 'static,
) -> EngineResult<Rows> {
    let schema = project_schema(schema, Some(&projection.to_vec()))?;
    let mut rows = rows;
    let mut buffer: Vec<R> = Vec::with_capacity(batch_size);
    Ok(Box::new(std::iter::from_fn(move || {
        buffer.clear();
        buffer.extend(rows.by_ref().take(batch_size));
        if buffer.is_empty() {
            return None;
        }
        let columns: Vec<ArrayRef> = schema
            .fields()
            .iter()
            .map(|field| make(field.name(), &buffer))
            .collect();
        let options = RecordBatchOptions::new().with_row_count(Some(buffer.len()));
        Some(
            RecordBatch::try_new_with_options(schema.clone(), columns, &options)
                .map_err(DataFusionError::from),
        )
    })))
}

impl RowSource for Simulated {
    fn name(&self) -> String {
        let Parameters {
            tiles,
            cpus,
            gpus,
            seed,
        } = self.parameters;
        format!(
            "{} of cholesky tiles={tiles} cpus={cpus} gpus={gpus} seed={seed}",
            self.relation
        )
    }

    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn sorted_by(&self) -> Vec<&'static str> {
        match self.relation {
            STATES | VARIABLES => vec![column::START, column::ROW],
            _ => Vec::new(),
        }
    }

    fn rows(&self) -> Option<usize> {
        match self.relation {
            LINKS => usize::try_from(cholesky::dependency_count(self.parameters.tiles)).ok(),
            RESOURCES => Some(self.resources.len()),
            REJECTS => Some(0),
            _ => None,
        }
    }

    fn open(&self, projection: &[usize], batch_size: usize) -> Rows {
        let opened = self.rows_of(projection, batch_size);
        opened.unwrap_or_else(|error| Box::new(std::iter::once(Err(error))))
    }
}

impl Simulated {
    fn rows_of(&self, projection: &[usize], batch_size: usize) -> EngineResult<Rows> {
        let failed = |error: cholesky::ParameterError| DataFusionError::External(Box::new(error));
        let this = Simulated {
            relation: self.relation,
            parameters: self.parameters,
            resources: self.resources.clone(),
            schema: self.schema.clone(),
        };
        let (parameters, schema) = (&self.parameters, &self.schema);
        match self.relation {
            STATES => batches(
                cholesky::states(parameters).map_err(failed)?,
                schema,
                projection,
                batch_size,
                move |name, rows| this.state_column(name, rows),
            ),
            LINKS => batches(
                cholesky::links(parameters).map_err(failed)?.zip(1_i64..),
                schema,
                projection,
                batch_size,
                move |name, rows| this.link_column(name, rows),
            ),
            VARIABLES => batches(
                cholesky::variables(parameters)
                    .map_err(failed)?
                    .zip(1_i64..),
                schema,
                projection,
                batch_size,
                move |name, rows| this.variable_column(name, rows),
            ),
            EVENTS => batches(
                cholesky::events(parameters, || true)
                    .map_err(failed)?
                    .into_iter(),
                schema,
                projection,
                batch_size,
                move |name, rows| this.event_column(name, rows),
            ),
            RESOURCES => batches(
                self.resources
                    .iter()
                    .cloned()
                    .collect::<Vec<_>>()
                    .into_iter()
                    .zip(1_i64..),
                schema,
                projection,
                batch_size,
                move |name, rows| this.resource_column(name, rows),
            ),
            _ => Ok(Box::new(std::iter::empty())),
        }
    }

    fn state_column(&self, name: &str, rows: &[StateRow]) -> ArrayRef {
        let task = |get: fn(&TaskAttributes) -> i64| {
            optional(rows.iter().map(|row| row.task.as_ref().map(get)))
        };
        match name {
            column::ID => whole(rows.iter().map(|row| int(row.id))),
            column::RESOURCE => texts(rows.iter().map(|row| self.resource(row.resource))),
            column::TYPE => texts(rows.iter().map(|row| Some(row.state_type.name()))),
            column::VALUE => texts(rows.iter().map(|row| Some(row.value.name()))),
            column::START => whole(rows.iter().map(|row| row.start)),
            column::END => whole(rows.iter().map(|row| row.end)),
            column::DEPTH => Arc::new(Int32Array::from_iter_values(
                rows.iter().map(|row| i32::from(row.depth)),
            )),
            column::TRUNCATED => Arc::new(BooleanArray::from(vec![false; rows.len()])),
            "job_id" => task(|task| int(task.job_id)),
            "submit_order" => task(|task| int(task.submit_order)),
            "priority" => task(|task| i64::from(task.priority)),
            "iteration" => task(|task| i64::from(task.iteration)),
            "tile_x" => task(|task| i64::from(task.x)),
            "tile_y" => task(|task| i64::from(task.y)),
            "gflop" => Arc::new(
                rows.iter()
                    .map(|row| row.task.as_ref().map(|task| task.gflop))
                    .collect::<Float64Array>(),
            ),
            _ => whole(rows.iter().map(|row| int(row.id))),
        }
    }

    fn link_column(&self, name: &str, rows: &[(LinkRow, i64)]) -> ArrayRef {
        match name {
            column::ID => whole(rows.iter().map(|(row, _)| int(row.id))),
            column::TYPE => texts(rows.iter().map(|_| Some(LinkRow::TYPE))),
            column::VALUE => texts(rows.iter().map(|(row, _)| Some(row.access.name()))),
            column::SOURCE => whole(rows.iter().map(|(row, _)| int(row.source))),
            column::TARGET => whole(rows.iter().map(|(row, _)| int(row.target))),
            column::SOURCE_POINT => texts(rows.iter().map(|_| Some("end"))),
            column::TARGET_POINT => texts(rows.iter().map(|_| Some("start"))),
            column::SOURCE_RESOURCE => texts(
                rows.iter()
                    .map(|(row, _)| self.resource(row.source_resource)),
            ),
            column::TARGET_RESOURCE => texts(
                rows.iter()
                    .map(|(row, _)| self.resource(row.target_resource)),
            ),
            column::START => whole(rows.iter().map(|(row, _)| row.start)),
            column::END => whole(rows.iter().map(|(row, _)| row.end)),
            column::KEY => texts(rows.iter().map(|_| None)),
            "tile_x" => whole(rows.iter().map(|(row, _)| i64::from(row.x))),
            "tile_y" => whole(rows.iter().map(|(row, _)| i64::from(row.y))),
            _ => whole(rows.iter().map(|(_, line)| *line)),
        }
    }

    fn variable_column(&self, name: &str, rows: &[(VariableRow, i64)]) -> ArrayRef {
        match name {
            column::RESOURCE => texts(rows.iter().map(|(row, _)| self.resource(row.resource))),
            column::METRIC => texts(rows.iter().map(|(row, _)| Some(row.metric))),
            column::START => whole(rows.iter().map(|(row, _)| row.start)),
            column::END => whole(rows.iter().map(|(row, _)| row.end)),
            column::VALUE => Arc::new(Float64Array::from_iter_values(
                rows.iter().map(|(row, _)| row.value),
            )),
            _ => whole(rows.iter().map(|(_, line)| *line)),
        }
    }

    fn event_column(&self, name: &str, rows: &[EventRow]) -> ArrayRef {
        match name {
            column::RESOURCE => texts(rows.iter().map(|row| self.resource(row.resource))),
            column::TYPE => texts(rows.iter().map(|row| Some(row.event_type))),
            column::VALUE => texts(rows.iter().map(|row| Some(row.value))),
            column::TIME => whole(rows.iter().map(|row| row.time)),
            "iteration" => optional(rows.iter().map(|row| row.iteration.map(i64::from))),
            _ => whole(rows.iter().map(|row| int(row.id))),
        }
    }

    fn resource_column(&self, name: &str, rows: &[(ResourceRow, i64)]) -> ArrayRef {
        match name {
            column::ID => whole(rows.iter().map(|(_, line)| *line)),
            column::PATH | column::NAME => {
                texts(rows.iter().map(|(row, _)| Some(row.name.as_str())))
            }
            column::PARENT => texts(
                rows.iter()
                    .map(|(row, _)| row.parent.and_then(|p| self.resource(p))),
            ),
            column::TYPE => texts(rows.iter().map(|(row, _)| Some(row.resource_type))),
            column::CAPACITY => Arc::new(Float64Array::from(vec![None; rows.len()])),
            _ => optional(rows.iter().map(|_| None)),
        }
    }
}
