//! The page of a chart with lanes over time: what stands around the marks and how much room it gets, the same for all charts.

use crate::figure::axis::{self, TimeAxis, TimeBase};
use crate::figure::chart::placement::{Listing, Placement};
use crate::figure::error::{FigureError, Warning};
use crate::figure::layout::{Columns, Rows, Wanted};
use crate::figure::legend::{Entry, Legend};
use crate::figure::palette;
use crate::figure::scale::TimeScale;
use crate::figure::scene::Scene;
use crate::figure::size::Size;
use crate::figure::text;

/// What is written around the marks, as it was given.
pub(super) struct Wording<'a> {
    pub(super) size: Size,
    pub(super) title: Option<&'a str>,
    pub(super) caption: Option<&'a str>,
    pub(super) time_title: &'a str,
}

/// A page, its columns known and its rows not yet.
pub(super) struct Sheet {
    pub(super) size: Size,
    pub(super) columns: Columns,
    /// Left edge of legend and caption, in pixels.
    pub(super) note_left: f64,
    /// Width of legend and caption, in pixels.
    pub(super) note_width: f64,
    pub(super) title: String,
    pub(super) caption: String,
    time_title: String,
    placement: Placement,
}

impl Sheet {
    /// The page for lanes and groups of these names.
    pub(super) fn new(
        wording: &Wording<'_>,
        placement: &Placement,
        lane_labels: &[String],
        group_labels: &[String],
    ) -> Result<Sheet, FigureError> {
        let size = placement.size.unwrap_or(wording.size);
        size.check()?;
        let own = || Columns::grouped(size, lane_labels, group_labels);
        let columns = placement.columns.unwrap_or_else(own);
        let note_left = columns.note_left();
        Ok(Sheet {
            size,
            columns,
            note_left,
            note_width: columns.page - columns.edge - note_left,
            title: text::clean(wording.title.unwrap_or_default()),
            caption: text::clean(wording.caption.unwrap_or_default()),
            time_title: text::clean(wording.time_title),
            placement: *placement,
        })
    }

    /// The scale over the time that is asked for, or else over all that there is.
    pub(super) fn scale(
        &self,
        time_range: Option<(i64, i64)>,
        extent: Option<(i64, i64)>,
    ) -> Result<TimeScale, FigureError> {
        let (start, end) = time_range.or(extent).unwrap_or((0, 0));
        if end < start {
            return Err(FigureError::BadTimeRange { start, end });
        }
        let columns = &self.columns;
        Ok(TimeScale::new(
            start,
            end,
            columns.axis_left,
            columns.axis_width,
        ))
    }

    /// The time axis of a scale; without ticks where there is nothing on it.
    pub(super) fn axis(&self, scale: &TimeScale, base: TimeBase, has_ticks: bool) -> TimeAxis {
        if has_ticks {
            let page = (self.columns.edge, self.columns.page - self.columns.edge);
            axis::time_axis(scale, base, &self.time_title, page)
        } else {
            TimeAxis {
                title: self.time_title.clone(),
                ticks: Vec::new(),
            }
        }
    }

    /// Divides the height of the page, and fits the legend into what it gets.
    pub(super) fn arrange(&self, listing: &Listing, reference_lines: usize) -> (Rows, Legend) {
        let values: Vec<Entry> = listing.values.iter().map(|(_, e)| e.clone()).collect();
        let legend = |rows: usize| {
            if self.placement.is_legend_elsewhere {
                return Legend::default();
            }
            Legend::fit(&values, &listing.keys, self.note_width, rows)
        };
        let lines = |text: &str, size: f64, room: f64, most: usize, least: usize| {
            text::wrap(text, size, room, most).len().max(least)
        };
        let placement = &self.placement;
        let title_room = self.columns.text_width();
        let (title, caption) = (&self.title, &self.caption);
        let wanted = Wanted {
            title_lines: lines(
                title,
                text::TITLE_SIZE,
                title_room,
                2,
                placement.title_lines,
            ),
            legend_rows: legend(usize::MAX).rows,
            caption_lines: lines(
                caption,
                text::SMALL_SIZE,
                self.note_width,
                3,
                placement.caption_lines,
            ),
            reference_lines,
            is_axis_elsewhere: placement.is_axis_elsewhere,
        };
        let rows = Rows::new(self.size, wanted);
        let legend = legend(rows.legend_rows);
        (rows, legend)
    }

    /// The title, or what the figure is called without one.
    pub(super) fn title_or(&self, other: &str) -> String {
        if self.title.is_empty() {
            other.to_owned()
        } else {
            self.title.clone()
        }
    }

    /// What is worth saying about the page.
    pub(super) fn warnings(
        &self,
        scene: &Scene,
        listing: &Listing,
        legend: &Legend,
        rows: &Rows,
    ) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if !self.placement.is_legend_elsewhere {
            warnings.extend(legend_warnings(listing, legend));
        }
        if !rows.left_out.is_empty() {
            warnings.push(Warning::PageTooSmall {
                left_out: rows.left_out.clone(),
            });
        }
        warnings.extend(scene.glyph_warning());
        warnings
    }
}

/// Whether a legend has too many values to be told apart, or does not say all.
pub(in crate::figure) fn legend_warnings(listing: &Listing, legend: &Legend) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if listing.values.len() > palette::DISTINCT {
        warnings.push(Warning::ManyValues {
            values: listing.values.len(),
            distinct: palette::DISTINCT,
        });
    }
    if legend.values_left_out + legend.keys_left_out > 0 {
        warnings.push(Warning::LegendShortened {
            values: legend.values_left_out,
            keys: legend.keys_left_out,
        });
    }
    warnings
}
