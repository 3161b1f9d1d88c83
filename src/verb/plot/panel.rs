//! `panel`: several figures on one page, with one time axis and one legend.

use super::{TITLE, length};
use crate::diag::{Diag, code};
use crate::figure::panel::{Layout, Options, Share};
use crate::figure::size::Size;
use crate::lang::flow::Flow;
use crate::lang::plan::{Arguments, DataArgument};
use crate::plan::Data;
use crate::plan::data::{Figure, PanelSides, Plot};
use crate::spec::{
    Accept, Choice, Example, Kind, Length, Param, ParamSpec, Place, Section, Shape, VerbSpec,
    option,
};
use crate::verb::{FlowContext, PlanContext, Verb};
use std::sync::Arc;

/// The verb.
pub struct Panel;

/// The figures.
pub static FIGURES: Param<Vec<DataArgument>> = Param::new(ParamSpec {
    name: "figures",
    place: Place::Required,
    shape: Shape::DataList(&[Kind::Figure]),
    default: "",
    about: "the figures in order, from the top or from the left",
});

const SHARES: &[Choice] = &[
    Choice {
        name: "time",
        about: "one range of time for all; in a column one axis at the bottom",
    },
    Choice {
        name: "scale",
        about: "each begins where it begins, a second is as long in all of them",
    },
    Choice {
        name: "none",
        about: "each has an axis of its own",
    },
];
const LAYOUTS: &[Choice] = &[
    Choice {
        name: "column",
        about: "below each other",
    },
    Choice {
        name: "row",
        about: "beside each other",
    },
];

option!(SHARE: Option<&'static str>, "share", Shape::Scalar(&[Accept::Choice(SHARES)]), "time", "what the axes have in common");
option!(LAYOUT: Option<&'static str>, "layout", Shape::Scalar(&[Accept::Choice(LAYOUTS)]), "column", "how the figures stand");
option!(PANEL_WIDTH: Option<Length>, "width", Shape::Scalar(&[Accept::Length]), "that of the figures", "the width of the page");
option!(PANEL_HEIGHT: Option<Length>, "height", Shape::Scalar(&[Accept::Length]), "that of the figures", "the height of the page");

static SPEC: VerbSpec = VerbSpec {
    name: "panel",
    section: Section::Figure,
    takes: &[],
    heads: true,
    gives: "a figure",
    summary: "Puts several figures on one page.",
    detail: "The figures share one legend (with `share=none` each has its own), and colours belong to values in all of them: the values are ordered by \
             the time they take in all traces that are shown. With `share=time` figures of runs of different length \
             have the same range, and in a column one axis at the bottom; `share=scale` lets each begin at its own \
             origin. Titles of the figures stay above each. Traces in different units of time have no common axis: \
             that is an error, load them with the same `resolution=`.",
    params: &[
        &FIGURES.spec,
        &SHARE.spec,
        &LAYOUT.spec,
        &PANEL_WIDTH.spec,
        &PANEL_HEIGHT.spec,
        &TITLE.spec,
    ],
    by: false,
    examples: &[Example {
        about: "why states that are narrower than a pixel need more than a line each",
        script: "let run = load \"hand.csv\" unit=ms\npanel [(run | plot-gantt style=rects title=\"rectangles\"), (run | plot-gantt style=segments title=\"segments\")] share=time width=85mm height=80mm | save \"pair.svg\"",
        prints: "",
    }],
};

impl Verb for Panel {
    fn spec(&self) -> &'static VerbSpec {
        &SPEC
    }

    fn flow(
        &self,
        _: Option<&Flow>,
        arguments: &Arguments,
        _: &mut FlowContext,
    ) -> Result<Flow, Diag> {
        for param in [&PANEL_WIDTH, &PANEL_HEIGHT] {
            if let Ok(Some(side)) = arguments.get(param) {
                let size = Size {
                    width: length(side),
                    height: length(side),
                };
                size.check().map_err(|error| {
                    Diag::error(&code::INVALID_VALUE, error.to_string())
                        .at(arguments.span_of(param), "here")
                })?;
            }
        }
        Ok(Flow::Figure)
    }

    fn plan(
        &self,
        _: Option<Data>,
        arguments: &Arguments,
        _: &Flow,
        cx: &mut PlanContext,
    ) -> Result<Data, Diag> {
        let figures: Vec<Figure> = cx
            .others(&FIGURES)
            .iter()
            .filter_map(|data| match data {
                Data::Figure(figure) => Some(figure.clone()),
                _ => None,
            })
            .collect();
        let spans = arguments.get(&FIGURES)?;
        let nested = figures
            .iter()
            .position(|figure| matches!(figure.plot, Plot::Panel(..)));
        if let Some(nested) = nested {
            let span = spans.get(nested).map_or(arguments.span, |one| one.span);
            return Err(
                Diag::error(&code::KIND_MISMATCH, "a panel shows charts, not panels")
                    .at(span, "this is a panel")
                    .help("list all figures in one panel"),
            );
        }
        let first = figures
            .first()
            .ok_or_else(|| crate::verb::unexpected(&SPEC))?;
        let options = Options {
            layout: match arguments.get(&LAYOUT)? {
                Some("row") => Layout::Row,
                _ => Layout::Column,
            },
            share: match arguments.get(&SHARE)? {
                Some("scale") => Share::Scale,
                Some("none") => Share::None,
                _ => Share::Time,
            },
            title: arguments.get(&TITLE)?,
            ..Options::default()
        };
        let sides = PanelSides {
            width: arguments.get(&PANEL_WIDTH)?.map(length),
            height: arguments.get(&PANEL_HEIGHT)?.map(length),
        };
        Ok(Data::Figure(Figure {
            table: first.table.clone(),
            plot: Plot::Panel(figures.clone(), options, sides),
            scene: Arc::default(),
        }))
    }
}
