//! Nested states of one track to exclusive pieces (aggregation.md, section 2).
//!
//! A streaming machine: states go in by start (ties in any order), pieces come out by (start, end, name). It keeps only
//! the states that can still be seen: from the top downwards they rank lower and end strictly later, so they are a stack
//! and no heap is needed. A state that another one hides for the rest of its life is dropped on the spot.

use std::cmp::Ordering;

/// How two names, given by number, compare: by their bytes, never by a locale.
///
/// Any `Fn(u32, u32) -> Ordering` is one. It is asked only where all else ties.
pub trait NameOrder {
    /// The order of the two names' bytes.
    fn compare(&self, left: u32, right: u32) -> Ordering;
}

impl<F: Fn(u32, u32) -> Ordering> NameOrder for F {
    fn compare(&self, left: u32, right: u32) -> Ordering {
        self(left, right)
    }
}

/// One state of a track. Times are ticks, `start <= end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<P> {
    /// First tick.
    pub start: i64,
    /// Tick after the last one; equal to `start` for an instant.
    pub end: i64,
    /// Imbrication, 0 outermost.
    pub depth: i64,
    /// Number of the name.
    pub value: u32,
    /// What the caller wants back with each piece, such as where the row is.
    pub payload: P,
}

/// An interval in which one state is on top, or an instant that passed through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<P> {
    /// First tick.
    pub start: i64,
    /// Tick after the last one; equal to `start` only for an instant.
    pub end: i64,
    /// Number of the name.
    pub value: u32,
    /// The payload of the state it is a piece of.
    pub payload: P,
}

/// The machine of one track. Each row costs O(1) while states do not overlap, else a binary search in the states that
/// can still be seen.
#[derive(Clone, Debug)]
pub struct Flatten<P> {
    /// The latest start seen: nothing at this tick or later is settled yet.
    now: i64,
    /// Where the piece of the top state (the last of `active`) began.
    open: i64,
    /// States that can still be seen: rank rises and `end` falls strictly from the first to the last.
    active: Vec<State<P>>,
    /// Instants that wait for their place in the output, by time; those before `released` are out already.
    instants: Vec<State<P>>,
    released: usize,
}

impl<P> Default for Flatten<P> {
    fn default() -> Self {
        Self {
            now: i64::MIN,
            open: i64::MIN,
            active: Vec::new(),
            instants: Vec::new(),
            released: 0,
        }
    }
}

impl<P: Copy> Flatten<P> {
    /// Takes the next state; `sink` gets the pieces that are settled by it.
    ///
    /// The caller sees to it that starts never fall and no state ends before it starts.
    #[inline]
    pub fn push<E>(
        &mut self,
        state: State<P>,
        names: &impl NameOrder,
        sink: &mut impl FnMut(Piece<P>) -> Result<(), E>,
    ) -> Result<(), E> {
        if state.start > self.now {
            self.settle(state.start, names, sink)?;
            self.now = state.start;
        }
        if state.start == state.end {
            self.instants.push(state);
            return Ok(());
        }
        if self.active.is_empty() {
            self.open = self.now;
            self.active.push(state);
            return Ok(());
        }
        self.cover(state, names, sink)
    }

    /// Ends the track: all that is left comes out, and the machine is as new.
    pub fn finish<E>(
        &mut self,
        names: &impl NameOrder,
        sink: &mut impl FnMut(Piece<P>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.settle(i64::MAX, names, sink)?;
        self.now = i64::MIN;
        Ok(())
    }

    /// The payloads of all states that may still give a piece, for a caller that moves what they point at.
    pub fn payloads_mut(&mut self) -> impl Iterator<Item = &mut P> {
        let waiting = &mut self.instants[self.released..];
        self.active
            .iter_mut()
            .chain(waiting)
            .map(|state| &mut state.payload)
    }

    /// Bytes on the heap.
    pub fn memory(&self) -> usize {
        (self.active.capacity() + self.instants.capacity()) * size_of::<State<P>>()
    }

    /// Emits all that is settled once the next start is known to be `limit`.
    ///
    /// Each call comes with a later `limit` than all starts so far, so every waiting instant has met its ties.
    #[inline]
    fn settle<E>(
        &mut self,
        limit: i64,
        names: &impl NameOrder,
        sink: &mut impl FnMut(Piece<P>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(&top) = self.active.last() {
            self.release(self.open, names, sink)?;
            if top.end > limit {
                return Ok(());
            }
            sink(piece(top, self.open, top.end))?;
            self.open = top.end;
            self.active.pop();
        }
        self.release(limit, names, sink)
    }

    /// Emits the waiting instants up to and including tick `until`: they stand before a piece that begins there.
    #[inline]
    fn release<E>(
        &mut self,
        until: i64,
        names: &impl NameOrder,
        sink: &mut impl FnMut(Piece<P>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.instants.is_empty() {
            return Ok(());
        }
        let waiting = &mut self.instants[self.released..];
        let ready = waiting.partition_point(|instant| instant.start <= until);
        let ready = &mut waiting[..ready];
        ready.sort_by(|left, right| {
            (left.start.cmp(&right.start)).then_with(|| names.compare(left.value, right.value))
        });
        for instant in ready.iter() {
            sink(piece(*instant, instant.start, instant.end))?;
        }
        self.released += ready.len();
        if self.released == self.instants.len() {
            self.instants.clear();
            self.released = 0;
        } else if self.released > self.instants.len() / 2 {
            self.instants.drain(..self.released);
            self.released = 0;
        }
        Ok(())
    }

    /// Puts a state of positive duration that starts now among the active ones.
    fn cover<E>(
        &mut self,
        state: State<P>,
        names: &impl NameOrder,
        sink: &mut impl FnMut(Piece<P>) -> Result<(), E>,
    ) -> Result<(), E> {
        let at = self
            .active
            .partition_point(|other| outranks(&state, other, names));
        match self.active.get(at) {
            // Of the states above, the lowest ends last. If it ends no sooner than this one, this one is never seen.
            Some(above) if above.end >= state.end => return Ok(()),
            Some(_) => {}
            None => {
                if let (Some(&top), true) = (self.active.last(), self.open < self.now) {
                    sink(piece(top, self.open, self.now))?;
                }
                self.open = self.now;
            }
        }
        // Lower states that end no later than this one are hidden for good.
        let hidden = self.active[..at].partition_point(|other| other.end > state.end);
        self.active.splice(hidden..at, [state]);
        Ok(())
    }
}

fn piece<P>(state: State<P>, start: i64, end: i64) -> Piece<P> {
    Piece {
        start,
        end,
        value: state.value,
        payload: state.payload,
    }
}

/// Whether `state` is on top of `other`: deeper, else later start, else earlier end, else smaller name. Of two that are
/// equal in all this the first to come stays.
fn outranks<P>(state: &State<P>, other: &State<P>, names: &impl NameOrder) -> bool {
    (state.depth.cmp(&other.depth))
        .then(state.start.cmp(&other.start))
        .then(other.end.cmp(&state.end))
        .then_with(|| names.compare(other.value, state.value))
        .is_gt()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::convert::Infallible;

    /// A small reproducible generator (xorshift64*), enough for test traces.
    pub(crate) struct Random(pub(crate) u64);

    impl Random {
        /// A number in `0..bound`.
        pub(crate) fn below(&mut self, bound: u64) -> u64 {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
        }

        pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
            for last in (1..items.len()).rev() {
                items.swap(last, self.below(last as u64 + 1) as usize);
            }
        }
    }

    /// Names whose number order is not their byte order.
    pub(crate) const NAMES: [&str; 5] = ["b", "Å", "a", "B", "aa"];

    pub(crate) fn by_bytes(left: u32, right: u32) -> Ordering {
        NAMES[left as usize].cmp(NAMES[right as usize])
    }

    /// A state as (start, end, depth, value).
    pub(crate) type Row = (i64, i64, i64, u32);
    /// A piece as (start, end, value).
    pub(crate) type Out = (i64, i64, u32);

    /// A track with ties, instants, nests, overlaps and gaps; in random order.
    pub(crate) fn random_track(random: &mut Random) -> Vec<Row> {
        let span = 1 + random.below(40);
        let longest = 1 + random.below(12);
        let depths = 1 + random.below(4);
        let names = 1 + random.below(NAMES.len() as u64);
        let origin = random.below(100) as i64 - 50;
        (0..random.below(14))
            .map(|_| {
                let start = origin + random.below(span) as i64;
                let end = start + random.below(longest) as i64;
                (
                    start,
                    end,
                    random.below(depths) as i64,
                    random.below(names) as u32,
                )
            })
            .collect()
    }

    /// By the text of section 2: which state is on top in each interval between two neighbouring times.
    pub(crate) fn naive(rows: &[Row]) -> Vec<Out> {
        let mut times: Vec<i64> = rows.iter().flat_map(|row| [row.0, row.1]).collect();
        times.sort_unstable();
        times.dedup();
        let mut pieces: Vec<(Out, Row)> = Vec::new();
        for pair in times.windows(2) {
            let mut covering: Vec<Row> = (rows.iter().copied())
                .filter(|row| row.0 <= pair[0] && pair[1] <= row.1)
                .collect();
            covering.sort_by(|left, right| {
                (right.2.cmp(&left.2))
                    .then(right.0.cmp(&left.0))
                    .then(left.1.cmp(&right.1))
                    .then(by_bytes(left.3, right.3))
            });
            let Some(&top) = covering.first() else {
                continue;
            };
            match pieces.last_mut() {
                Some((piece, state)) if *state == top && piece.1 == pair[0] => piece.1 = pair[1],
                _ => pieces.push(((pair[0], pair[1], top.3), top)),
            }
        }
        let mut out: Vec<Out> = pieces.into_iter().map(|(piece, _)| piece).collect();
        let instants = rows.iter().filter(|row| row.0 == row.1);
        out.extend(instants.map(|row| (row.0, row.1, row.3)));
        out.sort_by(|left, right| {
            (left.0, left.1)
                .cmp(&(right.0, right.1))
                .then(by_bytes(left.2, right.2))
        });
        out
    }

    /// What the machine gives, in the order it gives it. `rows` need not be sorted; ties stay as they are.
    pub(crate) fn streamed(rows: &[Row]) -> Vec<Out> {
        let mut rows = rows.to_vec();
        rows.sort_by_key(|row| row.0);
        let mut out = Vec::new();
        let mut sink = |piece: Piece<()>| -> Result<(), Infallible> {
            out.push((piece.start, piece.end, piece.value));
            Ok(())
        };
        let mut machine = Flatten::default();
        for (start, end, depth, value) in rows {
            let state = State {
                start,
                end,
                depth,
                value,
                payload: (),
            };
            let Ok(()) = machine.push(state, &by_bytes, &mut sink);
        }
        let Ok(()) = machine.finish(&by_bytes, &mut sink);
        out
    }

    #[test]
    fn equals_the_scan_of_elementary_intervals_in_any_order() {
        let mut random = Random(1);
        for round in 0..20_000 {
            let mut rows = random_track(&mut random);
            let expected = naive(&rows);
            assert_eq!(streamed(&rows), expected, "round {round}: {rows:?}");
            random.shuffle(&mut rows);
            assert_eq!(
                streamed(&rows),
                expected,
                "round {round} shuffled: {rows:?}"
            );
        }
    }

    #[test]
    fn a_parent_is_cut_by_its_child() {
        assert_eq!(
            streamed(&[(0, 40, 0, 0), (10, 15, 1, 2)]),
            [(0, 10, 0), (10, 15, 2), (15, 40, 0)]
        );
    }

    #[test]
    fn children_that_touch_leave_no_piece_between_them() {
        assert_eq!(
            streamed(&[(0, 9, 0, 0), (2, 4, 1, 1), (4, 9, 1, 2)]),
            [(0, 2, 0), (2, 4, 1), (4, 9, 2)]
        );
    }

    #[test]
    fn a_lower_state_does_not_cut_the_piece_above_it() {
        assert_eq!(
            streamed(&[(0, 10, 1, 0), (5, 15, 0, 1)]),
            [(0, 10, 0), (10, 15, 1)]
        );
    }

    #[test]
    fn an_instant_waits_for_the_piece_it_lies_in_and_cuts_nothing() {
        let out = streamed(&[(0, 10, 0, 0), (10, 10, 0, 1), (4, 4, 3, 2), (0, 0, 0, 1)]);
        assert_eq!(out, [(0, 0, 1), (0, 10, 0), (4, 4, 2), (10, 10, 1)]);
    }

    #[test]
    fn hidden_states_are_not_kept() {
        let mut machine = Flatten::default();
        let mut sink = |_: Piece<()>| -> Result<(), Infallible> { Ok(()) };
        let mut push = |start, end, depth| {
            let state = State {
                start,
                end,
                depth,
                value: 0,
                payload: (),
            };
            let Ok(()) = machine.push(state, &by_bytes, &mut sink);
        };
        push(0, 1_000_000, 5);
        for time in 1..100_000 {
            push(time, time + 1, 0);
        }
        assert_eq!(machine.active.len(), 1);
    }

    #[test]
    fn the_ends_of_the_tick_range_are_times_like_others() {
        let rows = [(i64::MIN, i64::MAX, 0, 0), (i64::MAX, i64::MAX, 0, 1)];
        assert_eq!(
            streamed(&rows),
            [(i64::MIN, i64::MAX, 0), (i64::MAX, i64::MAX, 1)]
        );
        assert_eq!(
            streamed(&[(i64::MIN, i64::MIN, 0, 0)]),
            [(i64::MIN, i64::MIN, 0)]
        );
    }

    #[test]
    fn payloads_name_every_state_that_may_still_come_out() {
        let mut machine = Flatten::default();
        let mut sink = |_: Piece<u32>| -> Result<(), Infallible> { Ok(()) };
        for (payload, (start, end, depth, value)) in
            [(0, 10, 0, 0), (1, 3, 1, 0), (2, 2, 0, 0), (2, 3, 0, 0)]
                .into_iter()
                .enumerate()
        {
            let state = State {
                start,
                end,
                depth,
                value,
                payload: payload as u32,
            };
            let Ok(()) = machine.push(state, &by_bytes, &mut sink);
        }
        let mut held: Vec<u32> = machine.payloads_mut().map(|payload| *payload).collect();
        held.sort_unstable();
        // The last one is hidden by the second.
        assert_eq!(held, [0, 1, 2]);
    }
}
