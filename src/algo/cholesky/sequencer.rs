//! Puts the rows of a running simulation into start order with a heap no larger than what is in the air.
//!
//! The simulation says a row when it knows its end, which is at its start or earlier for all but idle times; those are
//! opened at once and hold back what comes later until they are closed.

use super::graph::Task;
use super::rows::StateValue;
use super::simulation::Sink;
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

/// An idle worker polls this long before it goes to sleep, nanoseconds.
const PATIENCE: i64 = 600_000;

/// A state before it has an id. Times in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawRow {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) resource: u32,
    pub(super) value: StateValue,
    pub(super) depth: u8,
    pub(super) task: Option<Task>,
}

struct Entry {
    /// Rows of one start keep the order they were said in: parents before children.
    rank: u64,
    row: RawRow,
    /// The worker whose idle time this is; its end is in `closed` as soon as it is known.
    idle: Option<u32>,
}

impl Entry {
    fn key(&self) -> (i64, u64) {
        (self.row.start, self.rank)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// The reorder heap.
pub(super) struct Sequencer {
    heap: BinaryHeap<Reverse<Entry>>,
    /// For each worker, ends of the idle times that are closed and still in the heap, in order.
    closed: Vec<VecDeque<i64>>,
    ranks: u64,
    ids: u64,
}

impl Sequencer {
    pub(super) fn new(workers: u32) -> Self {
        Self {
            heap: BinaryHeap::new(),
            closed: (0..workers).map(|_| VecDeque::new()).collect(),
            ranks: 0,
            ids: 0,
        }
    }

    fn push(&mut self, row: RawRow, idle: Option<u32>) {
        let rank = self.ranks;
        self.ranks += 1;
        self.heap.push(Reverse(Entry { rank, row, idle }));
    }

    /// How many rows are in the heap.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.heap.len()
    }

    /// The next row with its id, if none that starts before it can come any more; `now` is the simulation's clock.
    pub(super) fn pop(&mut self, now: i64) -> Option<(u64, RawRow)> {
        loop {
            let Reverse(first) = self.heap.peek()?;
            if first.row.start > now {
                return None;
            }
            let mut end = first.row.end;
            if let Some(worker) = first.idle {
                end = self.closed.get_mut(worker as usize)?.pop_front()?;
            }
            let Reverse(Entry { mut row, idle, .. }) = self.heap.pop()?;
            if idle.is_some() {
                if end <= row.start {
                    // the next task was there already: not idle at all
                    continue;
                }
                row.end = end.min(row.start + PATIENCE);
                if row.end < end {
                    let asleep = RawRow {
                        start: row.end,
                        end,
                        value: StateValue::Sleeping,
                        ..row
                    };
                    self.push(asleep, None);
                }
            }
            let id = self.ids;
            self.ids += 1;
            return Some((id, row));
        }
    }
}

impl Sink for Sequencer {
    fn row(&mut self, row: RawRow) {
        self.push(row, None);
    }

    fn idle(&mut self, worker: u32, resource: u32, since: i64) {
        let row = RawRow {
            start: since,
            end: since,
            resource,
            value: StateValue::Blocked,
            depth: 0,
            task: None,
        };
        self.push(row, Some(worker));
    }

    fn wake(&mut self, worker: u32, end: i64) {
        if let Some(ends) = self.closed.get_mut(worker as usize) {
            ends.push_back(end);
        }
    }
}
