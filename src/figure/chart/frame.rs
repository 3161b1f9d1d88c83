//! The frame of a chart with lanes over time: title, grid, axes, legend, caption.

use crate::figure::axis::TimeAxis;
use crate::figure::chart::sheet::Sheet;
use crate::figure::lane::LaneLabel;
use crate::figure::layout::{CAPTION_LINE, Rows, TICK, TITLE_LINE};
use crate::figure::legend::{INK, Legend, Sample};
use crate::figure::palette::Colour;
use crate::figure::scene::{Anchor, Group, Line, Mark, Rect, Stroke, Text};
use crate::figure::text::{self, AXIS_TITLE_SIZE, LABEL_SIZE, SMALL_SIZE, TITLE_SIZE};

/// Pen of the axes.
const AXIS: Stroke = Stroke {
    colour: Colour::grey(0x33),
    width: 0.75,
};
/// Pen of the grid, behind the marks.
const GRID: Stroke = Stroke {
    colour: Colour::grey(0xE2),
    width: 0.5,
};

/// Pen of the lines between groups of lanes.
const BOUNDARY: Stroke = Stroke {
    colour: Colour::grey(0x8C),
    width: 0.6,
};
/// Pen of the part of the time axis that is magnified.
const WIDE: Stroke = Stroke {
    colour: AXIS.colour,
    width: 2.2,
};
/// Paper behind the part of the time axis that is magnified.
const BAND: Colour = Colour::new(0xF3, 0xEC, 0xCF);

/// What stands around the marks.
pub(super) struct Frame<'a> {
    pub(super) sheet: &'a Sheet,
    pub(super) rows: &'a Rows,
    pub(super) axis: &'a TimeAxis,
    pub(super) legend: &'a Legend,
    /// Names beside their lanes.
    pub(super) names: &'a [LaneLabel],
    /// Heights of the lines between lanes, in pixels.
    pub(super) separators: &'a [f64],
    /// Names of groups of lanes.
    pub(super) groups: &'a [LaneLabel],
    /// Heights of the lines between groups, in pixels.
    pub(super) boundaries: &'a [f64],
    /// Left edge and width of the part that is magnified, in pixels.
    pub(super) band: Option<(f64, f64)>,
}

impl Frame<'_> {
    /// The rectangle that the marks are in.
    pub(super) fn plot(&self) -> Rect {
        self.rows.plot(&self.sheet.columns)
    }

    /// What is drawn before the marks.
    pub(super) fn behind(&self) -> Group {
        let plot = self.plot();
        let mut lines: Vec<Line> = Vec::new();
        for tick in &self.axis.ticks {
            lines.push(Line {
                from: (tick.x, plot.y),
                to: (tick.x, plot.bottom()),
            });
        }
        lines.extend(self.separators.iter().map(|&y| Line {
            from: (plot.x, y),
            to: (plot.right(), y),
        }));
        let mut marks = Vec::new();
        if let Some((x, width)) = self.band {
            marks.push(Mark::Rects {
                label: String::new(),
                fill: BAND,
                rects: vec![Rect::new(x, plot.y, width, plot.height)],
            });
        }
        if !lines.is_empty() {
            marks.push(Mark::Lines {
                stroke: GRID,
                lines,
            });
        }
        if !self.boundaries.is_empty() {
            // Not through the names of lanes: those may be higher than their lanes.
            let columns = &self.sheet.columns;
            let names = (columns.edge, columns.edge + columns.group_room);
            let pieces = [names, (plot.x - TICK, plot.right())];
            let line = |y: f64| {
                pieces.map(|(from, to)| Line {
                    from: (from, y),
                    to: (to, y),
                })
            };
            marks.push(Mark::Lines {
                stroke: BOUNDARY,
                lines: self.boundaries.iter().flat_map(|&y| line(y)).collect(),
            });
        }
        Group {
            role: "grid",
            clip: None,
            marks,
        }
    }

    /// What is drawn after the marks.
    pub(super) fn around(&self) -> Vec<Group> {
        vec![
            group("axes", self.axes()),
            group("title", self.title()),
            group(
                "legend",
                self.legend
                    .marks(self.sheet.note_left, self.rows.legend_top),
            ),
            group("caption", self.caption()),
        ]
    }

    /// A word in the middle of the plot, where there is nothing else to see; none on a page that is too small for it.
    /// `is_empty`: whether there is nothing at all, or only nothing in view.
    pub(super) fn notice(&self, is_empty: bool, clip: Rect) -> Group {
        let word = if is_empty {
            "no states"
        } else {
            "no states in this range"
        };
        let plot = self.plot();
        let word = text::shorten_end(word, AXIS_TITLE_SIZE, plot.width);
        let at = (
            plot.x + plot.width / 2.0,
            plot.y + plot.height / 2.0 + 0.36 * AXIS_TITLE_SIZE,
        );
        let has_room = !word.is_empty() && plot.height >= AXIS_TITLE_SIZE;
        let mark = has_room.then(|| write(at, Anchor::Middle, AXIS_TITLE_SIZE, &word));
        Group {
            role: "notice",
            clip: Some(clip),
            marks: mark.into_iter().collect(),
        }
    }

    fn axes(&self) -> Vec<Mark> {
        let plot = self.plot();
        let mut lines = vec![
            Line {
                from: (plot.x, plot.y),
                to: (plot.x, plot.bottom()),
            },
            Line {
                from: (plot.x, plot.bottom()),
                to: (plot.right(), plot.bottom()),
            },
        ];
        lines.extend(self.names.iter().map(|name| Line {
            from: (plot.x - TICK, name.middle),
            to: (plot.x, name.middle),
        }));
        if self.rows.tick_base.is_some() {
            lines.extend(self.axis.ticks.iter().map(|tick| Line {
                from: (tick.x, plot.bottom()),
                to: (tick.x, plot.bottom() + TICK),
            }));
        }
        let mut marks = vec![Mark::Lines {
            stroke: AXIS,
            lines,
        }];
        if let Some((x, width)) = self.band {
            marks.push(Mark::Lines {
                stroke: WIDE,
                lines: vec![Line {
                    from: (x, plot.bottom()),
                    to: (x + width, plot.bottom()),
                }],
            });
        }
        let right = self.sheet.columns.label_right();
        for name in self.names {
            marks.push(write((right, name.y), Anchor::End, name.size, &name.text));
        }
        for name in self.groups {
            let left = self.sheet.columns.edge;
            marks.push(write((left, name.y), Anchor::Start, name.size, &name.text));
        }
        if let Some(base) = self.rows.tick_base {
            for tick in &self.axis.ticks {
                if !tick.label.is_empty() {
                    marks.push(write(
                        (tick.label_x, base),
                        Anchor::Middle,
                        LABEL_SIZE,
                        &tick.label,
                    ));
                }
            }
        }
        if let Some(base) = self.rows.axis_title_base {
            let title = text::shorten_end(&self.axis.title, AXIS_TITLE_SIZE, plot.width);
            if !title.is_empty() {
                let middle = plot.x + plot.width / 2.0;
                marks.push(write(
                    (middle, base),
                    Anchor::Middle,
                    AXIS_TITLE_SIZE,
                    &title,
                ));
            }
        }
        marks
    }

    fn title(&self) -> Vec<Mark> {
        let Sheet { title, columns, .. } = self.sheet;
        let width = columns.text_width();
        let lines = text::wrap(title, TITLE_SIZE, width, self.rows.title_lines);
        let first = self.rows.title_top + TITLE_SIZE * 0.95;
        block(&lines, (columns.edge, first), TITLE_SIZE, TITLE_LINE)
    }

    fn caption(&self) -> Vec<Mark> {
        let (width, count) = (self.sheet.note_width, self.rows.caption_lines);
        let lines = text::wrap(&self.sheet.caption, SMALL_SIZE, width, count);
        let first = self.rows.caption_top + SMALL_SIZE * 0.95;
        block(
            &lines,
            (self.sheet.note_left, first),
            SMALL_SIZE,
            CAPTION_LINE,
        )
    }
}

/// A sample of the paper behind the part of the time axis that is magnified.
pub(super) fn band_sample() -> Sample {
    Sample::Outlined(BAND, GRID)
}

/// A group without a clip.
pub(in crate::figure) fn group(role: &'static str, marks: Vec<Mark>) -> Group {
    Group {
        role,
        clip: None,
        marks,
    }
}

/// Lines of text below each other, the first base line at `first`.
pub(in crate::figure) fn block(
    lines: &[String],
    (x, first): (f64, f64),
    size: f64,
    step: f64,
) -> Vec<Mark> {
    let lines = lines.iter().enumerate();
    lines
        .map(|(index, line)| write((x, first + index as f64 * step), Anchor::Start, size, line))
        .collect()
}

/// A text in the ink of all texts around the marks.
pub(in crate::figure) fn write(
    (x, y): (f64, f64),
    anchor: Anchor,
    size: f64,
    content: &str,
) -> Mark {
    Mark::Text(Text {
        x,
        y,
        anchor,
        size,
        colour: INK,
        content: content.to_owned(),
    })
}
