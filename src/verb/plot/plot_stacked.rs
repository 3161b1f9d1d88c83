//! `plot-stacked`: the cells of an aggregation, stacked in lanes (aggregation.md section 6).

use super::stacked::Stacked;
use super::{HEIGHT, PALETTE, RANGE, TITLE, TimeAxis, WIDTH, failure, length, palette_of, size};
use crate::diag::{Diag, code};
use crate::figure::chart::{Interruptions, Opacity, Options, Style};
use crate::figure::layout;
use crate::lang::flow::Flow;
use crate::lang::plan::{Arguments, TimeRange};
use crate::lang::suggest;
use crate::model::schema::column;
use crate::plan::{Data, Figure, lower};
use crate::spec::{Accept, Choice, Example, Kind, Length, Section, Shape, VerbSpec, option};
use crate::verb::{FlowContext, PlanContext, Verb};

/// The verb.
pub struct PlotStacked;

const ALPHAS: &[Choice] = &[
    Choice {
        name: "number",
        about: "the more states a cell stands for, the paler it is",
    },
    Choice {
        name: "none",
        about: "full colour everywhere",
    },
];
const INTERRUPTIONS_CHOICES: &[Choice] = &[
    Choice {
        name: "tick",
        about: "a tick at the lane's edge where something short interrupts a long state",
    },
    Choice {
        name: "none",
        about: "no ticks",
    },
];
const STYLES: &[Choice] = &[
    Choice {
        name: "stack",
        about: "values of a cell on top of each other, heights by share",
    },
    Choice {
        name: "slashed",
        about: "values side by side along the time axis, a slash over the box (Paje)",
    },
    Choice {
        name: "bars",
        about: "time chunks of width 2^k ticks with horizontal bars (Jumpshot)",
    },
];

option!(ALPHA: Option<&'static str>, "alpha", Shape::Scalar(&[Accept::Choice(ALPHAS)]), "number", "what makes a rectangle paler");
option!(INTERRUPTIONS: Option<&'static str>, "interruptions", Shape::Scalar(&[Accept::Choice(INTERRUPTIONS_CHOICES)]), "tick", "how interruptions of long states show");
option!(STYLE: Option<&'static str>, "style", Shape::Scalar(&[Accept::Choice(STYLES)]), "stack", "how a cell is drawn");
option!(MIN_WIDTH: Option<Length>, "min_width", Shape::Scalar(&[Accept::Length]), "4px", "style bars: the least width of a chunk and of a state drawn by itself");
option!(CAPTION: Option<String>, "caption", Shape::Scalar(&[Accept::Text]), "the threshold", "the text below the figure; \"\" for none");

static SPEC: VerbSpec = VerbSpec {
    name: "plot-stacked",
    section: Section::Figure,
    takes: &[Kind::Table, Kind::Trace],
    heads: false,
    gives: "a figure",
    summary: "Draws the cells of an aggregation: one lane a track, the values of a cell stacked in it.",
    detail: "Coloured area is time; what stays white is idle. Colours belong to values: they are given in the \
             order of the profile of the whole trace that was loaded, so neither a filter nor a threshold repaints \
             anything. A rectangle is paler the more states it stands for; a state that is drawn as itself has a \
             darker outline. The caption names the threshold. More values than colours of a palette is a warning, \
             and the rest get colours made apart from those used.",
    params: &[
        &WIDTH.spec,
        &HEIGHT.spec,
        &PALETTE.spec,
        &ALPHA.spec,
        &INTERRUPTIONS.spec,
        &STYLE.spec,
        &MIN_WIDTH.spec,
        &RANGE.spec,
        &TITLE.spec,
        &CAPTION.spec,
    ],
    by: false,
    examples: &[Example {
        about: "a figure 170 mm wide, as SVG",
        script: "load \"hand.csv\" unit=ms | aggregate-by-threshold 10ms | plot-stacked width=170mm height=50mm | save \"hand.svg\"",
        prints: "",
    }],
};

/// The columns that a cell needs.
const NEEDED: [&str; 11] = [
    column::RESOURCE,
    column::TYPE,
    "chunk",
    "subchunk",
    column::VALUE,
    column::START,
    column::END,
    "number",
    "low",
    "high",
    "pure",
];

impl Verb for PlotStacked {
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
        let missing: Vec<&str> = NEEDED
            .into_iter()
            .filter(|name| !columns.has(name))
            .collect();
        if !missing.is_empty() {
            return Err(Diag::error(
                &code::UNKNOWN_COLUMN,
                format!(
                    "`plot-stacked` draws the cells of an aggregation; {} is missing",
                    suggest::listed(missing, 4)
                ),
            )
            .at(arguments.span, "here")
            .help("put `aggregate-by-threshold` before it"));
        }
        // Sizes and palettes are known now: say what is wrong with them before anything runs.
        size(arguments)?;
        if let Ok(Some(TimeRange {
            low: Some(low),
            high: Some(high),
        })) = arguments.get(&RANGE)
            && high <= low
        {
            return Err(
                Diag::error(&code::INVALID_VALUE, "the range ends before it starts")
                    .at(arguments.span_of(&RANGE), "here"),
            );
        }
        if let Ok(value) = arguments.get(&PALETTE) {
            crate::figure::palette::assign(&palette_of(value), &[])
                .map_err(|error| failure(error).at(arguments.span_of(&PALETTE), "here"))?;
        }
        Ok(Flow::Figure)
    }

    fn plan(
        &self,
        input: Option<Data>,
        arguments: &Arguments,
        _: &Flow,
        _: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let table = input
            .ok_or_else(|| crate::verb::context::unexpected(&SPEC))?
            .table()?;
        let clock = table.clock();
        let fact = |key: &str| {
            table
                .facts
                .iter()
                .find(|(k, _)| k == key)
                .map(|(_, v)| v.clone())
        };
        let caption = match arguments.get(&CAPTION)? {
            Some(text) if text.is_empty() => None,
            Some(text) => Some(text),
            None => fact("threshold").map(|threshold| match fact("max") {
                Some(max) => format!("threshold {threshold}, max {max}"),
                None => format!("threshold {threshold}"),
            }),
        };
        let range = match arguments.get(&RANGE)? {
            None => (None, None),
            Some(range) => {
                let span = arguments.span_of(&RANGE);
                let end = |end: Option<i128>| end.map(|t| lower::ticks(t, clock, span)).transpose();
                (end(range.low)?, end(range.high)?)
            }
        };
        let options = Options {
            size: size(arguments)?,
            time_range: None,
            palette: palette_of(arguments.get(&PALETTE)?),
            opacity: match arguments.get(&ALPHA)? {
                Some("none") => Opacity::Off,
                _ => Opacity::Number,
            },
            interruptions: match arguments.get(&INTERRUPTIONS)? {
                Some("none") => Interruptions::Off,
                _ => Interruptions::Tick,
            },
            style: match arguments.get(&STYLE)? {
                Some("slashed") => Style::Slashed,
                Some("bars") => Style::Bars,
                _ => Style::Stack,
            },
            min_width: arguments
                .get(&MIN_WIDTH)?
                .map_or_else(|| Options::default().min_width, length),
            title: arguments.get(&TITLE)?,
            caption,
            facts: table.facts.clone(),
            ..Options::default()
        };
        let cells = vec![("cells", table.clone())];
        Ok(Data::Figure(Figure::of(
            table,
            cells,
            Stacked { options, range },
        )))
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
