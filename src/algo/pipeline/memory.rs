//! First-fit allocation of buffers in a memory.

use super::Parameters;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// A memory whose buffers begin at multiples of [`Parameters::FRAME`], as frame buffers do: a place that was given back
/// holds any image again, so the memory never falls to pieces. Only the last place may be too small for some images.
pub(super) struct Memory {
    capacity: u32,
    /// Places that were used and given back, by number.
    free: BTreeSet<u32>,
    /// The first place never used.
    fresh: u32,
    /// When a buffer that is taken will be given back, and its place; the earliest first.
    taken: BinaryHeap<Reverse<(i64, u32)>>,
}

impl Memory {
    pub(super) fn new(capacity: u32) -> Self {
        Self {
            capacity,
            free: BTreeSet::new(),
            fresh: 0,
            taken: BinaryHeap::new(),
        }
    }

    /// The time from `ready` on when there is first room for `amount` units, and their offset, the lowest there is.
    ///
    /// Calls come with times that do not fall, and each is followed by [`Memory::keep`] before the next.
    pub(super) fn take(&mut self, ready: i64, amount: u32) -> (i64, u32) {
        let mut now = ready;
        loop {
            while let Some(&Reverse((until, place))) = self.taken.peek()
                && until <= now
            {
                self.taken.pop();
                self.free.insert(place);
            }
            let place = self.free.first().copied().unwrap_or(self.fresh);
            let offset = place * Parameters::FRAME;
            if offset + amount <= self.capacity {
                if !self.free.remove(&place) {
                    self.fresh += 1;
                }
                return (now, offset);
            }
            match self.taken.peek() {
                Some(&Reverse((until, _))) => now = until,
                // an empty memory has room at 0, for its capacity is that of an image at least
                None => return (now, 0),
            }
        }
    }

    /// Says when the buffer at `offset` will be given back.
    pub(super) fn keep(&mut self, offset: u32, until: i64) {
        self.taken
            .push(Reverse((until, offset / Parameters::FRAME)));
    }
}
