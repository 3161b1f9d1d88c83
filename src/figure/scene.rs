//! A figure as a value: marks on a page, in pixels from the top left corner.
//!
//! Charts make scenes; [`crate::figure::svg`] writes them. A scene holds no file, no font and no data of the trace but
//! what is to be seen, so it can be compared, moved into a panel, and written twice to the same bytes.

use crate::figure::error::Warning;
use crate::figure::palette::Colour;
use crate::figure::size::Size;
use crate::figure::text;

/// A rectangle of the page, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge (the page's y runs downwards).
    pub y: f64,
    /// Width, not negative.
    pub width: f64,
    /// Height, not negative.
    pub height: f64,
}

impl Rect {
    /// A rectangle by its upper left corner and its sides.
    pub fn new(x: f64, y: f64, width: f64, height: f64) -> Rect {
        Rect {
            x,
            y,
            width,
            height,
        }
    }

    /// Right edge.
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// Lower edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// The rectangle moved right and down, in pixels.
    pub fn shifted(self, (right, down): (f64, f64)) -> Rect {
        Rect {
            x: self.x + right,
            y: self.y + down,
            ..self
        }
    }

    /// The rectangle made smaller by `by` pixels on each side, never below nothing.
    pub fn inset(&self, by: f64) -> Rect {
        Rect {
            x: self.x + by,
            y: self.y + by,
            width: (self.width - 2.0 * by).max(0.0),
            height: (self.height - 2.0 * by).max(0.0),
        }
    }
}

/// A pen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Colour.
    pub colour: Colour,
    /// Width in pixels.
    pub width: f64,
}

/// A straight line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Where it begins, x then y.
    pub from: (f64, f64),
    /// Where it ends, x then y.
    pub to: (f64, f64),
}

/// An arrow: a line, and a head at the end of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// The line, which ends in the middle of the head.
    pub shaft: Line,
    /// Tip, then the two corners behind it.
    pub head: [(f64, f64); 3],
}

impl Arrow {
    /// Length of a head, in pixels, where the arrow is long enough for it.
    const HEAD: f64 = 5.2;

    /// An arrow from one point to another. One that is shorter than a head is all head; one without a length points right.
    pub fn new(from: (f64, f64), to: (f64, f64)) -> Arrow {
        let (right, down) = (to.0 - from.0, to.1 - from.1);
        let length = (right * right + down * down).sqrt();
        let (right, down) = if length > 0.0 {
            (right / length, down / length)
        } else {
            (1.0, 0.0)
        };
        let head = Arrow::HEAD.min(length.max(0.5 * Arrow::HEAD));
        let back = (to.0 - head * right, to.1 - head * down);
        let half = 0.4 * head;
        Arrow {
            shaft: Line {
                from,
                to: ((back.0 + to.0) / 2.0, (back.1 + to.1) / 2.0),
            },
            head: [
                to,
                (back.0 - half * down, back.1 + half * right),
                (back.0 + half * down, back.1 - half * right),
            ],
        }
    }
}

/// Which part of a text stands at its x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// One line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// Where it is anchored, in pixels.
    pub x: f64,
    /// Base line, in pixels.
    pub y: f64,
    /// Which part stands at `x`.
    pub anchor: Anchor,
    /// Font size in pixels.
    pub size: f64,
    /// Colour.
    pub colour: Colour,
    /// The characters, without control characters (see [`text::clean`]).
    pub content: String,
}

impl Text {
    /// The horizontal extent: left and right end, in pixels.
    pub fn extent(&self) -> (f64, f64) {
        let width = text::width(&self.content, self.size);
        let left = match self.anchor {
            Anchor::Start => self.x,
            Anchor::Middle => self.x - width / 2.0,
            Anchor::End => self.x - width,
        };
        (left, left + width)
    }
}

/// Something to be drawn. Marks of one look are kept together: that is how a hundred thousand rectangles stay cheap.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// Filled rectangles of one colour.
    Rects {
        /// What they stand for, shown by browsers under the pointer; empty for none.
        label: String,
        /// Colour.
        fill: Colour,
        /// The rectangles.
        rects: Vec<Rect>,
    },
    /// Outlines of rectangles; the line runs along the given sides.
    Outlines {
        /// The pen.
        stroke: Stroke,
        /// The rectangles.
        rects: Vec<Rect>,
    },
    /// Straight lines.
    Lines {
        /// The pen.
        stroke: Stroke,
        /// The lines.
        lines: Vec<Line>,
    },
    /// Filled triangles of one colour: heads of arrows.
    Triangles {
        /// Colour.
        fill: Colour,
        /// The corners of each, x then y.
        triangles: Vec<[(f64, f64); 3]>,
    },
    /// A line of text.
    Text(Text),
}

impl Mark {
    /// The mark moved right and down.
    fn shifted(mut self, (right, down): (f64, f64)) -> Mark {
        let shift = |point: &mut (f64, f64)| *point = (point.0 + right, point.1 + down);
        match &mut self {
            Mark::Rects { rects, .. } | Mark::Outlines { rects, .. } => {
                for rect in rects {
                    *rect = rect.shifted((right, down));
                }
            }
            Mark::Lines { lines, .. } => {
                for line in lines {
                    shift(&mut line.from);
                    shift(&mut line.to);
                }
            }
            Mark::Triangles { triangles, .. } => triangles.iter_mut().flatten().for_each(shift),
            Mark::Text(text) => (text.x, text.y) = (text.x + right, text.y + down),
        }
        self
    }
}

/// Marks that belong together, drawn in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What they are, such as `marks` or `legend`: the class in the file.
    pub role: &'static str,
    /// What lies outside of this rectangle is not seen.
    pub clip: Option<Rect>,
    /// The marks.
    pub marks: Vec<Mark>,
}

/// A whole figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Size of the page.
    pub size: Size,
    /// What it is, for readers that do not see it.
    pub title: String,
    /// What it shows, for readers that do not see it.
    pub description: String,
    /// Name and value of what should travel with the figure (script, versions, digests), in this order.
    pub facts: Vec<(String, String)>,
    /// The groups, drawn in order.
    pub groups: Vec<Group>,
}

impl Group {
    /// The group moved right and down, in pixels: how a chart gets to its place in a panel.
    pub fn shifted(self, by: (f64, f64)) -> Group {
        Group {
            role: self.role,
            clip: self.clip.map(|clip| clip.shifted(by)),
            marks: self
                .marks
                .into_iter()
                .map(|mark| mark.shifted(by))
                .collect(),
        }
    }
}

impl Scene {
    /// All texts of the figure.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        self.groups
            .iter()
            .flat_map(|group| &group.marks)
            .filter_map(|mark| match mark {
                Mark::Text(text) => Some(text),
                _ => None,
            })
    }

    /// How many marks there are, each rectangle and line counted.
    pub fn mark_count(&self) -> usize {
        self.groups
            .iter()
            .flat_map(|group| &group.marks)
            .map(|mark| match mark {
                Mark::Rects { rects, .. } | Mark::Outlines { rects, .. } => rects.len(),
                Mark::Lines { lines, .. } => lines.len(),
                Mark::Triangles { triangles, .. } => triangles.len(),
                Mark::Text(_) => 1,
            })
            .sum()
    }

    /// A warning where the font lacks glyphs that the figure needs.
    pub fn glyph_warning(&self) -> Option<Warning> {
        let mut count = 0;
        let mut examples = String::new();
        for text in self.texts() {
            for character in text::missing(&text.content) {
                count += 1;
                if examples.chars().count() < 8 && !examples.contains(character) {
                    examples.push(character);
                }
            }
        }
        (count > 0).then_some(Warning::MissingGlyphs { count, examples })
    }
}
