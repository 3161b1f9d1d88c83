//! `filter`: keeps the rows that a condition holds for, or the groups where it has an aggregate.

use super::{ROWS, columns_of, step, table_of};
use crate::diag::{Diag, code};
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

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        columns_of(input, &SPEC)?;
        check_groups(&arguments.get(&CONDITION)?, arguments)?;
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

/// A condition of groups is about aggregates and group keys; a condition of rows has no groups.
fn check_groups(condition: &Expr, arguments: &Arguments) -> Result<(), Diag> {
    if arguments.by.is_empty() {
        return Ok(());
    }
    if !condition.has_aggregate() {
        return Err(Diag::error(
            &code::AGGREGATE_MISPLACED,
            "`by` groups the rows for an aggregate, and the condition has none",
        )
        .at(condition.span, "here")
        .help("leave `by` out, or compare an aggregate: `max(duration) > 1ms`"));
    }
    let mut groups = condition.clone();
    take_aggregates(&mut groups, &mut Vec::new());
    take_keys(&mut groups, arguments);
    let mut stray = None;
    groups.walk(&mut |expr| {
        if let ExprNode::Column(name) = &expr.node
            && !name.starts_with(GROUP)
        {
            stray.get_or_insert(expr.span);
        }
    });
    match stray {
        None => Ok(()),
        Some(span) => Err(Diag::error(
            &code::AGGREGATE_MISPLACED,
            "this column has many values in a group, one is wanted",
        )
        .at(span, "here")
        .help(
            "put it in an aggregate, or group by it; rows are tested by a `filter` of their own",
        )),
    }
}

/// Replaces group keys by the columns of the grouped plan.
fn take_keys(expr: &mut Expr, arguments: &Arguments) {
    let found = arguments.by.iter().position(|key| {
        matches!((&key.expr.node, &expr.node), (ExprNode::Column(a), ExprNode::Column(b)) if a == b)
    });
    if let Some(index) = found {
        expr.node = ExprNode::Column(format!("{GROUP}key_{index}"));
        return;
    }
    expr.children_mut(&mut |child| take_keys(child, arguments));
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
    take_keys(&mut condition, arguments);
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

/// The columns of the grouped plan begin with this.
const GROUP: &str = "group_";

/// Replaces each aggregate by a column of the grouped plan.
fn take_aggregates(expr: &mut Expr, out: &mut Vec<(String, Expr)>) {
    if matches!(expr.node, ExprNode::Aggregate(..)) {
        let name = format!("{GROUP}value_{}", out.len());
        out.push((name.clone(), expr.clone()));
        expr.node = ExprNode::Column(name);
        return;
    }
    expr.children_mut(&mut |child| take_aggregates(child, out));
}
