//! Texts in marks: the whole text where it fits, a part of it that still says something, or none.

use std::collections::BTreeMap;

use crate::figure::chart::gantt::draw::View;
use crate::figure::chart::gantt::slot::Slot;
use crate::figure::legend::INK;
use crate::figure::palette::{Colour, perception};
use crate::figure::scene::{Anchor, Mark, Rect, Text};
use crate::figure::text::{self, LABEL_SIZE, SMALL_SIZE};

/// Free room left and right of a text, in pixels.
const PADDING: f64 = 1.8;

/// So many characters of a shortened text stay, beside the ellipsis.
const LEAST_CHARACTERS: usize = 3;

/// Above this lightness (OKLab) of the mark its text is dark.
const LIGHT: f64 = 0.61;

/// The texts. None leaves its mark or stands on a mark that is nested in it.
pub(super) fn draw(view: &View<'_>) -> Vec<Mark> {
    let marks = &view.table.marks;
    let mut out = Vec::new();
    if marks.label.is_empty() {
        return out;
    }
    let mut covers = Covers::default();
    for place in 0..view.order.len() {
        let covered = covers.pass(view, place);
        let Some(label) = marks.label(view.order[place] as usize) else {
            continue;
        };
        // A text over two claims would be that of neither.
        if matches!(view.slots[place], Slot::Share(share) if !share.is_alone) {
            continue;
        }
        let rect = view.seen(view.rect(place));
        let size = match rect.height {
            height if height >= 1.05 * LABEL_SIZE => LABEL_SIZE,
            height if height >= SMALL_SIZE => SMALL_SIZE,
            _ => continue,
        };
        if rect.width < size {
            continue;
        }
        let free = free(view, place, rect, covered);
        let room = free.width - 2.0 * PADDING;
        let whole = text::clean(&view.table.labels[label]);
        let text = text::shorten(&whole, size, room);
        let is_whole = text == whole;
        if text.is_empty() || !is_whole && text.chars().count() <= LEAST_CHARACTERS {
            continue;
        }
        let fill = view.paint.colours[view.look(place)];
        out.push(Mark::Text(Text {
            x: free.x + free.width / 2.0,
            y: rect.y + rect.height / 2.0 + 0.36 * size,
            anchor: Anchor::Middle,
            size,
            colour: ink_on(fill),
            content: text,
        }));
    }
    out
}

/// Dark on light and white on dark.
fn ink_on(fill: Colour) -> Colour {
    if perception::lab(fill).lightness > LIGHT {
        INK
    } else {
        Colour::WHITE
    }
}

/// How far the marks passed so far reach in each sub-row of a row, in pixels.
#[derive(Default)]
struct Covers {
    row: Option<u32>,
    /// By sub-row, then depth.
    reached: BTreeMap<u32, Vec<f64>>,
}

impl Covers {
    /// How far deeper marks that started before it reach into a mark; it is passed then. Only where nesting is not proper
    /// is that beyond its start.
    fn pass(&mut self, view: &View<'_>, place: usize) -> f64 {
        let row = view.table.marks.row[view.order[place] as usize];
        let none = f64::NEG_INFINITY;
        let Slot::Sub(sub) = view.slots[place] else {
            return none;
        };
        if view.bands.deepest(row as usize) == 0 {
            return none;
        }
        if self.row != Some(row) {
            self.row = Some(row);
            self.reached.clear();
        }
        let reached = self.reached.entry(sub).or_default();
        let depth = view.depth(place);
        if reached.len() <= depth {
            reached.resize(depth + 1, none);
        }
        let deeper = reached.iter().skip(depth + 1);
        let covered = deeper.copied().fold(none, f64::max);
        if let Some(right) = reached.get_mut(depth) {
            *right = right.max(view.rect(place).right());
        }
        covered
    }
}

/// The widest part of a mark that no nested one covers; left of `covered` all is.
fn free(view: &View<'_>, place: usize, rect: Rect, covered: f64) -> Rect {
    let marks = &view.table.marks;
    let mark = view.order[place] as usize;
    let (row, end, depth) = (marks.row[mark], marks.end[mark], view.depth(place));
    if depth >= view.bands.deepest(row as usize) {
        return rect;
    }
    let mut best = Rect { width: 0.0, ..rect };
    let mut reached = rect.x.max(covered);
    let mut offer = |from: f64, to: f64| {
        if to - from > best.width {
            best = Rect {
                x: from,
                width: to - from,
                ..rect
            };
        }
    };
    // The others that cover it start no earlier, and follow it in the order.
    for other in place + 1..view.order.len() {
        let nested = view.order[other] as usize;
        if marks.row[nested] != row || marks.start[nested] >= end {
            break;
        }
        if view.depth(other) <= depth {
            continue;
        }
        let cover = view.rect(other);
        if cover.y < rect.bottom() && cover.bottom() > rect.y {
            offer(reached, cover.x.min(rect.right()));
            reached = reached.max(cover.right());
        }
    }
    offer(reached, rect.right());
    best
}
