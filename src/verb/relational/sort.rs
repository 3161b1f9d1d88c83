//! `sort`: orders the rows, the same way every time.

use super::{ROWS, columns_of, step, table_of};
use crate::diag::{Diag, code};
use crate::lang::flow::Flow;
use crate::lang::plan::{Arguments, Expr};
use crate::model::schema::column;
use crate::plan::{Data, lower};
use crate::spec::{Example, Param, ParamSpec, Place, Section, Shape, Type, VerbSpec};
use crate::verb::{FlowContext, PlanContext, Verb};

/// The verb.
pub struct Sort;

/// The keys.
pub static KEYS: Param<Vec<(Expr, bool)>> = Param::new(ParamSpec {
    name: "keys",
    place: Place::Many,
    shape: Shape::SortKeys,
    default: "",
    about: "columns or expressions; a leading minus sorts down",
});

static SPEC: VerbSpec = VerbSpec {
    name: "sort",
    section: Section::Relational,
    takes: ROWS,
    heads: false,
    gives: "a table",
    summary: "Sorts the rows: up, or down with a leading minus.",
    detail: "Text sorts by its UTF-8 bytes, whatever the locale; nulls come last. Rows that are equal in all \
             keys are ordered by the remaining columns, so the result never depends on threads or on the order \
             in the file.",
    params: &[&KEYS.spec],
    by: false,
    examples: &[Example {
        about: "the longest first",
        script: "load \"hand.csv\" unit=ms | sort -duration, value | take 2 | select value, duration",
        prints: "value,duration\nP,40\nA,30\n",
    }],
};

impl Verb for Sort {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        for (key, _) in arguments.get(&KEYS)? {
            if key.ty == Type::Other {
                return Err(
                    Diag::error(&code::TYPE_MISMATCH, "nested data have no order")
                        .at(key.span, "here"),
                );
            }
        }
        Ok(Flow::Table(columns_of(input, &SPEC)?.clone()))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        _: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let table = table_of(&input, &SPEC)?;
        let mut keys = Vec::new();
        for (key, down) in arguments.get(&KEYS)? {
            keys.push(cx.lower(&key, &table.columns)?.sort(!down, false));
        }
        keys.extend(ties(&table));
        let columns = table.columns.clone();
        Ok(Data::Table(step(&table, columns, |plan| plan.sort(keys))?))
    }
}

/// The remaining columns, which break ties: from the left, but the number that a file without ids gives its
/// rows comes last, since it depends on the order in the file.
pub fn ties(table: &crate::plan::Table) -> Vec<datafusion::logical_expr::SortExpr> {
    let columns = &table.columns;
    let is_last =
        |name: &str| columns.has(column::ROW) && [column::ID, column::ROW].contains(&name);
    let list = columns
        .list
        .iter()
        .filter(|column| column.ty != Type::Other);
    let (last, first): (Vec<_>, Vec<_>) = list.partition(|column| is_last(&column.name));
    first
        .into_iter()
        .chain(last)
        .map(|column| lower::column(&column.name).sort(true, false))
        .collect()
}
