//! `window`: a range of the time axis; what passes its ends is clipped.

use crate::diag::{Diag, code};
use crate::lang::flow::Flow;
use crate::lang::plan::{Arguments, TimeRange};
use crate::model::schema::{LINKS, STATES, column};
use crate::plan::checked::{self, Exact};
use crate::plan::{Data, Table, fault, lower};
use crate::spec::{Accept, Example, Param, ParamSpec, Place, Section, Shape, VerbSpec};
use crate::verb::relational::ROWS;
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::logical_expr::{self as df, LogicalPlanBuilder, lit};

/// The verb.
pub struct Window;

/// The range.
pub static RANGE: Param<TimeRange> = Param::new(ParamSpec {
    name: "range",
    place: Place::Required,
    shape: Shape::Scalar(&[Accept::TimeRange]),
    default: "",
    about: "`a..b`, half-open; either side may be missing",
});

static SPEC: VerbSpec = VerbSpec {
    name: "window",
    section: Section::Time,
    takes: ROWS,
    heads: false,
    gives: "what flows in, cut to the range",
    summary: "Keeps what lies in a range of time and clips what passes its ends.",
    detail: "States and variables are clipped; events and samples are kept where they lie in the range, links \
             where both ends do; resources are kept. A state that only touches the range is left out, an instant \
             inside it stays. The time axis is not moved: `shift` does that.",
    params: &[&RANGE.spec],
    by: false,
    examples: &[Example {
        about: "clipped at both ends",
        script: "load \"hand.csv\" unit=ms | window 20ms..60ms | filter resource == \"CPU0\" | select value, start, end",
        prints: "value,start,end\nA,20,30\nB,30,33\nA,34,38\nB,38,48\nC,58,60\n",
    }],
};

/// The range in ticks.
struct Ticks {
    low: Option<i64>,
    high: Option<i64>,
}

impl Ticks {
    fn inside(&self, time: &str) -> Option<df::Expr> {
        let time = lower::column(time);
        let low = self.low.map(|low| time.clone().gt_eq(lit(low)));
        let high = self.high.map(|high| time.lt(lit(high)));
        both(low, high)
    }

    fn clipped(&self, name: &str) -> df::Expr {
        let mut time = lower::column(name);
        if let Some(low) = self.low {
            time = checked::call(Exact::Later, vec![time, lit(low)]);
        }
        if let Some(high) = self.high {
            time = checked::call(Exact::Earlier, vec![time, lit(high)]);
        }
        time.alias(name)
    }
}

fn both(a: Option<df::Expr>, b: Option<df::Expr>) -> Option<df::Expr> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.and(b)),
        (one, other) => one.or(other),
    }
}

/// One table cut to the range.
fn cut(table: &Table, relation: Option<&str>, range: &Ticks) -> Result<Table, Diag> {
    let columns = &table.columns;
    let has = |name: &str| columns.find(name).is_some_and(|column| column.ty.is_time());
    let mut clips = false;
    let condition = if relation == Some(LINKS) || columns.has(column::SOURCE_RESOURCE) {
        both(range.inside(column::START), range.inside(column::END))
    } else if has(column::TIME) {
        range.inside(column::TIME)
    } else if has(column::START) && has(column::END) && relation != Some("resources") {
        clips = true;
        let (start, end) = (lower::column(column::START), lower::column(column::END));
        let overlap = both(
            range.low.map(|low| end.clone().gt(lit(low))),
            range.high.map(|high| start.clone().lt(lit(high))),
        );
        // An instant, and a sample that has no end, is in or out as a whole.
        let instant = start.clone().eq(end.clone()).or(end.is_null());
        let instant = range
            .inside(column::START)
            .map(|inside| instant.and(inside));
        match (overlap, instant) {
            (Some(overlap), Some(instant)) => Some(overlap.or(instant)),
            _ => None,
        }
    } else {
        None
    };
    let Some(condition) = condition else {
        return Ok(table.clone());
    };
    let plan = LogicalPlanBuilder::from(table.plan.clone()).filter(condition);
    let plan = if clips {
        let expressions: Vec<df::Expr> = columns
            .list
            .iter()
            .map(|c| match c.name.as_str() {
                column::START | column::END => range.clipped(&c.name),
                name => lower::column(name),
            })
            .collect();
        plan.and_then(|plan| plan.project(expressions))
    } else {
        plan
    };
    let plan = plan
        .and_then(LogicalPlanBuilder::build)
        .map_err(fault::diag)?;
    Ok(table.then(plan, columns.clone()))
}

impl Verb for Window {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        let columns = input
            .and_then(Flow::columns)
            .ok_or_else(|| crate::verb::context::unexpected(&SPEC))?;
        let timed = |name: &str| columns.find(name).is_some_and(|column| column.ty.is_time());
        let usable = timed(column::TIME) || (timed(column::START) && timed(column::END));
        if let Some(Flow::Table(_)) = input
            && !usable
        {
            return Err(Diag::error(
                &code::UNKNOWN_COLUMN,
                "`window` needs the columns `start` and `end`, or `time`",
            )
            .at(arguments.span, "here"));
        }
        if let Ok(TimeRange {
            low: Some(low),
            high: Some(high),
        }) = arguments.get(&RANGE)
            && high < low
        {
            return Err(
                Diag::error(&code::INVALID_VALUE, "the range ends before it starts")
                    .at(arguments.span_of(&RANGE), "here"),
            );
        }
        input
            .cloned()
            .ok_or_else(|| crate::verb::context::unexpected(&SPEC))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        _: &Flow,
        _: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let input = input.ok_or_else(|| crate::verb::context::unexpected(&SPEC))?;
        let range = arguments.get(&RANGE)?;
        let clock = input.table()?.clock();
        let span = arguments.span_of(&RANGE);
        let end = |end: Option<i128>| end.map(|time| lower::ticks(time, clock, span)).transpose();
        let range = Ticks {
            low: end(range.low)?,
            high: end(range.high)?,
        };
        match input {
            Data::Trace(mut trace) => {
                for (name, table) in &mut trace.relations {
                    *table = cut(table, Some(name), &range)?;
                }
                trace.states_filtered |= trace.whole(STATES).is_some();
                Ok(Data::Trace(trace))
            }
            other => Ok(Data::Table(cut(&other.table()?, None, &range)?)),
        }
    }
}
