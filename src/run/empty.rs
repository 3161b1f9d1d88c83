//! Why a result has no rows: which stage took the last ones away, and what it may have meant.

use super::Runner;
use crate::diag::{Diag, code};
use crate::lang::ast::BinaryOperator;
use crate::lang::plan::{ArgumentKind, Expr, ExprNode, Pipeline, Source, StageCall};
use crate::lang::suggest;
use crate::plan::{Data, Table, fault, lower};
use crate::spec::{Type, Value};
use crate::verb;
use crate::verb::texts;
use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::{LogicalPlanBuilder, cast};
use std::sync::Arc;

/// Most distinct values that are compared with what was asked for.
const MOST_VALUES: usize = 10_000;

impl Runner<'_> {
    /// Says which stage left no rows of a statement whose result has none. The stages are run again one after the other,
    /// which only an empty result has to pay for.
    pub(super) fn explain_empty(&mut self, pipeline: &Arc<Pipeline>) -> Result<(), Diag> {
        let mut calls = Vec::new();
        let Some(head) = unrolled(pipeline, &mut calls) else {
            return Ok(());
        };
        let mut data = self.call(head, None, None, pipeline)?;
        if self.rows(&data)? == Some(0) {
            // Loading has said it already.
            return Ok(());
        }
        for call in calls {
            let next = self.call(call, Some(data.clone()), None, pipeline)?;
            if self.rows(&next)? == Some(0) {
                // `take 0` asks for it.
                if call.verb.name == "take" {
                    return Ok(());
                }
                let note = self.emptied(call, &data)?;
                self.host.warn(note);
                return Ok(());
            }
            data = next;
        }
        Ok(())
    }

    fn rows(&mut self, data: &Data) -> Result<Option<i64>, Diag> {
        match data {
            Data::Trace(_) | Data::Table(_) => {
                let table = data.table()?;
                self.context(None, Vec::new()).count(&table.plan).map(Some)
            }
            Data::Figure(_) | Data::Nothing => Ok(None),
        }
    }

    /// What to say of the stage that left nothing of `before`.
    fn emptied(&mut self, call: &StageCall, before: &Data) -> Result<Diag, Diag> {
        let table = before.table()?;
        let rows = self.context(None, Vec::new()).count(&table.plan)?;
        let plural = if rows == 1 { "row" } else { "rows" };
        let diag = Diag::warning(
            &code::EMPTY_RESULT,
            format!(
                "0 rows: `{}` keeps none of {rows} {plural}",
                crate::diag::printable(&self.stage_text(call), 80)
            ),
        )
        .at(call.span, "nothing comes through here");
        let condition =
            call.arguments
                .given
                .iter()
                .find_map(|(_, argument)| match &argument.kind {
                    ArgumentKind::Condition(expr) => Some(expr),
                    _ => None,
                });
        let mut asked = Vec::new();
        if let Some(condition) = condition {
            wanted(condition, &mut asked);
        }
        for (column, text) in asked {
            let Some(values) = self.values(&table, &column)? else {
                continue;
            };
            if values.contains(&text) {
                continue;
            }
            let known = format!(
                "`{column}` is never \"{text}\"; it has {} value{}",
                values.len(),
                if values.len() == 1 { "" } else { "s" }
            );
            let names = || values.iter().map(String::as_str);
            return Ok(match nearest(&text, &values) {
                Some(near) => diag.help(format!("{known}, nearest: \"{near}\"")),
                None => diag.help(format!("{known}: {}", suggest::listed(names(), 8))),
            });
        }
        Ok(diag)
    }

    /// The distinct texts of a column; None where there are too many to be names.
    fn values(&mut self, table: &Table, column: &str) -> Result<Option<Vec<String>>, Diag> {
        let text = cast(lower::column(column), DataType::Utf8View).alias("value");
        let plan = LogicalPlanBuilder::from(table.plan.clone())
            .project([text])
            .and_then(LogicalPlanBuilder::distinct)
            .and_then(|plan| plan.limit(0, Some(MOST_VALUES + 1)))
            .and_then(LogicalPlanBuilder::build)
            .map_err(fault::diag)?;
        let mut values = texts(&self.engine.collect(&plan)?, 0);
        values.sort();
        Ok((values.len() <= MOST_VALUES).then_some(values))
    }
}

/// The stages behind the source, bindings taken apart; gives the source. None where something of a pipeline writes: what
/// was written once is not written again.
fn unrolled<'a>(pipeline: &'a Pipeline, calls: &mut Vec<&'a StageCall>) -> Option<&'a StageCall> {
    if pipeline.has_outcome() {
        return None;
    }
    let head = match &pipeline.source {
        Source::Verb(call) => call,
        Source::Pipeline {
            pipeline,
            relation: None,
        } => unrolled(pipeline, calls)?,
        Source::Pipeline { .. } => return None,
    };
    calls.extend(&pipeline.stages);
    verb::find(head.verb.name).map(|_| head)
}

/// The texts that a condition compares columns with.
fn wanted(condition: &Expr, out: &mut Vec<(String, String)>) {
    condition.walk(&mut |expr| {
        let ExprNode::Binary(BinaryOperator::Equal | BinaryOperator::In, left, right) = &expr.node
        else {
            return;
        };
        let (ExprNode::Column(column), Type::String) = (&left.node, &left.ty) else {
            return;
        };
        match &right.node {
            ExprNode::Value(Value::String(text)) => out.push((column.clone(), text.clone())),
            ExprNode::Value(Value::List(items)) => {
                out.extend(items.iter().filter_map(|item| match item {
                    Value::String(text) => Some((column.clone(), text.clone())),
                    _ => None,
                }))
            }
            ExprNode::List(items) => out.extend(items.iter().filter_map(|item| match &item.node {
                ExprNode::Value(Value::String(text)) => Some((column.clone(), text.clone())),
                _ => None,
            })),
            _ => {}
        }
    });
}

/// The value that a text nearly is; the same letters in another case come first.
fn nearest<'a>(text: &str, values: &'a [String]) -> Option<&'a str> {
    let lower = text.to_lowercase();
    let same = values.iter().find(|value| value.to_lowercase() == lower);
    same.map(String::as_str)
        .or_else(|| suggest::nearest(text, values.iter().map(String::as_str)))
}
