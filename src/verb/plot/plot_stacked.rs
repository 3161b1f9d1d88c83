//! `plot-stacked`: the cells of an aggregation, stacked in lanes (aggregation.md section 6).

use super::{HEIGHT, TimeAxis, WIDTH, failure, length, size, warning};
use crate::diag::{Diag, code};
use crate::figure::chart::{self, Cells, Interruptions, Opacity, Options, Style};
use crate::figure::palette::Palette;
use crate::figure::{Scene, axis, lane, layout};
use crate::lang::flow::Flow;
use crate::lang::plan::{Arguments, TimeRange};
use crate::lang::suggest;
use crate::model::Clock;
use crate::model::schema::column;
use crate::plan::data::Draw;
use crate::plan::{Data, Figure, Table, lower};
use crate::spec::{
    Accept, Choice, Example, Kind, Length, Param, ParamSpec, Place, Section, Shape, Value, VerbSpec,
};
use crate::verb::{FlowContext, PlanContext, Verb};
use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::arrow::record_batch::RecordBatch;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The verb.
pub struct PlotStacked;

macro_rules! option {
    ($constant:ident: $type:ty, $name:literal, $accepts:expr, $default:literal, $about:literal) => {
        #[doc = $about]
        pub static $constant: Param<$type> = Param::new(ParamSpec {
            name: $name,
            place: Place::Option,
            shape: Shape::Scalar($accepts),
            default: $default,
            about: $about,
        });
    };
}

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

option!(PALETTE: Option<Value>, "palette", &[Accept::Text, Accept::TextList, Accept::TextMap], "12 hues safe for colour blindness", "the name of a ColorBrewer set, a list of \"#RRGGBB\" in profile order, or a map from values");
option!(ALPHA: Option<&'static str>, "alpha", &[Accept::Choice(ALPHAS)], "number", "what makes a rectangle paler");
option!(INTERRUPTIONS: Option<&'static str>, "interruptions", &[Accept::Choice(INTERRUPTIONS_CHOICES)], "tick", "how interruptions of long states show");
option!(STYLE: Option<&'static str>, "style", &[Accept::Choice(STYLES)], "stack", "how a cell is drawn");
option!(MIN_WIDTH: Option<Length>, "min_width", &[Accept::Length], "4px", "style bars: the least width of a chunk and of a state drawn by itself");
option!(RANGE: Option<TimeRange>, "range", &[Accept::TimeRange], "all", "the part of the time axis that is shown; cells are never regrouped by it");
option!(TITLE: Option<String>, "title", &[Accept::Text], "none", "a title above the plot");
option!(CAPTION: Option<String>, "caption", &[Accept::Text], "the threshold", "the text below the figure; \"\" for none");

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

fn palette(value: Option<Value>) -> Palette {
    match value {
        Some(Value::String(name)) => Palette::Named(name),
        Some(Value::List(items)) => Palette::List(items.iter().map(ToString::to_string).collect()),
        Some(Value::Map(entries)) => Palette::Map(
            entries
                .into_iter()
                .map(|(key, colour)| (key, colour.to_string()))
                .collect(),
        ),
        _ => Palette::Default,
    }
}

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
            crate::figure::palette::assign(&palette(value), &[])
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
            palette: palette(arguments.get(&PALETTE)?),
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
        Ok(Data::Figure(Figure {
            table,
            draw: Arc::new(Stacked { options, range }),
            scene: Arc::new(OnceLock::new()),
        }))
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

/// How the cells are drawn.
struct Stacked {
    options: Options,
    range: (Option<i64>, Option<i64>),
}

/// The time base of the figure layer for a clock.
fn time_base(clock: Clock) -> axis::TimeBase {
    if clock.is_logical() {
        axis::TimeBase::Logical {
            ticks_per_unit: 1_000_000_000,
        }
    } else {
        axis::TimeBase::Physical {
            tick_picoseconds: clock.resolution.picoseconds() as i64,
        }
    }
}

/// The cells of all batches as plain vectors.
#[derive(Default)]
struct Columns {
    track: Vec<u32>,
    value: Vec<u32>,
    start: Vec<i64>,
    end: Vec<i64>,
    low: Vec<f64>,
    high: Vec<f64>,
    number: Vec<u64>,
    pure: Vec<bool>,
    chunk: Vec<i64>,
    subchunk: Vec<i64>,
    nulls: usize,
}

/// Numbers for names, in order of first appearance.
#[derive(Default)]
struct Names<K> {
    index: HashMap<K, u32>,
    list: Vec<K>,
}

impl<K: Clone + Eq + std::hash::Hash> Names<K> {
    fn number(&mut self, key: &K) -> u32 {
        if let Some(number) = self.index.get(key) {
            return *number;
        }
        let number = self.list.len() as u32;
        self.index.insert(key.clone(), number);
        self.list.push(key.clone());
        number
    }
}

fn part(batch: &RecordBatch, name: &str, data_type: &DataType) -> Result<ArrayRef, Diag> {
    batch
        .column_by_name(name)
        .ok_or_else(|| Diag::error(&code::INTERNAL, format!("the cells lack `{name}`")))
        .and_then(|array| {
            cast(array, data_type).map_err(|error| {
                Diag::error(&code::TYPE_MISMATCH, format!("`{name}` of a cell: {error}"))
            })
        })
}

impl Columns {
    fn add(
        &mut self,
        batch: &RecordBatch,
        tracks: &mut Names<(String, String)>,
        values: &mut Names<String>,
    ) -> Result<(), Diag> {
        let text = |name| part(batch, name, &DataType::Utf8View);
        let whole = |name| part(batch, name, &DataType::Int64);
        let float = |name| part(batch, name, &DataType::Float64);
        let (resource, kind, value) = (
            text(column::RESOURCE)?,
            text(column::TYPE)?,
            text(column::VALUE)?,
        );
        let (resource, kind, value) = (
            resource.as_string_view(),
            kind.as_string_view(),
            value.as_string_view(),
        );
        let wholes = [
            whole(column::START)?,
            whole(column::END)?,
            whole("number")?,
            whole("chunk")?,
            whole("subchunk")?,
        ];
        let [start, end, number, chunk, subchunk] = wholes
            .each_ref()
            .map(|array| array.as_primitive::<Int64Type>());
        let floats = [float("low")?, float("high")?];
        let [low, high] = floats
            .each_ref()
            .map(|array| array.as_primitive::<Float64Type>());
        let pure = part(batch, "pure", &DataType::Boolean)?;
        let pure = pure.as_boolean();
        for row in 0..batch.num_rows() {
            if start.is_null(row) || end.is_null(row) || low.is_null(row) || high.is_null(row) {
                self.nulls += 1;
                continue;
            }
            let name = |array: &datafusion::arrow::array::StringViewArray| {
                if array.is_null(row) {
                    String::new()
                } else {
                    array.value(row).to_owned()
                }
            };
            self.track
                .push(tracks.number(&(name(resource), name(kind))));
            self.value.push(values.number(&name(value)));
            self.start.push(start.value(row));
            self.end.push(end.value(row));
            self.low.push(low.value(row));
            self.high.push(high.value(row));
            self.number
                .push(u64::try_from(number.value(row)).unwrap_or(1));
            self.pure.push(pure.is_valid(row) && pure.value(row));
            self.chunk.push(chunk.value(row));
            self.subchunk.push(subchunk.value(row));
        }
        Ok(())
    }

    /// Renumbers the tracks so that lanes are in natural order.
    fn renumber(&mut self, tracks: &[lane::Track]) -> Vec<lane::Track> {
        let order = lane::natural_order(tracks);
        let mut place = vec![0_u32; tracks.len()];
        for (lane, old) in order.iter().enumerate() {
            if let Some(slot) = place.get_mut(*old) {
                *slot = lane as u32;
            }
        }
        for track in &mut self.track {
            *track = place.get(*track as usize).copied().unwrap_or(0);
        }
        order
            .iter()
            .filter_map(|old| tracks.get(*old).cloned())
            .collect()
    }
}

impl Draw for Stacked {
    fn draw(
        &self,
        table: &Table,
        rows: &[RecordBatch],
        domain: &[String],
    ) -> Result<(Scene, Vec<Diag>), Diag> {
        let mut cells = Columns::default();
        let mut tracks = Names::default();
        let mut values = Names::default();
        for batch in rows {
            cells.add(batch, &mut tracks, &mut values)?;
        }
        let tracks: Vec<lane::Track> = tracks
            .list
            .into_iter()
            .map(|(resource, kind)| lane::Track { resource, kind })
            .collect();
        let tracks = cells.renumber(&tracks);
        // A value that a stage made up comes behind those of the trace, by its name.
        let mut domain = domain.to_vec();
        let mut made: Vec<String> = values
            .list
            .iter()
            .filter(|value| !domain.contains(value))
            .cloned()
            .collect();
        made.sort();
        domain.extend(made);
        let mut options = self.options.clone();
        if self.range.0.is_some() || self.range.1.is_some() {
            let first = cells.start.iter().min().copied().unwrap_or(0);
            let last = cells.end.iter().max().copied().unwrap_or(0);
            options.time_range =
                Some((self.range.0.unwrap_or(first), self.range.1.unwrap_or(last)));
        }
        let input = chart::Table {
            tracks: &tracks,
            values: &values.list,
            domain: &domain,
            cells: Cells {
                track: &cells.track,
                start: &cells.start,
                end: &cells.end,
                value: &cells.value,
                low: &cells.low,
                high: &cells.high,
                number: &cells.number,
                pure: &cells.pure,
                chunk: &cells.chunk,
                subchunk: &cells.subchunk,
            },
            time: time_base(table.clock()),
        };
        let (scene, warnings) = chart::stacked(&input, &options).map_err(failure)?;
        let mut diags: Vec<Diag> = warnings.iter().map(warning).collect();
        if cells.nulls > 0 {
            diags.push(Diag::warning(
                &code::NULLS_LEFT_OUT,
                format!(
                    "{} cells without a place were left out of the figure",
                    cells.nulls
                ),
            ));
        }
        Ok((scene, diags))
    }
}
