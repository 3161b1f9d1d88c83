//! `for`: the statements are checked and run once for each item, as if they had been written so often.

use super::{Binding, Checker, Checking, Statements, Stop};
use crate::diag::{Diag, Span, code};
use crate::lang::ast::{Expr, Name, Statement, StatementKind};
use crate::lang::plan::{self, ExprNode, Scalar};
use crate::spec::Value;
use std::sync::{Arc, OnceLock};

/// Most rounds of one loop.
const MOST_ROUNDS: usize = 10_000;

impl Checker<'_> {
    pub(crate) fn repeat(
        &mut self,
        name: &Name,
        list: &Expr,
        body: &[Statement],
        out: &mut Statements,
    ) -> Checking<()> {
        for statement in body {
            let word = match &statement.kind {
                StatementKind::Param { .. } => "param",
                StatementKind::Use { .. } => "use",
                _ => continue,
            };
            let diag = Diag::error(&code::SYNTAX, format!("`{word}` stands outside of loops"))
                .at(statement.span, "here");
            return self.report(diag);
        }
        let items = self.items(list)?;
        // Names of the loop end with it.
        let outside = self.scope.clone();
        let broken = self.broken.len();
        let mut result = Ok(());
        for item in items {
            let cell = OnceLock::new();
            let _ = cell.set(item.clone());
            let scalar = Scalar {
                name: name.text.clone(),
                expr: plan::Expr {
                    ty: item.value_type(),
                    node: ExprNode::Value(item),
                    span: name.span,
                },
                value: cell,
            };
            self.scope
                .bind(&name.text, Binding::Scalar(Arc::new(scalar)));
            let before = self.diags.len();
            for statement in body {
                if let Err(Stop) = self.statement(statement, out) {
                    result = Err(Stop);
                }
            }
            // What is wrong in one round is wrong in the next.
            if result.is_err() || self.diags.len() > before {
                let shown = |diag: &Diag| diag.is_error();
                if self.diags[before..].iter().any(shown) {
                    result = Err(Stop);
                    break;
                }
            }
        }
        self.broken.truncate(broken);
        *self.scope = outside;
        result
    }

    fn items(&mut self, list: &Expr) -> Checking<Vec<Value>> {
        let scalar = self.scalar(list, "")?;
        let Some(value) = scalar.value.get().cloned() else {
            let diag = Diag::error(
                &code::NOT_A_SCALAR,
                "what a loop runs over must be known before anything runs",
            )
            .at(list.span, "this depends on data")
            .help("write a list, a range of whole numbers such as `1..5`, or a `param`");
            return self.report(diag);
        };
        let items = match &value {
            Value::List(items) => items.clone(),
            Value::Range(low, high) => match (low.as_deref(), high.as_deref()) {
                (Some(Value::Int(low)), Some(Value::Int(high))) => {
                    self.few(list.span, high.saturating_sub(*low).max(0) as usize)?;
                    (*low..*high).map(Value::Int).collect()
                }
                _ => return self.no_list(list),
            },
            _ => return self.no_list(list),
        };
        self.few(list.span, items.len())?;
        Ok(items)
    }

    fn few(&mut self, span: Span, rounds: usize) -> Checking<()> {
        if rounds <= MOST_ROUNDS {
            return Ok(());
        }
        self.report(
            Diag::error(
                &code::INVALID_VALUE,
                format!("a loop has at most {MOST_ROUNDS} rounds, this one {rounds}"),
            )
            .at(span, "here"),
        )
    }

    fn no_list<T>(&mut self, list: &Expr) -> Checking<T> {
        self.report(
            Diag::error(
                &code::TYPE_MISMATCH,
                "a loop runs over a list, or a range of whole numbers with both ends",
            )
            .at(list.span, "here")
            .help("write `for t in [1ms, 10ms] { … }` or `for i in 0..3 { … }`"),
        )
    }
}
