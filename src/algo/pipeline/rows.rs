//! The rows of a run.

/// What a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// Runs one task at a time.
    Processor,
    /// Holds the buffers of images.
    Memory,
}

impl ResourceKind {
    /// The name in the trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::Processor => "processor",
            Self::Memory => "memory",
        }
    }

    /// First letter of the names of such resources.
    pub(super) fn letter(self) -> char {
        match self {
            Self::Processor => 'P',
            Self::Memory => 'M',
        }
    }
}

/// A resource. Its index in [`super::resources`] stands for it in all other rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceRow {
    /// Name, unique.
    pub name: String,
    /// What it is.
    pub kind: ResourceKind,
    /// How much of it there is, in units.
    pub capacity: u32,
}

/// A part of a resource that a task has while it runs. Its index in [`Run::claims`] is its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Index of the resource.
    pub resource: u32,
    /// What the resource is.
    pub kind: ResourceKind,
    /// The stage, from 0; [`super::task_name`] names it.
    pub stage: u8,
    /// The image, from 0.
    pub image: u32,
    /// Start in nanoseconds.
    pub start: i64,
    /// End in nanoseconds, after the start.
    pub end: i64,
    /// Units of the resource, at least 1.
    pub amount: u32,
    /// First of the units, from 0; `offset + amount` is at most the capacity.
    pub offset: u32,
}

/// What a task needs of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// The image, from the stage before.
    Image,
    /// Where the image begins in the input stream, from the first stage's task of the image before.
    Stream,
}

impl Data {
    /// The name in the trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Stream => "stream",
        }
    }
}

/// A data dependency, from the end of a claim to the start of another of the same kind of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// What is needed.
    pub data: Data,
    /// Id of the claim whose task must be over.
    pub source: u32,
    /// Id of the claim whose task waits for it.
    pub target: u32,
}

impl Dependency {
    /// The type of all these links.
    pub const TYPE: &'static str = "dependency";
}

/// A step of the staircase that counts the units of a memory that are taken, also by images between two stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Index of the memory.
    pub resource: u32,
    /// Start in nanoseconds.
    pub start: i64,
    /// End in nanoseconds, after the start.
    pub end: i64,
    /// Units taken from start to end.
    pub amount: u32,
}

impl Usage {
    /// Name of the variable.
    pub const METRIC: &'static str = "allocated";
}

/// All rows of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Two claims for each stage of each image, on its processor and on its memory, next to each other in this order; by
    /// start, then image, then stage.
    pub claims: Vec<Claim>,
    /// The dependencies, between the claims on processors and again between those on memories, so that a filter on either
    /// keeps them; by end of the source, then by ids.
    pub dependencies: Vec<Dependency>,
    /// For each memory a staircase without holes from its first buffer to its last; by start, then memory.
    pub usage: Vec<Usage>,
}
