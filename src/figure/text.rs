//! Text: how wide it is, how to make it fit, what the font lacks.
//!
//! Measured with the very font that draws it, DejaVu Sans, which is part of the program; no system font is asked.
//! Kerning and ligatures are left out of account: they make text narrower, never wider, than measured here.

use std::sync::OnceLock;

/// Name of the bundled font family.
pub const FAMILY: &str = "DejaVu Sans";

/// What stands for the part of a text that was cut out.
pub const ELLIPSIS: char = '…';

/// Size of a title, in pixels (9 pt).
pub const TITLE_SIZE: f64 = 12.0;
/// Size of axis titles, in pixels (8 pt).
pub const AXIS_TITLE_SIZE: f64 = 32.0 / 3.0;
/// Size of tick labels, lane labels and legend, in pixels (7 pt).
pub const LABEL_SIZE: f64 = 28.0 / 3.0;
/// Size of the caption, and the least size of any text, in pixels (6.5 pt).
pub const SMALL_SIZE: f64 = 26.0 / 3.0;

/// Bytes of the bundled font.
pub fn font_data() -> &'static [u8] {
    dejavu::sans::regular()
}

fn face() -> Option<&'static ttf_parser::Face<'static>> {
    static FACE: OnceLock<Option<ttf_parser::Face<'static>>> = OnceLock::new();
    FACE.get_or_init(|| ttf_parser::Face::parse(font_data(), 0).ok())
        .as_ref()
}

/// True for characters that take no room of their own: joiners, direction marks, variation selectors, combining marks.
fn is_zero_width(character: char) -> bool {
    matches!(
        u32::from(character),
        0x0300..=0x036F | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0xFE00..=0xFE0F | 0xFEFF | 0xE0100..=0xE01EF
    )
}

/// Width of one character in em. One that the font lacks is taken to be as wide as an em, which holds for the fonts that
/// a viewer may use in its place.
fn advance(character: char) -> f64 {
    if is_zero_width(character) {
        return 0.0;
    }
    let Some(face) = face() else { return 0.7 };
    match face.glyph_index(character) {
        Some(glyph) => {
            f64::from(face.glyph_hor_advance(glyph).unwrap_or(0)) / f64::from(face.units_per_em())
        }
        None => 1.0,
    }
}

/// Width of a text in pixels at a font size in pixels.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

/// The characters of a text that the bundled font has no glyph for, in order, repeated as they are.
pub fn missing(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|&character| {
        !is_zero_width(character)
            && face().is_some_and(|face| face.glyph_index(character).is_none())
    })
}

/// A character as it is drawn: control characters, line separators and what XML forbids are U+FFFD.
pub fn clean_character(character: char) -> char {
    let is_drawable = !character.is_control()
        && !matches!(u32::from(character), 0x2028 | 0x2029 | 0xFFFE | 0xFFFF);
    if is_drawable { character } else { '\u{FFFD}' }
}

/// The text as it is drawn, each character by [`clean_character`]: one line.
pub fn clean(text: &str) -> String {
    text.chars().map(clean_character).collect()
}

/// Cuts out of the middle what does not fit into `room` pixels. Both ends stay, the first longer: names of resources and
/// kernels differ in their first letters and in the number at their end. Empty where not even the ellipsis fits.
pub fn shorten(text: &str, size: f64, room: f64) -> String {
    cut(text, size, room, 0.62)
}

/// Cuts off the end what does not fit into `room` pixels: for sentences.
pub fn shorten_end(text: &str, size: f64, room: f64) -> String {
    cut(text, size, room, 1.0)
}

/// Keeps what fits beside an ellipsis, `head` of it before and the rest behind.
fn cut(text: &str, size: f64, room: f64, head: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let rest = room - advance(ELLIPSIS) * size;
    if rest < 0.0 || !room.is_finite() {
        return String::new();
    }
    let characters: Vec<char> = text.chars().collect();
    let mut used = 0.0;
    let mut first = 0;
    for &character in &characters {
        let step = advance(character) * size;
        if used + step > rest * head {
            break;
        }
        used += step;
        first += 1;
    }
    let mut last = characters.len();
    while last > first {
        let step = advance(characters[last - 1]) * size;
        if used + step > rest {
            break;
        }
        used += step;
        last -= 1;
    }
    if head >= 1.0 {
        last = characters.len();
    }
    // A mark that combines with what was cut would land on the ellipsis.
    while last < characters.len() && is_zero_width(characters[last]) {
        last += 1;
    }
    let mut out: String = characters[..first].iter().collect();
    if head >= 1.0 {
        out.truncate(out.trim_end().len());
    }
    out.push(ELLIPSIS);
    out.extend(&characters[last..]);
    out
}

/// Breaks a text at its blanks into at most `lines` lines of `room` pixels; the last one is shortened where it must be.
pub fn wrap(text: &str, size: f64, room: f64, lines: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut words = text.split(' ').filter(|word| !word.is_empty()).peekable();
    while out.len() < lines && words.peek().is_some() {
        let mut line = String::new();
        let mut used = 0.0;
        let is_last = out.len() + 1 == lines;
        while let Some(word) = words.peek() {
            let step = width(word, size)
                + if line.is_empty() {
                    0.0
                } else {
                    width(" ", size)
                };
            if !line.is_empty() && used + step > room && !is_last {
                break;
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
            used += step;
            words.next();
            if is_last && used > room {
                break;
            }
        }
        if is_last && words.peek().is_some() {
            line.push(' ');
            line.push(ELLIPSIS);
        }
        let line = shorten_end(&line, size, room);
        if line.is_empty() {
            break;
        }
        out.push(line);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wider_letters_are_wider() {
        assert!(width("WWW", 10.0) > width("iii", 10.0));
        assert!((width("ab", 20.0) - 2.0 * width("ab", 10.0)).abs() < 1e-9);
        assert_eq!(width("", 10.0), 0.0);
    }

    #[test]
    fn shortened_text_fits_and_keeps_its_ends() {
        let name = "starpu_worker_on_a_node_with_a_long_name_17";
        for room in 0..400 {
            let room = f64::from(room);
            let short = shorten(name, LABEL_SIZE, room);
            assert!(
                width(&short, LABEL_SIZE) <= room + 1e-9,
                "{short} at {room}"
            );
        }
        let short = shorten(name, LABEL_SIZE, 100.0);
        assert!(short.starts_with("starpu") && short.ends_with("17") && short.contains('…'));
        assert_eq!(shorten("CPU0", LABEL_SIZE, 100.0), "CPU0");
    }

    #[test]
    fn wrapped_lines_fit() {
        let caption = "states of at most 12.5 µs (1 px) are aggregated; 1234 states in 99 cells, and a_word_that_is_much_too_long_for_any_line";
        for room in [1.0, 10.0, 50.0, 120.0, 300.0, 3000.0] {
            for lines in 0..4 {
                let out = wrap(caption, SMALL_SIZE, room, lines);
                assert!(out.len() <= lines);
                assert!(
                    out.iter()
                        .all(|line| width(line, SMALL_SIZE) <= room + 1e-9)
                );
            }
        }
        assert_eq!(wrap("a b", 10.0, 1000.0, 3), ["a b"]);
        assert!(
            wrap(caption, SMALL_SIZE, 120.0, 2)
                .last()
                .is_some_and(|line| line.contains('…'))
        );
    }

    #[test]
    fn what_the_font_lacks_is_known() {
        assert_eq!(missing("CPU µ…−").count(), 0);
        assert_eq!(missing("a漢b字").count(), 2);
        assert_eq!(clean("a\tb\n\u{0}c"), "a\u{FFFD}b\u{FFFD}\u{FFFD}c");
        assert_eq!(missing("\u{FFFD}").count(), 0);
    }
}
