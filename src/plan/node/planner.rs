//! From the logical state nodes to the physical ones. The session registers [`query_planner`]; a further node is one
//! line in `PLANNERS`.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::internal_datafusion_err;
use datafusion::error::Result;
use datafusion::execution::context::QueryPlanner;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{LogicalPlan, UserDefinedLogicalNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{DefaultPhysicalPlanner, ExtensionPlanner, PhysicalPlanner};

use super::chunker::ChunkStep;
use super::comparison::Comparison;
use super::critical_path::CriticalPath;
use super::flattener::FlattenStep;
use super::gap_finder::GapStep;
use super::kernel::{Kernel, KernelExec, KernelNode};
use super::occupancy::{CountStep, OccupyStep};
use super::overlap::Overlap;
use super::profiler::{MergeStep, ProfileStep};
use super::slicer::SliceStep;
use super::stacker::StackStep;
use super::step::{Step, StepExec, StepNode};

/// Makes the physical node if the logical one is of its kind.
type PlanStep = fn(
    &dyn UserDefinedLogicalNode,
    &[Arc<dyn ExecutionPlan>],
) -> Option<Result<Arc<dyn ExecutionPlan>>>;

/// One line for each node.
const PLANNERS: &[PlanStep] = &[
    plan_step::<ChunkStep>,
    plan_step::<StackStep>,
    plan_step::<FlattenStep>,
    plan_step::<ProfileStep>,
    plan_step::<MergeStep>,
    plan_step::<GapStep>,
    plan_step::<SliceStep>,
    plan_step::<CountStep>,
    plan_step::<OccupyStep>,
    plan_kernel::<CriticalPath>,
    plan_kernel::<Overlap>,
    plan_kernel::<Comparison>,
];

fn plan_step<S: Step>(
    node: &dyn UserDefinedLogicalNode,
    inputs: &[Arc<dyn ExecutionPlan>],
) -> Option<Result<Arc<dyn ExecutionPlan>>> {
    let node = node.as_any().downcast_ref::<StepNode<S>>()?;
    let plan = || -> Result<Arc<dyn ExecutionPlan>> {
        let input = inputs
            .first()
            .ok_or_else(|| internal_datafusion_err!("{} has no input", S::NAME))?;
        let schema = node.output();
        Ok(Arc::new(StepExec::try_new(
            node.step().clone(),
            Arc::clone(input),
            schema,
        )?))
    };
    Some(plan())
}

fn plan_kernel<K: Kernel>(
    node: &dyn UserDefinedLogicalNode,
    inputs: &[Arc<dyn ExecutionPlan>],
) -> Option<Result<Arc<dyn ExecutionPlan>>> {
    let node = node.as_any().downcast_ref::<KernelNode<K>>()?;
    let exec = KernelExec::try_new(node.kernel().clone(), inputs.to_vec(), node.output());
    Some(exec.map(|exec| Arc::new(exec) as Arc<dyn ExecutionPlan>))
}

/// Plans the nodes of this folder.
#[derive(Debug, Default)]
pub struct StatePlanner;

#[async_trait]
impl ExtensionPlanner for StatePlanner {
    async fn plan_extension(
        &self,
        _planner: &dyn PhysicalPlanner,
        node: &dyn UserDefinedLogicalNode,
        _logical_inputs: &[&LogicalPlan],
        physical_inputs: &[Arc<dyn ExecutionPlan>],
        _session: &dyn Session,
        _context: &PhysicalPlanningContext,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        PLANNERS
            .iter()
            .find_map(|plan| plan(node, physical_inputs))
            .transpose()
    }
}

/// DataFusion's planner with the nodes of this folder.
#[derive(Debug, Default)]
struct StateQueryPlanner;

#[async_trait]
impl QueryPlanner for StateQueryPlanner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let planner = DefaultPhysicalPlanner::with_extension_planners(vec![Arc::new(StatePlanner)]);
        planner.create_physical_plan(plan, session).await
    }
}

/// The planner for a session that runs the nodes of this folder.
pub fn query_planner() -> Arc<dyn QueryPlanner + Send + Sync> {
    Arc::new(StateQueryPlanner)
}
