//! Critical edges of the epsilon graph, not expanded (critical-path.md, section 6).
//!
//! For a critical `b` that starts at `t`, `a -> b` is critical iff `into(a) + d(a) = M(t)` and `a` ends in the window
//! before `t`; then `a` is critical too. So with the critical claims sorted by (`into + d`, end, input), the predecessors
//! at `t` are one range, and the successors are one of the claims sorted by start: linear space at any epsilon.

use std::ops::Range;

use super::Claims;
use super::dependency::Buckets;
use super::failure::Failure;
use super::timeline::{Timeline, run_end};
use super::transitive::Chains;
use super::watch::Steps;

/// A critical claim as one that others may wait for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Predecessor {
    /// Weight of the heaviest path to its end; two claims can only share an edge where this is what `to` arrives with.
    pub(super) value: i64,
    pub(super) end: i64,
    pub(super) claim: u32,
    pub(super) resource: u32,
}

/// A critical claim as one that waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Successor {
    pub(super) claim: u32,
    pub(super) resource: u32,
}

/// An instant at which critical claims start, and what joins them to those before.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub(super) time: i64,
    /// The value of its predecessors.
    pub(super) arrives: i64,
    pub(super) predecessors: Range<u32>,
    pub(super) successors: Range<u32>,
    /// How many claims of length 0 are on both sides: they point at each other, but not at themselves.
    pub(super) instants: u32,
}

impl Joint {
    fn edges(&self) -> u64 {
        let pairs = self.predecessors.len() as u64 * self.successors.len() as u64;
        pairs - u64::from(self.instants)
    }
}

/// All critical edges: at most 24 + 8 bytes for each critical claim and 40 for each instant.
#[derive(Debug, Default)]
pub(super) struct Junctions {
    pub(super) predecessors: Vec<Predecessor>,
    pub(super) successors: Vec<Successor>,
    /// Ascending in time; those without an edge are left out.
    pub(super) ranges: Vec<Joint>,
    /// For each claim the claims that it depends on, ascending; none in the mode without dependencies.
    pub(super) labels: Option<Buckets>,
    /// What finds chains of dependencies, where those conform too.
    pub(super) chains: Option<Chains>,
}

impl Junctions {
    /// Joins the critical claims. `value` gives the weights of the heaviest path to a claim's start and to its end.
    pub(super) fn new(
        claims: &Claims,
        timeline: &Timeline,
        epsilon: i64,
        critical: &[bool],
        value: impl Fn(u32) -> (i64, i64),
        steps: &mut Steps,
    ) -> Result<Self, Failure> {
        let number = critical.iter().filter(|critical| **critical).count();
        let mut predecessors: Vec<Predecessor> = steps.room(number)?;
        let mut successors: Vec<Successor> = steps.room(number)?;
        for (&end, &claim) in timeline.ends.iter().zip(&timeline.ended) {
            steps.step()?;
            if critical[claim as usize] {
                predecessors.push(Predecessor {
                    value: value(claim).1,
                    end,
                    claim,
                    resource: claims.resource[claim as usize],
                });
            }
        }
        predecessors.sort_unstable_by_key(|one| (one.value, one.end, one.claim));
        let mut ranges = Vec::new();
        let mut at = 0;
        while let Some(&time) = timeline.starts.get(at) {
            steps.step()?;
            let group = at..run_end(&timeline.starts, at);
            at = group.end;
            let first = successors.len() as u32;
            let mut instants = 0;
            let mut arrives = 0;
            for &claim in &timeline.started[group] {
                steps.step()?;
                if critical[claim as usize] {
                    instants += u32::from(claims.is_instant(claim));
                    arrives = value(claim).0;
                    successors.push(Successor {
                        claim,
                        resource: claims.resource[claim as usize],
                    });
                }
            }
            let last = successors.len() as u32;
            if first == last {
                continue;
            }
            let earliest = (arrives, time.saturating_sub(epsilon));
            let from = predecessors.partition_point(|one| (one.value, one.end) < earliest);
            let to = predecessors.partition_point(|one| (one.value, one.end) <= (arrives, time));
            let range = Joint {
                time,
                arrives,
                predecessors: from as u32..to as u32,
                successors: first..last,
                instants,
            };
            if range.edges() > 0 {
                steps.push(&mut ranges, range)?;
            }
        }
        Ok(Self {
            predecessors,
            successors,
            ranges,
            labels: None,
            chains: None,
        })
    }

    /// How many edges all junctions stand for; below 2⁶⁴ because each pair of claims is joined at most once.
    pub(super) fn edges(&self) -> u64 {
        self.ranges.iter().map(Joint::edges).sum()
    }

    pub(super) fn before(&self, range: &Joint) -> &[Predecessor] {
        let span = range.predecessors.start as usize..range.predecessors.end as usize;
        self.predecessors.get(span).unwrap_or_default()
    }

    pub(super) fn after(&self, range: &Joint) -> &[Successor] {
        let span = range.successors.start as usize..range.successors.end as usize;
        self.successors.get(span).unwrap_or_default()
    }
}
