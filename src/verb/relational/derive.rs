//! `derive`: adds columns, or replaces them.

use super::{ROWS, columns_of, step, table_of};
use crate::diag::Diag;
use crate::lang::flow::{Column, Columns, Flow};
use crate::lang::plan::{Arguments, Named};
use crate::plan::{Data, lower};
use crate::spec::{Example, Param, ParamSpec, Place, Section, Shape, VerbSpec};
use crate::verb::{FlowContext, PlanContext, Verb};

/// The verb.
pub struct Derive;

/// The new columns.
pub static COLUMNS: Param<Vec<Named>> = Param::new(ParamSpec {
    name: "columns",
    place: Place::Many,
    shape: Shape::Assignments,
    default: "",
    about: "`name = expression`; a later one may use an earlier one",
});

static SPEC: VerbSpec = VerbSpec {
    name: "derive",
    section: Section::Relational,
    takes: ROWS,
    heads: false,
    gives: "what flows in, with more columns",
    summary: "Adds columns computed from the others; a name that exists is replaced in its place.",
    detail: "Later columns may use earlier ones of the same stage. A trace stays a trace, so that a derived \
             `value` can be aggregated and drawn.",
    params: &[&COLUMNS.spec],
    by: false,
    examples: &[Example {
        about: "a share of the span",
        script: "load \"hand.csv\" unit=ms | take 1 | derive length = duration, share = length / 100ms | select value, length, share",
        prints: "value,length,share\nA,30,0.3\n",
    }],
};

/// The columns after one more, in its place where it exists.
fn with_column(columns: &Columns, named: &Named) -> Columns {
    let mut out = columns.clone();
    let entry = Column {
        name: named.name.clone(),
        ty: named.expr.ty.clone(),
        hidden: false,
    };
    match out.list.iter_mut().find(|column| column.name == named.name) {
        Some(slot) => *slot = entry,
        None => {
            // Hidden columns stay last.
            let at = out.list.iter().position(|column| column.hidden);
            out.list.insert(at.unwrap_or(out.list.len()), entry);
        }
    }
    out
}

impl Verb for Derive {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        let mut columns = columns_of(input, &SPEC)?.clone();
        for named in arguments.get(&COLUMNS)? {
            columns = with_column(&columns, &named);
        }
        input
            .map(|flow| flow.with_columns(columns))
            .ok_or_else(|| super::super::context::unexpected(&SPEC))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        _: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let mut table = table_of(&input, &SPEC)?;
        for named in arguments.get(&COLUMNS)? {
            let columns = with_column(&table.columns, &named);
            let mut expressions = Vec::new();
            for column in &columns.list {
                expressions.push(if column.name == named.name {
                    cx.named(&named, &table.columns)?
                } else {
                    lower::column(&column.name)
                });
            }
            table = step(&table, columns, |plan| plan.project(expressions))?;
        }
        // New columns take no states away, so links keep their ends.
        match input {
            Some(Data::Trace(trace)) => Ok(Data::Trace(trace.with_focused(table))),
            Some(data) => Ok(data.with_table(table)),
            None => Err(super::super::context::unexpected(&SPEC)),
        }
    }
}
