//! Lengths on paper and the size of a page.
//!
//! All that is laid out is laid out in CSS pixels, 96 to the inch; the unit a length was written in is kept for the file.

use crate::figure::error::FigureError;

/// Longest side of a page, in pixels: beyond it the numbers of renderers lose their accuracy.
pub const MAX_PX: f64 = 200_000.0;

/// A unit of length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthUnit {
    /// CSS pixel, 1/96 inch.
    Px,
    /// Point, 1/72 inch.
    Pt,
    /// Millimetre.
    Mm,
    /// Centimetre.
    Cm,
    /// Inch.
    In,
}

impl LengthUnit {
    /// The unit as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            LengthUnit::Px => "px",
            LengthUnit::Pt => "pt",
            LengthUnit::Mm => "mm",
            LengthUnit::Cm => "cm",
            LengthUnit::In => "in",
        }
    }

    /// Pixels in one of the unit.
    pub fn px(self) -> f64 {
        match self {
            LengthUnit::Px => 1.0,
            LengthUnit::Pt => 96.0 / 72.0,
            LengthUnit::Mm => 96.0 / 25.4,
            LengthUnit::Cm => 96.0 / 2.54,
            LengthUnit::In => 96.0,
        }
    }
}

/// A length with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    /// How many of the unit.
    pub value: f64,
    /// The unit.
    pub unit: LengthUnit,
}

impl Length {
    /// A length.
    pub fn new(value: f64, unit: LengthUnit) -> Length {
        Length { value, unit }
    }

    /// The length in pixels, 96 to the inch.
    pub fn px(self) -> f64 {
        self.value * self.unit.px()
    }

    /// As it is written: `170mm`.
    pub fn text(self) -> String {
        format!("{}{}", self.value, self.unit.symbol())
    }
}

/// Width and height of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Width.
    pub width: Length,
    /// Height.
    pub height: Length,
}

impl Size {
    /// Across both columns of a paper, 170 mm × 60 mm: what is used where nothing is said.
    pub const DEFAULT: Size = Size {
        width: Length {
            value: 170.0,
            unit: LengthUnit::Mm,
        },
        height: Length {
            value: 60.0,
            unit: LengthUnit::Mm,
        },
    };

    /// A page in millimetres.
    pub fn mm(width: f64, height: f64) -> Size {
        Size {
            width: Length::new(width, LengthUnit::Mm),
            height: Length::new(height, LengthUnit::Mm),
        }
    }

    /// A page in pixels.
    pub fn px(width: f64, height: f64) -> Size {
        Size {
            width: Length::new(width, LengthUnit::Px),
            height: Length::new(height, LengthUnit::Px),
        }
    }

    /// Width in pixels.
    pub fn width_px(self) -> f64 {
        self.width.px()
    }

    /// Height in pixels.
    pub fn height_px(self) -> f64 {
        self.height.px()
    }

    /// Refuses a side that is not positive and finite, or too long.
    pub fn check(self) -> Result<(), FigureError> {
        for side in [self.width, self.height] {
            let px = side.px();
            if !px.is_finite() || px <= 0.0 || px > MAX_PX {
                return Err(FigureError::BadSize { text: side.text() });
            }
        }
        Ok(())
    }

    /// Dots per inch of a picture where nothing is said: 96 where both sides are in pixels (one dot each), else 300.
    pub fn default_dpi(self) -> f64 {
        if self.width.unit == LengthUnit::Px && self.height.unit == LengthUnit::Px {
            96.0
        } else {
            300.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inch_is_96_pixels_in_every_unit() {
        for (value, unit) in [
            (96.0, LengthUnit::Px),
            (72.0, LengthUnit::Pt),
            (25.4, LengthUnit::Mm),
            (2.54, LengthUnit::Cm),
            (1.0, LengthUnit::In),
        ] {
            assert!((Length::new(value, unit).px() - 96.0).abs() < 1e-9);
        }
    }

    #[test]
    fn sizes_that_are_none_are_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
            assert!(Size::mm(bad, 10.0).check().is_err());
            assert!(Size::mm(10.0, bad).check().is_err());
        }
        assert!(Size::px(1.0, 1.0).check().is_ok());
    }
}
