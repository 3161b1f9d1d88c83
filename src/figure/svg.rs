//! A scene as SVG, the same bytes every time.
//!
//! Well-formed for any name; numbers in one fixed format; rectangles of one colour share a `<g>`, each keeping its own
//! `<rect>`, so that an editor can still pick it. Anti-aliasing is left on (`shape-rendering` is not set for marks): turning
//! it off would drop or fatten what is thinner than a pixel.

use std::collections::BTreeMap;

use crate::figure::scene::{Anchor, Group, Line, Mark, Rect, Scene, Stroke, Text};
use crate::figure::text;

/// Beyond this many bytes a drawing is slow in most viewers; callers may want to say so.
pub const LARGE_BYTES: usize = 10_000_000;

/// The figure as an SVG document.
pub fn write(scene: &Scene) -> String {
    write_with(scene, None)
}

/// The same with one fact more in the metadata: a name and a text.
pub fn write_with(scene: &Scene, carried: Option<(&str, &str)>) -> String {
    let mut out = String::with_capacity(4096 + 64 * scene.mark_count());
    let (width, height) = (scene.size.width, scene.size.height);
    out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str("<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"");
    push_length(&mut out, width.value);
    out.push_str(width.unit.symbol());
    out.push_str("\" height=\"");
    push_length(&mut out, height.value);
    out.push_str(height.unit.symbol());
    out.push_str("\" viewBox=\"0 0 ");
    push_length(&mut out, width.px());
    out.push(' ');
    push_length(&mut out, height.px());
    out.push_str("\" font-family=\"'");
    out.push_str(text::FAMILY);
    out.push_str("', sans-serif\">\n");
    push_element(&mut out, "title", &scene.title);
    push_element(&mut out, "desc", &scene.description);
    push_facts(&mut out, &scene.facts, carried);
    push_clips(&mut out, &scene.groups);
    out.push_str("<rect class=\"page\"");
    push_box(&mut out, &Rect::new(0.0, 0.0, width.px(), height.px()));
    out.push_str(" fill=\"#FFFFFF\"/>\n");
    for group in &scene.groups {
        push_group(&mut out, group);
    }
    out.push_str("</svg>\n");
    out
}

/// What travels with the figure: script, versions, digests. A name space of its own, so that no reader takes it for SVG.
fn push_facts(out: &mut String, facts: &[(String, String)], carried: Option<(&str, &str)>) {
    if facts.is_empty() && carried.is_none() {
        return;
    }
    out.push_str("<metadata>\n<facts xmlns=\"urn:marey:figure\">\n");
    let facts = facts.iter().map(|(name, value)| (&**name, &**value));
    for (name, value) in facts.chain(carried) {
        out.push_str("<fact name=\"");
        push_escaped(out, name, Place::Attribute);
        out.push_str("\">");
        push_escaped(out, value, Place::Block);
        out.push_str("</fact>\n");
    }
    out.push_str("</facts>\n</metadata>\n");
}

/// Name of a clip: its sides in thousandths of a pixel. Where several figures stand in one HTML page their names meet, and
/// then they had better mean the same rectangle.
fn clip_name(clip: &Rect) -> String {
    let sides =
        [clip.x, clip.y, clip.width, clip.height].map(|side| (side * 1000.0).round() as i64);
    format!("clip{}_{}_{}_{}", sides[0], sides[1], sides[2], sides[3])
}

fn push_clips(out: &mut String, groups: &[Group]) {
    let clips = groups.iter().filter_map(|group| group.clip.as_ref());
    let clips: BTreeMap<String, &Rect> = clips.map(|clip| (clip_name(clip), clip)).collect();
    if clips.is_empty() {
        return;
    }
    out.push_str("<defs>\n");
    for (name, clip) in clips {
        out.push_str(&format!("<clipPath id=\"{name}\"><rect"));
        push_box(out, clip);
        out.push_str("/></clipPath>\n");
    }
    out.push_str("</defs>\n");
}

fn push_group(out: &mut String, group: &Group) {
    if group.marks.is_empty() {
        return;
    }
    out.push_str("<g class=\"");
    push_escaped(out, group.role, Place::Attribute);
    out.push('"');
    if let Some(clip) = &group.clip {
        out.push_str(&format!(" clip-path=\"url(#{})\"", clip_name(clip)));
    }
    out.push_str(">\n");
    for mark in &group.marks {
        push_mark(out, mark);
    }
    out.push_str("</g>\n");
}

fn push_mark(out: &mut String, mark: &Mark) {
    match mark {
        Mark::Rects { label, fill, rects } => {
            out.push_str(&format!("<g fill=\"{fill}\">"));
            if !label.is_empty() {
                out.push_str("<title>");
                push_escaped(out, label, Place::Line);
                out.push_str("</title>");
            }
            out.push('\n');
            for rect in rects {
                out.push_str("<rect");
                push_box(out, rect);
                out.push_str("/>\n");
            }
            out.push_str("</g>\n");
        }
        Mark::Outlines { stroke, rects } => {
            open_path(out, stroke);
            for rect in rects {
                out.push('M');
                push_pair(out, rect.x, rect.y);
                out.push('h');
                push_length(out, rect.width);
                out.push('v');
                push_length(out, rect.height);
                out.push_str("h-");
                push_length(out, rect.width);
                out.push('z');
            }
            out.push_str("\"/>\n");
        }
        Mark::Lines { stroke, lines } => {
            open_path(out, stroke);
            for Line { from, to } in lines {
                out.push('M');
                push_pair(out, from.0, from.1);
                out.push('L');
                push_pair(out, to.0, to.1);
            }
            out.push_str("\"/>\n");
        }
        Mark::Triangles { fill, triangles } => {
            out.push_str(&format!("<path fill=\"{fill}\" d=\""));
            for [first, second, third] in triangles {
                for (letter, point) in [('M', first), ('L', second), ('L', third)] {
                    out.push(letter);
                    push_pair(out, point.0, point.1);
                }
                out.push('z');
            }
            out.push_str("\"/>\n");
        }
        Mark::Text(text) => push_text(out, text),
    }
}

fn open_path(out: &mut String, stroke: &Stroke) {
    out.push_str(&format!(
        "<path fill=\"none\" stroke=\"{}\" stroke-width=\"",
        stroke.colour
    ));
    push_length(out, stroke.width);
    out.push_str("\" d=\"");
}

fn push_text(out: &mut String, text: &Text) {
    out.push_str("<text x=\"");
    push_coordinate(out, text.x);
    out.push_str("\" y=\"");
    push_coordinate(out, text.y);
    out.push_str("\" font-size=\"");
    push_length(out, text.size);
    out.push('"');
    match text.anchor {
        Anchor::Start => {}
        Anchor::Middle => out.push_str(" text-anchor=\"middle\""),
        Anchor::End => out.push_str(" text-anchor=\"end\""),
    }
    out.push_str(&format!(" fill=\"{}\"", text.colour));
    let content = &text.content;
    if content.contains("  ") || content.starts_with(' ') || content.ends_with(' ') {
        // Without it, two names that differ in blanks would look alike.
        out.push_str(" xml:space=\"preserve\"");
    }
    out.push('>');
    push_escaped(out, content, Place::Line);
    out.push_str("</text>\n");
}

fn push_element(out: &mut String, name: &str, content: &str) {
    if content.is_empty() {
        return;
    }
    out.push_str(&format!("<{name}>"));
    push_escaped(out, content, Place::Line);
    out.push_str(&format!("</{name}>\n"));
}

fn push_box(out: &mut String, rect: &Rect) {
    out.push_str(" x=\"");
    push_coordinate(out, rect.x);
    out.push_str("\" y=\"");
    push_coordinate(out, rect.y);
    out.push_str("\" width=\"");
    push_length(out, rect.width);
    out.push_str("\" height=\"");
    push_length(out, rect.height);
    out.push('"');
}

fn push_pair(out: &mut String, x: f64, y: f64) {
    push_coordinate(out, x);
    out.push(' ');
    push_coordinate(out, y);
}

/// A coordinate in pixels: 3 decimals, without zeros at the end.
pub fn push_coordinate(out: &mut String, value: f64) {
    push_decimal(out, value, 3);
}

/// A width or height in pixels: 3 decimals; below half a pixel 6, and never 0 where it is more than that.
pub fn push_length(out: &mut String, value: f64) {
    if value > 0.0 && value < 0.5 {
        push_decimal(out, value.max(0.000_001), 6);
    } else {
        push_decimal(out, value.max(0.0), 3);
    }
}

/// Writes a number with up to `decimals` decimals. What is no number is written as 0: an attribute `NaN` would make the
/// whole file an error.
fn push_decimal(out: &mut String, value: f64, decimals: usize) {
    let value = if value.is_finite() {
        value.clamp(-1e9, 1e9)
    } else {
        0.0
    };
    let scale = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6][decimals.min(6)];
    let scaled = (value * scale).round() as i64;
    if scaled < 0 {
        out.push('-');
    }
    let unit = scale as u64;
    let (whole, mut rest) = (scaled.unsigned_abs() / unit, scaled.unsigned_abs() % unit);
    let mut digits = [0_u8; 20];
    let mut first = digits.len();
    let mut left = whole;
    loop {
        first -= 1;
        digits[first] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    out.extend(digits[first..].iter().map(|&digit| char::from(digit)));
    if rest == 0 {
        return;
    }
    let mut places = decimals.min(6);
    while rest % 10 == 0 {
        rest /= 10;
        places -= 1;
    }
    let mut power = 10_u64.pow(places.saturating_sub(1) as u32);
    out.push('.');
    for _ in 0..places {
        out.push(char::from(b'0' + (rest / power % 10) as u8));
        power = (power / 10).max(1);
    }
}

/// Where a text stands in the file.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Between tags, one line.
    Line,
    /// Between tags, where lines may be broken.
    Block,
    /// In double quotes.
    Attribute,
}

fn push_escaped(out: &mut String, content: &str, place: Place) {
    for character in content.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if place == Place::Attribute => out.push_str("&quot;"),
            '\n' | '\t' if place == Place::Block => out.push(character),
            // Control characters XML cannot write at all, or would turn into blanks.
            _ => out.push(text::clean_character(character)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::palette::Colour;
    use crate::figure::size::Size;

    fn coordinate(value: f64) -> String {
        let mut out = String::new();
        push_coordinate(&mut out, value);
        out
    }

    fn length(value: f64) -> String {
        let mut out = String::new();
        push_length(&mut out, value);
        out
    }

    #[test]
    fn coordinates_have_three_decimals_and_no_zeros_behind() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0001, "0"),
            (1.5, "1.5"),
            (-12.3456, "-12.346"),
            (100.0, "100"),
            (0.05, "0.05"),
            (0.001, "0.001"),
            (1234567.891, "1234567.891"),
            (f64::NAN, "0"),
            (f64::INFINITY, "0"),
            (1e300, "1000000000"),
        ] {
            assert_eq!(coordinate(value), text);
        }
    }

    #[test]
    fn small_lengths_have_six_decimals_and_are_never_nothing() {
        for (value, text) in [
            (0.0, "0"),
            (-1.0, "0"),
            (0.5, "0.5"),
            (0.49999949, "0.499999"),
            (0.0000001, "0.000001"),
            (f64::MIN_POSITIVE, "0.000001"),
            (0.012345678, "0.012346"),
            (12.3456, "12.346"),
        ] {
            assert_eq!(length(value), text);
        }
    }

    #[test]
    fn numbers_read_back() {
        let mut seed = 1_u64;
        for _ in 0..20_000 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let value = ((seed >> 20) as f64 / (1_u64 << 44) as f64 - 0.5) * 4000.0;
            let back: f64 = coordinate(value).parse().unwrap();
            assert!((back - value).abs() <= 0.000_500_1);
            let small = value.abs() / 8000.0;
            let back: f64 = length(small).parse().unwrap();
            assert!((back - small).abs() <= 0.000_001, "{small} {back}");
        }
    }

    fn scene_of(name: &str) -> Scene {
        let rects = vec![Rect::new(1.0, 1.0, 2.0, 2.0)];
        Scene {
            size: Size::px(100.0, 50.0),
            title: name.to_owned(),
            description: name.to_owned(),
            facts: vec![(name.to_owned(), name.to_owned())],
            groups: vec![Group {
                role: "marks",
                clip: Some(Rect::new(0.0, 0.0, 10.0, 10.0)),
                marks: vec![
                    Mark::Rects {
                        label: name.to_owned(),
                        fill: Colour::grey(3),
                        rects,
                    },
                    Mark::Text(Text {
                        x: 1.0,
                        y: 2.0,
                        anchor: Anchor::End,
                        size: 9.0,
                        colour: Colour::grey(0),
                        content: name.to_owned(),
                    }),
                ],
            }],
        }
    }

    #[test]
    fn any_name_is_well_formed() {
        let mut names: Vec<String> = (0..0x3000_u32)
            .filter_map(char::from_u32)
            .map(|c| format!("a{c}b"))
            .collect();
        names.extend(
            [
                "<&>\"']]>",
                "--><!--",
                "&#0;",
                "\u{FFFE}\u{FFFF}\u{FFFD}",
                "😀",
                "  two  blanks ",
                "",
            ]
            .map(String::from),
        );
        for name in names {
            let file = write(&scene_of(&name));
            let parsed = roxmltree::Document::parse(&file);
            assert!(parsed.is_ok(), "{name:?}: {parsed:?}");
            let parsed = parsed.unwrap();
            let drawn = parsed
                .descendants()
                .find(|node| node.has_tag_name("text"))
                .and_then(|node| node.text())
                .unwrap_or("");
            assert_eq!(drawn, text::clean(&name), "{name:?}");
        }
    }

    #[test]
    fn lines_of_a_script_survive_in_the_metadata() {
        let mut scene = scene_of("x");
        scene.facts = vec![(
            "script".into(),
            "run\n    | plot-stacked <a> & \"b\"\t\r\n".into(),
        )];
        let file = write(&scene);
        let parsed = roxmltree::Document::parse(&file).unwrap();
        let fact = parsed
            .descendants()
            .find(|node| node.attribute("name") == Some("script"))
            .unwrap();
        assert_eq!(
            fact.text(),
            Some("run\n    | plot-stacked <a> & \"b\"\t\u{FFFD}\n")
        );
    }
}
