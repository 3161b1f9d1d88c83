//! A simulated StarPU run of a tiled Cholesky factorisation, for `generate cholesky`.
//!
//! The task graph is the true one (potrf, trsm, syrk, gemm on the lower triangle), scheduled as StarPU's `dmdas` does on
//! CPU cores and CUDA devices with seeded durations. Every relation of the trace is a pass of its own over the same
//! deterministic run, so rows stream: no pass keeps the graph or the rows, only O(tiles² + workers + ready tasks).
//! All times are nanoseconds since the start of the run; the same parameters give the same rows on every machine.

mod graph;
mod memory;
mod noise;
mod passes;
mod platform;
mod rows;
mod sequencer;
mod simulation;
mod startup;
#[cfg(test)]
mod tests;

use std::fmt;

pub use graph::{dependency_count, task_count};
pub use passes::{Links, States, Variables};
pub use rows::{
    Access, EventRow, LinkRow, ResourceRow, StateRow, StateType, StateValue, TaskAttributes,
    VariableRow,
};

use platform::Platform;
use simulation::{Silent, Simulation};

/// What to factorise and on which machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Tiles in a row of the matrix (960 × 960 doubles each), 1 to [`Parameters::MAX_TILES`].
    pub tiles: u32,
    /// CPU workers, at most [`Parameters::MAX_CPUS`].
    pub cpus: u32,
    /// CUDA workers, each with its own memory, at most [`Parameters::MAX_GPUS`].
    pub gpus: u32,
    /// Seed of all durations; any number.
    pub seed: u64,
}

impl Default for Parameters {
    /// A run of about three seconds that shows a ramp, a dense middle and a tail.
    fn default() -> Self {
        Self {
            tiles: 20,
            cpus: 8,
            gpus: 2,
            seed: 1,
        }
    }
}

impl Parameters {
    /// Most tiles in a row: 1.3·10⁹ tasks, which still keeps every time far from the end of an i64.
    pub const MAX_TILES: u32 = 2000;
    /// Most CPU workers.
    pub const MAX_CPUS: u32 = 1024;
    /// Most CUDA workers; the places of a tile are bits of a u64.
    pub const MAX_GPUS: u32 = 32;

    /// Says which parameter is out of its range, if one is.
    pub fn validate(&self) -> Result<(), ParameterError> {
        if !(1..=Self::MAX_TILES).contains(&self.tiles) {
            return Err(ParameterError::Tiles(self.tiles));
        }
        if self.cpus > Self::MAX_CPUS {
            return Err(ParameterError::Cpus(self.cpus));
        }
        if self.gpus > Self::MAX_GPUS {
            return Err(ParameterError::Gpus(self.gpus));
        }
        if self.cpus == 0 && self.gpus == 0 {
            return Err(ParameterError::NoWorker);
        }
        Ok(())
    }
}

/// A parameter out of its range, with the value it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterError {
    /// `tiles` is 0 or above [`Parameters::MAX_TILES`].
    Tiles(u32),
    /// `cpus` is above [`Parameters::MAX_CPUS`].
    Cpus(u32),
    /// `gpus` is above [`Parameters::MAX_GPUS`].
    Gpus(u32),
    /// Neither a CPU nor a CUDA worker.
    NoWorker,
}

impl fmt::Display for ParameterError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tiles(value) => write!(
                formatter,
                "`tiles` must be from 1 to {}, not {value}",
                Parameters::MAX_TILES
            ),
            Self::Cpus(value) => write!(
                formatter,
                "`cpus` must be at most {}, not {value}",
                Parameters::MAX_CPUS
            ),
            Self::Gpus(value) => write!(
                formatter,
                "`gpus` must be at most {}, not {value}",
                Parameters::MAX_GPUS
            ),
            Self::NoWorker => write!(formatter, "`cpus` and `gpus` must not both be 0"),
        }
    }
}

impl std::error::Error for ParameterError {}

/// The resources, parents before children; the index in this list is the `resource` of all other rows.
///
/// Their number is 4 + cpus + 3·gpus: program, scheduler, main memory and its manager, CPU workers, then for each device
/// its memory node, memory manager and worker. Only workers and the managers of devices have states.
pub fn resources(parameters: &Parameters) -> Result<Vec<ResourceRow>, ParameterError> {
    parameters.validate()?;
    Ok(Platform::new(parameters).resources())
}

/// The states, by non-decreasing start; ids are 0, 1, … in this order.
///
/// Rows of one track (resource) are properly nested, an outer row before the rows inside it.
pub fn states(parameters: &Parameters) -> Result<States, ParameterError> {
    parameters.validate()?;
    Ok(States::new(parameters))
}

/// The dependencies between tasks, by non-decreasing *end*: they come out where the target starts.
///
/// Memory stays O(tiles²): the source of a dependency is always the last writer of a tile, so one id per tile is enough.
pub fn links(parameters: &Parameters) -> Result<Links, ParameterError> {
    parameters.validate()?;
    Ok(Links::new(parameters))
}

/// The scheduler's variables, ready and submitted uncompleted tasks, by non-decreasing start; each is a staircase
/// without holes from its first change to the end of the run.
pub fn variables(parameters: &Parameters) -> Result<Variables, ParameterError> {
    parameters.validate()?;
    Ok(Variables::new(parameters))
}

/// The events, by time: start of profiling, one mark for each iteration as its submission begins, end of profiling.
///
/// The time of the last one needs the whole run; when `keep_going`, asked now and then, says no, it is left out.
pub fn events(
    parameters: &Parameters,
    keep_going: impl FnMut() -> bool,
) -> Result<Vec<EventRow>, ParameterError> {
    parameters.validate()?;
    Ok(passes::events(parameters, keep_going))
}

/// The end of the run in nanoseconds; None when `keep_going`, asked now and then, said no.
pub fn span(
    parameters: &Parameters,
    mut keep_going: impl FnMut() -> bool,
) -> Result<Option<i64>, ParameterError> {
    /// Steps between two questions: about a millisecond.
    const STRIDE: usize = 4096;
    parameters.validate()?;
    let mut simulation = Simulation::new(parameters);
    loop {
        if !keep_going() {
            return Ok(None);
        }
        for _ in 0..STRIDE {
            if !simulation.step(&mut Silent) {
                return Ok(Some(simulation.now()));
            }
        }
    }
}
