//! Figures: each verb turns the rows of its input into a scene.

pub mod plot_stacked;

use crate::diag::{Diag, code};
use crate::figure::{self, FigureError, Warning};
use crate::lang::plan::Arguments;
use crate::spec::{Accept, Length, LengthUnit, Param, ParamSpec, Place, Shape};

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
    let code = match warning {
        Warning::PaletteShort { .. } => &code::PALETTE_SHORT,
        _ => &code::FIGURE,
    };
    Diag::warning(code, warning.to_string())
}
