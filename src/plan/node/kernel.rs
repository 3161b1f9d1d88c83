//! The frame of the nodes that must see all rows before the first one comes out: [`Kernel`] is what such a node says of
//! itself as plain data and its work, [`KernelNode`] its logical node, [`KernelExec`] the physical one with one partition.
//!
//! The rows of all inputs are collected under the memory limit, then the work runs on a thread that may block. When the
//! stream is dropped the flag is set that the work looks at.

use std::any::Any;
use std::cmp::Ordering as Compare;
use std::collections::VecDeque;
use std::fmt;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::compute::SortOptions;
use arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DFSchema, DFSchemaRef, exec_datafusion_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use datafusion::physical_expr::expressions::col;
use datafusion::physical_expr::{
    EquivalenceProperties, LexOrdering, LexRequirement, OrderingRequirements, PhysicalExpr,
    PhysicalSortExpr,
};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, Distribution, ExecutionPlan,
    InputDistributionRequirements, Partitioning, PlanProperties, ReplaceChildrenOptions,
};
use futures::{StreamExt, TryStreamExt, stream};

use super::buffers::Buffers;
use super::error::MemoryExceeded;
use crate::plan::fault::in_verb;
use crate::plan::notes::Notes;

/// The rows that come out, made as they are asked for.
pub type Batches = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// What a node that sees all rows says of itself, and its work.
pub trait Kernel:
    Clone + fmt::Debug + Eq + PartialOrd + Hash + Send + Sync + Sized + 'static
{
    /// The node's name in `explain`.
    const NAME: &'static str;
    /// The verb that a user knows it by.
    const VERB: &'static str;

    /// The columns of the output, after a check of those of the inputs.
    fn schema(&self, inputs: &[&Schema]) -> Result<Schema>;

    /// The parameters for `explain`.
    fn parameters(&self) -> String;

    /// The columns that order this input, ascending, nulls last; those that it does not have are left out.
    fn input_order(&self, _input: usize) -> &'static [&'static str] {
        &[]
    }

    /// The columns that order the output, ascending, nulls last; those that it does not have are left out.
    fn output_order(&self) -> &'static [&'static str] {
        &[]
    }

    /// The columns of each input that the output columns `wanted` need. Default: all.
    fn needs(&self, _inputs: &[&Schema], _wanted: &[usize]) -> Option<Vec<Vec<usize>>> {
        None
    }

    /// The work.
    fn run(&self, inputs: Vec<Vec<RecordBatch>>, work: &Arc<Work>) -> Result<Batches>;
}

/// What the work of a kernel runs with.
#[derive(Debug)]
pub struct Work {
    /// The columns of each input.
    pub inputs: Vec<SchemaRef>,
    /// The columns of the output.
    pub output: SchemaRef,
    /// Rows of a batch.
    pub batch_size: usize,
    /// Results that several nodes of one analysis share.
    pub shared: Arc<Shared>,
    /// Where remarks for the user go.
    pub notes: Arc<Notes>,
    verb: &'static str,
    limit: Option<usize>,
    reservation: MemoryReservation,
    is_cancelled: AtomicBool,
}

impl Work {
    /// Whether nobody waits for the result any more.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Accounts for `bytes` more, or says that there are not so many.
    pub fn grow(&self, bytes: usize) -> std::result::Result<(), MemoryExceeded> {
        self.reservation
            .try_grow(bytes)
            .map_err(|_| self.exceeded(bytes))
    }

    /// The error that there are not `bytes` more.
    pub fn exceeded(&self, bytes: usize) -> MemoryExceeded {
        MemoryExceeded {
            verb: self.verb,
            wanted: self.reservation.size().saturating_add(bytes),
            limit: self.limit,
        }
    }

    /// A reservation of its own, for what stays when the work is done.
    pub fn keep(&self, bytes: usize) -> MemoryReservation {
        self.reservation.shrink(bytes.min(self.reservation.size()));
        let kept = self.reservation.new_empty();
        // What the kernel held already may be kept whatever the pool says.
        kept.grow(bytes);
        kept
    }
}

/// A result and the number of the analysis it belongs to; None while it is being made.
type Slot = (u64, Arc<Mutex<Option<Arc<dyn Any + Send + Sync>>>>);

/// Results that several nodes of one analysis share: the claims, the edges and the summary of a critical path come from
/// one run. Only the latest few are kept; a node that does not find its result makes it again.
#[derive(Debug, Default)]
pub struct Shared {
    slots: Mutex<VecDeque<Slot>>,
}

impl Shared {
    /// How many results are kept.
    const KEPT: usize = 4;

    /// The result of an analysis: one made before, or one that `make` makes while others wait for it.
    pub fn get_or_make<T: Any + Send + Sync>(
        &self,
        analysis: u64,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            match slots.iter().position(|(number, _)| *number == analysis) {
                Some(at) => Arc::clone(&slots[at].1),
                None => {
                    while slots.len() >= Self::KEPT {
                        slots.pop_front();
                    }
                    let slot = Arc::default();
                    slots.push_back((analysis, Arc::clone(&slot)));
                    slot
                }
            }
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = slot.as_ref()
            && let Ok(made) = Arc::clone(made).downcast::<T>()
        {
            return Ok(made);
        }
        let made = Arc::new(make()?);
        *slot = Some(Arc::clone(&made) as Arc<dyn Any + Send + Sync>);
        Ok(made)
    }
}

/// The logical node of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelNode<K> {
    kernel: K,
    inputs: Vec<LogicalPlan>,
    schema: DFSchemaRef,
}

impl<K: Kernel> KernelNode<K> {
    /// The kernel on top of its inputs.
    pub fn try_new(kernel: K, inputs: Vec<LogicalPlan>) -> Result<Self> {
        let schemas: Vec<&Schema> = inputs
            .iter()
            .map(|input| input.schema().as_arrow())
            .collect();
        let schema = kernel.schema(&schemas)?;
        let schema = Arc::new(DFSchema::try_from(schema)?);
        Ok(Self {
            kernel,
            inputs,
            schema,
        })
    }

    /// The parameters.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The columns of the output.
    pub fn output(&self) -> SchemaRef {
        Arc::clone(self.schema.inner())
    }

    /// As a plan.
    pub fn into_plan(self) -> LogicalPlan {
        LogicalPlan::Extension(Extension {
            node: Arc::new(self),
        })
    }
}

impl<K: Kernel> PartialOrd for KernelNode<K> {
    // The schema follows from the rest.
    fn partial_cmp(&self, other: &Self) -> Option<Compare> {
        match self.kernel.partial_cmp(&other.kernel) {
            Some(Compare::Equal) => self.inputs.partial_cmp(&other.inputs),
            unequal => unequal,
        }
    }
}

impl<K: Kernel> UserDefinedLogicalNodeCore for KernelNode<K> {
    fn name(&self) -> &str {
        K::NAME
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        self.inputs.iter().collect()
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    // `prevent_predicate_push_down_columns` stays at its default, all columns: what a filter takes away after an analysis
    // must not change the analysis.

    fn fmt_for_explain(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", K::NAME, self.kernel.parameters())
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, inputs: Vec<LogicalPlan>) -> Result<Self> {
        Self::try_new(self.kernel.clone(), inputs)
    }

    fn necessary_children_exprs(&self, wanted: &[usize]) -> Option<Vec<Vec<usize>>> {
        let schemas: Vec<&Schema> = self
            .inputs
            .iter()
            .map(|input| input.schema().as_arrow())
            .collect();
        self.kernel.needs(&schemas, wanted)
    }
}

/// The physical node of a kernel.
#[derive(Debug)]
pub struct KernelExec<K> {
    kernel: K,
    inputs: Vec<Arc<dyn ExecutionPlan>>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
}

impl<K: Kernel> KernelExec<K> {
    /// The kernel on top of its inputs; `schema` is the one of the logical node.
    pub fn try_new(
        kernel: K,
        inputs: Vec<Arc<dyn ExecutionPlan>>,
        schema: SchemaRef,
    ) -> Result<Self> {
        let order = sort_keys(kernel.output_order(), &schema)?;
        let equivalence = match LexOrdering::new(order) {
            Some(order) => EquivalenceProperties::new_with_orderings(Arc::clone(&schema), [order]),
            None => EquivalenceProperties::new(Arc::clone(&schema)),
        };
        let properties = PlanProperties::new(
            equivalence,
            Partitioning::UnknownPartitioning(1),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        Ok(Self {
            kernel,
            inputs,
            schema,
            properties: Arc::new(properties),
        })
    }
}

fn sort_keys(names: &[&str], schema: &Schema) -> Result<Vec<PhysicalSortExpr>> {
    let options = SortOptions {
        descending: false,
        nulls_first: false,
    };
    names
        .iter()
        .filter(|name| schema.index_of(name).is_ok())
        .map(|name| Ok(PhysicalSortExpr::new(col(name, schema)?, options)))
        .collect()
}

impl<K: Kernel> DisplayAs for KernelExec<K> {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", K::NAME, self.kernel.parameters())
    }
}

impl<K: Kernel> ExecutionPlan for KernelExec<K> {
    fn name(&self) -> &str {
        K::NAME
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![Distribution::SinglePartition; self.inputs.len()])
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        let order = |(at, input): (usize, &Arc<dyn ExecutionPlan>)| {
            let keys = sort_keys(self.kernel.input_order(at), &input.schema()).ok()?;
            let keys = LexRequirement::new(keys.into_iter().map(Into::into))?;
            Some(OrderingRequirements::new(keys))
        };
        self.inputs.iter().enumerate().map(order).collect()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.inputs.iter().collect()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::try_new(
            self.kernel.clone(),
            children,
            Arc::clone(&self.schema),
        )?))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        self.replace_children(children, options)
    }

    fn execute(&self, _: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let pool = context.memory_pool();
        let work = Arc::new(Work {
            inputs: self.inputs.iter().map(|input| input.schema()).collect(),
            output: Arc::clone(&self.schema),
            batch_size: context.session_config().batch_size(),
            shared: context.session_config().get_extension().unwrap_or_default(),
            notes: context.session_config().get_extension().unwrap_or_default(),
            verb: K::VERB,
            limit: match pool.memory_limit() {
                MemoryLimit::Finite(bytes) => Some(bytes),
                MemoryLimit::Infinite | MemoryLimit::Unknown => None,
            },
            reservation: MemoryConsumer::new(K::NAME).register(pool),
            is_cancelled: AtomicBool::new(false),
        });
        let inputs: Result<Vec<_>> = self
            .inputs
            .iter()
            .map(|input| input.execute(0, Arc::clone(&context)))
            .collect();
        let inputs = inputs?;
        let kernel = self.kernel.clone();
        let guard = Guard(Arc::clone(&work));
        let batches = stream::once(async move {
            let mut collected = Vec::with_capacity(inputs.len());
            for input in inputs {
                collected.push(collect::<K>(input, &work).await?);
            }
            let task = SpawnedTask::spawn_blocking(move || kernel.run(collected, &work));
            let batches = task
                .await
                .map_err(|failed| exec_datafusion_err!("{} failed: {failed}", K::NAME))?
                .map_err(|error| in_verb(K::VERB, error))?;
            Ok::<_, DataFusionError>(stream::iter(batches))
        });
        // The guard lives as long as the stream does.
        let batches = batches.try_flatten().inspect(move |_| {
            let _ = &guard;
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            Arc::clone(&self.schema),
            batches,
        )))
    }
}

/// Tells the work to stop when nobody waits for it.
struct Guard(Arc<Work>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.is_cancelled.store(true, Ordering::Relaxed);
    }
}

async fn collect<K: Kernel>(
    mut input: SendableRecordBatchStream,
    work: &Work,
) -> Result<Vec<RecordBatch>> {
    let mut batches = Vec::new();
    let mut buffers = Buffers::default();
    while let Some(batch) = input.next().await.transpose()? {
        if batch.num_rows() == 0 {
            continue;
        }
        let before = buffers.bytes();
        buffers.add(&batch);
        work.grow(buffers.bytes() - before)
            .map_err(|error| in_verb(K::VERB, error.into()))?;
        batches.push(batch);
    }
    Ok(batches)
}
