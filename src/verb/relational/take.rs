//! `take`: the first rows.

use super::{ROWS, columns_of, order, step, table_of};
use crate::diag::{Diag, code};
use crate::lang::flow::Flow;
use crate::lang::plan::Arguments;
use crate::plan::Data;
use crate::spec::{Accept, Example, Param, ParamSpec, Place, Section, Shape, VerbSpec};
use crate::verb::{FlowContext, PlanContext, Verb};

/// The verb.
pub struct Take;

/// How many rows.
pub static COUNT: Param<i64> = Param::new(ParamSpec {
    name: "count",
    place: Place::Required,
    shape: Shape::Scalar(&[Accept::Int]),
    default: "",
    about: "how many rows, 0 or more",
});

static SPEC: VerbSpec = VerbSpec {
    name: "take",
    section: Section::Relational,
    takes: ROWS,
    heads: false,
    gives: "what flows in, with fewer rows",
    summary: "Keeps the first rows.",
    detail: "After `sort` these are the first in that order. Anything else has no order of its own: states, \
             events, links and variables are then taken by start and place in the file, and every other table by its \
             columns from the left, so that the result never depends on threads.",
    params: &[&COUNT.spec],
    by: false,
    examples: &[Example {
        about: "the first two states",
        script: "load \"hand.csv\" unit=ms | take 2 | select resource, start",
        prints: "resource,start\nCPU0,0\nCPU1,0\n",
    }],
};

impl Verb for Take {
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
        // A count that only a run can tell is looked at then.
        if let Ok(count) = arguments.get(&COUNT) {
            rows(count, arguments)?;
        }
        input
            .cloned()
            .ok_or_else(|| super::super::context::unexpected(&SPEC))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        _: &Flow,
        _: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let mut table = table_of(&input, &SPEC)?;
        let count = rows(arguments.get(&COUNT)?, arguments)?;
        // The sort stands right below the limit in every case: the engine loses a limit that stands between a
        // node of ours and a later sort.
        if !order::is_sorted(&table.plan) {
            let (columns, keys) = (table.columns.clone(), order::chosen(&table));
            if !keys.is_empty() {
                table = step(&table, columns, |plan| plan.sort(keys))?;
            }
        }
        let columns = table.columns.clone();
        let out = step(&table, columns, |plan| plan.limit(0, Some(count)))?;
        input
            .map(|data| data.with_table(out))
            .ok_or_else(|| super::super::context::unexpected(&SPEC))
    }
}

fn rows(count: i64, arguments: &Arguments) -> Result<usize, Diag> {
    usize::try_from(count).map_err(|_| {
        Diag::error(
            &code::INVALID_VALUE,
            format!("`take` keeps 0 rows or more, not {count}"),
        )
        .at(arguments.span_of(&COUNT), "here")
        .help("the last rows are the first of the reverse: `sort -start | take 5`")
    })
}
