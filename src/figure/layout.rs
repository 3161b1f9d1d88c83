//! Where the parts of a chart stand on the page.
//!
//! Columns first (lane names, time axis), from the size and the lane names alone: how long a pixel of time is must be known
//! before there is anything to draw. Then rows (title, plot, axis, legend, caption), by importance where the page is small.

use crate::figure::legend::ROW;
use crate::figure::scene::Rect;
use crate::figure::size::Size;
use crate::figure::text::{self, AXIS_TITLE_SIZE, LABEL_SIZE, SMALL_SIZE, TITLE_SIZE};

/// Free edge of the page, in pixels.
pub const EDGE: f64 = 4.0;
/// Length of a tick of an axis, in pixels.
pub const TICK: f64 = 3.0;
/// Free pixels between the names of groups and those of lanes.
const GROUP_GAP: f64 = 6.0;
/// Free pixels right of the time axis, half of its last label.
const RIGHT: f64 = 14.0;

/// The horizontal parts, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Columns {
    /// Free edge on both sides.
    pub edge: f64,
    /// Width of the page.
    pub page: f64,
    /// Room for the names of groups of lanes, left-aligned, from `edge` on; 0 where there are none.
    pub group_room: f64,
    /// Room for the lane names, right-aligned, behind that of the groups; 0 where the page is too narrow for names.
    pub label_room: f64,
    /// Left end of the time axis.
    pub axis_left: f64,
    /// Length of the time axis.
    pub axis_width: f64,
}

impl Columns {
    /// Divides the width of a page. Names get what the longest needs, at most 28 % of the page.
    pub fn new(size: Size, lane_labels: &[String]) -> Columns {
        Columns::grouped(size, lane_labels, &[])
    }

    /// The same with names of groups of lanes, which get at most 14 % of the page; the lanes' names then at most 22 %.
    pub fn grouped(size: Size, lane_labels: &[String], group_labels: &[String]) -> Columns {
        let page = size.width_px();
        let edge = EDGE.min(page * 0.02);
        let room = |labels: &[String], most: f64| {
            let widths = labels.iter().map(|label| text::width(label, LABEL_SIZE));
            let longest = widths.fold(0.0, f64::max);
            let room = longest.min(page * most);
            if room < longest.min(20.0) { 0.0 } else { room }
        };
        let group_room = room(group_labels, 0.14);
        let most = if group_room > 0.0 { 0.22 } else { 0.28 };
        let label_room = room(lane_labels, most);
        let gap = if label_room > 0.0 { TICK + 2.5 } else { 1.0 };
        let apart = if group_room > 0.0 { GROUP_GAP } else { 0.0 };
        let axis_left = (edge + group_room + apart + label_room + gap).min(page * 0.4);
        let right = RIGHT.min(page * 0.05);
        Columns {
            edge,
            page,
            group_room,
            label_room,
            axis_left,
            axis_width: page - axis_left - right,
        }
    }

    /// Right end of the lane names, in pixels.
    pub fn label_right(&self) -> f64 {
        let apart = if self.group_room > 0.0 {
            GROUP_GAP
        } else {
            0.0
        };
        self.edge + self.group_room + apart + self.label_room
    }

    /// Left end of legend and caption, in pixels: under the axis where the lane names are short, at the edge of the page where
    /// that would waste it.
    pub fn note_left(&self) -> f64 {
        if self.axis_left < self.page * 0.15 {
            self.axis_left
        } else {
            self.edge
        }
    }

    /// Pixels from the left edge of the page's text to the right one.
    pub fn text_width(&self) -> f64 {
        self.page - 2.0 * self.edge
    }
}

/// How many pixels long the time axis is on a page of this size with these lane names (see
/// [`crate::figure::lane::labels`]). What stands above and below it does not matter.
pub fn time_axis_width_px(size: Size, lane_labels: &[String]) -> f64 {
    Columns::new(size, lane_labels).axis_width
}

/// What a chart would like to have above and below the plot.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// Lines of the title.
    pub title_lines: usize,
    /// Rows of the legend.
    pub legend_rows: usize,
    /// Lines of the caption.
    pub caption_lines: usize,
    /// Lines of labels of reference lines, right above the plot.
    pub reference_lines: usize,
    /// Whether the numbers and the title of the time axis stand elsewhere, below another chart of a panel.
    pub is_axis_elsewhere: bool,
}

/// The vertical parts, in pixels; counts are what was granted.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// Height of the page.
    pub page: f64,
    /// Upper end of the title.
    pub title_top: f64,
    /// Lines of the title.
    pub title_lines: usize,
    /// Upper end of the labels of reference lines.
    pub references_top: f64,
    /// Lines of labels of reference lines.
    pub reference_lines: usize,
    /// Upper end of the plot.
    pub plot_top: f64,
    /// Height of the plot.
    pub plot_height: f64,
    /// Base line of the tick labels, if there is room for them.
    pub tick_base: Option<f64>,
    /// Base line of the axis title, if there is room for it.
    pub axis_title_base: Option<f64>,
    /// Upper end of the legend.
    pub legend_top: f64,
    /// Rows of the legend.
    pub legend_rows: usize,
    /// Upper end of the caption.
    pub caption_top: f64,
    /// Lines of the caption.
    pub caption_lines: usize,
    /// What was wanted and has no room at all.
    pub left_out: Vec<&'static str>,
}

/// Height of a line of the title, in pixels.
pub const TITLE_LINE: f64 = TITLE_SIZE * 1.3;
/// Height of a line of the caption, in pixels.
pub const CAPTION_LINE: f64 = SMALL_SIZE * 1.25;
/// Height of a line of labels of reference lines, in pixels.
pub const REFERENCE_LINE: f64 = SMALL_SIZE * 1.25;
/// Height of the numbers of the time axis with their ticks, in pixels.
pub const TICK_ROW: f64 = TICK + LABEL_SIZE * 1.2;
/// Height of the title of the time axis, in pixels.
pub const AXIS_TITLE_ROW: f64 = AXIS_TITLE_SIZE * 1.25;
/// Free pixels above the legend and above the caption.
pub const GAP: f64 = 2.5;

impl Rows {
    /// Divides the height of a page. The plot keeps at least 35 % of it; the rest goes by importance: tick labels, one row
    /// of legend, axis title, a line of title, a line of caption, then more of legend, title, caption.
    pub fn new(size: Size, wanted: Wanted) -> Rows {
        let page = size.height_px();
        let edge = EDGE.min(page * 0.02);
        let mut free = page * 0.65 - 2.0 * edge;
        let mut take = |height: f64, is_wanted: bool| {
            let granted = is_wanted && free >= height;
            if granted {
                free -= height;
            }
            granted
        };
        let has_axis = !wanted.is_axis_elsewhere;
        let ticks = take(TICK_ROW, has_axis);
        let mut legend_rows = usize::from(take(ROW + GAP, wanted.legend_rows > 0));
        let axis_title = take(AXIS_TITLE_ROW, ticks);
        let mut reference_lines = 0;
        while take(REFERENCE_LINE, reference_lines < wanted.reference_lines) {
            reference_lines += 1;
        }
        let mut title_lines = usize::from(take(TITLE_LINE, wanted.title_lines > 0));
        let mut caption_lines = usize::from(take(CAPTION_LINE + GAP, wanted.caption_lines > 0));
        while legend_rows > 0 && take(ROW, legend_rows < wanted.legend_rows) {
            legend_rows += 1;
        }
        while title_lines > 0 && take(TITLE_LINE, title_lines < wanted.title_lines) {
            title_lines += 1;
        }
        while caption_lines > 0 && take(CAPTION_LINE, caption_lines < wanted.caption_lines) {
            caption_lines += 1;
        }
        let left_out = [
            ("the title", wanted.title_lines > 0 && title_lines == 0),
            ("the time axis", has_axis && !ticks),
            ("the title of the time axis", ticks && !axis_title),
            ("the legend", wanted.legend_rows > 0 && legend_rows == 0),
            (
                "the labels of reference lines",
                reference_lines < wanted.reference_lines,
            ),
            (
                "the caption",
                wanted.caption_lines > 0 && caption_lines == 0,
            ),
        ];
        let left_out = left_out.into_iter().filter(|(_, is_out)| *is_out);
        let left_out = left_out.map(|(name, _)| name).collect();
        let part = |count: usize, line: f64, gap: f64| match count {
            0 => 0.0,
            _ => count as f64 * line + gap,
        };
        let caption = part(caption_lines, CAPTION_LINE, GAP);
        let legend = part(legend_rows, ROW, GAP);
        let below = caption
            + legend
            + if ticks { TICK_ROW } else { 0.0 }
            + if axis_title { AXIS_TITLE_ROW } else { 0.0 };
        let references_top = edge + part(title_lines, TITLE_LINE, 0.0);
        let plot_top = references_top + part(reference_lines, REFERENCE_LINE, 0.0);
        let plot_height = page - edge - plot_top - below;
        let plot_bottom = plot_top + plot_height;
        Rows {
            page,
            title_top: edge,
            title_lines,
            references_top,
            reference_lines,
            plot_top,
            plot_height,
            tick_base: ticks.then_some(plot_bottom + TICK + LABEL_SIZE),
            axis_title_base: axis_title.then_some(plot_bottom + TICK_ROW + AXIS_TITLE_SIZE * 0.95),
            legend_top: page - edge - caption - legend + GAP,
            legend_rows,
            caption_top: page - edge - caption + GAP,
            caption_lines,
            left_out,
        }
    }
}

impl Rows {
    /// The rectangle that the marks are in.
    pub fn plot(&self, columns: &Columns) -> Rect {
        Rect {
            x: columns.axis_left,
            y: self.plot_top,
            width: columns.axis_width,
            height: self.plot_height,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_fill_the_page_and_do_not_overlap() {
        for side in [1.0, 5.0, 20.0, 60.0, 200.0, 1000.0] {
            for count in [0, 1, 3, 20] {
                let wanted = Wanted {
                    title_lines: count.min(2),
                    legend_rows: count,
                    caption_lines: count.min(3),
                    reference_lines: count.min(2),
                    is_axis_elsewhere: count == 3,
                };
                let rows = Rows::new(Size::px(100.0, side), wanted);
                assert!(rows.plot_height >= 0.34 * side, "{rows:?}");
                assert!(rows.plot_top >= 0.0 && rows.plot_top + rows.plot_height <= side);
                let below = rows.axis_title_base.or(rows.tick_base);
                let below = below.unwrap_or(rows.plot_top + rows.plot_height);
                let legend = if rows.legend_rows > 0 {
                    rows.legend_top
                } else {
                    rows.caption_top
                };
                if rows.legend_rows + rows.caption_lines > 0 {
                    assert!(below <= legend, "{rows:?}");
                }
                assert!(rows.caption_top + rows.caption_lines as f64 * CAPTION_LINE <= side + GAP);
                assert!(rows.legend_rows <= count && rows.title_lines <= count);
            }
        }
    }

    #[test]
    fn the_axis_keeps_its_width_whatever_the_names() {
        for width in [1.0, 10.0, 80.0, 321.0, 643.0, 5000.0] {
            for name in [
                "",
                "CPU0",
                "a resource with a very long name that nobody would want to read",
            ] {
                let names = vec![name.to_owned(); 3];
                let axis = time_axis_width_px(Size::px(width, 100.0), &names);
                assert!(
                    axis >= width * 0.55 - 1e-9 && axis <= width,
                    "{width} {axis}"
                );
            }
        }
    }
}
