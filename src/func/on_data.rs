//! Functions of a whole trace or table.

use super::FunctionSpec;
use crate::diag::Diag;
use crate::lang::check::FunctionKind;
use crate::model::schema::column;
use crate::plan::checked::{self, Exact};
use crate::plan::data::Table;
use crate::plan::{fault, lower};
use crate::spec::Type;
use datafusion::functions_aggregate::expr_fn::{max, min};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};

/// The family.
pub static FUNCTIONS: &[FunctionSpec] = &[FunctionSpec {
    name: "span",
    kind: FunctionKind::OnData,
    signature: "span(trace)",
    summary: "The time from the first start to the last end of what is in focus.",
    example: ("span(run)", "100"),
    null: "rows without a start or an end are left out; no rows give null",
    // The checker knows the type from the clock of the data.
    result: |_| Ok(Type::Time),
    lower: None,
}];

/// A plan of one row and one column: the span of a table.
pub fn span_plan(table: &Table) -> Result<LogicalPlan, Diag> {
    let (first, last) = if table.columns.has(column::START) {
        (column::START, column::END)
    } else {
        (column::TIME, column::TIME)
    };
    if !table.columns.has(first) || !table.columns.has(last) {
        return Err(Diag::error(
            &crate::diag::code::UNKNOWN_COLUMN,
            "`span` needs the columns `start` and `end`, or `time`",
        ));
    }
    let length: Expr = checked::call(
        Exact::Subtract,
        vec![lower::column("last"), lower::column("first")],
    );
    LogicalPlanBuilder::from(table.plan.clone())
        .aggregate(
            Vec::<Expr>::new(),
            vec![
                min(lower::column(first)).alias("first"),
                max(lower::column(last)).alias("last"),
            ],
        )
        .and_then(|plan| plan.project([length.alias("span")]))
        .and_then(LogicalPlanBuilder::build)
        .map_err(fault::diag)
}
