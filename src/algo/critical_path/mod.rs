//! Critical path of a trace: the longest paths through a graph of constraints between claims (critical-path.md, after
//! the critical-path analysis of TRACE). A claim is a row of a trace: a resource, busy from `start` to `end`.
//!
//! ```text
//!   claims ──► timeline (sorted once) ──► window (into, out) ──► junction (shared edges) ──► blocking, walk
//!         └──► dependency (repeats dropped) ──► graph, component, longest, trail             (full)
//! ```
//!
//! All that the manual leaves open is decided in this folder and said where it is decided:
//!
//! - **Longest path.** `L` is the weight of the heaviest path through the graph of section 2. Without lower bounds above 0
//!   that is section 3's largest `into + d + out`; with `min_delay` the waiting that a bound enforces counts as well, so
//!   that no path is heavier than `L`, and slack stays what it means: by how much the claim may grow.
//! - **Edges** join different claims. A dependency of a claim on itself is a constraint (it may be a positive cycle), but
//!   never an edge, and no claim is blocked by it.
//! - **Order of edges:** by the time of `to_point`, then `to` in the input, the time of `from_point`, `from` in the input;
//!   then (only in `full`) `to_point`, `from_point` (start before end), the dependency in the input, lower before upper
//!   bound.
//! - **Blocking** looks at all critical edges whose `to` is the claim, at whichever point they arrive.
//! - A dependency repeats another when points and bounds are the same too; no `min_delay` is a `min_delay` of 0.
//!
//! Times are exact `i64` ticks. What does not fit is [`Failure::Overflow`]; nothing wraps.

mod blocking;
mod component;
mod dependency;
mod edges;
mod epsilon;
mod failure;
mod full;
mod graph;
mod junction;
mod longest;
mod spanning;
mod sweep;
mod timeline;
mod trail;
mod transitive;
mod walk;
mod watch;
mod window;

#[cfg(test)]
mod tests;

use std::num::NonZeroU32;

pub use dependency::{Dependency, Point};
pub use edges::{CriticalEdges, Edge, Edges, Junction, Kind};
pub use failure::Failure;
pub use spanning::spanning_epsilon;
pub use sweep::{SweepRow, epsilon_sweep};
pub use watch::{OutOfMemory, Unwatched, Watch};

use dependency::Table;
use timeline::Timeline;
use watch::Steps;

/// The claims, a column each; all of one length. Their order is the order of the input, the last tie-break everywhere.
#[derive(Clone, Copy, Debug)]
pub struct Claims<'a> {
    /// First tick of each claim.
    pub start: &'a [i64],
    /// Tick after the last one, at least `start`.
    pub end: &'a [i64],
    /// Number of the resource that the claim is on; any numbers.
    pub resource: &'a [u32],
}

impl Claims<'_> {
    /// How many claims there are.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// Ticks from start to end; the caller has seen to it by a [`Timeline`] that this cannot overflow.
    pub(super) fn length(&self, claim: u32) -> i64 {
        self.end[claim as usize] - self.start[claim as usize]
    }

    fn time(&self, claim: u32, point: Point) -> i64 {
        match point {
            Point::Start => self.start[claim as usize],
            Point::End => self.end[claim as usize],
        }
    }

    fn is_instant(&self, claim: u32) -> bool {
        self.end[claim as usize] == self.start[claim as usize]
    }
}

/// Which graph is built (section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub enum Dependencies {
    /// The dependencies are the edges; epsilon is not used.
    Full,
    /// An edge from `a` to `b` where `b` starts at most epsilon after `a` ends; dependencies are only counted.
    None,
    /// The graph of `None`; dependencies from end to start label its edges, whatever their bounds.
    Application,
}

/// Which edges conform to the dependencies, in `Application` (section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub enum Conform {
    /// Those that the table has.
    Direct,
    /// Also those whose ends are joined by a chain of critical edges that the table has, through claims of length 0 only:
    /// `a -> c` beside `a -> z -> c`. Labels, kinds and `blocked_if` see it; paths and walks prefer direct ones as before.
    /// A backward walk has no edges beside its own, so there it is the same as `Direct`.
    Transitive,
}

/// When a claim counts as blocked by a dependency, in `Application` (section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub enum BlockedIf {
    /// One of its critical incoming edges conforms.
    Any,
    /// All of them conform. A claim for which they do not is blocked by `resource` where one of those that do not conform
    /// comes from the claim's own resource, else by `other`.
    All,
}

/// What is called critical (sections 3 and 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub enum Variant {
    /// The claims and edges of all longest paths.
    Longest,
    /// The claims and edges of all chains from the first start to the last end with every gap, the first and the last one
    /// too, in `[0, epsilon]`. Not for `Full`.
    Spanning,
    /// One chain, back from the claim that ends last (then the longer, then the first in the input), always to the
    /// predecessor that ended last; ties: dependency, same resource, longer, first in the input. In `Full` the
    /// predecessors are the claims with a dependency (not an upper bound) that arrives at the start. No claim twice.
    BackwardWalk,
}

/// The parameters of [`analyse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub struct Options {
    /// Which graph is built.
    pub dependencies: Dependencies,
    /// The largest gap that joins two claims, in ticks, at least 0.
    pub epsilon: i64,
    /// Which edges conform.
    pub conform: Conform,
    /// When a claim is blocked by a dependency.
    pub blocked_if: BlockedIf,
    /// What is called critical.
    pub variant: Variant,
}

/// What a critical claim waited for (section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
pub enum Blocking {
    /// Nothing: no critical edge arrives.
    Start,
    /// A dependency.
    Dependency,
    /// A claim of its own resource.
    Resource,
    /// Another claim.
    Other,
}

/// What [`analyse`] finds. Columns have one entry for each claim, in the order of the input.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Whether the claim is critical.
    pub critical: Vec<bool>,
    /// By how many ticks the claim may grow before the longest path grows. None for the variants, which are no longest
    /// paths.
    pub slack: Option<Vec<i64>>,
    /// From 1 over the critical claims, by `into`, `into + d`, start, input; for the variants by start, end, input.
    pub path_order: Vec<Option<NonZeroU32>>,
    /// From 1 over the claims of [`Analysis::path`].
    pub path_position: Vec<Option<NonZeroU32>>,
    /// What each critical claim waited for.
    pub blocking: Vec<Option<Blocking>>,
    /// Weight of the longest path in ticks; for the variants the sum of the lengths of the claims on `path`.
    pub length: i64,
    /// Sum of the gaps on `path`, in ticks; negative where the trace violates dependencies.
    pub path_gap: i64,
    /// Ticks from the first start to the last end; 0 without claims.
    pub makespan: i64,
    /// One representative path in the order of time; the walk itself for the backward walk; for `Spanning` the chain that
    /// goes back from the last end by the smallest gap for as long as it can.
    pub path: Vec<u32>,
    /// How many dependencies there are without repeats; in every mode.
    pub dependencies: u64,
    /// The dependencies (their indices, first of repeats, ascending) whose observed gap is below `min_delay` (0 where there
    /// is none) or above `max_delay`; only in `Full`.
    pub violated: Vec<u32>,
    /// The critical edges, not expanded.
    pub edges: CriticalEdges,
}

/// Finds the critical claims and edges.
///
/// `None` and `Application` take O(n log n + e) time and O(n + e) memory for `n` claims and `e` dependencies, at any
/// epsilon; expanding edges comes on top, and only when asked for. Two options of `Application` go beyond that where many
/// claims at one instant wait for different sets of instants: `Conform::Transitive` with `BlockedIf::All`, which takes one
/// search of the instants before a junction for each such set. `Full` takes O(n + e) where no cycle has an edge of
/// negative weight, besides sorting what comes out and the dependencies of each claim; else the component of such a
/// cycle takes up to as many rounds over its edges as it has claims, though few where the trace keeps its order.
pub fn analyse(
    claims: Claims,
    dependencies: &[Dependency],
    options: &Options,
    watch: &mut dyn Watch,
) -> Result<Analysis, Failure> {
    let mut steps = Steps::new(watch)?;
    if options.epsilon < 0 {
        return Err(Failure::NegativeEpsilon {
            epsilon: options.epsilon,
        });
    }
    let span = Timeline::check(&claims, &mut steps)?;
    let table = Table::new(claims.len(), dependencies, &mut steps)?;
    match options.dependencies {
        Dependencies::Full => {
            full::analyse(claims, dependencies, &table, span, options, &mut steps)
        }
        Dependencies::None | Dependencies::Application => {
            epsilon::analyse(claims, dependencies, &table, span, options, &mut steps)
        }
    }
}
