//! The rows of the passes: small, Copy, names as enums or static text so that nothing is allocated for a row.

/// A resource. Its index in [`super::resources`] stands for it in all other rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceRow {
    /// Names from the root down, joined by `/`; unique.
    pub path: String,
    /// Last name of the path, as StarPU calls the container.
    pub name: String,
    /// Index of the parent; None for the root.
    pub parent: Option<u32>,
    /// Container type, as StarPU calls it.
    pub resource_type: &'static str,
}

/// The types of states: one for each kind of track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum StateType {
    /// What a worker does.
    Worker,
    /// What the manager of a device's memory does.
    MemoryNode,
}

impl StateType {
    /// All types, in the order of their numbers (`state_type as usize`).
    pub const ALL: [Self; 2] = [Self::Worker, Self::MemoryNode];

    /// The name in the trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::Worker => "Worker State",
            Self::MemoryNode => "Memory Node State",
        }
    }
}

/// The values of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum StateValue {
    /// Task: Cholesky factorisation of a diagonal tile.
    Potrf,
    /// Task: triangular solve of a tile below it.
    Trsm,
    /// Task: symmetric update of a diagonal tile.
    Syrk,
    /// Task: update of another tile.
    Gemm,
    /// The container exists, its thread does not run yet.
    Nothing,
    /// The worker starts: binding, for a device also its context.
    Initializing,
    /// StarPU runs a function on every worker, here the set-up of the BLAS library.
    ExecuteOnAll,
    /// No task for a long while.
    Sleeping,
    /// No task, or not yet: the worker still polls.
    Blocked,
    /// Choosing a worker for a ready task, or popping one after a sleep.
    Scheduling,
    /// Before a task: its tiles are brought to the worker's memory.
    FetchingInput,
    /// A tile gets room on a device.
    Allocating,
    /// Tiles are dropped from a full device.
    Reclaiming,
    /// A tile is copied to or from a device.
    DriverCopy,
    /// A copy for the next task is launched while a task runs.
    DriverCopyAsync,
    /// After a task: its tiles are released.
    PushingOutput,
    /// After that: the task's callback, which sets its successors free.
    Callback,
}

impl StateValue {
    /// All values, in the order of their numbers (`value as usize`).
    pub const ALL: [Self; 17] = [
        Self::Potrf,
        Self::Trsm,
        Self::Syrk,
        Self::Gemm,
        Self::Nothing,
        Self::Initializing,
        Self::ExecuteOnAll,
        Self::Sleeping,
        Self::Blocked,
        Self::Scheduling,
        Self::FetchingInput,
        Self::Allocating,
        Self::Reclaiming,
        Self::DriverCopy,
        Self::DriverCopyAsync,
        Self::PushingOutput,
        Self::Callback,
    ];

    /// The name in the trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::Potrf => "potrf",
            Self::Trsm => "trsm",
            Self::Syrk => "syrk",
            Self::Gemm => "gemm",
            Self::Nothing => "Nothing",
            Self::Initializing => "Initializing",
            Self::ExecuteOnAll => "execute_on_all_wrapper",
            Self::Sleeping => "Sleeping",
            Self::Blocked => "Blocked",
            Self::Scheduling => "Scheduling",
            Self::FetchingInput => "FetchingInput",
            Self::Allocating => "Allocating",
            Self::Reclaiming => "Reclaiming",
            Self::DriverCopy => "DriverCopy",
            Self::DriverCopyAsync => "DriverCopyAsync",
            Self::PushingOutput => "PushingOutput",
            Self::Callback => "Callback",
        }
    }
}

/// A state of a worker or memory manager.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateRow {
    /// Row number, from 0.
    pub id: u64,
    /// Index of the resource.
    pub resource: u32,
    /// Type of the state; with the resource it names the track.
    pub state_type: StateType,
    /// Value of the state.
    pub value: StateValue,
    /// Start in nanoseconds.
    pub start: i64,
    /// End in nanoseconds, not before the start.
    pub end: i64,
    /// Rows of the same track around this one: 0 or 1.
    pub depth: u16,
    /// What the task is; None for states of the runtime system.
    pub task: Option<TaskAttributes>,
}

/// The attributes StarPU adds to the state of a task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskAttributes {
    /// Number of the job, from 1. All jobs are submitted tasks here, so it is the submission order.
    pub job_id: u64,
    /// Place in submission order, from 1.
    pub submit_order: u64,
    /// Row of the rewritten tile, from 0.
    pub x: u32,
    /// Column of the rewritten tile, from 0, at most `x`.
    pub y: u32,
    /// Iteration of the outer loop, from 0, at most `y`.
    pub iteration: u32,
    /// Priority given at submission; greater is more urgent.
    pub priority: u32,
    /// Work in 10⁹ floating-point operations.
    pub gflop: f64,
}

/// How the target of a dependency uses the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Access {
    /// It reads what the source wrote.
    Read,
    /// It rewrites what the source wrote.
    ReadWrite,
}

impl Access {
    /// StarPU's name of the access mode.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "R",
            Self::ReadWrite => "RW",
        }
    }
}

/// A dependency between two tasks, from the end of the source to the start of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkRow {
    /// Row number, from 0.
    pub id: u64,
    /// How the target uses the tile; its name is the link's value.
    pub access: Access,
    /// Id of the source's state.
    pub source: u64,
    /// Id of the target's state.
    pub target: u64,
    /// Index of the worker of the source.
    pub source_resource: u32,
    /// Index of the worker of the target.
    pub target_resource: u32,
    /// End of the source's state in nanoseconds.
    pub start: i64,
    /// Start of the target's state in nanoseconds, not before `start`.
    pub end: i64,
    /// Row of the tile both use.
    pub x: u32,
    /// Column of the tile both use.
    pub y: u32,
}

impl LinkRow {
    /// The type of all these links.
    pub const TYPE: &'static str = "Task Dependency";
}

/// A step of a staircase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VariableRow {
    /// Index of the resource.
    pub resource: u32,
    /// Name of the variable, as StarPU calls it.
    pub metric: &'static str,
    /// Start in nanoseconds.
    pub start: i64,
    /// End in nanoseconds, after the start.
    pub end: i64,
    /// Number of tasks from start to end.
    pub value: f64,
}

/// An instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRow {
    /// Row number, from 0.
    pub id: u64,
    /// Index of the resource.
    pub resource: u32,
    /// Type of the event, as StarPU calls it.
    pub event_type: &'static str,
    /// Value of the event.
    pub value: &'static str,
    /// Time in nanoseconds.
    pub time: i64,
    /// Iteration whose submission begins; None for other events.
    pub iteration: Option<u32>,
}
