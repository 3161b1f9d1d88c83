//! `rename`: gives columns other names.

use super::{ROWS, columns_of, listed, step, table_of};
use crate::diag::{Diag, code};
use crate::lang::flow::{Column, Columns, Flow};
use crate::lang::plan::Arguments;
use crate::plan::{Data, lower};
use crate::spec::{Example, Param, ParamSpec, Place, Section, Shape, VerbSpec};
use crate::verb::{FlowContext, PlanContext, Verb};

/// The verb.
pub struct Rename;

/// New and old names.
pub static NAMES: Param<Vec<(String, String)>> = Param::new(ParamSpec {
    name: "names",
    place: Place::Many,
    shape: Shape::Renames,
    default: "",
    about: "`new = old`",
});

static SPEC: VerbSpec = VerbSpec {
    name: "rename",
    section: Section::Relational,
    takes: ROWS,
    heads: false,
    gives: "a table",
    summary: "Gives columns other names; the rest and the order stay.",
    detail: "Names may be swapped: `rename a = b, b = a`. A trace becomes a table, since analyses find their \
             columns by name.",
    params: &[&NAMES.spec],
    by: false,
    examples: &[Example {
        about: "another word",
        script: "load \"hand.csv\" unit=ms | take 1 | select resource, value | rename state = value",
        prints: "resource,state\nCPU0,A\n",
    }],
};

fn renamed(columns: &Columns, names: &[(String, String)]) -> Vec<(Column, String)> {
    columns
        .list
        .iter()
        .map(|column| {
            let new = names.iter().find(|(_, old)| *old == column.name);
            let mut entry = column.clone();
            if let Some((new, _)) = new {
                entry.name.clone_from(new);
                entry.hidden = false;
            }
            (entry, column.name.clone())
        })
        .collect()
}

impl Verb for Rename {
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
        let list = renamed(columns, &arguments.get(&NAMES)?);
        for (index, (entry, _)) in list.iter().enumerate() {
            if list[..index]
                .iter()
                .any(|(other, _)| other.name == entry.name)
            {
                return Err(Diag::error(
                    &code::DUPLICATE_NAME,
                    format!("two columns would be called `{}`", entry.name),
                )
                .at(arguments.span_of(&NAMES), "here"));
            }
        }
        let list = list.into_iter().map(|(entry, _)| entry).collect();
        Ok(Flow::Table(listed(columns, list, &SPEC, arguments.span)))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        flow: &Flow,
        _: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let table = table_of(&input, &SPEC)?;
        let list = renamed(&table.columns, &arguments.get(&NAMES)?);
        let expressions: Vec<_> = list
            .iter()
            .map(|(entry, old)| lower::column(old).alias(entry.name.as_str()))
            .collect();
        let columns = columns_of(Some(flow), &SPEC)?.clone();
        Ok(Data::Table(step(&table, columns, |plan| {
            plan.project(expressions)
        })?))
    }
}
