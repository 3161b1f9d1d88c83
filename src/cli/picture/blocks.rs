//! Half blocks: a character is two pixels, the upper one its colour, the lower one its background.

use super::palette::{self, Colour};
use crate::figure::raster::Pixels;
use std::fmt::Write;

/// How many colours a character can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Depth {
    /// 24 bits.
    Exact,
    /// The usual 256.
    Palette,
}

/// The picture as lines of text; each ends in the terminal's own colours.
pub(super) fn text(pixels: &Pixels, depth: Depth) -> String {
    let mut out = String::new();
    for top in (0..pixels.height).step_by(2) {
        let mut before = None;
        for column in 0..pixels.width {
            let upper = pixels.on_white(column, top);
            // Below the last of an odd number of rows is nothing.
            let lower = (top + 1 < pixels.height).then(|| pixels.on_white(column, top + 1));
            if before != Some((upper, lower)) {
                paint(&mut out, 38, upper, depth);
                if let Some(lower) = lower {
                    paint(&mut out, 48, lower, depth);
                }
                before = Some((upper, lower));
            }
            out.push('▀');
        }
        out.push_str("\x1b[0m\n");
    }
    out
}

/// Sets the colour of characters (38) or of what is behind them (48).
fn paint(out: &mut String, what: u8, colour: Colour, depth: Depth) {
    let [red, green, blue] = colour;
    // Writing into a text cannot fail.
    let _ = match depth {
        Depth::Exact => write!(out, "\x1b[{what};2;{red};{green};{blue}m"),
        Depth::Palette => write!(out, "\x1b[{what};5;{}m", palette::nearest(colour)),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels() -> Pixels {
        // Red, red / blue, half transparent black / white, white.
        Pixels {
            width: 2,
            height: 3,
            rgba: vec![
                255, 0, 0, 255, 255, 0, 0, 255, 0, 0, 255, 255, 0, 0, 0, 128, 255, 255, 255, 255,
                0, 0, 0, 0,
            ],
        }
    }

    #[test]
    fn a_character_is_two_pixels() {
        assert_eq!(
            text(&pixels(), Depth::Exact),
            "\x1b[38;2;255;0;0m\x1b[48;2;0;0;255m▀\x1b[38;2;255;0;0m\x1b[48;2;127;127;127m▀\x1b[0m\n\
             \x1b[38;2;255;255;255m▀▀\x1b[0m\n"
        );
        assert_eq!(
            text(&pixels(), Depth::Palette),
            "\x1b[38;5;196m\x1b[48;5;21m▀\x1b[38;5;196m\x1b[48;5;244m▀\x1b[0m\n\
             \x1b[38;5;231m▀▀\x1b[0m\n"
        );
    }
}
