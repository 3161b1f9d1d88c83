//! Chains of dependencies through claims of length 0 (critical-path.md, section 4, `conform = transitive`).
//!
//! `a -> c` conforms where critical edges `a -> z`, `z -> z'`, ..., `z' -> c` are all dependencies and every claim between
//! has length 0. Each of them leads to a predecessor of `c`, so the chain never leaves the junction.

use super::Claims;
use super::dependency::Buckets;
use super::failure::Failure;
use super::junction::{Joint, Predecessor};
use super::watch::Steps;

/// What a search needs to know of the claims: 5 bytes for each.
#[derive(Debug)]
pub(super) struct Chains {
    /// Where a claim is among the predecessors; `u32::MAX` for one that is not critical.
    place: Vec<u32>,
    instant: Vec<bool>,
}

/// The memory of searches, to be used again.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// In which round each predecessor was seen last.
    seen: Vec<u32>,
    round: u32,
    open: Vec<(u32, i64)>,
    /// What the last search found: places among the predecessors, in the order of finding.
    pub(super) found: Vec<u32>,
}

impl Search {
    /// Whether the last search found this place.
    pub(super) fn has(&self, place: u32) -> bool {
        self.round > 0 && self.seen.get(place as usize) == Some(&self.round)
    }

    fn begin(&mut self, places: usize) {
        self.found.clear();
        self.open.clear();
        if self.round == u32::MAX || self.seen.len() != places {
            self.seen.clear();
            self.round = 0;
        }
        self.seen.resize(places, 0);
        self.round += 1;
    }
}

impl Chains {
    pub(super) fn new(
        claims: &Claims,
        predecessors: &[Predecessor],
        steps: &mut Steps,
    ) -> Result<Self, Failure> {
        let mut place = steps.filled(u32::MAX, claims.len())?;
        let mut instant = steps.filled(false, claims.len())?;
        for (at, one) in (0..).zip(predecessors) {
            steps.step()?;
            place[one.claim as usize] = at;
            instant[one.claim as usize] = claims.is_instant(one.claim);
        }
        Ok(Self { place, instant })
    }

    /// The place of a claim, if it is a predecessor in this junction.
    pub(super) fn place(&self, joint: &Joint, claim: u32) -> Option<u32> {
        let place = self.place.get(claim as usize).copied()?;
        joint.predecessors.contains(&place).then_some(place)
    }

    /// Whether a claim is a predecessor in this junction and has length 0.
    pub(super) fn passes(&self, joint: &Joint, claim: u32) -> bool {
        let instant = self.instant.get(claim as usize) == Some(&true);
        instant && self.place(joint, claim).is_some()
    }

    /// Finds all predecessors from which a chain leads to one of `last`, which are counted as found where they are
    /// predecessors themselves. Takes time linear in the dependencies of the claims it passes.
    pub(super) fn search(
        &self,
        labels: &Buckets,
        predecessors: &[Predecessor],
        joint: &Joint,
        last: impl Iterator<Item = u32>,
        search: &mut Search,
    ) {
        search.begin(predecessors.len());
        for claim in last {
            self.visit(predecessors, joint, (claim, joint.time), search);
        }
        while let Some((claim, time)) = search.open.pop() {
            for &from in labels.of(claim) {
                self.visit(predecessors, joint, (from, time), search);
            }
        }
    }

    /// Takes in a claim if it is a predecessor that ends by `time`.
    fn visit(
        &self,
        predecessors: &[Predecessor],
        joint: &Joint,
        (claim, time): (u32, i64),
        search: &mut Search,
    ) {
        let Some(place) = self.place(joint, claim) else {
            return;
        };
        let Some(one) = predecessors.get(place as usize) else {
            return;
        };
        if one.end > time || search.has(place) {
            return;
        }
        search.seen[place as usize] = search.round;
        search.found.push(place);
        if self.instant.get(claim as usize) == Some(&true) {
            search.open.push((claim, one.end));
        }
    }
}
