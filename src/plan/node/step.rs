//! The frame that all state nodes share: [`Step`] is what a node says of itself as plain data, [`Operator`] is its
//! machine. [`StepNode`] makes the logical node of a step, [`StepExec`] the physical one, so that each node's own file
//! holds only what is special to it.

use std::cmp::Ordering;
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::SortOptions;
use arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DFSchema, DFSchemaRef, assert_eq_or_internal_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use datafusion::physical_expr::expressions::{Column, col};
use datafusion::physical_expr::{
    EquivalenceProperties, LexOrdering, LexRequirement, OrderingRequirements, PhysicalExpr,
    PhysicalSortExpr,
};
use datafusion::physical_plan::execution_plan::EmissionType;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, ExecutionPlanProperties,
    InputDistributionRequirements, Partitioning, PlanProperties, ReplaceChildrenOptions,
};
use futures::{StreamExt, stream};

use super::error::MemoryExceeded;
use super::track::{RESOURCE, TYPE};
use crate::plan::fault::in_verb;

/// How the rows of the input must be spread over the partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// All rows of a track are in one partition.
    ByTrack,
    /// There is one partition.
    Single,
}

/// What a node with one input says of itself. All of it is plain data, so that a codec can write it down.
pub trait Step:
    Clone + fmt::Debug + Eq + PartialOrd + Hash + Send + Sync + Sized + 'static
{
    /// The node's name in `explain`.
    const NAME: &'static str;
    /// The verb that a user knows it by.
    const VERB: &'static str;
    /// How it needs its input spread.
    const SPREAD: Spread;
    /// The columns that order its input, ascending.
    const INPUT_ORDER: &'static [&'static str];
    /// The columns that order its output, ascending, nulls first.
    const OUTPUT_ORDER: &'static [&'static str] = &[];
    /// Whether output comes while input still flows.
    const STREAMS: bool = true;

    /// The columns of the output, after a check of the input's.
    fn schema(&self, input: &Schema) -> Result<Schema>;

    /// The parameters for `explain`, empty where there are none.
    fn parameters(&self) -> String {
        String::new()
    }

    /// The columns of the input that the output columns `wanted` need. Default: all.
    fn needs(&self, _input: &Schema, _wanted: &[usize]) -> Option<Vec<usize>> {
        None
    }

    /// Whether rows keep all columns of their input row but for times and depth.
    fn keeps_columns(&self) -> bool {
        false
    }

    /// The machine for one partition; it gives batches of about `batch_size` rows.
    fn operator(
        &self,
        input: &SchemaRef,
        output: &SchemaRef,
        batch_size: usize,
    ) -> Result<Box<dyn Operator>>;
}

/// The machine of a step in one partition.
pub trait Operator: Send {
    /// Takes the next batch.
    fn push(&mut self, batch: &RecordBatch) -> Result<()>;

    /// Learns that the input has ended.
    fn finish(&mut self) -> Result<()>;

    /// Gives the rows that are ready: while input flows only where there are enough for a batch, once it has ended
    /// (`all`) until there are none.
    fn take(&mut self, all: bool) -> Result<Option<RecordBatch>>;

    /// Bytes that it holds.
    fn memory(&mut self) -> usize;
}

/// The logical node of a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StepNode<S> {
    step: S,
    input: LogicalPlan,
    schema: DFSchemaRef,
}

impl<S: Step> StepNode<S> {
    /// The step on top of `input`.
    pub fn try_new(step: S, input: LogicalPlan) -> Result<Self> {
        let schema = step.schema(input.schema().as_arrow())?;
        let schema = Arc::new(DFSchema::try_from(schema)?);
        Ok(Self {
            step,
            input,
            schema,
        })
    }

    /// The parameters.
    pub fn step(&self) -> &S {
        &self.step
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

impl<S: Step> PartialOrd for StepNode<S> {
    // The schema follows from the rest.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.step.partial_cmp(&other.step) {
            Some(Ordering::Equal) => self.input.partial_cmp(&other.input),
            unequal => unequal,
        }
    }
}

impl<S: Step> UserDefinedLogicalNodeCore for StepNode<S> {
    fn name(&self) -> &str {
        S::NAME
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    // `prevent_predicate_push_down_columns` stays at its default, all columns: a filter after an aggregation must change
    // neither totals nor the order of the stack, and one after `flatten` must not uncover hidden states.

    fn fmt_for_explain(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write_step(&self.step, f)
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, mut inputs: Vec<LogicalPlan>) -> Result<Self> {
        assert_eq_or_internal_err!(inputs.len(), 1, "{} has one input", S::NAME);
        Self::try_new(self.step.clone(), inputs.swap_remove(0))
    }

    fn necessary_children_exprs(&self, wanted: &[usize]) -> Option<Vec<Vec<usize>>> {
        let needs = self.step.needs(self.input.schema().as_arrow(), wanted)?;
        Some(vec![needs])
    }
}

fn write_step<S: Step>(step: &S, f: &mut fmt::Formatter) -> fmt::Result {
    f.write_str(S::NAME)?;
    let parameters = step.parameters();
    if parameters.is_empty() {
        return Ok(());
    }
    write!(f, ": {parameters}")
}

/// The physical node of a step.
#[derive(Debug)]
pub struct StepExec<S> {
    step: S,
    input: Arc<dyn ExecutionPlan>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl<S: Step> StepExec<S> {
    /// The step on top of `input`; `schema` is the one of the logical node.
    pub fn try_new(step: S, input: Arc<dyn ExecutionPlan>, schema: SchemaRef) -> Result<Self> {
        let order = S::OUTPUT_ORDER
            .iter()
            .map(|name| sort_key(name, &schema, true));
        let equivalence = match LexOrdering::new(order.collect::<Result<Vec<_>>>()?) {
            Some(order) => EquivalenceProperties::new_with_orderings(Arc::clone(&schema), [order]),
            None => EquivalenceProperties::new(Arc::clone(&schema)),
        };
        let partitioning = match input.output_partitioning() {
            hash @ Partitioning::Hash(keys, _)
                if step.keeps_columns() && keys.iter().all(is_track_key) =>
            {
                hash.clone()
            }
            other => Partitioning::UnknownPartitioning(other.partition_count()),
        };
        let emission = if S::STREAMS {
            EmissionType::Incremental
        } else {
            EmissionType::Final
        };
        let properties =
            PlanProperties::new(equivalence, partitioning, emission, input.boundedness());
        Ok(Self {
            step,
            input,
            schema,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
        })
    }

    /// The parameters.
    pub fn step(&self) -> &S {
        &self.step
    }
}

fn is_track_key(key: &Arc<dyn PhysicalExpr>) -> bool {
    let column = key.downcast_ref::<Column>();
    column.is_some_and(|column| [RESOURCE, TYPE].contains(&column.name()))
}

fn sort_key(name: &str, schema: &Schema, nulls_first: bool) -> Result<PhysicalSortExpr> {
    let options = SortOptions {
        descending: false,
        nulls_first,
    };
    Ok(PhysicalSortExpr::new(col(name, schema)?, options))
}

impl<S: Step> DisplayAs for StepExec<S> {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        write_step(&self.step, f)
    }
}

impl<S: Step> ExecutionPlan for StepExec<S> {
    fn name(&self) -> &str {
        S::NAME
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        let keys: Result<Vec<_>> = [RESOURCE, TYPE]
            .iter()
            .map(|name| col(name, &self.input.schema()))
            .collect();
        let distribution = match (S::SPREAD, keys) {
            (Spread::ByTrack, Ok(keys)) => Distribution::KeyPartitioned(keys),
            // `schema` has refused an input without the keys; one partition is right for it in any case.
            (Spread::ByTrack, Err(_)) | (Spread::Single, _) => Distribution::SinglePartition,
        };
        InputDistributionRequirements::new(vec![distribution])
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        let requirement = |nulls_first: bool| -> Result<Option<LexRequirement>> {
            let schema = self.input.schema();
            let keys = S::INPUT_ORDER
                .iter()
                .map(|name| sort_key(name, &schema, nulls_first));
            let keys = keys.collect::<Result<Vec<_>>>()?;
            Ok(LexRequirement::new(keys.into_iter().map(Into::into)))
        };
        // `schema` has refused an input without these columns, and a step may want no order.
        let Ok(Some(nulls_first)) = requirement(true) else {
            return vec![None];
        };
        // The stacker wants nulls first. The others take no nulls, so that they are content with either order of a
        // sorted source; and it must be the first to be named, as the optimizer looks at no other.
        let input = self.input.equivalence_properties();
        let has = |order: &LexRequirement| {
            input
                .ordering_satisfy_requirement(order.clone())
                .unwrap_or(false)
        };
        let order = match requirement(false) {
            Ok(Some(nulls_last)) if S::SPREAD == Spread::ByTrack && has(&nulls_last) => nulls_last,
            _ => nulls_first,
        };
        vec![Some(OrderingRequirements::new(order))]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        assert_eq_or_internal_err!(children.len(), 1, "{} has one input", S::NAME);
        let input = children.swap_remove(0);
        Ok(Arc::new(Self::try_new(
            self.step.clone(),
            input,
            Arc::clone(&self.schema),
        )?))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let options = ReplaceChildrenOptions::new(
            datafusion::physical_plan::ChildrenPropertiesMode::Recompute,
        );
        self.replace_children(children, options)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let batch_size = context.session_config().batch_size();
        let pool = context.memory_pool();
        let flow = Flow {
            input: self.input.execute(partition, Arc::clone(&context))?,
            operator: self
                .step
                .operator(&self.input.schema(), &self.schema, batch_size)?,
            reservation: MemoryConsumer::new(format!("{}[{partition}]", S::NAME)).register(pool),
            limit: match pool.memory_limit() {
                MemoryLimit::Finite(bytes) => Some(bytes),
                MemoryLimit::Infinite | MemoryLimit::Unknown => None,
            },
            verb: S::VERB,
            batch_size,
            ended: false,
            rest: None,
            metrics: BaselineMetrics::new(&self.metrics, partition),
        };
        let batches = stream::try_unfold(flow, |mut flow| async move {
            let batch = flow.next().await?;
            Ok::<_, DataFusionError>(batch.map(|batch| (batch, flow)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            Arc::clone(&self.schema),
            batches,
        )))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// One partition at work.
struct Flow {
    input: SendableRecordBatchStream,
    operator: Box<dyn Operator>,
    reservation: MemoryReservation,
    limit: Option<usize>,
    verb: &'static str,
    batch_size: usize,
    ended: bool,
    /// Rows that are ready and beyond one batch.
    rest: Option<RecordBatch>,
    metrics: BaselineMetrics,
}

impl Flow {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.ready()? {
                return Ok(Some(batch));
            }
            if self.ended {
                return Ok(None);
            }
            let batch = self.input.next().await.transpose()?;
            let timer = self.metrics.elapsed_compute().timer();
            match batch {
                Some(batch) => self.operator.push(&batch).map_err(self.met())?,
                None => {
                    self.ended = true;
                    self.operator.finish().map_err(self.met())?;
                }
            }
            timer.done();
            self.account()?;
        }
    }

    /// The next batch of rows that are ready, if any.
    fn ready(&mut self) -> Result<Option<RecordBatch>> {
        let _timer = self.metrics.elapsed_compute().timer();
        let rows = match self.rest.take() {
            Some(rest) => rest,
            None => match self.operator.take(self.ended).map_err(self.met())? {
                Some(rows) => rows,
                None => return Ok(None),
            },
        };
        // A remainder of a few rows is not worth a batch of its own.
        let batch = if rows.num_rows() > self.batch_size * 2 {
            self.rest = Some(rows.slice(self.batch_size, rows.num_rows() - self.batch_size));
            rows.slice(0, self.batch_size)
        } else {
            rows
        };
        self.metrics.record_output(batch.num_rows());
        Ok(Some(batch))
    }

    /// Says of an error which verb met it.
    fn met(&self) -> impl Fn(DataFusionError) -> DataFusionError + use<> {
        let verb = self.verb;
        move |error| in_verb(verb, error)
    }

    fn account(&mut self) -> Result<()> {
        let wanted = self.operator.memory();
        let granted = self.reservation.try_resize(wanted);
        granted.map_err(|_| {
            let exceeded = MemoryExceeded {
                verb: self.verb,
                wanted,
                limit: self.limit,
            };
            in_verb(self.verb, exceeded.into())
        })
    }
}
