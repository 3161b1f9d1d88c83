//! `plot-gantt`: every state as itself, one row a resource or a value of any column.

use super::gantt::{Gantt, Lens};
use super::{HEIGHT, PALETTE, RANGE, TITLE, TimeAxis, WIDTH, length, palette_of, size};
use crate::diag::{Diag, code};
use crate::figure::chart::gantt::{self, Colouring, FirstRow, RowOrder, Style};
use crate::figure::{layout, palette};
use crate::lang::flow::{Columns, Flow};
use crate::lang::plan::{Arguments, ChoiceOrColumn, Expr, ExprNode, TimeRange};
use crate::lang::suggest;
use crate::model::schema::{LINKS, RESOURCES, STATES, column};
use crate::plan::{Data, Figure, Table, Trace, fault, lower};
use crate::spec::{
    Accept, Choice, Example, Kind, Length, Param, Section, Shape, Type, VerbSpec, option,
};
use crate::verb::analysis::critical_path::{CRITICAL, MODE_FACT, SUMMARY};
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::arrow::datatypes::DataType;
use datafusion::functions_aggregate::expr_fn::sum;
use datafusion::logical_expr::{self as df, LogicalPlan, LogicalPlanBuilder, cast, lit};

/// The verb.
pub struct PlotGantt;

const STYLES: &[Choice] = &[
    Choice {
        name: "rects",
        about: "rectangles of the exact width: states too short to be seen leave ink by their time",
    },
    Choice {
        name: "segments",
        about: "line segments at least a pixel long, as ggplot's geom_segment: short states bury their neighbours",
    },
];
const COLORS: &[Choice] = &[Choice {
    name: "critical",
    about: "by what `critical-path` found: red is critical; with `deps=application` bright red is what no dependency blocked",
}];
const LINK_CHOICES: &[Choice] = &[
    Choice {
        name: "none",
        about: "no arrows",
    },
    Choice {
        name: "critical",
        about: "the critical edges of `critical-path`",
    },
    Choice {
        name: "all",
        about: "all links of the trace, also the critical edges where there are any",
    },
];
const NONE: &[Choice] = &[Choice {
    name: "none",
    about: "none",
}];
const REFERENCES: &[Choice] = &[
    Choice {
        name: "none",
        about: "no lines",
    },
    Choice {
        name: "path",
        about: "the length of the critical path and the makespan, from the first start on",
    },
];

option!(STYLE: Option<&'static str>, "style", Shape::Scalar(&[Accept::Choice(STYLES)]), "rects", "how a state is drawn");
option!(ROWS: Option<ChoiceOrColumn>, "rows", Shape::Column(&[]), "resource", "what a row is: `resource` shows who did what, `value` when an activity ran");
option!(GROUP: Option<ChoiceOrColumn>, "group", Shape::Column(NONE), "none", "what rows stand together by");
option!(COLOR: Option<ChoiceOrColumn>, "color", Shape::Column(COLORS), "value", "what gives the colour");
option!(LABEL: Option<ChoiceOrColumn>, "label", Shape::Column(NONE), "value with color=critical, else none", "the text in a bar, where it fits");
option!(ARROWS: Option<&'static str>, "links", Shape::Scalar(&[Accept::Choice(LINK_CHOICES)]), "none", "which links are drawn as arrows");
option!(REFERENCE: Option<&'static str>, "references", Shape::Scalar(&[Accept::Choice(REFERENCES)]), "path with color=critical", "vertical lines to compare with");
option!(FISHEYE: Option<TimeRange>, "fisheye", Shape::Scalar(&[Accept::TimeRange]), "none", "a part of the time axis that is magnified while the rest stays visible");
option!(MAGNIFY: Option<f64>, "magnify", Shape::Scalar(&[Accept::Number]), "4", "how many times `fisheye` magnifies, more than 1");
option!(PEN: Option<Length>, "pen", Shape::Scalar(&[Accept::Length]), "by the height of a row", "style segments: the thickness of the line");
option!(CAPTION: Option<String>, "caption", Shape::Scalar(&[Accept::Text]), "none", "the text below the figure");

static SPEC: VerbSpec = VerbSpec {
    name: "plot-gantt",
    section: Section::Figure,
    takes: &[Kind::Trace, Kind::Table],
    heads: false,
    gives: "a figure",
    summary: "Draws every state as itself: the plain Gantt chart.",
    detail: "One row for each resource, or for each value of `rows=`. Nested states are narrower bands in their \
             parent, states that overlap in one row get rows of their own in it, a state of length 0 is a tick. \
             Claims with an amount, on a resource with a capacity, are as high as their share of it, at their \
             offset. Colours belong to values as in `plot-stacked`: no filter repaints anything.\n\n\
             Above 20,000 states the picture says little that is true: a warning names `aggregate-by-threshold`, \
             which is made for that. `style=segments` is there to show why: every state gets at least a pixel, so \
             short ones bury what is beside them.\n\n\
             `color=critical` and `links=critical` show what `critical-path` found, in the colours of TRACE: dull \
             red is critical; with `deps=application` a state that no dependency blocked, and an arrow that is none, \
             are bright red. Links are drawn where both ends are in the picture; what is left out is counted.",
    params: &[
        &STYLE.spec,
        &ROWS.spec,
        &GROUP.spec,
        &COLOR.spec,
        &LABEL.spec,
        &ARROWS.spec,
        &REFERENCE.spec,
        &RANGE.spec,
        &FISHEYE.spec,
        &MAGNIFY.spec,
        &PEN.spec,
        &WIDTH.spec,
        &HEIGHT.spec,
        &PALETTE.spec,
        &TITLE.spec,
        &CAPTION.spec,
    ],
    by: false,
    examples: &[
        Example {
            about: "one row a resource",
            script: "load \"hand.csv\" unit=ms | plot-gantt width=85mm height=40mm | save \"hand-gantt.svg\"",
            prints: "",
        },
        Example {
            about: "the critical path, one row a task",
            script: "load \"critical-path/memory.claims.csv\" deps=\"critical-path/memory.deps.csv\" unit=s | critical-path deps=application | plot-gantt rows=value color=critical links=critical width=85mm height=50mm | save \"memory.svg\"",
            prints: "",
        },
    ],
};

/// The relation of states that is drawn.
fn states_of(input: &Flow) -> Option<&Columns> {
    match input {
        Flow::Trace(trace) => trace.relation(STATES),
        other => other.columns(),
    }
}

impl Verb for PlotGantt {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        input: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        let unexpected = || crate::verb::unexpected(&SPEC);
        let input = input.ok_or_else(unexpected)?;
        let columns = states_of(input).ok_or_else(unexpected)?;
        if let Flow::Trace(trace) = input
            && trace.focus != STATES
        {
            return Err(Diag::error(
                &code::KIND_MISMATCH,
                format!(
                    "`plot-gantt` draws states, the trace is looked at through its {}",
                    trace.focus
                ),
            )
            .at(arguments.span, "here")
            .help("`focus states` before it"));
        }
        let is_given =
            |param: &Param<Option<ChoiceOrColumn>>| arguments.find(param.spec.name).is_some();
        let mut needed = vec![column::START, column::END];
        if !is_given(&ROWS) {
            needed.push(column::RESOURCE);
        }
        if !is_given(&COLOR) {
            needed.push(column::VALUE);
        }
        let missing: Vec<&str> = needed
            .into_iter()
            .filter(|name| !columns.has(name))
            .collect();
        if !missing.is_empty() {
            return Err(Diag::error(
                &code::UNKNOWN_COLUMN,
                format!(
                    "`plot-gantt` draws states; {} is missing",
                    suggest::listed(missing, 4)
                ),
            )
            .at(arguments.span, "here"));
        }
        let is_critical = matches!(arguments.get(&COLOR), Ok(Some(ChoiceOrColumn::Choice(_))));
        let wants_path = matches!(arguments.get(&ARROWS), Ok(Some("critical")));
        let has_path = columns.has("critical") && columns.has("blocking");
        if (is_critical || wants_path) && !has_path {
            let span = if is_critical {
                arguments.span_of(&COLOR)
            } else {
                arguments.span_of(&ARROWS)
            };
            return Err(Diag::error(
                &code::UNKNOWN_COLUMN,
                "what is critical is not known yet",
            )
            .at(span, "this needs the columns of `critical-path`")
            .help("put `critical-path` before it: `run | critical-path | plot-gantt color=critical`"));
        }
        if let Flow::Table(_) = input
            && matches!(arguments.get(&ARROWS), Ok(Some("critical" | "all")))
        {
            return Err(Diag::error(
                &code::KIND_MISMATCH,
                "a table has no links, they are a relation of a trace",
            )
            .at(arguments.span_of(&ARROWS), "here"));
        }
        let is_segments = matches!(arguments.get(&STYLE), Ok(Some("segments")));
        if let Ok(Some(pen)) = arguments.get(&PEN)
            && (!is_segments || pen.pixels().is_nan() || pen.pixels() <= 0.0)
        {
            let what = if is_segments {
                "the pen is wider than 0"
            } else {
                "`pen` is the thickness of lines, which `style=segments` draws"
            };
            return Err(Diag::error(&code::INVALID_VALUE, what).at(arguments.span_of(&PEN), "here"));
        }
        if matches!(arguments.get(&REFERENCE), Ok(Some("path"))) && !has_path {
            return Err(Diag::error(
                &code::UNKNOWN_COLUMN,
                "the length of the critical path is not known yet",
            )
            .at(
                arguments.span_of(&REFERENCE),
                "this needs `critical-path` before it",
            ));
        }
        size(arguments)?;
        ranges(arguments)?;
        if let Ok(value) = arguments.get(&PALETTE) {
            palette::assign(&palette_of(value), &[])
                .map_err(|error| super::failure(error).at(arguments.span_of(&PALETTE), "here"))?;
        }
        Ok(Flow::Figure)
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        _: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let unexpected = || crate::verb::unexpected(&SPEC);
        let input = input.ok_or_else(unexpected)?;
        let states = input.table()?;
        let trace = match input {
            Data::Trace(trace) => Some(trace),
            _ => None,
        };
        let clock = states.clock();
        let color = arguments.get(&COLOR)?;
        let is_critical = matches!(color, Some(ChoiceOrColumn::Choice(_)));
        let is_resource_view = arguments.find(ROWS.spec.name).is_none();
        let arrows = arguments.get(&ARROWS)?.unwrap_or("none");

        let mut shown = Shown::new(&states, cx);
        shown.add("row", arguments.get(&ROWS)?, Some(column::RESOURCE))?;
        shown.add("group", arguments.get(&GROUP)?, None)?;
        if !is_critical {
            shown.add("value", color.clone(), Some(column::VALUE))?;
        }
        let label = arguments.find(LABEL.spec.name).is_none() && is_critical;
        let label = label && states.columns.has(column::VALUE);
        shown.add(
            "label",
            arguments.get(&LABEL)?,
            label.then_some(column::VALUE),
        )?;
        let mut wanted = vec![column::START, column::END];
        if is_resource_view {
            wanted.extend([column::DEPTH, column::AMOUNT, column::OFFSET]);
        }
        if is_critical {
            wanted.extend(["critical", "blocking"]);
        }
        if arrows != "none" {
            wanted.push(column::ID);
        }
        for name in wanted {
            shown.column(name);
        }
        let domain = match &color {
            None | Some(ChoiceOrColumn::Choice(_)) => None,
            Some(ChoiceOrColumn::Column(named)) => domain_of(&states, &named.expr, cx),
        };
        let (list, times) = (shown.list, shown.times);
        let bars = LogicalPlanBuilder::from(states.plan.clone())
            .project(list)
            .and_then(LogicalPlanBuilder::build)
            .map_err(fault::diag)?;
        let mut inputs = vec![("bars", states.then(bars, states.columns.clone()))];
        if let Some(domain) = domain {
            inputs.push(("domain", states.then(domain, states.columns.clone())));
        }
        if let Some(trace) = &trace {
            inputs.extend(more(trace, arrows, is_resource_view)?);
            let with_lines = match arguments.get(&REFERENCE)? {
                None => is_critical,
                Some(word) => word == "path",
            };
            if with_lines && let Some(summary) = trace.whole(SUMMARY) {
                inputs.push(("summary", summary.clone()));
            }
        }
        let (range, fisheye) = ranges(arguments)?;
        let ends = |range: TimeRange, span| -> Result<(Option<i64>, Option<i64>), Diag> {
            let end = |end: Option<i128>| end.map(|t| lower::ticks(t, clock, span)).transpose();
            Ok((end(range.low)?, end(range.high)?))
        };
        let lens = match fisheye {
            None => None,
            Some(range) => match ends(range, arguments.span_of(&FISHEYE))? {
                (Some(start), Some(end)) => Some(Lens {
                    start,
                    end,
                    factor: arguments.get(&MAGNIFY)?.unwrap_or(4.0),
                }),
                _ => None,
            },
        };
        let mode = states.facts.iter().find(|(key, _)| key == MODE_FACT);
        let options = gantt::Options {
            size: size(arguments)?,
            lens,
            palette: palette_of(arguments.get(&PALETTE)?),
            style: match arguments.get(&STYLE)? {
                Some("segments") => Style::Segments,
                _ => Style::Rects,
            },
            pen: arguments.get(&PEN)?.map(length),
            colouring: if is_critical {
                Colouring::Critical
            } else {
                Colouring::Value
            },
            row_order: RowOrder::Natural,
            first_row: if is_resource_view {
                FirstRow::Bottom
            } else {
                FirstRow::Top
            },
            title: arguments.get(&TITLE)?,
            caption: arguments.get(&CAPTION)?.filter(|text| !text.is_empty()),
            facts: states.facts.clone(),
            ..gantt::Options::default()
        };
        let draw = Gantt {
            options,
            range: match range {
                None => (None, None),
                Some(range) => ends(range, arguments.span_of(&RANGE))?,
            },
            times,
            is_application: mode.is_some_and(|(_, mode)| mode == "application"),
            is_resource_view,
        };
        Ok(Data::Figure(Figure::of(states, inputs, draw)))
    }

    fn time_axis(&self, arguments: &Arguments, lanes: &[String]) -> Option<Result<TimeAxis, Diag>> {
        let axis = || {
            let range = arguments.get(&RANGE)?;
            Ok(TimeAxis {
                pixels: layout::time_axis_width_px(size(arguments)?, lanes),
                low: range.and_then(|range| range.low),
                high: range.and_then(|range| range.high),
            })
        };
        Some(axis())
    }
}

/// The ranges that are shown and magnified, refused where they are none.
fn ranges(arguments: &Arguments) -> Result<(Option<TimeRange>, Option<TimeRange>), Diag> {
    let checked = |param: &Param<Option<TimeRange>>| match arguments.get(param) {
        // What only a run can tell is looked at then.
        Err(_) => Ok(None),
        Ok(Some(TimeRange {
            low: Some(low),
            high: Some(high),
        })) if high <= low => Err(Diag::error(
            &code::INVALID_VALUE,
            "the range is empty: it ends where it starts, or before",
        )
        .at(arguments.span_of(param), "here")),
        Ok(range) => Ok(range),
    };
    let (range, fisheye) = (checked(&RANGE)?, checked(&FISHEYE)?);
    if let Some(TimeRange { low, high }) = fisheye
        && (low.is_none() || high.is_none())
    {
        return Err(
            Diag::error(&code::INVALID_VALUE, "what is magnified has two ends")
                .at(arguments.span_of(&FISHEYE), "one is missing")
                .help("write both: `fisheye=1s..2s`"),
        );
    }
    if let Ok(Some(factor)) = arguments.get(&MAGNIFY) {
        if arguments.find(FISHEYE.spec.name).is_none() {
            return Err(Diag::error(
                &code::INVALID_VALUE,
                "`magnify` says how much `fisheye` magnifies",
            )
            .at(arguments.span_of(&MAGNIFY), "there is no `fisheye`"));
        }
        if factor.is_nan() || factor <= 1.0 || factor > 1000.0 {
            return Err(Diag::error(
                &code::INVALID_VALUE,
                "`magnify` is more than 1, at most 1000",
            )
            .at(arguments.span_of(&MAGNIFY), "here"));
        }
    }
    Ok((range, fisheye))
}

/// The columns that are read to be drawn.
struct Shown<'a, 'b> {
    states: &'a Table,
    cx: &'a PlanContext<'b>,
    list: Vec<df::Expr>,
    /// Those that are times: they are written as such.
    times: Vec<&'static str>,
}

impl<'a, 'b> Shown<'a, 'b> {
    fn new(states: &'a Table, cx: &'a PlanContext<'b>) -> Self {
        Shown {
            states,
            cx,
            list: Vec::new(),
            times: Vec::new(),
        }
    }

    /// What an option asks for under a name, else a column, else nothing.
    fn add(
        &mut self,
        name: &'static str,
        asked: Option<ChoiceOrColumn>,
        default: Option<&'static str>,
    ) -> Result<(), Diag> {
        let (expr, ty) = match (asked, default) {
            (Some(ChoiceOrColumn::Column(named)), _) => (
                self.cx.lower(&named.expr, &self.states.columns)?,
                named.expr.ty,
            ),
            (None, Some(default)) => (lower::column(default), Type::String),
            _ => return Ok(()),
        };
        let expr = if ty.is_time() {
            self.times.push(name);
            cast(expr, DataType::Int64)
        } else if ty == Type::Float {
            cast(expr, DataType::Float64)
        } else {
            cast(expr, DataType::Utf8View)
        };
        self.list.push(expr.alias(name));
        Ok(())
    }

    /// A column as it is, where there is one.
    fn column(&mut self, name: &str) {
        if self.states.columns.has(name) {
            self.list.push(lower::column(name));
        }
    }
}

/// The names that a colour may stand for, most time first, of the whole trace that was loaded; None where it does not
/// have such a column.
fn domain_of(states: &Table, expr: &Expr, cx: &PlanContext) -> Option<LogicalPlan> {
    let plan = states.lineage.states.clone()?;
    if matches!(&expr.node, ExprNode::Column(name) if name == column::VALUE) || expr.ty.is_time() {
        return None;
    }
    let schema = plan.schema();
    let mut known = true;
    expr.walk(&mut |node| {
        if let ExprNode::Column(name) = &node.node {
            known &= schema.has_column_with_unqualified_name(name);
        }
    });
    if !known {
        return None;
    }
    let value = cast(cx.lower(expr, &states.columns).ok()?, DataType::Utf8View).alias("value");
    let float = |name: &str| cast(lower::column(name), DataType::Float64);
    let duration = (float(column::END) - float(column::START)).alias("time");
    LogicalPlanBuilder::from(plan)
        .project([value, duration])
        .and_then(|plan| {
            plan.aggregate(
                [lower::column("value")],
                [sum(lower::column("time")).alias("time")],
            )
        })
        .and_then(|plan| {
            plan.sort([
                lower::column("time").sort(false, false),
                lower::column("value").sort(true, false),
            ])
        })
        .and_then(|plan| plan.project([lower::column("value")]))
        .and_then(LogicalPlanBuilder::build)
        .ok()
}

/// The relations besides the states that are drawn from.
fn more(
    trace: &Trace,
    arrows: &str,
    is_resource_view: bool,
) -> Result<Vec<(&'static str, Table)>, Diag> {
    let mut out = Vec::new();
    if arrows != "none"
        && let Some(links) = trace.relation(LINKS).map_err(fault::diag)?
    {
        // Arrows are drawn in one order whatever the plan does.
        let links = crate::verb::relational::order::settled(&links)?;
        let text = |name: &str| cast(lower::column(name), DataType::Utf8View).alias(name);
        let texts = [
            column::TYPE,
            column::VALUE,
            column::SOURCE,
            column::TARGET,
            column::SOURCE_POINT,
            column::TARGET_POINT,
            column::SOURCE_RESOURCE,
            column::TARGET_RESOURCE,
        ];
        let mut list: Vec<df::Expr> = texts
            .into_iter()
            .filter(|name| links.columns.has(name))
            .map(text)
            .collect();
        for name in [column::START, column::END] {
            if links.columns.has(name) {
                list.push(lower::column(name));
            }
        }
        let mut plan = LogicalPlanBuilder::from(links.plan.clone());
        if arrows == "critical" {
            plan = plan
                .filter(lower::column(column::TYPE).eq(lit(CRITICAL)))
                .map_err(fault::diag)?;
        }
        let plan = plan
            .project(list)
            .and_then(LogicalPlanBuilder::build)
            .map_err(fault::diag)?;
        out.push(("links", links.then(plan, links.columns.clone())));
    }
    if is_resource_view && let Some(resources) = trace.whole(RESOURCES) {
        let plan = LogicalPlanBuilder::from(resources.plan.clone())
            .project([lower::column("path"), lower::column(column::CAPACITY)])
            .and_then(LogicalPlanBuilder::build)
            .map_err(fault::diag)?;
        out.push(("resources", resources.then(plan, resources.columns.clone())));
    }
    Ok(out)
}
