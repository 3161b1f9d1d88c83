//! Verbs of relational algebra: filters, columns, groups, order.

pub mod derive;
pub mod distinct;
pub mod filter;
pub mod focus;
pub mod join;
pub mod order;
pub mod other;
pub mod rename;
pub mod select;
pub mod sort;
pub mod summarize;
pub mod take;
pub mod union;

use crate::diag::{Diag, Span};
use crate::lang::flow::{Column, Columns, Flow};
use crate::lang::plan::Named;
use crate::plan::data::Table;
use crate::plan::{Data, fault};
use crate::spec::{Kind, VerbSpec};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder};

/// What the relational verbs take.
pub const ROWS: &[Kind] = &[Kind::Trace, Kind::Table];

/// The columns that flow in, which the checker has made sure of.
fn columns_of<'a>(input: Option<&'a Flow>, verb: &VerbSpec) -> Result<&'a Columns, Diag> {
    input
        .and_then(Flow::columns)
        .ok_or_else(|| super::context::unexpected(verb))
}

/// The table that flows in.
fn table_of(input: &Option<Data>, verb: &VerbSpec) -> Result<Table, Diag> {
    match input {
        Some(data) => data.table(),
        None => Err(super::context::unexpected(verb)),
    }
}

/// The table after one step of the plan builder.
fn step(
    table: &Table,
    columns: Columns,
    step: impl FnOnce(LogicalPlanBuilder) -> Result<LogicalPlanBuilder, DataFusionError>,
) -> Result<Table, Diag> {
    let plan = step(LogicalPlanBuilder::from(table.plan.clone()))
        .and_then(LogicalPlanBuilder::build)
        .map_err(fault::diag)?;
    Ok(table.then(plan, columns))
}

/// Column entries for named expressions.
fn entries(named: &[Named]) -> Vec<Column> {
    named
        .iter()
        .map(|named| Column {
            name: named.name.clone(),
            ty: named.expr.ty.clone(),
            hidden: false,
        })
        .collect()
}

/// The hidden columns of a relation, which every verb that keeps rows keeps.
fn hidden(columns: &Columns, besides: &[Column]) -> Vec<Column> {
    columns
        .list
        .iter()
        .filter(|column| column.hidden && !besides.iter().any(|other| other.name == column.name))
        .cloned()
        .collect()
}

/// The engine's expressions for columns that stay as they are.
fn kept(columns: &[Column]) -> Vec<Expr> {
    columns
        .iter()
        .map(|column| crate::plan::lower::column(&column.name))
        .collect()
}

/// The columns after a stage that lists them anew.
fn listed(columns: &Columns, list: Vec<Column>, verb: &'static VerbSpec, span: Span) -> Columns {
    columns.replaced(list, verb.name, span)
}
