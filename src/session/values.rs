//! The values of a text column, for completion: those of the input that a pipeline begins with, as far as they can
//! be had in the blink of an eye.

use super::{Quiet, Session};
use crate::lang::flow::Flow;
use crate::lang::plan::{Pipeline, Source};
use crate::plan::engine::interrupted;
use crate::plan::{Data, Table};
use crate::run::Runner;
use crate::spec::Type;
use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// More values than this are no help to choose from.
const MOST: usize = 200;

/// A key is to be answered in 100 ms; what is not seen by then is left out.
const PATIENCE: Duration = Duration::from_millis(70);

/// What was found, by the text of the pipeline and the column; forgotten with the next input.
pub(super) type Known = HashMap<(String, String), Vec<String>>;

impl Session {
    /// The values of a text column where a pipeline stands, sorted; none where there are many, where the column is
    /// made on the way, or where its input is not open yet. Rows are looked at for a limited time, so of a large
    /// input some values may be missing.
    pub fn values_at(&mut self, pipeline_text: &str, column: &str) -> Vec<String> {
        let key = (pipeline_text.to_owned(), column.to_owned());
        if let Some(known) = self.values.get(&key) {
            return known.clone();
        }
        let found = self.find_values(pipeline_text, column).unwrap_or_default();
        self.values.insert(key, found.clone());
        found
    }

    fn find_values(&mut self, pipeline_text: &str, column: &str) -> Option<Vec<String>> {
        let start = Instant::now();
        let pipeline = self.pipeline_at(pipeline_text)?;
        let here = pipeline.flow.columns()?.find(column)?;
        if here.ty != Type::String {
            return None;
        }
        let focus = match &pipeline.flow {
            Flow::Trace(trace) => Some(trace.focus.clone()),
            _ => None,
        };
        let table = self.head_table(&pipeline, focus.as_deref())?;
        if table.columns.find(column)?.ty != Type::String {
            return None;
        }
        let plan = {
            let engine = &self.engine;
            let frame = engine.context().execute_logical_plan(table.plan.clone());
            engine
                .wait(frame)
                .ok()?
                .select_columns(&[column])
                .ok()?
                .into_unoptimized_plan()
        };
        let mut values: BTreeSet<String> = BTreeSet::new();
        // A stop is how the search ends early.
        let _ = self.engine.stream(&plan, &mut |batch| {
            if let Ok(texts) = cast(batch.column(0), &DataType::Utf8View) {
                let mut last = None;
                for text in texts.as_string_view().iter().flatten() {
                    if last != Some(text) && !values.contains(text) {
                        values.insert(text.to_owned());
                    }
                    last = Some(text);
                }
            }
            if values.len() > MOST || start.elapsed() > PATIENCE {
                return Err(interrupted());
            }
            Ok(())
        });
        (values.len() <= MOST).then(|| values.into_iter().collect())
    }

    /// The table that a pipeline begins with: of a trace, the relation that is in focus in the end.
    fn head_table(&mut self, pipeline: &Arc<Pipeline>, focus: Option<&str>) -> Option<Table> {
        let mut pipeline = pipeline.clone();
        let call = loop {
            match &pipeline.source {
                Source::Verb(call) => break call.clone(),
                Source::Pipeline {
                    pipeline: inner, ..
                } => pipeline = inner.clone(),
            }
        };
        let head = Arc::new(Pipeline {
            flow: call.flow.clone(),
            span: call.span,
            source: Source::Verb(call),
            stages: Vec::new(),
        });
        self.engine.cancel().reset();
        let mut host = Quiet;
        let mut memory = crate::run::Memory::default();
        let mut runner = Runner {
            engine: &self.engine,
            functions: &self.functions,
            sources: &mut self.inputs,
            host: &mut host,
            texts: &self.texts,
            origin: &self.origin,
            output: &self.output,
            memory: &mut memory,
        };
        match super::guarded(|| runner.data(&head)).ok()?.ok()? {
            Data::Table(table) => Some(table),
            Data::Trace(trace) => trace.relation(focus.unwrap_or(&trace.focus)).ok()?,
            _ => None,
        }
    }
}
