//! What can go wrong in the state nodes while rows flow. Each error is plain data, carried out of DataFusion as
//! `DataFusionError::External`, so that the session can turn it into a diagnostic.

use std::error::Error;
use std::fmt;

use datafusion::error::DataFusionError;

use crate::algo::chunk::Overflow;

/// A row that is no state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadState {
    /// What the input's column `row` says of it, where there is such a column.
    pub row: Option<i64>,
    /// What is wrong.
    pub reason: BadReason,
}

/// Why a row is no state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadReason {
    /// `start` is null.
    NoStart,
    /// `end` is null.
    NoEnd,
    /// It ends before it starts.
    EndBeforeStart {
        /// Ticks.
        start: i64,
        /// Ticks.
        end: i64,
    },
    /// The source declared an order by start and does not keep it.
    OutOfOrder,
    /// Its duration, or a sum or number with it, does not fit into 63 bits.
    Overflow,
}

impl fmt::Display for BadState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(row) = self.row {
            write!(f, "row {row}: ")?;
        }
        match self.reason {
            BadReason::NoStart => write!(f, "start is missing"),
            BadReason::NoEnd => write!(f, "end is missing"),
            BadReason::EndBeforeStart { start, end } => {
                write!(f, "ends before it starts ({end} is before {start})")
            }
            BadReason::OutOfOrder => write!(
                f,
                "starts before the row ahead of it, in a source that is said to be sorted"
            ),
            BadReason::Overflow => write!(f, "a sum of time does not fit into 63 bits of ticks"),
        }
    }
}

impl Error for BadState {}

impl From<Overflow> for BadState {
    fn from(_: Overflow) -> Self {
        Self {
            row: None,
            reason: BadReason::Overflow,
        }
    }
}

impl From<BadState> for DataFusionError {
    fn from(bad: BadState) -> Self {
        Self::External(Box::new(bad))
    }
}

/// A verb that needs more memory than there may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryExceeded {
    /// The verb as written in the language.
    pub verb: &'static str,
    /// Bytes that it wanted to hold in this partition.
    pub wanted: usize,
    /// Bytes that all of the query may hold, where known.
    pub limit: Option<usize>,
}

impl fmt::Display for MemoryExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` needs {} bytes for states that are still open",
            self.verb, self.wanted
        )?;
        if let Some(limit) = self.limit {
            write!(f, ", more than is left of the limit of {limit} bytes")?;
        }
        write!(
            f,
            "; raise the memory limit, or take fewer states with `filter` or `window` before it"
        )
    }
}

impl Error for MemoryExceeded {}

impl From<MemoryExceeded> for DataFusionError {
    fn from(exceeded: MemoryExceeded) -> Self {
        Self::External(Box::new(exceeded))
    }
}

/// What makes states no claims of a critical path, or dependencies none between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimFault {
    /// A state has no id.
    NoId {
        /// Its row.
        row: u32,
    },
    /// Two states have one id.
    DuplicateId {
        /// The id.
        id: String,
    },
    /// A dependency names a state that the trace does not have.
    UnknownId {
        /// The id that is missing.
        id: String,
        /// The dependency's first end.
        from: String,
        /// The dependency's second end.
        to: String,
    },
    /// A dependency joins points that are neither start nor end.
    BadPoint {
        /// What stands there.
        point: String,
        /// The dependency's first end.
        from: String,
        /// The dependency's second end.
        to: String,
    },
    /// The trace says nothing of dependencies.
    NoDependencies,
    /// Dependencies contradict each other.
    Cycle {
        /// The ids round the cycle, the first one again at the end.
        ids: Vec<String>,
    },
    /// A length does not fit into 63 bits of ticks.
    Overflow,
    /// Nobody waits for the result any more.
    Cancelled,
}

impl fmt::Display for ClaimFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoId { row } => write!(f, "state {row} has no id"),
            Self::DuplicateId { id } => write!(f, "two states have the id `{id}`"),
            Self::UnknownId { id, from, to } => write!(
                f,
                "the dependency `{from}` -> `{to}` names `{id}`, which is no state of the trace"
            ),
            Self::BadPoint { point, from, to } => write!(
                f,
                "the dependency `{from}` -> `{to}` is at `{point}`, which is neither `start` nor `end`"
            ),
            Self::NoDependencies => write!(f, "the trace has no dependencies"),
            Self::Cycle { ids } => {
                write!(f, "inconsistent constraints: cycle {}", ids.join(" -> "))
            }
            Self::Overflow => write!(f, "a length does not fit into 63 bits of ticks"),
            Self::Cancelled => write!(f, "cancelled"),
        }
    }
}

impl Error for ClaimFault {}

impl From<ClaimFault> for DataFusionError {
    fn from(fault: ClaimFault) -> Self {
        Self::External(Box::new(fault))
    }
}
