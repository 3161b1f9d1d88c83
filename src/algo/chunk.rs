//! Runs of short states between long ones, cut into subchunks (aggregation.md, section 3).
//!
//! A streaming machine for each track: rows go in by (start, end, name), one cell comes out for each subchunk as soon as
//! it is complete. Rows whose ties come in any order pass through [`Ties`] first. Nothing here wraps: a sum or a span
//! that does not fit is [`Overflow`].

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use super::flatten::NameOrder;

/// A duration, sum or number that 63 bits cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

/// Which parameter of a [`Rule`] is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadRule {
    /// The threshold is below 0.
    Threshold,
    /// The greatest width of a subchunk is not above 0.
    Max,
}

/// The parameters of the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct Rule {
    threshold: i64,
    max: Option<i64>,
}

impl Rule {
    /// `threshold` in ticks, at least 0; `max` in ticks, at least 1, or none for no subchunks.
    pub fn new(threshold: i64, max: Option<i64>) -> Result<Self, BadRule> {
        if threshold < 0 {
            return Err(BadRule::Threshold);
        }
        if max.is_some_and(|max| max <= 0) {
            return Err(BadRule::Max);
        }
        Ok(Self { threshold, max })
    }

    /// States that last longer than this many ticks stay by themselves.
    pub fn threshold(&self) -> i64 {
        self.threshold
    }

    /// Ticks from the start of one subchunk to the start of the next one.
    pub fn max(&self) -> Option<i64> {
        self.max
    }
}

/// What one value takes of a subchunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Number of the name.
    pub value: u32,
    /// Sum of the members' durations, in ticks.
    pub duration: i64,
    /// How many members.
    pub number: i64,
}

/// One complete subchunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell<'a> {
    /// Number of the chunk in its track, from 0.
    pub chunk: i64,
    /// Number of the subchunk in its chunk, from 0; numbers may be skipped.
    pub subchunk: i64,
    /// Smallest start of the members.
    pub start: i64,
    /// Largest end of the members.
    pub end: i64,
    /// Whether there is exactly one member.
    pub pure: bool,
    /// One entry for each value, in the order in which the values came.
    pub shares: &'a [Share],
}

/// The machine of one track.
#[derive(Clone, Debug, Default)]
pub struct Chunks {
    chunk: i64,
    /// First start of the open chunk; the subchunks are counted from it.
    first: i64,
    /// Largest end in the open chunk.
    reach: i64,
    last_start: i64,
    last_long: bool,
    /// Largest end among the long rows so far.
    long_reach: Option<i64>,
    subchunk: i64,
    start: i64,
    end: i64,
    members: u64,
    tally: Tally,
}

impl Chunks {
    /// Takes the next row by (start, end, name), `start <= end`; `sink` gets the cell that this row completes, if any.
    #[inline]
    pub fn push<E: From<Overflow>>(
        &mut self,
        rule: &Rule,
        start: i64,
        end: i64,
        value: u32,
        sink: &mut impl FnMut(&Cell) -> Result<(), E>,
    ) -> Result<(), E> {
        let duration = end.checked_sub(start).ok_or(Overflow)?;
        let long = duration > rule.threshold;
        let begins = self.members == 0;
        if begins || long || self.last_long || self.apart(rule, start) {
            if !begins {
                self.close(sink)?;
                self.chunk += 1;
            }
            self.first = start;
            self.reach = end;
            self.open(0, start, end);
        } else {
            self.reach = self.reach.max(end);
            let subchunk = match rule.max {
                None => 0,
                Some(max) => self.subchunk_at(start, max)?,
            };
            if subchunk != self.subchunk {
                self.close(sink)?;
                self.open(subchunk, start, end);
            }
        }
        self.end = self.end.max(end);
        self.members += 1;
        self.tally.add(value, duration)?;
        self.last_start = start;
        self.last_long = long;
        if long {
            self.long_reach = self.long_reach.max(Some(end));
        }
        Ok(())
    }

    /// Ends the track: the last cell comes out, and the machine is as new.
    pub fn finish<E: From<Overflow>>(
        &mut self,
        sink: &mut impl FnMut(&Cell) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.members > 0 {
            self.close(sink)?;
        }
        *self = Self::default();
        Ok(())
    }

    /// Bytes on the heap.
    pub fn memory(&self) -> usize {
        self.tally.memory()
    }

    /// Rules 4 and 5: a hole wider than the threshold, or the end of a long state in which the row before began.
    fn apart(&self, rule: &Rule, start: i64) -> bool {
        // Past the last tick no start can lie.
        let hole = start > self.reach.saturating_add(rule.threshold);
        let leaves = self
            .long_reach
            .is_some_and(|reach| self.last_start < reach && reach <= start);
        hole || leaves
    }

    fn subchunk_at(&self, start: i64, max: i64) -> Result<i64, Overflow> {
        // Starts never fall, so the distance is exact as an unsigned number even where it needs 64 bits.
        let subchunk = start.abs_diff(self.first) / max.unsigned_abs();
        i64::try_from(subchunk).map_err(|_| Overflow)
    }

    fn open(&mut self, subchunk: i64, start: i64, end: i64) {
        self.subchunk = subchunk;
        self.start = start;
        self.end = end;
        self.members = 0;
    }

    fn close<E>(&mut self, sink: &mut impl FnMut(&Cell) -> Result<(), E>) -> Result<(), E> {
        sink(&Cell {
            chunk: self.chunk,
            subchunk: self.subchunk,
            start: self.start,
            end: self.end,
            pure: self.members == 1,
            shares: &self.tally.shares,
        })?;
        self.tally.clear();
        Ok(())
    }
}

/// Sums by value: a short list while there are few values, with an index beside it once there are many.
#[derive(Clone, Debug, Default)]
struct Tally {
    shares: Vec<Share>,
    index: FxHashMap<u32, usize>,
}

impl Tally {
    /// Up to here looking through the list is cheaper than hashing.
    const LISTED: usize = 16;

    #[inline]
    fn add(&mut self, value: u32, duration: i64) -> Result<(), Overflow> {
        let Some(place) = self.place(value) else {
            self.insert(Share {
                value,
                duration,
                number: 1,
            });
            return Ok(());
        };
        let share = &mut self.shares[place];
        share.duration = share.duration.checked_add(duration).ok_or(Overflow)?;
        share.number += 1;
        Ok(())
    }

    fn place(&self, value: u32) -> Option<usize> {
        if self.shares.len() <= Self::LISTED {
            self.shares.iter().position(|share| share.value == value)
        } else {
            self.index.get(&value).copied()
        }
    }

    fn insert(&mut self, share: Share) {
        self.shares.push(share);
        if self.shares.len() > Self::LISTED {
            let indexed = self.index.len();
            let added = self.shares.iter().enumerate().skip(indexed);
            self.index
                .extend(added.map(|(place, share)| (share.value, place)));
        }
    }

    fn clear(&mut self) {
        self.shares.clear();
        self.index.clear();
    }

    fn memory(&self) -> usize {
        self.shares.capacity() * size_of::<Share>()
            + self.index.capacity() * size_of::<(u32, usize)>()
    }
}

/// Puts rows that come by start, ties in any order, into the order (start, end, name).
#[derive(Clone, Debug, Default)]
pub struct Ties {
    start: i64,
    /// End and name of the rows that begin at `start`.
    rows: Vec<(i64, u32)>,
}

impl Ties {
    /// Takes the next row; `sink` gets the (start, end, name) of the rows that are settled by it.
    #[inline]
    pub fn push<E>(
        &mut self,
        start: i64,
        end: i64,
        value: u32,
        names: &impl NameOrder,
        sink: &mut impl FnMut(i64, i64, u32) -> Result<(), E>,
    ) -> Result<(), E> {
        if start > self.start {
            self.finish(names, sink)?;
        }
        self.start = start;
        self.rows.push((end, value));
        Ok(())
    }

    /// Lets all rows out.
    #[inline]
    pub fn finish<E>(
        &mut self,
        names: &impl NameOrder,
        sink: &mut impl FnMut(i64, i64, u32) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.rows.len() > 1 {
            let order = |left: &(i64, u32), right: &(i64, u32)| -> Ordering {
                (left.0.cmp(&right.0)).then_with(|| names.compare(left.1, right.1))
            };
            self.rows.sort_unstable_by(order);
        }
        for (end, value) in self.rows.drain(..) {
            sink(self.start, end, value)?;
        }
        Ok(())
    }

    /// Bytes on the heap.
    pub fn memory(&self) -> usize {
        self.rows.capacity() * size_of::<(i64, u32)>()
    }
}

#[cfg(test)]
mod tests;
