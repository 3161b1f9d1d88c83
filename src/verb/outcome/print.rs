//! `print`: shows what flows in.

use super::ANYTHING;
use super::scene::svg_of;
use crate::diag::{Diag, code};
use crate::lang::flow::Flow;
use crate::lang::plan::Arguments;
use crate::model::schema::{RESOURCES, STATES, column};
use crate::plan::{Data, Trace, fault, lower};
use crate::spec::{Accept, Example, Param, ParamSpec, Place, Section, Shape, VerbSpec};
use crate::verb::context::Shown;
use crate::verb::relational::order::settled;
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::functions_aggregate::expr_fn::{max, min};
use datafusion::logical_expr::{Expr, LogicalPlanBuilder};

/// The verb.
pub struct Print;

/// Most rows.
pub static ROWS: Param<Option<i64>> = Param::new(ParamSpec {
    name: "rows",
    place: Place::Option,
    shape: Shape::Scalar(&[Accept::Int]),
    default: "40 on a terminal, all elsewhere",
    about: "most rows of a table made for reading",
});

static SPEC: VerbSpec = VerbSpec {
    name: "print",
    section: Section::Outcome,
    takes: ANYTHING,
    heads: false,
    gives: "what flows in",
    summary: "Shows a table, a figure, or the summary of a trace.",
    detail: "On a terminal a table is made for reading: times in a unit that suits the column, at most 40 rows. \
             Piped, it is CSV with exact decimals and all rows, or what `--format` says. A pipeline that ends in a \
             table shows it anyway; with a `print` in it, only what is printed shows.",
    params: &[&ROWS.spec],
    by: false,
    examples: &[Example {
        about: "on the way",
        script: "load \"hand.csv\" unit=ms | filter value == \"Q\" | select value, start | print | summarize n = count()",
        prints: "value,start\nQ,10\n",
    }],
};

impl Verb for Print {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(&self, input: Option<&Flow>, _: &Arguments, _: &mut FlowContext) -> Result<Flow, Diag> {
        input
            .cloned()
            .ok_or_else(|| crate::verb::context::unexpected(&SPEC))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        _: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let input = input.ok_or_else(|| crate::verb::context::unexpected(&SPEC))?;
        let rows = match arguments.get(&ROWS)? {
            None => None,
            Some(rows) => Some(usize::try_from(rows).map_err(|_| {
                Diag::error(&code::INVALID_VALUE, "`rows` is 0 or more")
                    .at(arguments.span_of(&ROWS), "here")
            })?),
        };
        show(&input, rows, cx)?;
        Ok(input)
    }
}

/// Shows data, as `print` does and as a statement that ends in them. False where a table has no rows.
pub fn show(data: &Data, rows: Option<usize>, cx: &mut PlanContext) -> Result<bool, Diag> {
    match data {
        Data::Table(table) => {
            let shown = Shown {
                table: &settled(table)?,
                engine: cx.engine,
                rows,
            };
            Ok(cx.host.table(&shown)? > 0)
        }
        Data::Figure(figure) => {
            let svg = svg_of(figure, None, cx)?;
            cx.host.figure(figure, &svg)?;
            Ok(true)
        }
        Data::Trace(trace) => {
            let text = summary(trace, cx)?;
            cx.host.text(&text)?;
            match trace.focused().map_err(fault::diag)? {
                Some(table) => Ok(cx.count(&table.plan)? > 0),
                None => Ok(true),
            }
        }
        Data::Nothing => Ok(true),
    }
}

/// `trace: 12 resources, 28,431 states, 0 links, 0 … 61.402 s`.
fn summary(trace: &Trace, cx: &PlanContext) -> Result<String, Diag> {
    let mut parts = Vec::new();
    for (name, _) in &trace.relations {
        let Some(table) = trace.relation(name).map_err(fault::diag)? else {
            continue;
        };
        let rows = cx.count(&table.plan)?;
        if rows > 0 || name == STATES || name == RESOURCES {
            parts.push(format!("{} {name}", grouped(rows)));
        }
    }
    let mut text = format!("trace: {}", parts.join(", "));
    if let Some(states) = trace.whole(STATES) {
        let plan = LogicalPlanBuilder::from(states.plan.clone())
            .aggregate(
                Vec::<Expr>::new(),
                [
                    min(lower::column(column::START)).alias("first"),
                    max(lower::column(column::END)).alias("last"),
                ],
            )
            .and_then(LogicalPlanBuilder::build)
            .map_err(fault::diag)?;
        if let [Some(first), Some(last)] = cells(&plan, cx)?.as_slice() {
            let clock = states.clock();
            let unit = clock
                .unit
                .map_or(String::new(), |unit| format!(" {}", unit.name()));
            text.push_str(&format!(
                ", {} … {}{unit}",
                clock.format(*first),
                clock.format(*last)
            ));
        }
    }
    if trace.focus != STATES {
        text.push_str(&format!(", focus {}", trace.focus));
    }
    Ok(text)
}

fn cells(
    plan: &datafusion::logical_expr::LogicalPlan,
    cx: &PlanContext,
) -> Result<Vec<Option<i64>>, Diag> {
    let batches = cx.engine.collect(plan)?;
    Ok(batches.first().map_or_else(Vec::new, |batch| {
        batch
            .columns()
            .iter()
            .map(|column| {
                // `derive start = null` leaves a column of no type.
                let numbers = column.as_primitive_opt::<Int64Type>()?;
                (!numbers.is_empty() && numbers.is_valid(0)).then(|| numbers.value(0))
            })
            .collect()
    }))
}

/// `28,431`.
fn grouped(number: i64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) && digit != '-' {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
