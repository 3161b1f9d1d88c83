//! `select`: names the columns that stay, and makes new ones.

use super::{ROWS, columns_of, entries, hidden, kept, listed, step, table_of};
use crate::diag::Diag;
use crate::lang::flow::Flow;
use crate::lang::plan::{Arguments, Named};
use crate::plan::Data;
use crate::spec::{Example, Param, ParamSpec, Place, Section, Shape, VerbSpec};
use crate::verb::{FlowContext, PlanContext, Verb};

/// The verb.
pub struct Select;

/// The columns.
pub static COLUMNS: Param<Vec<Named>> = Param::new(ParamSpec {
    name: "columns",
    place: Place::Many,
    shape: Shape::Columns,
    default: "",
    about: "columns, or `name = expression`",
});

static SPEC: VerbSpec = VerbSpec {
    name: "select",
    section: Section::Relational,
    takes: ROWS,
    heads: false,
    gives: "a table",
    summary: "Keeps the columns that are named, in that order, and makes new ones.",
    detail: "An expression without a name is called after its column or function. What is not named is \
             dropped; a later stage that wants it is told where it went.",
    params: &[&COLUMNS.spec],
    by: false,
    examples: &[Example {
        about: "two columns, one computed",
        script: "load \"hand.csv\" unit=ms | take 2 | select value, length = end - start",
        prints: "value,length\nA,30\nP,40\n",
    }],
};

impl Verb for Select {
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
        let mut list = entries(&arguments.get(&COLUMNS)?);
        list.extend(hidden(columns, &list));
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
        let mut expressions = named
            .iter()
            .map(|named| cx.named(named, &table.columns))
            .collect::<Result<Vec<_>, Diag>>()?;
        expressions.extend(kept(&hidden(&table.columns, &entries(&named))));
        let columns = columns_of(Some(flow), &SPEC)?.clone();
        Ok(Data::Table(step(&table, columns, |plan| {
            plan.project(expressions)
        })?))
    }
}
