//! Inputs that were opened: read once, used by every statement that names them.

use crate::diag::{Diag, code};
use crate::lang::flow::{Columns, Flow};
use crate::model::schema::STATES;
use crate::model::{LoadReport, TraceData};
use crate::plan::source::StoredRelation;
use crate::plan::{Data, Engine, Lineage, Table, Trace, fault};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use std::collections::HashMap;
use std::sync::Arc;

/// An opened input.
#[derive(Debug)]
pub struct Opened {
    /// Its relations as plans, or the one table that a file holds.
    pub data: Data,
    /// What flows out of it.
    pub flow: Flow,
    /// What loading did, where rows were read one by one.
    pub report: Option<LoadReport>,
    /// Keeps the memory of the rows accounted for.
    pub reservation: Option<MemoryReservation>,
}

/// Inputs by what was asked for.
#[derive(Debug, Default)]
pub struct SourceCache {
    opened: HashMap<String, Arc<Opened>>,
}

impl SourceCache {
    /// The input for `key`, opened now where it was not yet.
    pub fn get_or_open(
        &mut self,
        key: String,
        open: impl FnOnce() -> Result<Opened, Diag>,
    ) -> Result<Arc<Opened>, Diag> {
        if let Some(opened) = self.opened.get(&key) {
            return Ok(opened.clone());
        }
        let opened = Arc::new(open()?);
        self.opened.insert(key, opened.clone());
        Ok(opened)
    }

    /// What loading did, for each input that was read row by row.
    pub fn reports(&self) -> Vec<LoadReport> {
        let reports = self.opened.values().filter_map(|o| o.report.clone());
        reports.collect()
    }

    /// An input that was opened before.
    pub fn get(&self, key: &str) -> Option<Arc<Opened>> {
        self.opened.get(key).cloned()
    }
}

/// A trace of relations, focused on its states.
pub fn trace_of(relations: Vec<(String, Table)>, lineage: Arc<Lineage>) -> Trace {
    Trace {
        relations,
        focus: STATES.to_owned(),
        states_filtered: false,
        has_dependencies: false,
        lineage,
    }
}

/// Puts loaded relations under plans, and their memory under the limit.
pub fn open_data(data: TraceData, engine: &Engine) -> Result<Opened, Diag> {
    let bytes: usize = data.relations.iter().map(|relation| relation.bytes()).sum();
    let pool = &engine.context().runtime_env().memory_pool;
    let reservation = MemoryConsumer::new("load").register(pool);
    if reservation.try_grow(bytes).is_err() {
        return Err(Diag::error(
            &code::MEMORY_LIMIT,
            format!(
                "the trace takes {} MB, more than is left of the limit of {} MB",
                bytes >> 20,
                engine.config().memory >> 20
            ),
        )
        .help("raise `--memory`, or convert it once: `marey -c 'load \"…\" | save \"trace.parquet\"'`"));
    }
    let clock = data.clock;
    let mut plans = Vec::new();
    for relation in data.relations {
        let name = relation.name.to_owned();
        let columns = Columns::of_schema(&relation.schema, clock);
        let plan = engine.scan(Arc::new(StoredRelation::new(relation)))?;
        plans.push((name, plan, columns));
    }
    let states = plans
        .iter()
        .find(|(name, ..)| name == STATES)
        .map(|(_, plan, _)| plan.clone());
    let lineage = Lineage::new(states);
    let relations = plans
        .into_iter()
        .map(|(name, plan, columns)| {
            let table = Table {
                plan,
                columns,
                lineage: lineage.clone(),
                facts: Vec::new(),
            };
            (name, table)
        })
        .collect();
    let trace = trace_of(relations, lineage);
    Ok(Opened {
        flow: trace.flow(),
        data: Data::Trace(trace),
        report: Some(data.report),
        reservation: Some(reservation),
    })
}

/// A plan over a provider as a table.
pub fn table_of(
    engine: &Engine,
    provider: Arc<dyn datafusion::catalog::TableProvider>,
    columns: Columns,
    lineage: &Arc<Lineage>,
) -> Result<Table, Diag> {
    Ok(Table {
        plan: engine.scan_provider(provider)?,
        columns,
        lineage: lineage.clone(),
        facts: Vec::new(),
    })
}

/// The error of an engine call while opening, with the file it was about.
pub fn open_error(path: &str, error: datafusion::error::DataFusionError) -> Diag {
    let inner = fault::diag(error);
    Diag::error(
        &code::INPUT_UNREADABLE,
        format!("`{path}` cannot be read: {}", inner.message),
    )
}
