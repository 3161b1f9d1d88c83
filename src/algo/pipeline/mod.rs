//! A simulated image pipeline with limited memory, for `generate pipeline`: the trace on which a critical path over the
//! dependencies alone goes wrong, because a task also waits for memory that another one holds.
//!
//! ```text
//! image i:   A ─▶ B ─▶ C ─▶ … ─▶ G        stage s runs on processor s, one image at a time, in image order
//!            M1   M2 ───────── M2         B takes a buffer of M2 and hands it on; G gives it back
//! ```
//!
//! A stage starts an image as soon as the stage before it is done with the image, its processor is done with the image
//! before, and, where the stage takes a buffer, the memory has room. Nothing else takes time, so a start is always the
//! end of something (or 0): a gap of 0 explains it. All times are nanoseconds; the same parameters give the same rows on
//! every machine, and a run of more images begins with the run of fewer.

mod memory;
mod rows;
mod simulation;
#[cfg(test)]
mod tests;

use std::fmt;

pub use rows::{Claim, Data, Dependency, ResourceKind, ResourceRow, Run, Usage};

/// How long the pipeline is and what it runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Stages, each with its own processor, 1 to [`Parameters::MAX_TASKS`].
    pub tasks: u32,
    /// Memories, 1 to `tasks`: the first stage works in the first, the others share out the rest evenly and in order.
    pub memories: u32,
    /// Units of each memory, [`Parameters::FRAME`] to [`Parameters::MAX_CAPACITY`].
    pub capacity: u32,
    /// Images, 1 to [`Parameters::MAX_IMAGES`].
    pub images: u32,
    /// Seed of the sizes of images and of all durations; any number.
    pub seed: u64,
}

impl Default for Parameters {
    /// Seven stages and room for three images in the memory of the last six, one less than would keep the first busy.
    fn default() -> Self {
        Self {
            tasks: 7,
            memories: 2,
            capacity: 100,
            images: 20,
            seed: 1,
        }
    }
}

impl Parameters {
    /// Most stages: the letters from A to Z.
    pub const MAX_TASKS: u32 = 26;
    /// Most units of a memory.
    pub const MAX_CAPACITY: u32 = 1_000_000;
    /// Most images: 1.04 million claims with all stages.
    pub const MAX_IMAGES: u32 = 20_000;
    /// Units that the largest image needs; buffers begin at multiples of it.
    pub const FRAME: u32 = 30;
    /// Units that the smallest image needs.
    pub const SMALLEST: u32 = 25;

    /// Says which parameter is out of its range, if one is.
    pub fn validate(&self) -> Result<(), ParameterError> {
        if !(1..=Self::MAX_TASKS).contains(&self.tasks) {
            return Err(ParameterError::Tasks(self.tasks));
        }
        if !(1..=self.tasks).contains(&self.memories) {
            return Err(ParameterError::Memories(self.memories, self.tasks));
        }
        if !(Self::FRAME..=Self::MAX_CAPACITY).contains(&self.capacity) {
            return Err(ParameterError::Capacity(self.capacity));
        }
        if !(1..=Self::MAX_IMAGES).contains(&self.images) {
            return Err(ParameterError::Images(self.images));
        }
        Ok(())
    }

    /// Index of the memory a stage works in.
    fn memory_of(&self, stage: u32) -> u32 {
        match stage.checked_sub(1) {
            Some(other) if self.memories > 1 => 1 + other * (self.memories - 1) / (self.tasks - 1),
            _ => 0,
        }
    }

    /// Does the stage take a buffer, rather than go on with that of the stage before?
    fn takes_buffer(&self, stage: u32) -> bool {
        match stage.checked_sub(1) {
            Some(before) => self.memory_of(before) != self.memory_of(stage),
            None => true,
        }
    }

    /// Does the stage give its buffer back, rather than hand it to the next stage?
    fn gives_buffer_back(&self, stage: u32) -> bool {
        stage + 1 == self.tasks || self.takes_buffer(stage + 1)
    }
}

/// A parameter out of its range, with the value it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterError {
    /// `tasks` is 0 or above [`Parameters::MAX_TASKS`].
    Tasks(u32),
    /// `memories` is 0 or above the number of tasks, which comes second.
    Memories(u32, u32),
    /// `capacity` has no room for an image or is above [`Parameters::MAX_CAPACITY`].
    Capacity(u32),
    /// `images` is 0 or above [`Parameters::MAX_IMAGES`].
    Images(u32),
}

impl fmt::Display for ParameterError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tasks(value) => write!(
                formatter,
                "`tasks` must be from 1 to {}, not {value}",
                Parameters::MAX_TASKS
            ),
            Self::Memories(value, tasks) => write!(
                formatter,
                "`memories` must be from 1 to the number of tasks, which is {tasks}, not {value}"
            ),
            Self::Capacity(value) => write!(
                formatter,
                "`capacity` must be from {} (the largest image) to {}, not {value}",
                Parameters::FRAME,
                Parameters::MAX_CAPACITY
            ),
            Self::Images(value) => write!(
                formatter,
                "`images` must be from 1 to {}, not {value}",
                Parameters::MAX_IMAGES
            ),
        }
    }
}

impl std::error::Error for ParameterError {}

/// The resources: processors P1, P2, … of capacity 1, then memories M1, M2, …; the index in this list is the `resource`
/// of all other rows.
pub fn resources(parameters: &Parameters) -> Result<Vec<ResourceRow>, ParameterError> {
    parameters.validate()?;
    let row = |kind: ResourceKind, number: u32, capacity| ResourceRow {
        name: format!("{}{number}", kind.letter()),
        kind,
        capacity,
    };
    let processors = (1..=parameters.tasks).map(|number| row(ResourceKind::Processor, number, 1));
    let memories = (1..=parameters.memories)
        .map(|number| row(ResourceKind::Memory, number, parameters.capacity));
    Ok(processors.chain(memories).collect())
}

/// Runs the pipeline. O(c log c) for c = 2 · tasks · images claims, all of which are kept.
pub fn run(parameters: &Parameters) -> Result<Run, ParameterError> {
    parameters.validate()?;
    Ok(simulation::run(parameters))
}

/// The name of a stage: A, B, C, …
pub fn task_name(stage: u8) -> &'static str {
    const NAMES: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let at = usize::from(stage);
    NAMES.get(at..at + 1).unwrap_or("?")
}
