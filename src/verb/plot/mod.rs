//! Figures: each verb turns the rows of its input into a scene.

mod gantt;
pub mod panel;
pub mod plot_gantt;
pub mod plot_stacked;
mod rows;
mod stacked;

use crate::diag::{Diag, code};
use crate::figure::palette::Palette;
use crate::figure::{self, FigureError, Warning};
use crate::lang::plan::{Arguments, TimeRange};
use crate::spec::{Accept, Length, LengthUnit, Param, ParamSpec, Place, Shape, Value, option};

/// The time axis of a figure to come.
#[derive(Clone, Copy, Debug)]
pub struct TimeAxis {
    /// Its length in pixels of 1/96 inch.
    pub pixels: f64,
    /// First time shown, exact; None for the first start.
    pub low: Option<i128>,
    /// End of what is shown, exact; None for the last end.
    pub high: Option<i128>,
}

option!(PALETTE: Option<Value>, "palette", Shape::Scalar(&[Accept::Text, Accept::TextList, Accept::TextMap]), "12 hues safe for colour blindness", "the name of a ColorBrewer set, a list of \"#RRGGBB\" in profile order, or a map from values");
option!(RANGE: Option<TimeRange>, "range", Shape::Scalar(&[Accept::TimeRange]), "all", "the part of the time axis that is shown");
option!(TITLE: Option<String>, "title", Shape::Scalar(&[Accept::Text]), "none", "a title above the plot");

/// `width=`.
pub static WIDTH: Param<Option<Length>> = Param::new(ParamSpec {
    name: "width",
    place: Place::Option,
    shape: Shape::Scalar(&[Accept::Length]),
    default: "170mm",
    about: "the width of the figure, in px, pt, mm, cm or in",
});

/// `height=`.
pub static HEIGHT: Param<Option<Length>> = Param::new(ParamSpec {
    name: "height",
    place: Place::Option,
    shape: Shape::Scalar(&[Accept::Length]),
    default: "60mm",
    about: "the height of the figure, in px, pt, mm, cm or in",
});

/// A length of the language as one of the figure layer.
pub fn length(length: Length) -> figure::Length {
    let unit = match length.unit {
        LengthUnit::Pixel => figure::LengthUnit::Px,
        LengthUnit::Point => figure::LengthUnit::Pt,
        LengthUnit::Millimetre => figure::LengthUnit::Mm,
        LengthUnit::Centimetre => figure::LengthUnit::Cm,
        LengthUnit::Inch => figure::LengthUnit::In,
    };
    figure::Length::new(length.number, unit)
}

/// The size that `width=` and `height=` ask for.
pub fn size(arguments: &Arguments) -> Result<figure::Size, Diag> {
    let mut size = figure::Size::DEFAULT;
    if let Some(width) = arguments.get(&WIDTH)? {
        size.width = length(width);
    }
    if let Some(height) = arguments.get(&HEIGHT)? {
        size.height = length(height);
    }
    size.check().map_err(|error| {
        let param = if arguments.find(WIDTH.spec.name).is_some() {
            arguments.span_of(&WIDTH)
        } else {
            arguments.span_of(&HEIGHT)
        };
        Diag::error(&code::INVALID_VALUE, error.to_string()).at(param, "here")
    })?;
    Ok(size)
}

/// The palette that an option asks for.
pub fn palette_of(value: Option<Value>) -> Palette {
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

/// The diagnostic of a figure that cannot be drawn.
pub fn failure(error: FigureError) -> Diag {
    let text = error.to_string();
    match error {
        FigureError::StackTooHigh { .. } => Diag::error(&code::STACK_TOO_HIGH, text)
            .help("aggregate with `nest=flatten`, the default, so that states are exclusive"),
        FigureError::BadColour { .. } => {
            Diag::error(&code::INVALID_VALUE, text).help("a colour is written \"#RRGGBB\"")
        }
        FigureError::UnknownPalette { .. } => {
            Diag::error(&code::UNKNOWN_CHOICE, text).help(format!(
                "palettes: {}",
                crate::lang::suggest::listed(figure::palette::NAMED.iter().map(|p| p.name), 20)
            ))
        }
        _ => Diag::error(&code::FIGURE, text),
    }
}

/// The diagnostic of a warning of the figure layer.
pub fn warning(warning: &Warning) -> Diag {
    let text = warning.to_string();
    match warning {
        Warning::PaletteShort { .. } => Diag::warning(&code::PALETTE_SHORT, text),
        Warning::ManyMarks { .. } => Diag::warning(&code::MANY_STATES, text).help(
            "`aggregate-by-threshold | plot-stacked` merges those that are too short to be seen and keeps their time",
        ),
        _ => Diag::warning(&code::FIGURE, text),
    }
}
