//! Sixels: bands of six rows, in each band a line of characters for every colour in it. The colours are those of the palette:
//! figures have few, and a palette of its own for each would be most of the work.

use super::palette;
use crate::figure::raster::Pixels;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Rows of a band.
const BAND: u32 = 6;

/// The picture between the escapes that begin and end it. Writing into a text cannot fail.
pub(super) fn text(pixels: &Pixels) -> String {
    let (width, height) = (pixels.width, pixels.height);
    let mut bands = Vec::new();
    for top in (0..height).step_by(BAND as usize) {
        // Of each colour, which of the six dots of a column it has.
        let mut band: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
        for row in top..height.min(top + BAND) {
            for column in 0..width {
                let number = palette::nearest(pixels.on_white(column, row));
                let dots = band
                    .entry(number)
                    .or_insert_with(|| vec![0; width as usize]);
                if let Some(dots) = dots.get_mut(column as usize) {
                    *dots |= 1 << (row - top);
                }
            }
        }
        bands.push(band);
    }
    let mut out = format!("\x1bP0;1q\"1;1;{width};{height}");
    let used: BTreeSet<u8> = bands.iter().flat_map(|band| band.keys().copied()).collect();
    for number in used {
        let [red, green, blue] = palette::colour(number).map(percent);
        let _ = write!(out, "#{number};2;{red};{green};{blue}");
    }
    for band in bands {
        for (number, dots) in band {
            let _ = write!(out, "#{number}");
            for same in dots.chunk_by(|a, b| a == b) {
                let dots = char::from(63 + same.first().copied().unwrap_or(0));
                match same.len() {
                    count @ 1..=3 => out.extend(std::iter::repeat_n(dots, count)),
                    count => {
                        let _ = write!(out, "!{count}{dots}");
                    }
                }
            }
            // Back to the begin of the band.
            out.push('$');
        }
        out.push('-');
    }
    out.push_str("\x1b\\\n");
    out
}

fn percent(part: u8) -> u16 {
    (u16::from(part) * 100 + 127) / 255
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_has_a_line_for_each_colour() {
        // Five columns, seven rows, red; the first dot of the second row is blue.
        let mut rgba = [255, 0, 0, 255].repeat(35);
        rgba.splice(20..24, [0, 0, 255, 255]);
        let pixels = Pixels {
            width: 5,
            height: 7,
            rgba,
        };
        // Six dots are 63 (`~`), without the second 61 (`|`), the second alone 2 (`A`), the first alone 1 (`@`).
        assert_eq!(
            text(&pixels),
            "\x1bP0;1q\"1;1;5;7#21;2;0;0;100#196;2;100;0;0#21A!4?$#196|!4~$-#196!5@$-\x1b\\\n"
        );
    }
}
