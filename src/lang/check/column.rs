//! A bare name as a column of what flows in, with the helpful answers where there is none.

use super::{Checker, Checking};
use crate::diag::{Diag, Span, code};
use crate::lang::ast::{BinaryOperator, Name};
use crate::lang::flow::Columns;
use crate::lang::plan::{Expr, ExprNode};
use crate::lang::suggest;
use crate::model::schema::column;

/// Prefix of attributes that are named like a model column.
const ATTRIBUTE: &str = "attr.";

impl Checker<'_> {
    /// Resolves `name` or `attr.name`; `duration` is `end - start` where no column has that name.
    pub(crate) fn column(
        &mut self,
        names: &[Name],
        span: Span,
        columns: &Columns,
    ) -> Checking<Expr> {
        let parts: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
        let name = parts.join(".");
        let quoted = names.iter().any(|name| name.quoted);
        if let Some(found) = columns.find(&name) {
            let attribute = format!("{ATTRIBUTE}{name}");
            if !quoted && !found.hidden && columns.has(&attribute) {
                return self.report(
                    Diag::error(
                        &code::AMBIGUOUS_COLUMN,
                        format!("`{name}` means two columns here"),
                    )
                    .at(span, "here")
                    .help(format!(
                        "write `{attribute}` for the attribute of the file, or `` `{name}` `` in backquotes \
                         for the column of the trace"
                    )),
                );
            }
            let ty = found.ty.clone();
            return Ok(Expr {
                node: ExprNode::Column(name),
                ty,
                span,
            });
        }
        if name == column::DURATION && columns.has_computed_duration() {
            let end = |name: &str| {
                Box::new(Expr {
                    node: ExprNode::Column(name.to_owned()),
                    ty: columns.time_type(),
                    span,
                })
            };
            return Ok(Expr {
                node: ExprNode::Binary(
                    BinaryOperator::Subtract,
                    end(column::END),
                    end(column::START),
                ),
                ty: columns.time_type(),
                span,
            });
        }
        // Variables accept the words their files use.
        if columns.has(column::METRIC) {
            let synonym = match name.as_str() {
                "entity" => Some(column::RESOURCE),
                "time" => Some(column::START),
                _ => None,
            };
            if let Some(found) = synonym.and_then(|synonym| columns.find(synonym)) {
                return Ok(Expr {
                    node: ExprNode::Column(found.name.clone()),
                    ty: found.ty.clone(),
                    span,
                });
            }
        }
        let diag = self.unknown_column(&name, span, columns);
        self.report(diag)
    }

    fn unknown_column(&self, name: &str, span: Span, columns: &Columns) -> Diag {
        let diag = Diag::error(
            &code::UNKNOWN_COLUMN,
            format!("no column is called `{name}`"),
        )
        .at(span, "here");
        if let Some(dropped) = columns.dropped.iter().rev().find(|d| d.name == name) {
            return diag
                .at(dropped.span, format!("`{}` dropped it", dropped.verb))
                .help(format!(
                    "keep it in `{}`, or use it before that stage",
                    dropped.verb
                ));
        }
        if self.is_scalar(name) {
            return diag.help(format!("the scalar is written `${name}`"));
        }
        if matches!(name, "desc" | "descending" | "asc" | "ascending") {
            return diag.help("`sort` goes up; a leading minus goes down: `sort -duration`");
        }
        let names: Vec<&str> = columns
            .visible()
            .map(|column| column.name.as_str())
            .chain(columns.has_computed_duration().then_some(column::DURATION))
            .collect();
        if let Some(near) = suggest::nearest(name, names.iter().copied()) {
            return diag.help(format!("did you mean `{near}`?"));
        }
        if self.registry.function(name).is_some() {
            return diag.help(format!("to call the function write `{name}(…)`"));
        }
        if names.is_empty() {
            return diag.help("nothing flows in here that has columns");
        }
        diag.help(format!(
            "the columns are {}; text is written \"{name}\"",
            suggest::listed(names, 16)
        ))
    }
}
