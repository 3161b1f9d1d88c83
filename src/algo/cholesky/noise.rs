//! Seeded durations: log-normal around a median, as measured task times are, with libm's exponential so that the bytes
//! are the same on every machine.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Mcg128Xsl64;

/// The source of all chance in a run.
pub(super) struct Noise(Mcg128Xsl64);

/// A duration of the runtime system: median in nanoseconds, and spread (standard deviation of the logarithm).
///
/// The orders of magnitude are those of StarPU traces with native timers.
#[derive(Clone, Copy)]
pub(super) struct Micro {
    median: f64,
    spread: f64,
}

impl Micro {
    /// Looking at the inputs of a task, all in place.
    pub(super) const FETCH: Self = Self::new(1_900.0, 0.45);
    /// Releasing the handles of a task.
    pub(super) const PUSH_OUTPUT: Self = Self::new(2_800.0, 0.35);
    /// The callback itself, without the tasks it sets free.
    pub(super) const CALLBACK: Self = Self::new(370.0, 0.4);
    /// Choosing a worker for one ready task.
    pub(super) const SCHEDULE: Self = Self::new(3_400.0, 0.5);
    /// Popping a task after a sleep.
    pub(super) const POP: Self = Self::new(1_600.0, 0.6);
    /// From the signal to the moment a sleeping worker runs.
    pub(super) const WAKE: Self = Self::new(14_000.0, 0.6);
    /// Between two states of a worker.
    pub(super) const GAP: Self = Self::new(350.0, 0.5);
    /// Getting device memory from the cache, now and then from the driver: a long tail.
    pub(super) const ALLOCATE: Self = Self::new(9_000.0, 1.3);
    /// Finding tiles to drop, without the copies.
    pub(super) const RECLAIM: Self = Self::new(240_000.0, 0.7);
    /// Launching a copy and going on.
    pub(super) const LAUNCH: Self = Self::new(7_500.0, 0.5);

    const fn new(median: f64, spread: f64) -> Self {
        Self { median, spread }
    }
}

impl Noise {
    pub(super) fn new(seed: u64) -> Self {
        Self(Mcg128Xsl64::seed_from_u64(seed))
    }

    /// A log-normal number of nanoseconds with the given median; within e^(±3.5 spread) of it.
    pub(super) fn log_normal(&mut self, median: f64, spread: f64) -> i64 {
        let bits = self.0.next_u64();
        Self::shape(bits, median, spread)
    }

    /// A duration of the runtime system. One in eight is 0: the clock did not advance between the two records.
    pub(super) fn micro(&mut self, micro: Micro) -> i64 {
        let bits = self.0.next_u64();
        match bits & 7 {
            0 => 0,
            _ => Self::shape(bits, micro.median, micro.spread),
        }
    }

    /// True once in `period` calls on average.
    pub(super) fn once_in(&mut self, period: u64) -> bool {
        self.0.next_u64().is_multiple_of(period)
    }

    /// A factor close to 1, for differences between workers.
    pub(super) fn factor(&mut self, spread: f64) -> f64 {
        libm::exp(spread * normal(self.0.next_u64()))
    }

    fn shape(bits: u64, median: f64, spread: f64) -> i64 {
        (median * libm::exp(spread * normal(bits))) as i64
    }
}

/// A nearly normal number from 64 random bits: the sum of four uniform 16-bit lanes, centred and scaled to variance 1.
///
/// The ends are cut at ±3.46, which keeps every duration bounded.
fn normal(bits: u64) -> f64 {
    /// 4 lanes of variance (65536² - 1) / 12.
    const DEVIATION: f64 = 37_837.227_2;
    const MEAN: f64 = 2.0 * 65_535.0;
    let sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
    (sum as f64 - MEAN) / DEVIATION
}
