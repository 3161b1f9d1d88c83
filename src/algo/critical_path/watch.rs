//! How the caller stops a long analysis and limits its memory.

use super::failure::Failure;

/// There is no room for an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

/// What the caller answers while an analysis runs.
pub trait Watch {
    /// Whether to stop; asked every few thousand steps of each loop, not within a sort.
    fn is_cancelled(&self) -> bool;

    /// Accounts for an allocation before it is made. What is freed again is not given back: the sum bounds the peak.
    fn grow(&mut self, bytes: usize) -> Result<(), OutOfMemory>;
}

/// Never stops and has no limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn grow(&mut self, _: usize) -> Result<(), OutOfMemory> {
        Ok(())
    }
}

/// Steps between two looks at the flag.
const STRIDE: u32 = 4096;

/// Counts steps for a [`Watch`] and makes the large allocations.
pub(super) struct Steps<'w> {
    watch: &'w mut dyn Watch,
    left: u32,
}

impl<'w> Steps<'w> {
    /// Looks at the flag once, so that even the smallest input is stopped.
    pub(super) fn new(watch: &'w mut dyn Watch) -> Result<Self, Failure> {
        let steps = Self {
            watch,
            left: STRIDE,
        };
        steps.look()?;
        Ok(steps)
    }

    /// To be called once in each round of a loop over the data.
    #[inline]
    pub(super) fn step(&mut self) -> Result<(), Failure> {
        self.left -= 1;
        if self.left == 0 {
            self.left = STRIDE;
            self.look()?;
        }
        Ok(())
    }

    fn look(&self) -> Result<(), Failure> {
        match self.watch.is_cancelled() {
            true => Err(Failure::Cancelled),
            false => Ok(()),
        }
    }

    /// An empty vector with room for `length` items.
    pub(super) fn room<T>(&mut self, length: usize) -> Result<Vec<T>, Failure> {
        let mut out = Vec::new();
        self.reserve(&mut out, length)?;
        Ok(out)
    }

    /// Makes room for `more` items.
    pub(super) fn reserve<T>(&mut self, vector: &mut Vec<T>, more: usize) -> Result<(), Failure> {
        let missing = more.saturating_sub(vector.capacity() - vector.len());
        if missing == 0 {
            return Ok(());
        }
        let bytes = missing.saturating_mul(size_of::<T>());
        (self.watch.grow(bytes).ok())
            .and_then(|()| vector.try_reserve_exact(more).ok())
            .ok_or(Failure::OutOfMemory { bytes })
    }

    /// Appends an item; room is taken in growing blocks.
    pub(super) fn push<T>(&mut self, vector: &mut Vec<T>, item: T) -> Result<(), Failure> {
        if vector.len() == vector.capacity() {
            self.reserve(vector, vector.len().max(16))?;
        }
        vector.push(item);
        Ok(())
    }

    /// `length` times the same value.
    pub(super) fn filled<T: Clone>(&mut self, value: T, length: usize) -> Result<Vec<T>, Failure> {
        let mut out = self.room(length)?;
        out.resize(length, value);
        Ok(out)
    }
}
