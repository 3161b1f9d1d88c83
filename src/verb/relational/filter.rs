//! `filter`: keeps the rows that a condition holds for, or the groups where it has an aggregate.

use super::{ROWS, columns_of, step, table_of};
use crate::diag::Diag;
use crate::lang::flow::Flow;
use crate::lang::plan::{Arguments, Expr, ExprNode};
use crate::plan::{Data, fault, lower};
use crate::spec::{Example, Param, ParamSpec, Place, Section, Shape, VerbSpec};
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::common::{Column, JoinType};
use datafusion::logical_expr::{self as df, LogicalPlanBuilder};

/// The verb.
pub struct Filter;

/// The condition.
pub static CONDITION: Param<Expr> = Param::new(ParamSpec {
    name: "condition",
    place: Place::Required,
    shape: Shape::Condition,
    default: "",
    about: "rows where it is true stay; null counts as false",
});

static SPEC: VerbSpec = VerbSpec {
    name: "filter",
    section: Section::Relational,
    takes: ROWS,
    heads: false,
    gives: "what flows in, with fewer rows",
    summary: "Keeps the rows for which a condition is true.",
    detail: "On a trace it works on the relation in focus and stays a trace; links that lost an end with \
             the states left out are no longer read. A condition with an aggregate needs `by` and keeps all rows \
             of the groups that pass: `filter max(end) > 90ms by resource`.",
    params: &[&CONDITION.spec],
    by: true,
    examples: &[
        Example {
            about: "one value",
            script: "load \"hand.csv\" unit=ms | filter value == \"C\" | select start, end",
            prints: "start,end\n58,61\n75,100\n",
        },
        Example {
            about: "whole groups",
            script: "load \"hand.csv\" unit=ms | filter sum(duration) < 75ms by resource | summarize count() by resource",
            prints: "resource,count\nCPU1,2\n",
        },
    ],
};

impl Verb for Filter {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(&self, input: Option<&Flow>, _: &Arguments, _: &mut FlowContext) -> Result<Flow, Diag> {
        columns_of(input, &SPEC)?;
        input
            .cloned()
            .ok_or_else(|| super::super::context::unexpected(&SPEC))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        _: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let table = table_of(&input, &SPEC)?;
        let condition = arguments.get(&CONDITION)?;
        let out = if condition.has_aggregate() {
            by_group(&table, condition, arguments, cx)?
        } else {
            let lowered = cx.lower(&condition, &table.columns)?;
            step(&table, table.columns.clone(), |plan| plan.filter(lowered))?
        };
        input
            .map(|data| data.with_table(out))
            .ok_or_else(|| super::super::context::unexpected(&SPEC))
    }
}

/// Aggregates per group, filters the groups, keeps the rows of those that are left.
fn by_group(
    table: &crate::plan::Table,
    mut condition: Expr,
    arguments: &Arguments,
    cx: &PlanContext,
) -> Result<crate::plan::Table, Diag> {
    let mut aggregates = Vec::new();
    take_aggregates(&mut condition, &mut aggregates);
    let mut lowered = Vec::new();
    for (name, aggregate) in &aggregates {
        lowered.push(cx.lower(aggregate, &table.columns)?.alias(name.as_str()));
    }
    let mut keys = Vec::new();
    let mut left = Vec::new();
    for (index, key) in arguments.by.iter().enumerate() {
        let expr = cx.lower(&key.expr, &table.columns)?;
        keys.push(expr.clone().alias(format!("group_key_{index}")));
        left.push(expr);
    }
    let names: Vec<String> = (0..keys.len()).map(|i| format!("group_key_{i}")).collect();
    let passed = cx.lower(&condition, &table.columns)?;
    let groups = LogicalPlanBuilder::from(table.plan.clone())
        .aggregate(keys, lowered)
        .and_then(|plan| plan.filter(passed))
        .and_then(|plan| plan.project(names.iter().map(|name| lower::column(name))))
        .and_then(|plan| plan.alias("passing"))
        .and_then(LogicalPlanBuilder::build)
        .map_err(fault::diag)?;
    // A null key is a group like any other.
    let on: Vec<df::Expr> = left
        .into_iter()
        .zip(&names)
        .map(|(key, name)| {
            let passing = df::Expr::Column(Column::new(Some("passing"), name));
            df::binary_expr(key, df::Operator::IsNotDistinctFrom, passing)
        })
        .collect();
    step(table, table.columns.clone(), |plan| {
        plan.join_on(groups, JoinType::LeftSemi, on)
    })
}

/// Replaces each aggregate by a column of the grouped plan.
fn take_aggregates(expr: &mut Expr, out: &mut Vec<(String, Expr)>) {
    if matches!(expr.node, ExprNode::Aggregate(..)) {
        let name = format!("group_value_{}", out.len());
        out.push((name.clone(), expr.clone()));
        expr.node = ExprNode::Column(name);
        return;
    }
    match &mut expr.node {
        ExprNode::Unary(_, a) | ExprNode::IsNull(a, _) | ExprNode::ToLogicalTime(a) => {
            take_aggregates(a, out);
        }
        ExprNode::Binary(_, a, b) | ExprNode::FloorDivide(a, b) => {
            take_aggregates(a, out);
            take_aggregates(b, out);
        }
        ExprNode::If(a, b, c) => {
            for part in [a, b, c] {
                take_aggregates(part, out);
            }
        }
        ExprNode::List(items) | ExprNode::Call(_, items) | ExprNode::Format(items) => {
            for item in items {
                take_aggregates(item, out);
            }
        }
        ExprNode::Range(low, high) => {
            for end in [low, high].into_iter().flatten() {
                take_aggregates(end, out);
            }
        }
        _ => {}
    }
}
