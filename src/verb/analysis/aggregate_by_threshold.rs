//! `aggregate-by-threshold`: long states stay themselves, short ones are merged into chunks
//! (aggregation.md section 3).

use super::{NEST, nest_of, states};
use crate::diag::{Diag, Span, code};
use crate::lang::flow::Flow;
use crate::lang::plan::{Arguments, TimeOrLength};
use crate::model::schema::column;
use crate::plan::{Data, Table, fault, lower, node};
use crate::spec::{
    Accept, Choice, Example, Length, LengthUnit, Param, ParamSpec, Place, Section, Shape, Type,
    VerbSpec,
};
use crate::verb::context::texts;
use crate::verb::plot::TimeAxis;
use crate::verb::relational::ROWS;
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::functions_aggregate::expr_fn::{max, min};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};

/// The verb.
pub struct AggregateByThreshold;

/// Key of the fact that says which threshold was used.
pub const THRESHOLD_FACT: &str = "threshold";

/// The threshold.
pub static THRESHOLD: Param<Option<TimeOrLength>> = Param::new(ParamSpec {
    name: "threshold",
    place: Place::Optional,
    shape: Shape::Scalar(&[Accept::Time, Accept::Length]),
    default: "1px",
    about: "states that last longer stay themselves; a length counts on the time axis of the plot that follows",
});

/// The width of a subchunk.
pub static MAX: Param<Option<i128>> = Param::new(ParamSpec {
    name: "max",
    place: Place::Option,
    shape: Shape::Scalar(&[Accept::Time]),
    default: "none",
    about: "cuts chunks into subchunks of this width",
});

const ORDERS: &[Choice] = &[
    Choice {
        name: "total",
        about: "the value with most time at the bottom",
    },
    Choice {
        name: "name",
        about: "by the bytes of the name",
    },
];

/// The order of the stack.
pub static ORDER: Param<Option<&'static str>> = Param::new(ParamSpec {
    name: "order",
    place: Place::Option,
    shape: Shape::Scalar(&[Accept::Choice(ORDERS)]),
    default: "total",
    about: "which value stands at the bottom of a stack",
});

/// The width of the axis where no plot follows.
pub static WIDTH: Param<Option<Length>> = Param::new(ParamSpec {
    name: "width",
    place: Place::Option,
    shape: Shape::Scalar(&[Accept::Length]),
    default: "that of the plot that follows",
    about: "the length of the time axis, for a threshold that is a length where no plot follows",
});

static SPEC: VerbSpec = VerbSpec {
    name: "aggregate-by-threshold",
    section: Section::Analysis,
    takes: ROWS,
    heads: false,
    gives: "a table of cells: resource, type, chunk, subchunk, value, start, end, duration, number, activity, low, high, pure",
    summary: "Merges the states that are too short to be seen and keeps the others as they are.",
    detail: "In each track (resource and type) a state longer than the threshold is a chunk of its own; \
             everything else is a longest run of short states with no hole wider than the threshold. A cell is the \
             time of one value in one subchunk: `activity` is its share of the subchunk's length, `low` and `high` \
             say where it stands in the stack, `pure` is true where the cell is one state itself. Time is conserved \
             exactly, and neither the order of rows nor the view changes a cell. Left out, the threshold is `1px` of \
             the plot that ends the pipeline: it follows the zoom, never the scroll position. The axis it is measured \
             on spans the states that flow in here, or the `range=` of the plot.",
    params: &[
        &THRESHOLD.spec,
        &MAX.spec,
        &NEST.spec,
        &ORDER.spec,
        &WIDTH.spec,
    ],
    by: false,
    examples: &[
        Example {
            about: "the worked example of aggregation.md, one chunk",
            script: "load \"hand.csv\" unit=ms | aggregate-by-threshold 10ms max=8ms | filter chunk == 1 and resource == \"CPU0\" | select subchunk, value, start, end, duration, activity, pure",
            prints: "subchunk,value,start,end,duration,activity,pure\n0,A,30,38,4,0.5,false\n0,B,30,38,3,0.375,false\n1,B,38,48,10,1,true\n3,C,58,61,3,1,true\n",
        },
        Example {
            about: "a threshold in lengths of an axis",
            script: "load \"hand.csv\" unit=ms | aggregate-by-threshold 1px width=10px | summarize count()",
            prints: "count\n10\n",
        },
    ],
};

impl Verb for AggregateByThreshold {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        let columns = states::require(input, &SPEC, arguments.span)?;
        // What only a run can tell is looked at then.
        if let Ok(Some(threshold)) = arguments.get(&THRESHOLD) {
            check_threshold(threshold, arguments)?;
        }
        if let Ok(Some(width)) = arguments.get(&MAX) {
            check_max(width, arguments)?;
        }
        let time = columns.time_type();
        Ok(Flow::Table(states::result_columns(
            columns,
            &[
                (column::RESOURCE, Type::String),
                (column::TYPE, Type::String),
                ("chunk", Type::Int),
                ("subchunk", Type::Int),
                (column::VALUE, Type::String),
                (column::START, time.clone()),
                (column::END, time.clone()),
                (column::DURATION, time),
                ("number", Type::Int),
                ("activity", Type::Float),
                ("low", Type::Float),
                ("high", Type::Float),
                ("pure", Type::Bool),
            ],
        )))
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        flow: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let table = input
            .ok_or_else(|| crate::verb::context::unexpected(&SPEC))?
            .table()?;
        let clock = table.clock();
        let states = states::of_plan(table.plan.clone())?;
        let span = arguments.span_of(&THRESHOLD);
        let threshold = arguments
            .get(&THRESHOLD)?
            .unwrap_or(TimeOrLength::Length(Length {
                number: 1.0,
                unit: LengthUnit::Pixel,
            }));
        check_threshold(threshold, arguments)?;
        let (ticks, shown) = match threshold {
            TimeOrLength::Time(exact) => {
                let ticks = lower::ticks(exact, clock, span)?;
                (ticks, clock.written(ticks))
            }
            TimeOrLength::Length(length) => {
                let ticks = ticks_of_length(length, &states, &table, arguments, cx)?;
                let written = format!(
                    "{}{}",
                    crate::spec::format_float(length.number),
                    length.unit.name()
                );
                (ticks, format!("{written} = {}", clock.written(ticks)))
            }
        };
        let max = match arguments.get(&MAX)? {
            None => None,
            Some(exact) => {
                check_max(exact, arguments)?;
                Some(lower::ticks(exact, clock, arguments.span_of(&MAX))?)
            }
        };
        let order = match arguments.get(&ORDER)? {
            Some("name") => node::StackOrder::Name,
            _ => node::StackOrder::Total,
        };
        let rule = node::Rule::new(ticks, max).map_err(|_| {
            Diag::error(&code::INVALID_VALUE, "the threshold is out of range").at(span, "here")
        })?;
        let plan = node::aggregate_by_threshold(
            states,
            node::Aggregate {
                rule,
                nest: nest_of(arguments.get(&NEST)?),
                order,
            },
        )
        .map_err(fault::diag)?;
        let plan = states::placed(plan)?;
        let columns = flow
            .columns()
            .cloned()
            .ok_or_else(|| crate::verb::context::unexpected(&SPEC))?;
        let mut out = table.then(plan, columns);
        out.facts
            .retain(|(key, _)| key != THRESHOLD_FACT && key != "max");
        out.facts.push((THRESHOLD_FACT.to_owned(), shown));
        if let Some(max) = max {
            out.facts.push(("max".to_owned(), clock.written(max)));
        }
        Ok(Data::Table(out))
    }
}

fn check_threshold(threshold: TimeOrLength, arguments: &Arguments) -> Result<(), Diag> {
    let negative = match threshold {
        TimeOrLength::Time(exact) => exact < 0,
        TimeOrLength::Length(length) => length.number.is_nan() || length.number < 0.0,
    };
    if negative {
        return Err(
            Diag::error(&code::INVALID_VALUE, "`threshold` is 0 or more")
                .at(arguments.span_of(&THRESHOLD), "below 0"),
        );
    }
    Ok(())
}

fn check_max(max: i128, arguments: &Arguments) -> Result<(), Diag> {
    if max <= 0 {
        return Err(Diag::error(&code::INVALID_VALUE, "`max` is more than 0")
            .at(arguments.span_of(&MAX), "not above 0")
            .help("leave it out for chunks of any width"));
    }
    Ok(())
}

/// The ticks that a length covers on the time axis of the plot that follows.
fn ticks_of_length(
    length: Length,
    states: &LogicalPlan,
    table: &Table,
    arguments: &Arguments,
    cx: &mut PlanContext,
) -> Result<i64, Diag> {
    let span = arguments.span_of(&THRESHOLD);
    let clock = table.clock();
    let axis = match (arguments.get(&WIDTH)?, &cx.ahead) {
        (Some(width), _) => TimeAxis {
            pixels: width.pixels(),
            low: None,
            high: None,
        },
        (None, Some(ahead)) => {
            let verb = ahead.verb;
            let figure = ahead.arguments.clone();
            let lanes = lanes(states, cx)?;
            match verb.time_axis(&figure, &lanes) {
                Some(axis) => axis?,
                None => return Err(no_axis(span, arguments)),
            }
        }
        (None, None) => return Err(no_axis(span, arguments)),
    };
    if axis.pixels.is_nan() || axis.pixels <= 0.0 {
        return Err(
            Diag::error(&code::INVALID_VALUE, "the time axis has no length")
                .at(arguments.span_of(&WIDTH), "here"),
        );
    }
    let (first, last) = extent(states, cx)?;
    let ticks = |end: Option<i128>| {
        end.map(|exact| lower::ticks(exact, clock, span))
            .transpose()
    };
    let low = ticks(axis.low)?.unwrap_or(first);
    let high = ticks(axis.high)?.unwrap_or(last);
    let shown = (i128::from(high) - i128::from(low)).max(0);
    Ok((shown as f64 * length.pixels() / axis.pixels).floor() as i64)
}

fn no_axis(span: Span, arguments: &Arguments) -> Diag {
    let given = arguments.find(THRESHOLD.spec.name).is_some();
    Diag::error(
        &code::PIXEL_THRESHOLD,
        if given {
            "a threshold that is a length needs an axis to be measured on"
        } else {
            "without a threshold it is `1px`, which needs an axis to be measured on"
        },
    )
    .at(span, "no plot follows")
    .help("write a time, `aggregate-by-threshold 1ms`, or say how long the axis is: `width=170mm`")
}

/// First start and last end of the states; (0, 0) where there are none.
fn extent(states: &LogicalPlan, cx: &PlanContext) -> Result<(i64, i64), Diag> {
    let plan = LogicalPlanBuilder::from(states.clone())
        .aggregate(
            Vec::<Expr>::new(),
            [
                min(lower::column(column::START)).alias("first"),
                max(lower::column(column::END)).alias("last"),
            ],
        )
        .and_then(LogicalPlanBuilder::build)
        .map_err(fault::diag)?;
    let batches = cx.engine.collect(&plan)?;
    let cell = |index: usize| {
        batches
            .first()
            .map(|batch| batch.column(index).as_primitive::<Int64Type>())
            .filter(|ticks| !ticks.is_empty() && ticks.is_valid(0))
            .map_or(0, |ticks| ticks.value(0))
    };
    Ok((cell(0), cell(1)))
}

/// The labels of the lanes that the states will have.
fn lanes(states: &LogicalPlan, cx: &PlanContext) -> Result<Vec<String>, Diag> {
    let plan = LogicalPlanBuilder::from(states.clone())
        .project([lower::column(column::RESOURCE), lower::column(column::TYPE)])
        .and_then(LogicalPlanBuilder::distinct)
        .and_then(LogicalPlanBuilder::build)
        .map_err(fault::diag)?;
    let batches = cx.engine.collect(&plan)?;
    let tracks: Vec<crate::figure::lane::Track> = texts(&batches, 0)
        .into_iter()
        .zip(texts(&batches, 1))
        .map(|(resource, kind)| crate::figure::lane::Track { resource, kind })
        .collect();
    Ok(crate::figure::lane::labels(&tracks))
}
