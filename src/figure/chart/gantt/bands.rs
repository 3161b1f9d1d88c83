//! From rows to the page: which stripe of it a row, a sub-row, a nested state has.

use crate::figure::chart::gantt::FirstRow;
use crate::figure::chart::gantt::slot::{Slot, Slots};
use crate::figure::chart::gantt::table::Table;
use crate::figure::lane::{self, LEAST_SEPARATED, LaneLabel, Lanes};
use crate::figure::scene::Rect;
use crate::figure::text;

/// A row is at most as high as so many rows without sub-rows; beyond that its sub-rows become lower.
const HIGHEST: u32 = 6;

/// How much lower a nested state is than its parent, on either side, as a share of the sub-row: the deepest keeps 30 %.
const INSET: f64 = 0.18;

/// What a bow over two states takes where rows have no room between them, in pixels.
const LEAST_FREE: f64 = 2.5;

/// Upper and lower edge of a stripe, in pixels.
pub(super) type Stripe = (f64, f64);

/// Where the rows stand.
pub(super) struct Bands {
    /// The rows from the top down.
    order: Vec<usize>,
    /// Stripe of each row's marks.
    areas: Vec<Stripe>,
    /// Stripe of each row with the free room around its marks.
    rows: Vec<Stripe>,
    slots: Slots,
    is_even: bool,
    is_upwards: bool,
}

/// How high the rows want to be: the number of sub-rows, up to a limit.
pub(super) fn weights(slots: &Slots) -> Vec<f64> {
    let weight = |row: usize| f64::from(slots.parts(row).min(HIGHEST));
    (0..slots.subs.len()).map(weight).collect()
}

impl Bands {
    /// Spreads the rows over the plot, from the top down in this order. As much of each is kept free as of a lane of the
    /// stacked chart, half of it above the marks and half below.
    pub(super) fn new(order: Vec<usize>, slots: Slots, first: FirstRow, plot: Rect) -> Bands {
        let weights = weights(&slots);
        let total: f64 = weights.iter().sum();
        let unit = plot.height / total.max(1.0);
        let gap = Lanes::new(1, 0.0, unit).gap();
        let mut areas = vec![(plot.y, plot.y); weights.len()];
        let mut rows = areas.clone();
        let mut above = 0.0;
        for &row in &order {
            let top = plot.y + above * unit;
            above += weights[row];
            let bottom = plot.y + above * unit;
            rows[row] = (top, bottom);
            areas[row] = (top + gap / 2.0, bottom - gap / 2.0);
        }
        Bands {
            is_even: weights.windows(2).all(|pair| pair[0] == pair[1]),
            order,
            areas,
            rows,
            slots,
            is_upwards: first == FirstRow::Bottom,
        }
    }

    /// The stripe of a row's marks.
    pub(super) fn area(&self, row: usize) -> Stripe {
        self.areas[row]
    }

    /// Free room above the marks of a row, in pixels, if they reach up to `top`; something at least where there is none.
    pub(super) fn free_above(&self, row: usize, top: f64) -> f64 {
        (top - self.rows[row].0 + (self.areas[row].0 - self.rows[row].0)).max(LEAST_FREE)
    }

    /// The deepest nesting of a row.
    pub(super) fn deepest(&self, row: usize) -> usize {
        self.slots.deepest[row]
    }

    /// The stripe of a mark. Sub-rows follow each other as the rows do; below them stand the claims, counted from the bottom.
    pub(super) fn stripe(&self, row: usize, slot: Slot, depth: usize) -> Stripe {
        let (top, bottom) = self.areas[row];
        let parts = self.slots.parts(row);
        let step = (bottom - top) / f64::from(parts);
        let sub = match slot {
            Slot::Share(share) => {
                let y = |share: f32| bottom - f64::from(share) * step;
                return (y(share.high), y(share.low));
            }
            Slot::Sub(sub) => sub,
        };
        let place = if self.is_upwards {
            parts - 1 - sub - u32::from(self.slots.has_claims[row])
        } else {
            sub
        };
        // A hair between sub-rows that are high enough to spare it.
        let gap = if parts > 1 {
            (step * 0.1).min(1.0)
        } else {
            0.0
        };
        let top = top + f64::from(place) * step + gap / 2.0;
        let height = step - gap;
        let inset = (0.35 / self.slots.deepest[row].max(1) as f64).min(INSET);
        let inset = depth as f64 * inset * height;
        (top + inset, top + height - inset)
    }

    /// The names that can stand beside the rows.
    pub(super) fn names(&self, labels: &[String], room: f64, page: f64) -> Vec<LaneLabel> {
        // Counted from the side where the first row is, as the lanes of the stacked chart are.
        let mut order = self.order.clone();
        if self.is_upwards {
            order.reverse();
        }
        let labels: Vec<String> = order.iter().map(|&row| labels[row].clone()).collect();
        let middle = |&row: &usize| (self.areas[row].0 + self.areas[row].1) / 2.0;
        let middles: Vec<f64> = order.iter().map(middle).collect();
        let pitch = self.rows.first().map_or(0.0, |(top, bottom)| bottom - top);
        if self.is_even {
            lane::place_even(&labels, &middles, pitch, room, page)
        } else {
            lane::place_uneven(&labels, &middles, room, page)
        }
    }

    /// Heights of the lines between rows, in pixels; none where they would be too dense.
    pub(super) fn separators(&self) -> Vec<f64> {
        let tops = self.order.iter().skip(1).map(|&row| self.rows[row]);
        let least = tops.clone().map(|(top, bottom)| bottom - top);
        if least.fold(f64::INFINITY, f64::min) < LEAST_SEPARATED {
            return Vec::new();
        }
        tops.map(|(top, _)| top).collect()
    }

    /// Names of groups in the middle of their rows, and the heights of the lines between groups.
    pub(super) fn groups(&self, table: &Table, room: f64, page: f64) -> (Vec<LaneLabel>, Vec<f64>) {
        let mut runs: Vec<(Option<u32>, Stripe)> = Vec::new();
        for &row in &self.order {
            let (group, (top, bottom)) = (table.rows[row].group, self.rows[row]);
            match runs.last_mut() {
                Some((last, stripe)) if *last == group => stripe.1 = bottom,
                _ => runs.push((group, (top, bottom))),
            }
        }
        if runs.iter().all(|(group, _)| group.is_none()) {
            return (Vec::new(), Vec::new());
        }
        let name = |group: Option<u32>| {
            let name = group.and_then(|group| table.groups.get(group as usize));
            name.map_or(String::new(), |name| text::clean(name))
        };
        let labels: Vec<String> = runs.iter().map(|(group, _)| name(*group)).collect();
        let middle = |(_, (top, bottom)): &(Option<u32>, Stripe)| (top + bottom) / 2.0;
        let middles: Vec<f64> = runs.iter().map(middle).collect();
        let names = if room > 0.0 {
            lane::place_uneven(&labels, &middles, room, page)
        } else {
            Vec::new()
        };
        let lines = runs.iter().skip(1).map(|(_, (top, _))| *top).collect();
        (names, lines)
    }
}
