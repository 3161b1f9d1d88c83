//! From the table to the page: the parts of the Gantt chart put together.

use std::collections::BTreeSet;

use crate::figure::chart::frame::{self, Frame};
use crate::figure::chart::gantt::bands::{self, Bands};
use crate::figure::chart::gantt::claim::Counted;
use crate::figure::chart::gantt::critical::{self, Critical};
use crate::figure::chart::gantt::link::{self, Route};
use crate::figure::chart::gantt::slot::{self, Slot};
use crate::figure::chart::gantt::table::{LinkClass, Table};
use crate::figure::chart::gantt::{
    Colouring, Options, Style, check, label, order, rects, reference, segments,
};
use crate::figure::chart::ink::Paint;
use crate::figure::chart::placement::{Drawn, Listing, Placement};
use crate::figure::chart::sheet::Sheet;
use crate::figure::error::{FigureError, Warning};
use crate::figure::legend::{Entry, Sample};
use crate::figure::scale::TimeScale;
use crate::figure::scene::{Group, Mark, Rect, Scene, Stroke};

/// Beyond this many marks a Gantt chart shows more of its renderer than of its states.
pub const MANY_MARKS: usize = 20_000;

/// Width of an instant, in pixels: it has no time, and must be seen.
const INSTANT: f64 = 1.0;

/// Height of an instant among rectangles, as a share of its sub-row: a tick at the upper edge, so that many of them cannot
/// be taken for time.
const TICK_SHARE: f64 = 0.2;

/// Least height of such a tick, in pixels.
const LEAST_TICK: f64 = 1.5;

/// Height of a claim of nothing, in pixels.
const FLAT: f64 = 0.5;

/// What is drawn, and where. Marks are named by their place in the order.
pub(super) struct View<'a> {
    pub(super) table: &'a Table,
    pub(super) order: &'a [u32],
    pub(super) slots: &'a [Slot],
    pub(super) bands: &'a Bands,
    pub(super) scale: TimeScale,
    pub(super) paint: &'a Paint,
    pub(super) colouring: Colouring,
    pub(super) plot: Rect,
    /// How a state is drawn.
    pub(super) style: Style,
    /// Width of the pen of style `Segments`, in pixels, where one is given.
    pub(super) pen: Option<f64>,
}

impl View<'_> {
    /// How deeply a mark is nested.
    pub(super) fn depth(&self, place: usize) -> usize {
        self.table.marks.depth(self.order[place] as usize)
    }

    /// Index of a mark's colour in the paint.
    pub(super) fn look(&self, place: usize) -> usize {
        let mark = self.order[place] as usize;
        match self.colouring {
            Colouring::Critical => self.table.marks.critical(mark) as usize,
            Colouring::Value => self.table.marks.value.get(mark).map_or(0, |&v| v as usize),
        }
    }

    /// The outline that a mark has because of what it is.
    pub(super) fn outline(&self, place: usize) -> Option<Stroke> {
        match self.colouring {
            Colouring::Critical => self
                .table
                .marks
                .critical(self.order[place] as usize)
                .outline(),
            Colouring::Value => None,
        }
    }

    /// Pixel of a tick; one far beside the plot is taken to be not quite so far.
    pub(super) fn x(&self, tick: i64) -> f64 {
        let far = 4.0 * self.plot.width;
        self.scale
            .px(tick)
            .clamp(self.plot.x - far, self.plot.right() + far)
    }

    /// The rectangle of a mark.
    pub(super) fn rect(&self, place: usize) -> Rect {
        let mark = self.order[place] as usize;
        let marks = &self.table.marks;
        let (start, end) = (marks.start[mark], marks.end[mark]);
        let (x, width) = if start == end {
            let left = self.scale.px(start) - INSTANT / 2.0;
            let last = (self.plot.right() - INSTANT).max(self.plot.x);
            (left.clamp(self.plot.x, last), INSTANT)
        } else {
            self.scale.interval(start, end)
        };
        let row = marks.row[mark] as usize;
        let (top, bottom) = self.bands.stripe(row, self.slots[place], marks.depth(mark));
        let height = if start == end && self.style == Style::Rects && self.is_sub(place) {
            ((bottom - top) * TICK_SHARE)
                .max(LEAST_TICK)
                .min(bottom - top)
        } else {
            bottom - top
        };
        if height > 0.0 {
            Rect::new(x, top, width, height)
        } else {
            let (above, below) = self.bands.area(row);
            let top = (top - FLAT).clamp(above, (below - FLAT).max(above));
            Rect::new(x, top, width, FLAT)
        }
    }

    /// Whether a mark stands in a sub-row, and not as a claim by its amount.
    fn is_sub(&self, place: usize) -> bool {
        matches!(self.slots[place], Slot::Sub(_))
    }

    /// Whether a mark has no time and is only marked.
    pub(super) fn is_tick(&self, place: usize) -> bool {
        let mark = self.order[place] as usize;
        self.is_sub(place) && self.table.marks.start[mark] == self.table.marks.end[mark]
    }

    /// The part of a rectangle that is in the plot.
    pub(super) fn seen(&self, rect: Rect) -> Rect {
        let (left, right) = (rect.x.max(self.plot.x), rect.right().min(self.plot.right()));
        Rect {
            x: left,
            width: (right - left).max(0.0),
            ..rect
        }
    }
}

/// Makes the figure.
///
/// Time n log n for n marks, beside that of claims, which grows with the number of those open at once; memory linear.
/// Errors: a size, colour, time range or lens that is none, or columns that do not fit together.
pub fn gantt(table: &Table, options: &Options) -> Result<(Scene, Vec<Warning>), FigureError> {
    let drawn = draw(table, options, &Placement::default())?;
    Ok((drawn.scene, drawn.warnings))
}

/// Draws the chart where it is told.
pub(super) fn draw(
    table: &Table,
    options: &Options,
    placement: &Placement,
) -> Result<Drawn, FigureError> {
    let (row_labels, group_labels) = table.names();
    let sheet = Sheet::new(&options.wording(), placement, &row_labels, &group_labels)?;
    check::check(table, options)?;
    let (paint, mut warnings) = paint(table, options)?;
    let time_range = placement.time_range.or(options.time_range);
    let scale = sheet.scale(time_range, table.extent())?;
    let scale = options.lens.map_or(scale, |lens| scale.with_lens(lens));
    let has_axis = table.extent().is_some() || time_range.is_some();
    let axis = sheet.axis(&scale, table.time, has_axis);
    let listing = listing(table, options)?;
    let references = reference::place(table, &scale, &sheet.columns);
    let (mut rows, legend) = sheet.arrange(&listing, reference::lines(&references));
    if references.iter().any(|line| line.line.is_none()) {
        rows.left_out.push("some labels of reference lines");
    }

    let row_order = order::rows(table, options);
    let order = order::marks(table, &row_order, &scale);
    let mut slots = slot::slots(table, &order);
    let of = std::mem::take(&mut slots.of);
    let (past, squeezed) = (slots.past, slots.squeezed);
    let plot = rows.plot(&sheet.columns);
    let bands = Bands::new(row_order, slots, options.first_row, plot);
    let pen = options.pen.map(|pen| pen.px());
    let view = View {
        table,
        order: &order,
        slots: &of,
        bands: &bands,
        scale,
        paint: &paint,
        colouring: options.colouring,
        plot,
        style: options.style,
        pen: pen.filter(|pen| pen.is_finite() && *pen > 0.0),
    };
    let routes = link::routes(&view);

    let (label_room, page) = (sheet.columns.label_room, rows.page);
    let (groups, boundaries) = bands.groups(table, sheet.columns.group_room, page);
    let frame = Frame {
        sheet: &sheet,
        rows: &rows,
        axis: &axis,
        legend: &legend,
        names: &bands.names(&row_labels, label_room, page),
        separators: &bands.separators(),
        groups: &groups,
        boundaries: &boundaries,
        band: scale.lens.map(|lens| scale.interval(lens.start, lens.end)),
    };
    let mut groups = vec![frame.behind()];
    groups.extend(mark_groups(&view, &frame, options.style, &routes));
    groups.extend(reference::draw(&references, &rows));
    // Above all lines, so that none crosses a text.
    groups.push(Group {
        role: "labels",
        clip: Some(view.plot),
        marks: label::draw(&view),
    });
    groups.extend(frame.around());
    let scene = Scene {
        size: sheet.size,
        title: sheet.title_or("states over time"),
        description: format!(
            "{} rows, {} states, {} arrows. {}",
            table.rows.len(),
            order.len(),
            routes.len(),
            sheet.caption
        ),
        facts: facts(&view, options, &routes),
        groups,
    };
    if order.len() > MANY_MARKS {
        warnings.push(Warning::ManyMarks { marks: order.len() });
    }
    if routes.len() > link::MANY {
        warnings.push(Warning::ManyLinks {
            links: routes.len(),
        });
    }
    let row = |counted: Counted| row_labels.get(counted.first_row).cloned();
    if past.claims > 0 {
        warnings.push(Warning::PastCapacity {
            claims: past.claims,
            row: row(past).unwrap_or_default(),
        });
    }
    if squeezed.claims > 0 {
        warnings.push(Warning::NoFreePlace {
            claims: squeezed.claims,
            row: row(squeezed).unwrap_or_default(),
        });
    }
    warnings.extend(sheet.warnings(&scene, &listing, &legend, &rows));
    Ok(Drawn {
        scene,
        listing,
        warnings,
    })
}

/// How high the plot wants to be, in rows.
pub(super) fn lanes(table: &Table, options: &Options) -> f64 {
    if check::check(table, options).is_err() {
        return 1.0;
    }
    let (start, end) = options.time_range.or(table.extent()).unwrap_or((0, 0));
    let rows = order::rows(table, options);
    let order = order::marks(table, &rows, &TimeScale::new(start, end, 0.0, 1.0));
    bands::weights(&slot::slots(table, &order)).iter().sum()
}

/// What the legend explains.
pub(super) fn listing(table: &Table, options: &Options) -> Result<Listing, FigureError> {
    check::check(table, options)?;
    let marks = &table.marks;
    let mut listing = Listing::default();
    match options.colouring {
        Colouring::Value => {
            let (paint, _) = paint(table, options)?;
            listing.values = paint.entries(&table.values, &used(table));
        }
        // Keys: unlike the names of values their texts are never shortened.
        Colouring::Critical => {
            let occurring: BTreeSet<Critical> = marks.critical.iter().copied().collect();
            let entry = |class: Critical| {
                let sample = match class.outline() {
                    Some(stroke) => Sample::Outlined(class.colour(), stroke),
                    None => Sample::Plain(class.colour()),
                };
                Entry::new(sample, class.name())
            };
            listing.keys.extend(occurring.into_iter().map(entry));
        }
    }
    let classes: BTreeSet<LinkClass> = table.links.iter().map(|link| link.class).collect();
    let key = |class: LinkClass| Entry::new(Sample::Arrow(class.stroke()), class.name());
    listing.keys.extend(classes.into_iter().map(key));
    if let Some(lens) = options.lens {
        let text = format!("time × {}", lens.factor);
        listing.keys.push(Entry::new(frame::band_sample(), &text));
    }
    Ok(listing)
}

fn used(table: &Table) -> BTreeSet<u32> {
    table.marks.value.iter().copied().collect()
}

/// Colours of the marks.
fn paint(table: &Table, options: &Options) -> Result<(Paint, Vec<Warning>), FigureError> {
    match options.colouring {
        Colouring::Critical => Ok((critical::paint(), Vec::new())),
        Colouring::Value if table.marks.value.is_empty() => {
            let plain = Paint {
                colours: vec![Critical::NotCritical.colour()],
                ranks: vec![0],
                names: vec![String::new()],
                largest: 1,
            };
            Ok((plain, Vec::new()))
        }
        Colouring::Value => {
            let used = used(table);
            Paint::new(&table.values, &table.domain, &used, &options.palette, 1)
        }
    }
}

/// The marks in their clip, or a word where there are none.
fn mark_groups(view: &View<'_>, frame: &Frame<'_>, style: Style, routes: &[Route]) -> Vec<Group> {
    if view.order.is_empty() && routes.is_empty() {
        return vec![frame.notice(view.table.marks.is_empty(), view.plot)];
    }
    let marks: Vec<Mark> = match style {
        Style::Rects => rects::draw(view),
        Style::Segments => segments::draw(view),
    };
    // Bows over the first row reach beyond the plot.
    let above = Rect::new(
        view.plot.x,
        view.plot.y - link::BOW,
        view.plot.width,
        view.plot.height + link::BOW,
    );
    vec![
        Group {
            role: "marks",
            clip: Some(view.plot),
            marks,
        },
        Group {
            role: "links",
            clip: Some(above),
            marks: link::draw(routes),
        },
    ]
}

fn facts(view: &View<'_>, options: &Options, routes: &[Route]) -> Vec<(String, String)> {
    let mut facts = options.facts.clone();
    let mut add = |name: &str, value: String| facts.push((name.to_owned(), value));
    let scale = &view.scale;
    add("rows", view.table.rows.len().to_string());
    add("marks", view.order.len().to_string());
    add("arrows", routes.len().to_string());
    let range = format!("{}..{}", scale.start, scale.end);
    add("time axis in ticks", range);
    add("time axis in px", scale.width.to_string());
    if let Some(lens) = scale.lens {
        let range = format!("{}..{}", lens.start, lens.end);
        add("magnified ticks", range);
        add("magnified by", lens.factor.to_string());
    }
    facts
}
