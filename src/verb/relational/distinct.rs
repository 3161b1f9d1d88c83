//! `distinct`: each row, or each combination of some columns, once.

use super::{ROWS, columns_of, kept, listed, step, table_of};
use crate::diag::Diag;
use crate::lang::flow::{Column, Columns, Flow};
use crate::lang::plan::{Arguments, Named};
use crate::plan::Data;
use crate::spec::{Example, Param, ParamSpec, Place, Section, Shape, VerbSpec};
use crate::verb::{FlowContext, PlanContext, Verb};

/// The verb.
pub struct Distinct;

/// The columns.
pub static COLUMNS: Param<Option<Vec<Named>>> = Param::new(ParamSpec {
    name: "columns",
    place: Place::Any,
    shape: Shape::Columns,
    default: "all columns",
    about: "columns, or `name = expression`",
});

static SPEC: VerbSpec = VerbSpec {
    name: "distinct",
    section: Section::Relational,
    takes: ROWS,
    heads: false,
    gives: "a table",
    summary: "Keeps each combination of values once.",
    detail: "With columns named, only those stay. The rows come out sorted by them, from the left.",
    params: &[&COLUMNS.spec],
    by: false,
    examples: &[Example {
        about: "the values of one resource",
        script: "load \"hand.csv\" unit=ms | filter resource == \"CPU0\" | distinct value",
        prints: "value\nA\nB\nC\n",
    }],
};

fn chosen(columns: &Columns, named: &Option<Vec<Named>>) -> Vec<Column> {
    match named {
        Some(named) => super::entries(named),
        None => columns.visible().cloned().collect(),
    }
}

impl Verb for Distinct {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        let columns = columns_of(input, &SPEC)?;
        let list = chosen(columns, &arguments.get(&COLUMNS)?);
        Ok(Flow::Table(listed(columns, list, &SPEC, arguments.span)))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        flow: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let table = table_of(&input, &SPEC)?;
        let named = arguments.get(&COLUMNS)?;
        let expressions = match &named {
            Some(named) => named
                .iter()
                .map(|named| cx.named(named, &table.columns))
                .collect::<Result<Vec<_>, Diag>>()?,
            None => kept(&chosen(&table.columns, &None)),
        };
        let columns = columns_of(Some(flow), &SPEC)?.clone();
        let projected = step(&table, columns.clone(), |plan| {
            plan.project(expressions)?.distinct()
        })?;
        let order = super::sort::ties(&projected);
        Ok(Data::Table(step(&projected, columns, |plan| {
            plan.sort(order)
        })?))
    }
}
