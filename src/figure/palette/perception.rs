//! How far apart colours look: the OKLab space, and how the two common colour blindnesses see.
//!
//! Sources: B. Ottosson, "A perceptual color space for image processing" (2020); G. Machado, M. Oliveira, L. Fernandes,
//! "A physiologically-based model for simulation of color vision deficiency" (2009), severity 1.0.

use crate::figure::palette::Colour;

/// A colour in OKLab. Two that are 0.02 apart are just seen as different side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lab {
    /// Lightness, 0 black to 1 white.
    pub lightness: f64,
    /// Green (negative) to red.
    pub a: f64,
    /// Blue (negative) to yellow.
    pub b: f64,
}

impl Lab {
    /// Distance to another colour.
    pub fn distance(self, other: Lab) -> f64 {
        let (l, a, b) = (
            self.lightness - other.lightness,
            self.a - other.a,
            self.b - other.b,
        );
        (l * l + a * a + b * b).sqrt()
    }

    /// How far from grey.
    pub fn chroma(self) -> f64 {
        (self.a * self.a + self.b * self.b).sqrt()
    }
}

/// A kind of colour blindness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blindness {
    /// No green cones.
    Deuteranopia,
    /// No red cones.
    Protanopia,
}

impl Blindness {
    fn matrix(self) -> [[f64; 3]; 3] {
        match self {
            Blindness::Deuteranopia => [
                [0.367322, 0.860646, -0.227968],
                [0.280085, 0.672501, 0.047413],
                [-0.011820, 0.042940, 0.968881],
            ],
            Blindness::Protanopia => [
                [0.152286, 1.052583, -0.204868],
                [0.114503, 0.786281, 0.099216],
                [-0.003882, -0.048116, 1.051998],
            ],
        }
    }
}

fn linear(colour: Colour) -> [f64; 3] {
    [colour.red, colour.green, colour.blue].map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.040_45 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    })
}

fn lab_of_linear([red, green, blue]: [f64; 3]) -> Lab {
    let l = (0.412_221_470_8 * red + 0.536_332_536_3 * green + 0.051_445_992_9 * blue).cbrt();
    let m = (0.211_903_498_2 * red + 0.680_699_545_1 * green + 0.107_396_956_6 * blue).cbrt();
    let s = (0.088_302_461_9 * red + 0.281_718_837_6 * green + 0.629_978_700_5 * blue).cbrt();
    Lab {
        lightness: 0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
        a: 1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
        b: 0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
    }
}

/// The colour as it is seen by most.
pub fn lab(colour: Colour) -> Lab {
    lab_of_linear(linear(colour))
}

/// The colour as it is seen with a colour blindness.
pub fn lab_blind(colour: Colour, blindness: Blindness) -> Lab {
    let light = linear(colour);
    lab_of_linear(blindness.matrix().map(|row| {
        let sum: f64 = row
            .iter()
            .zip(light)
            .map(|(weight, part)| weight * part)
            .sum();
        sum.clamp(0.0, 1.0)
    }))
}

/// The colour at a lightness, chroma and hue (degrees) of OKLab; none where the screen cannot show it.
pub fn from_lch(lightness: f64, chroma: f64, hue: f64) -> Option<Colour> {
    let (a, b) = (
        chroma * hue.to_radians().cos(),
        chroma * hue.to_radians().sin(),
    );
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    let parts = [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ];
    if parts.iter().any(|part| !(-0.0005..=1.0005).contains(part)) {
        return None;
    }
    let [red, green, blue] = parts.map(|part| {
        let part = part.clamp(0.0, 1.0);
        let encoded = if part <= 0.003_130_8 {
            12.92 * part
        } else {
            1.055 * part.powf(1.0 / 2.4) - 0.055
        };
        (encoded * 255.0).round() as u8
    });
    Some(Colour::new(red, green, blue))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_is_white_and_black_is_black() {
        let white = lab(Colour::WHITE);
        assert!((white.lightness - 1.0).abs() < 1e-3 && white.chroma() < 1e-3);
        assert!(lab(Colour::new(0, 0, 0)).lightness.abs() < 1e-6);
    }

    #[test]
    fn there_and_back() {
        for colour in crate::figure::palette::DEFAULT {
            let seen = lab(colour);
            let back = from_lch(
                seen.lightness,
                seen.chroma(),
                seen.b.atan2(seen.a).to_degrees(),
            );
            let back = back.unwrap();
            for (one, two) in [
                (colour.red, back.red),
                (colour.green, back.green),
                (colour.blue, back.blue),
            ] {
                assert!(one.abs_diff(two) <= 1);
            }
        }
    }
}
