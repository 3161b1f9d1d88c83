//! The frame of a chart with lanes over time: title, grid, axes, legend, caption.

use crate::figure::axis::TimeAxis;
use crate::figure::lane::{self, Lanes};
use crate::figure::layout::{CAPTION_LINE, Columns, Rows, TICK, TITLE_LINE};
use crate::figure::legend::{INK, Legend};
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

/// What stands around the marks.
pub(super) struct Frame<'a> {
    pub(super) columns: Columns,
    pub(super) rows: &'a Rows,
    pub(super) lanes: Lanes,
    pub(super) lane_labels: &'a [String],
    pub(super) axis: &'a TimeAxis,
    pub(super) legend: &'a Legend,
    /// Left edge of legend and caption, in pixels.
    pub(super) note_left: f64,
    /// Width of legend and caption, in pixels.
    pub(super) note_width: f64,
    pub(super) title: &'a str,
    pub(super) caption: &'a str,
}

impl Frame<'_> {
    /// The rectangle that the marks are in.
    pub(super) fn plot(&self) -> Rect {
        Rect {
            x: self.columns.axis_left,
            y: self.rows.plot_top,
            width: self.columns.axis_width,
            height: self.rows.plot_height,
        }
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
        if self.lanes.pitch >= 4.0 {
            for lane in 1..self.lane_labels.len() {
                let y = self.lanes.y(lane, 0.0);
                lines.push(Line {
                    from: (plot.x, y),
                    to: (plot.right(), y),
                });
            }
        }
        let marks = if lines.is_empty() {
            Vec::new()
        } else {
            vec![Mark::Lines {
                stroke: GRID,
                lines,
            }]
        };
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
                self.legend.marks(self.note_left, self.rows.legend_top),
            ),
            group("caption", self.caption()),
        ]
    }

    /// A text in the middle of the plot, where there is nothing else to see.
    pub(super) fn notice(&self, content: &str) -> Mark {
        let plot = self.plot();
        let content = text::shorten_end(content, AXIS_TITLE_SIZE, plot.width);
        write(
            (
                plot.x + plot.width / 2.0,
                plot.y + plot.height / 2.0 + 0.36 * AXIS_TITLE_SIZE,
            ),
            Anchor::Middle,
            AXIS_TITLE_SIZE,
            &content,
        )
    }

    fn axes(&self) -> Vec<Mark> {
        let plot = self.plot();
        let names = lane::place_labels(
            self.lane_labels,
            &self.lanes,
            self.columns.label_room,
            self.rows.page,
        );
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
        for name in &names {
            let y = self.lanes.y(name.lane, 0.5);
            lines.push(Line {
                from: (plot.x - TICK, y),
                to: (plot.x, y),
            });
        }
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
        let right = self.columns.edge + self.columns.label_room;
        for name in names {
            marks.push(write((right, name.y), Anchor::End, name.size, &name.text));
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
        let lines = text::wrap(
            self.title,
            TITLE_SIZE,
            self.columns.text_width(),
            self.rows.title_lines,
        );
        let first = self.rows.title_top + TITLE_SIZE * 0.95;
        block(&lines, (self.columns.edge, first), TITLE_SIZE, TITLE_LINE)
    }

    fn caption(&self) -> Vec<Mark> {
        let lines = text::wrap(
            self.caption,
            SMALL_SIZE,
            self.note_width,
            self.rows.caption_lines,
        );
        let first = self.rows.caption_top + SMALL_SIZE * 0.95;
        block(&lines, (self.note_left, first), SMALL_SIZE, CAPTION_LINE)
    }
}

fn group(role: &'static str, marks: Vec<Mark>) -> Group {
    Group {
        role,
        clip: None,
        marks,
    }
}

fn block(lines: &[String], (x, first): (f64, f64), size: f64, step: f64) -> Vec<Mark> {
    let lines = lines.iter().enumerate();
    lines
        .map(|(index, line)| write((x, first + index as f64 * step), Anchor::Start, size, line))
        .collect()
}

fn write((x, y): (f64, f64), anchor: Anchor, size: f64, content: &str) -> Mark {
    Mark::Text(Text {
        x,
        y,
        anchor,
        size,
        colour: INK,
        content: content.to_owned(),
    })
}
