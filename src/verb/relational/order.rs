//! The order of rows that have none of their own: results must not depend on threads or hash tables.

use crate::diag::Diag;
use crate::model::schema::column;
use crate::plan::{Table, lower};
use datafusion::logical_expr::{LogicalPlan, SortExpr};

/// Hidden column of result tables that come in an order of their own: the place of the row, from 1.
pub const PLACE: &str = "place";

/// The natural order of a table: its place, else time and place in the file, else its columns from the left.
pub fn natural(table: &Table) -> Vec<SortExpr> {
    let up = |name: &str| lower::column(name).sort(true, false);
    if table.columns.has(PLACE) {
        return vec![up(PLACE)];
    }
    let mut keys: Vec<SortExpr> = [column::START, column::TIME, column::ROW]
        .into_iter()
        .filter(|name| table.columns.has(name))
        .map(up)
        .collect();
    // Place in the file is unique; without it all columns are needed.
    if !table.columns.has(column::ROW) {
        keys.extend(super::sort::ties(table));
    }
    keys
}

/// The order that rows are chosen by: time and all columns, so that which rows stay does not depend on their
/// place in the file (language.md section 8, Order).
pub fn chosen(table: &Table) -> Vec<SortExpr> {
    if table.columns.has(PLACE) {
        return natural(table);
    }
    let times = [column::START, column::TIME]
        .into_iter()
        .filter(|name| table.columns.has(name));
    times
        .map(|name| lower::column(name).sort(true, false))
        .chain(super::sort::ties(table))
        .collect()
}

/// True where rows come out in an order that a stage made.
pub fn is_sorted(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Sort(_) => true,
        LogicalPlan::Limit(_)
        | LogicalPlan::Projection(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::SubqueryAlias(_) => {
            plan.inputs().first().is_some_and(|input| is_sorted(input))
        }
        _ => false,
    }
}

/// True where rows come out of a node with one partition and an order of its own.
fn is_placed(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Extension(node) => matches!(node.node.name(), "Stacker" | "ProfileMerger"),
        LogicalPlan::Projection(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::Window(_)
        | LogicalPlan::SubqueryAlias(_) => {
            plan.inputs().first().is_some_and(|input| is_placed(input))
        }
        _ => false,
    }
}

/// The table in an order that is the same on every run: its own, or its natural one.
pub fn settled(table: &Table) -> Result<Table, Diag> {
    if is_sorted(&table.plan) || is_placed(&table.plan) {
        return Ok(table.clone());
    }
    let keys = natural(table);
    if keys.is_empty() {
        return Ok(table.clone());
    }
    super::step(table, table.columns.clone(), |plan| plan.sort(keys))
}
