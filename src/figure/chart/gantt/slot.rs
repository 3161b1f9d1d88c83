//! Sub-rows: where in its row a mark stands, so that nothing of the same depth hides it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::figure::chart::gantt::claim::{Counted, Places, Share};
use crate::figure::chart::gantt::table::Table;

/// The part of a row that a mark has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Slot {
    /// A sub-row.
    Sub(u32),
    /// A part of the row's height.
    Share(Share),
}

/// Where the marks stand in their rows.
pub(super) struct Slots {
    /// By place in the order that they were made from.
    pub(super) of: Vec<Slot>,
    /// Sub-rows of each row.
    pub(super) subs: Vec<u32>,
    /// Whether a row has claims. They stand in one part of it, the sub-rows in the others.
    pub(super) has_claims: Vec<bool>,
    /// Deepest nesting of each row.
    pub(super) deepest: Vec<usize>,
    /// Claims that pass the capacity.
    pub(super) past: Counted,
    /// Claims that are drawn over others for want of a place in one piece.
    pub(super) squeezed: Counted,
}

/// The states of one depth of a row.
#[derive(Default)]
struct Level {
    /// Sub-rows that have been opened and hold nothing now.
    free: BTreeSet<u32>,
    /// End and sub-row of those that hold a state.
    busy: BinaryHeap<Reverse<(i128, u32)>>,
    /// The same by sub-row.
    ends: BTreeMap<u32, i128>,
    /// Sub-rows that have been opened.
    count: u32,
}

/// How many states that run at once are looked through for the one that another is nested in.
const LOOKED_THROUGH: usize = 32;

impl Slots {
    /// Into how many parts of one height a row is divided.
    pub(super) fn parts(&self, row: usize) -> u32 {
        (self.subs[row] + u32::from(self.has_claims[row])).max(1)
    }
}

impl Level {
    fn release(&mut self, start: i128) {
        while let Some(Reverse((end, sub))) = self.busy.peek().copied() {
            if end > start {
                break;
            }
            self.busy.pop();
            self.ends.remove(&sub);
            self.free.insert(sub);
        }
    }

    fn is_free(&self, sub: u32) -> bool {
        sub >= self.count || self.free.contains(&sub)
    }

    fn lowest(&self) -> u32 {
        self.free.first().copied().unwrap_or(self.count)
    }

    fn take(&mut self, sub: u32, end: i128) {
        self.free.extend(self.count..sub);
        self.count = self.count.max(sub + 1);
        self.free.remove(&sub);
        self.busy.push(Reverse((end, sub)));
        self.ends.insert(sub, end);
    }
}

/// When a mark takes and leaves its sub-row. A state that starts when another ends may have its place.
fn span(start: i64, end: i64) -> (i128, i128) {
    (i128::from(start), i128::from(end))
}

/// Gives each mark its place. `order` is that of [`crate::figure::chart::gantt::order::marks`]; a mark takes the lowest
/// sub-row that is free, or that of the state it is nested in. Time n log n for n marks, beside that of the claims.
pub(super) fn slots(table: &Table, order: &[u32]) -> Slots {
    let marks = &table.marks;
    let mut out = Slots {
        of: Vec::with_capacity(order.len()),
        subs: vec![0; table.rows.len()],
        has_claims: vec![false; table.rows.len()],
        deepest: vec![0; table.rows.len()],
        past: Counted::default(),
        squeezed: Counted::default(),
    };
    let mut places = Places::default();
    let mut levels: Vec<Level> = Vec::new();
    let mut row = usize::MAX;
    for &mark in order {
        let mark = mark as usize;
        if marks.row[mark] as usize != row {
            row = marks.row[mark] as usize;
            levels.clear();
        }
        let depth = marks.depth(mark);
        out.deepest[row] = out.deepest[row].max(depth);
        if let Some((share, covered)) = places.place(table, mark, out.of.len()) {
            for place in covered {
                if let Some(Slot::Share(other)) = out.of.get_mut(place) {
                    other.is_alone = false;
                }
            }
            out.has_claims[row] = true;
            out.of.push(Slot::Share(share));
            continue;
        }
        // An instant has no time and takes no room: it is marked at the edge of what runs beside it.
        if marks.start[mark] == marks.end[mark] {
            out.subs[row] = out.subs[row].max(1);
            out.of.push(Slot::Sub(0));
            continue;
        }
        if levels.len() <= depth {
            levels.resize_with(depth + 1, Level::default);
        }
        let (start, end) = span(marks.start[mark], marks.end[mark]);
        levels[depth].release(start);
        let parent = depth.checked_sub(1).and_then(|above| {
            levels[above].release(start);
            let ends = levels[above].ends.iter().take(LOOKED_THROUGH);
            let mut parents = ends.filter(|(_, parent)| **parent >= end);
            parents.find(|(sub, _)| levels[depth].is_free(**sub))
        });
        let parent = parent.map(|(sub, _)| *sub);
        let sub = parent.unwrap_or(levels[depth].lowest());
        levels[depth].take(sub, end);
        out.subs[row] = out.subs[row].max(sub + 1);
        out.of.push(Slot::Sub(sub));
    }
    out.past = places.past;
    out.squeezed = places.squeezed;
    out
}
