//! Tables over rows that marey makes or holds itself: loaded relations and generators. One partition, only
//! the columns that are asked for, in the order that is declared.

use crate::model::Relation;
use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, AsArray, StringViewArray};
use datafusion::arrow::compute::{SortOptions, cast, take};
use datafusion::arrow::datatypes::{DataType, SchemaRef, UInt32Type};
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Statistics, project_schema};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::expressions::col;
use datafusion::physical_expr::{
    EquivalenceProperties, LexOrdering, PhysicalExpr, PhysicalSortExpr,
};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
    ReplaceChildrenOptions,
};
use std::fmt;
use std::sync::Arc;

/// Batches on demand.
pub type Rows = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// Something that can give its rows again and again.
pub trait RowSource: fmt::Debug + Send + Sync {
    /// What `explain` calls it.
    fn name(&self) -> String;
    /// The columns.
    fn schema(&self) -> SchemaRef;
    /// Columns the rows are sorted by, ascending, nulls last.
    fn sorted_by(&self) -> Vec<&'static str>;
    /// Number of rows where it is known without work.
    fn rows(&self) -> Option<usize>;
    /// The rows, with the columns at these positions in this order.
    fn open(&self, projection: &[usize], batch_size: usize) -> Rows;
}

/// A table over a source.
#[derive(Debug)]
pub struct SourceTable {
    source: Arc<dyn RowSource>,
}

impl SourceTable {
    /// A table over a source.
    pub fn new(source: Arc<dyn RowSource>) -> Self {
        SourceTable { source }
    }
}

#[async_trait]
impl TableProvider for SourceTable {
    fn schema(&self) -> SchemaRef {
        self.source.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all: Vec<usize> = (0..self.source.schema().fields().len()).collect();
        let projection = projection.cloned().unwrap_or(all);
        Ok(Arc::new(SourceExec::try_new(
            self.source.clone(),
            projection,
            state.config().batch_size(),
        )?))
    }

    fn statistics(&self) -> Option<Statistics> {
        Some(row_statistics(self.source.rows(), &self.source.schema()))
    }
}

fn row_statistics(rows: Option<usize>, schema: &SchemaRef) -> Statistics {
    let mut statistics = Statistics::new_unknown(schema);
    if let Some(rows) = rows {
        statistics.num_rows = Precision::Exact(rows);
    }
    statistics
}

/// The physical scan of a source.
#[derive(Debug)]
struct SourceExec {
    source: Arc<dyn RowSource>,
    projection: Vec<usize>,
    schema: SchemaRef,
    batch_size: usize,
    properties: Arc<PlanProperties>,
}

impl SourceExec {
    fn try_new(
        source: Arc<dyn RowSource>,
        projection: Vec<usize>,
        batch_size: usize,
    ) -> Result<Self> {
        let schema = project_schema(&source.schema(), Some(&projection))?;
        let mut equivalence = EquivalenceProperties::new(schema.clone());
        let mut order = Vec::new();
        for name in source.sorted_by() {
            // An order is worth its leading columns only.
            let Ok(expr) = col(name, &schema) else { break };
            order.push(PhysicalSortExpr::new(
                expr,
                SortOptions {
                    descending: false,
                    nulls_first: false,
                },
            ));
        }
        if let Some(order) = LexOrdering::new(order) {
            equivalence.add_ordering(order);
        }
        let properties = PlanProperties::new(
            equivalence,
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Ok(SourceExec {
            source,
            projection,
            schema,
            batch_size,
            properties: Arc::new(properties),
        })
    }
}

impl DisplayAs for SourceExec {
    fn fmt_as(&self, _t: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let names: Vec<&str> = self
            .schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        write!(
            f,
            "SourceExec: {}, columns=[{}]",
            self.source.name(),
            names.join(", ")
        )
    }
}

impl ExecutionPlan for SourceExec {
    fn name(&self) -> &str {
        "SourceExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn replace_children(
        self: Arc<Self>,
        _children: Vec<Arc<dyn ExecutionPlan>>,
        _options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(
        self: Arc<Self>,
        _children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn execute(
        &self,
        _partition: usize,
        _context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let rows = self.source.open(&self.projection, self.batch_size);
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.schema.clone(),
            futures::stream::iter(rows),
        )))
    }
}

/// A loaded relation: names are stored as dictionaries and leave as `Utf8View`.
#[derive(Debug)]
pub struct StoredRelation {
    relation: Relation,
}

impl StoredRelation {
    /// A relation in memory.
    pub fn new(relation: Relation) -> Self {
        StoredRelation { relation }
    }
}

impl RowSource for StoredRelation {
    fn name(&self) -> String {
        format!("{} in memory", self.relation.name)
    }

    fn schema(&self) -> SchemaRef {
        self.relation.schema.clone()
    }

    fn sorted_by(&self) -> Vec<&'static str> {
        self.relation.sorted_by.clone()
    }

    fn rows(&self) -> Option<usize> {
        Some(self.relation.rows())
    }

    fn open(&self, projection: &[usize], batch_size: usize) -> Rows {
        let batches = self.relation.batches.clone();
        let projection = projection.to_vec();
        let full = self.relation.schema.clone();
        let mut at = 0;
        let mut offset = 0;
        Box::new(std::iter::from_fn(move || {
            loop {
                let batch = batches.get(at)?;
                if offset >= batch.num_rows() {
                    at += 1;
                    offset = 0;
                    continue;
                }
                let length = batch_size.min(batch.num_rows() - offset);
                let slice = batch.slice(offset, length);
                offset += length;
                return Some(unpack(&slice, &projection, &full));
            }
        }))
    }
}

/// The projected columns with dictionaries turned into views.
fn unpack(batch: &RecordBatch, projection: &[usize], full: &SchemaRef) -> Result<RecordBatch> {
    let schema = project_schema(full, Some(&projection.to_vec()))?;
    let mut columns: Vec<ArrayRef> = Vec::with_capacity(projection.len());
    for (index, field) in projection.iter().zip(schema.fields()) {
        let column = batch.column(*index);
        columns.push(match (column.data_type(), field.data_type()) {
            (have, want) if have == want => column.clone(),
            (DataType::Dictionary(key, value), DataType::Utf8View)
                if **key == DataType::UInt32 && **value == DataType::Utf8View =>
            {
                let dictionary = column.as_dictionary::<UInt32Type>();
                let values: &StringViewArray = dictionary.values().as_string_view();
                take(values, dictionary.keys(), None)?
            }
            (_, want) => cast(column, want)?,
        });
    }
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(
        schema, columns, &options,
    )?)
}
