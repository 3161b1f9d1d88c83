//! Why an analysis has no result.

use std::fmt;

/// Why an analysis has no result. Claims and dependencies are named by their index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The caller asked to stop.
    Cancelled,
    /// The caller, or the system, has no room for this many bytes more.
    OutOfMemory {
        /// Size of the allocation that was refused.
        bytes: usize,
    },
    /// The makespan, the length of a path or the sum of its gaps does not fit 63 bits.
    Overflow,
    /// More claims than 2³² − 2 or dependencies than 2³¹ − 1.
    TooMany,
    /// The columns of the claims differ in length.
    Ragged,
    /// Epsilon is below 0.
    NegativeEpsilon {
        /// What it is.
        epsilon: i64,
    },
    /// A claim ends before it starts.
    BadClaim {
        /// The first such claim.
        index: u32,
    },
    /// A dependency names a claim that there is not.
    BadDependency {
        /// The first such dependency.
        index: u32,
    },
    /// A cycle of positive weight: the constraints contradict each other.
    Cycle {
        /// The claims along the edges, from the one that is first in the input back to it: x, y, x.
        claims: Vec<u32>,
        /// Ticks that going round once would add; above 0.
        weight: i128,
    },
    /// `Variant::Spanning` compares gaps with epsilon, which `Dependencies::Full` has not.
    SpanningInFull,
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Cancelled => write!(out, "cancelled"),
            Self::OutOfMemory { bytes } => write!(out, "no room for {bytes} bytes more"),
            Self::Overflow => write!(out, "a time span does not fit 63 bits of ticks"),
            Self::TooMany => write!(out, "more claims or dependencies than 32 bits can number"),
            Self::Ragged => write!(out, "the columns of the claims differ in length"),
            Self::NegativeEpsilon { epsilon } => write!(out, "epsilon is {epsilon}, below 0"),
            Self::BadClaim { index } => write!(out, "claim {index} ends before it starts"),
            Self::BadDependency { index } => {
                write!(out, "dependency {index} names a claim that does not exist")
            }
            Self::Cycle { claims, weight } => {
                write!(out, "inconsistent constraints: cycle ")?;
                for (at, claim) in claims.iter().enumerate() {
                    let arrow = if at > 0 { " -> " } else { "" };
                    write!(out, "{arrow}{claim}")?;
                }
                write!(out, " of weight {weight}")
            }
            Self::SpanningInFull => write!(out, "spanning chains need an epsilon"),
        }
    }
}

impl std::error::Error for Failure {}
