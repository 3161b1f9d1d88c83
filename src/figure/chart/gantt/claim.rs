//! Claims: where in the capacity of its row a claim stands.

use crate::figure::chart::gantt::table::Table;

/// Where claims stand.
#[derive(Default)]
pub(super) struct Places {
    /// Claims that make the sum larger than the capacity, or reach above it.
    pub(super) past: Counted,
    /// Claims that found no place, although enough was free.
    pub(super) squeezed: Counted,
    open: Vec<Open>,
    row: Option<u32>,
}

/// How many claims, and the row of the first.
#[derive(Clone, Copy, Default)]
pub(super) struct Counted {
    pub(super) claims: usize,
    pub(super) first_row: usize,
}

impl Counted {
    fn count(&mut self, row: u32) {
        if self.claims == 0 {
            self.first_row = row as usize;
        }
        self.claims += 1;
    }
}

/// The part of the height of its row that a claim has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Share {
    /// Lower edge, 0 to 1 from the bottom.
    pub(super) low: f32,
    /// Upper edge, 0 to 1 from the bottom.
    pub(super) high: f32,
    /// Whether no other claim is drawn over it or below it.
    pub(super) is_alone: bool,
}

/// A claim that holds its place.
struct Open {
    place: usize,
    low: f64,
    high: f64,
    amount: f64,
    end: i64,
}

/// How far a sum of amounts may pass the capacity: the error of sums of doubles.
const SLACK: f64 = 1e-9;

impl Places {
    /// The part that a claim gets, and the places of those that it is drawn over. `place` is its own. Claims have to come row by row, by their starts. One
    /// without an offset takes the lowest place that no open claim of its row holds; where there is none, the uppermost
    /// below the capacity, over others. One that reaches above the capacity is cut. The time is that of the claims open at once.
    pub(super) fn place(
        &mut self,
        table: &Table,
        mark: usize,
        place: usize,
    ) -> Option<(Share, Vec<usize>)> {
        let marks = &table.marks;
        let claim = marks.claim(mark)?;
        let (row, start, end) = (marks.row[mark], marks.start[mark], marks.end[mark]);
        if self.row != Some(row) {
            self.open.clear();
            self.row = Some(row);
        }
        self.open.retain(|open| open.end > start);
        let amount = claim.amount / claim.capacity;
        let wanted = match claim.offset {
            Some(offset) => offset / claim.capacity,
            None => self.lowest_free(amount),
        };
        let (low, high) = if wanted + amount > 1.0 + SLACK {
            let held: f64 = self.open.iter().map(|open| open.amount).sum();
            if claim.offset.is_some() || held + amount > 1.0 + SLACK {
                self.past.count(row);
            } else {
                self.squeezed.count(row);
            }
            // An offset is a statement about the data and stays; a place that was sought may be another.
            let low = match claim.offset {
                Some(_) => wanted.min(1.0),
                None => (1.0 - amount).max(0.0),
            };
            (low, (low + amount).min(1.0))
        } else {
            (wanted, (wanted + amount).min(1.0))
        };
        let meets = |open: &&Open| open.low < high - SLACK && open.high > low + SLACK;
        let covered: Vec<usize> = self
            .open
            .iter()
            .filter(meets)
            .map(|open| open.place)
            .collect();
        if high > low && end > start {
            let at = self.open.partition_point(|open| open.low < low);
            let open = Open {
                place,
                low,
                high,
                amount,
                end,
            };
            self.open.insert(at, open);
        }
        let share = Share {
            low: low as f32,
            high: high as f32,
            is_alone: covered.is_empty(),
        };
        Some((share, covered))
    }

    fn lowest_free(&self, amount: f64) -> f64 {
        let mut low: f64 = 0.0;
        for open in &self.open {
            if open.low - low >= amount - SLACK && amount > 0.0 {
                break;
            }
            low = low.max(open.high);
        }
        low
    }
}
