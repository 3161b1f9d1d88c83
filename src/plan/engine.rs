//! DataFusion set up for marey, behind calls that block until the result is there, the memory limit is hit
//! or the user cancels.

use super::cancel::Cancel;
use super::fault;
use super::node;
use super::notes::Notes;
use super::source::{RowSource, SourceTable};
use crate::diag::{Diag, code};
use crate::lang::flow::Columns;
use crate::model::schema::{HIDDEN_KEY, time_metadata};
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::catalog::TableProvider;
use datafusion::datasource::provider_as_source;
use datafusion::error::DataFusionError;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::memory_pool::{FairSpillPool, TrackConsumersPool};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::StreamExt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::runtime::Runtime;

/// The version of the engine.
pub const VERSION: &str = datafusion::DATAFUSION_VERSION;

/// What a session may use.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// Threads, at least 1.
    pub threads: usize,
    /// Bytes that running queries may hold.
    pub memory: usize,
    /// Where sorts spill to; None for the system's folder.
    pub temporary: Option<PathBuf>,
}

impl Default for EngineConfig {
    fn default() -> Self {
        EngineConfig {
            threads: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            memory: 4 << 30,
            temporary: None,
        }
    }
}

/// The engine of a session.
pub struct Engine {
    /// There until the end.
    runtime: Option<Runtime>,
    context: SessionContext,
    cancel: Cancel,
    notes: Arc<Notes>,
    config: EngineConfig,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("config", &self.config)
            .finish()
    }
}

impl Engine {
    /// Starts threads and sets up the engine.
    pub fn new(config: EngineConfig) -> Result<Engine, Diag> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(config.threads.max(1))
            .thread_stack_size(8 << 20)
            .thread_name("marey")
            .enable_time()
            .build()
            .map_err(|error| {
                Diag::error(
                    &code::INTERNAL,
                    format!("no threads could be started: {error}"),
                )
            })?;
        let notes = Arc::new(Notes::default());
        let mut options = SessionConfig::new()
            .with_extension(Arc::clone(&notes))
            .with_extension(Arc::new(node::Shared::default()))
            .with_target_partitions(config.threads.max(1))
            .with_batch_size(8192)
            .with_information_schema(false);
        // A declared order is worth more than byte ranges: without this the optimizer splits a sorted file
        // and sorts it again (design.md, section 4).
        options.options_mut().optimizer.prefer_existing_sort = true;
        // Dealing batches round robin would make every later keyed exchange merge sorted streams again;
        // sources that can be read in parallel say so themselves.
        options
            .options_mut()
            .optimizer
            .enable_round_robin_repartition = false;
        let pool = TrackConsumersPool::new(
            FairSpillPool::new(config.memory),
            NonZeroUsize::MIN.saturating_add(4),
        );
        let mut environment = RuntimeEnvBuilder::new().with_memory_pool(Arc::new(pool));
        if let Some(folder) = &config.temporary {
            environment = environment.with_temp_file_path(folder.clone());
        }
        let environment = environment.build_arc().map_err(fault::diag)?;
        let state = SessionStateBuilder::new()
            .with_config(options)
            .with_runtime_env(environment)
            .with_default_features()
            .with_query_planner(node::query_planner())
            .build();
        Ok(Engine {
            runtime: Some(runtime),
            context: SessionContext::new_with_state(state),
            cancel: Cancel::default(),
            notes,
            config,
        })
    }

    /// Runs a future to its end.
    fn block_on<T>(&self, future: impl Future<Output = Result<T, Diag>>) -> Result<T, Diag> {
        match &self.runtime {
            Some(runtime) => runtime.block_on(future),
            None => Err(Diag::error(&code::INTERNAL, "the engine has ended")),
        }
    }

    /// The DataFusion context, for its function registry.
    pub fn context(&self) -> &SessionContext {
        &self.context
    }

    /// The cancel flag of everything this engine runs.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// What nodes remarked while they ran.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// What it may use.
    pub fn config(&self) -> &EngineConfig {
        &self.config
    }

    /// A plan that scans a source.
    pub fn scan(&self, source: Arc<dyn RowSource>) -> Result<LogicalPlan, Diag> {
        self.scan_provider(Arc::new(SourceTable::new(source)))
    }

    /// A plan that scans a table.
    pub fn scan_provider(&self, provider: Arc<dyn TableProvider>) -> Result<LogicalPlan, Diag> {
        LogicalPlanBuilder::scan("trace", provider_as_source(provider), None)
            .and_then(LogicalPlanBuilder::build)
            .map_err(fault::diag)
    }

    /// Waits for a future of the engine, or for the user to cancel.
    pub fn wait<T>(
        &self,
        future: impl Future<Output = Result<T, DataFusionError>>,
    ) -> Result<T, Diag> {
        self.block_on(async {
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => Err(interrupted()),
                result = future => result.map_err(fault::diag),
            }
        })
    }

    /// The physical plan of a logical one.
    pub fn physical(&self, plan: &LogicalPlan) -> Result<Arc<dyn ExecutionPlan>, Diag> {
        self.wait(self.context.state().create_physical_plan(plan))
    }

    /// The optimised logical plan.
    pub fn optimized(&self, plan: &LogicalPlan) -> Result<LogicalPlan, Diag> {
        self.context.state().optimize(plan).map_err(fault::diag)
    }

    /// Gives every batch to `sink`, in the order of the plan; stops where it fails.
    pub fn stream(
        &self,
        plan: &LogicalPlan,
        sink: &mut dyn FnMut(&RecordBatch) -> Result<(), Diag>,
    ) -> Result<(), Diag> {
        let physical = self.physical(plan)?;
        let task = self.context.task_ctx();
        self.block_on(async {
            // The plan runs in a task of its own, so that a stop is heard at once however long one step of it
            // takes. Starting a stream may spawn tasks, so it happens in there too.
            let (sender, mut receiver) = tokio::sync::mpsc::channel(2);
            let work = tokio::spawn(async move {
                let mut stream = datafusion::physical_plan::execute_stream(physical, task)?;
                while let Some(batch) = stream.next().await {
                    if sender.send(batch?).await.is_err() {
                        break;
                    }
                }
                Ok::<(), DataFusionError>(())
            });
            loop {
                let next = tokio::select! {
                    biased;
                    () = self.cancel.cancelled() => {
                        work.abort();
                        return Err(interrupted());
                    }
                    next = receiver.recv() => next,
                };
                match next {
                    Some(batch) => {
                        if let Err(diag) = sink(&batch) {
                            work.abort();
                            return Err(diag);
                        }
                    }
                    None => break,
                }
            }
            match work.await {
                Ok(result) => result.map_err(fault::diag),
                Err(failed) => Err(fault::crashed(&failed.to_string())),
            }
        })
    }

    /// All batches of a plan: for results that are shown or drawn, not for traces.
    pub fn collect(&self, plan: &LogicalPlan) -> Result<Vec<RecordBatch>, Diag> {
        let mut batches = Vec::new();
        self.stream(plan, &mut |batch| {
            if batch.num_rows() > 0 {
                batches.push(batch.clone());
            }
            Ok(())
        })?;
        Ok(batches)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Work that was stopped may be in the middle of a step; nobody waits for its end.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The run was stopped by the user.
pub fn interrupted() -> Diag {
    Diag::error(&code::INTERRUPTED, "interrupted")
}

/// The Arrow schema of a result with the types that the language knows stamped on it: DataFusion drops
/// field metadata on the way.
pub fn stamped(schema: &Schema, columns: &Columns) -> SchemaRef {
    let fields: Vec<Field> = schema
        .fields()
        .iter()
        .map(|field| {
            let mut metadata = field.metadata().clone();
            if let Some(column) = columns.find(field.name()) {
                metadata.clear();
                if column.ty.is_time() {
                    metadata.extend(time_metadata(columns.clock));
                }
                if column.hidden {
                    metadata.insert(HIDDEN_KEY.to_owned(), "true".to_owned());
                }
            }
            field.as_ref().clone().with_metadata(metadata)
        })
        .collect();
    Arc::new(Schema::new(fields))
}
