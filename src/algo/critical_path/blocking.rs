//! What each critical claim of the epsilon graph waited for, without expanding junctions (critical-path.md, section 4).

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::failure::Failure;
use super::junction::{Joint, Junctions, Successor};
use super::transitive::{Chains, Search};
use super::watch::Steps;
use super::{BlockedIf, Blocking, Claims};

/// Fills in the blocking of all critical claims; what no junction has remains at `Start`. `joins` tells whether a claim is a
/// predecessor in a junction.
///
/// Takes linear time in claims and dependencies, besides sorting the junctions and, with chains, the searches.
pub(super) fn blocking(
    claims: &Claims,
    junctions: &Junctions,
    critical: &[bool],
    joins: impl Fn(&Joint, u32) -> bool,
    blocked_if: BlockedIf,
    steps: &mut Steps,
) -> Result<Vec<Option<Blocking>>, Failure> {
    let mut out = steps.room(critical.len())?;
    for &critical in critical {
        steps.step()?;
        out.push(critical.then_some(Blocking::Start));
    }
    let same = from_same_resource(junctions, steps)?;
    let mut conforming = Conforming::new(claims, junctions, joins, blocked_if);
    for joint in &junctions.ranges {
        conforming.enter(joint, steps)?;
        let after = junctions.after(joint);
        for (at, to) in (joint.successors.start..).zip(after) {
            steps.step()?;
            let itself = u32::from(claims.is_instant(to.claim));
            let edges = joint.predecessors.len() as u32 - itself;
            let same = same[at as usize] - itself;
            let tally = conforming.tally(joint, at, to, steps)?;
            let blocked = match blocked_if {
                BlockedIf::Any => tally.all > 0,
                BlockedIf::All => tally.all == edges,
            };
            out[to.claim as usize] = Some(if edges == 0 {
                Blocking::Start
            } else if blocked {
                Blocking::Dependency
            } else if same > tally.same_resource {
                Blocking::Resource
            } else {
                Blocking::Other
            });
        }
    }
    Ok(out)
}

/// For each successor how many of its predecessors use its resource, itself counted where it is one. The ranges of
/// predecessors overlap, so each is the difference of two counts, taken in one pass over the predecessors.
fn from_same_resource(junctions: &Junctions, steps: &mut Steps) -> Result<Vec<u32>, Failure> {
    let mut same = steps.filled(0_u32, junctions.successors.len())?;
    let mut stops: Vec<(u32, bool, u32)> = steps.room(2 * junctions.ranges.len())?;
    for (number, joint) in (0..).zip(&junctions.ranges) {
        steps.step()?;
        stops.push((joint.predecessors.start, false, number));
        stops.push((joint.predecessors.end, true, number));
    }
    stops.sort_unstable();
    let mut seen: FxHashMap<u32, u32> = FxHashMap::default();
    let mut done = 0;
    for (place, is_end, number) in stops {
        for one in &junctions.predecessors[done..place as usize] {
            steps.step()?;
            *seen.entry(one.resource).or_default() += 1;
        }
        done = place as usize;
        let joint = &junctions.ranges[number as usize];
        for (to, same) in junctions.after(joint).iter().zip(part(&mut same, joint)) {
            steps.step()?;
            let count = seen.get(&to.resource).copied().unwrap_or(0);
            // A range begins before it ends, so the difference is in range once both are in; the first step may wrap.
            *same = match is_end {
                true => same.wrapping_add(count),
                false => same.wrapping_sub(count),
            };
        }
    }
    Ok(same)
}

fn part<'a>(same: &'a mut [u32], joint: &Joint) -> &'a mut [u32] {
    let Range { start, end } = joint.successors;
    same.get_mut(start as usize..end as usize)
        .unwrap_or_default()
}

/// How many of a claim's critical edges conform.
#[derive(Clone, Copy, Default)]
struct Tally {
    all: u32,
    same_resource: u32,
}

/// Counts conforming edges by the list of dependencies.
///
/// With chains (`Conform::Transitive`) a claim is blocked by any dependency iff a direct one is critical, because the last
/// link of a chain is one; so chains only matter when all have to conform. What they reach depends only on the claims of
/// length 0 that the claim depends on: claims that share those share one search.
struct Conforming<'a, J> {
    /// Whether a claim is a predecessor in a junction.
    joins: J,
    junctions: &'a Junctions,
    resource: &'a [u32],
    chains: Option<&'a Chains>,
    search: Search,
    /// Resources of what the search found, sorted.
    found: Vec<u32>,
    /// The claims of length 0 that each successor of the junction depends on, one after the other.
    gates: Vec<u32>,
    /// The part of `gates` of each successor.
    parts: Vec<Range<u32>>,
    /// The answers for the junction, by successor.
    tallies: Vec<Tally>,
}

impl<'a, J: Fn(&Joint, u32) -> bool> Conforming<'a, J> {
    fn new(claims: &Claims<'a>, junctions: &'a Junctions, joins: J, blocked_if: BlockedIf) -> Self {
        Self {
            joins,
            junctions,
            resource: claims.resource,
            chains: (junctions.chains.as_ref()).filter(|_| blocked_if == BlockedIf::All),
            search: Search::default(),
            found: Vec::new(),
            gates: Vec::new(),
            parts: Vec::new(),
            tallies: Vec::new(),
        }
    }

    /// Prepares the answers for a junction, where chains have to be followed.
    fn enter(&mut self, joint: &Joint, steps: &mut Steps) -> Result<(), Failure> {
        let (Some(labels), Some(chains)) = (&self.junctions.labels, self.chains) else {
            return Ok(());
        };
        let after = self.junctions.after(joint);
        self.gates.clear();
        self.parts.clear();
        for to in after {
            let start = self.gates.len() as u32;
            for &from in labels.of(to.claim) {
                steps.step()?;
                if chains.passes(joint, from) {
                    steps.push(&mut self.gates, from)?;
                }
            }
            let part = start..self.gates.len() as u32;
            steps.push(&mut self.parts, part)?;
        }
        self.tallies.clear();
        steps.reserve(&mut self.tallies, after.len())?;
        self.tallies.resize(after.len(), Tally::default());
        let gates_of = |at: u32| {
            let part = self.parts.get(at as usize).cloned().unwrap_or(0..0);
            &self.gates[part.start as usize..part.end as usize]
        };
        let mut order: Vec<u32> = steps.room(after.len())?;
        order.extend(0..after.len() as u32);
        order.sort_unstable_by(|&left, &right| gates_of(left).cmp(gates_of(right)));
        let mut before: Option<&[u32]> = None;
        for at in order {
            steps.step()?;
            let gates = gates_of(at);
            if before != Some(gates) {
                before = Some(gates);
                let all = &self.junctions.predecessors;
                let last = gates.iter().copied();
                chains.search(labels, all, joint, last, &mut self.search);
                self.found.clear();
                for &place in &self.search.found {
                    steps.step()?;
                    steps.push(&mut self.found, all[place as usize].resource)?;
                }
                self.found.sort_unstable();
            }
            let to = &after[at as usize];
            let mut tally = Tally {
                all: self.found.len() as u32,
                same_resource: count(&self.found, to.resource),
            };
            let itself = chains.place(joint, to.claim);
            if itself.is_some_and(|place| self.search.has(place)) {
                tally.all -= 1;
                tally.same_resource -= 1;
            }
            for &from in labels.of(to.claim) {
                steps.step()?;
                let place = chains.place(joint, from);
                if place.is_some_and(|place| !self.search.has(place)) {
                    tally.all += 1;
                    let same = self.resource[from as usize] == to.resource;
                    tally.same_resource += u32::from(same);
                }
            }
            self.tallies[at as usize] = tally;
        }
        Ok(())
    }

    fn tally(
        &self,
        joint: &Joint,
        at: u32,
        to: &Successor,
        steps: &mut Steps,
    ) -> Result<Tally, Failure> {
        if self.chains.is_some() {
            let at = (at - joint.successors.start) as usize;
            return Ok(self.tallies.get(at).copied().unwrap_or_default());
        }
        let mut tally = Tally::default();
        let Some(labels) = &self.junctions.labels else {
            return Ok(tally);
        };
        for &from in labels.of(to.claim) {
            steps.step()?;
            if (self.joins)(joint, from) {
                tally.all += 1;
                let same = self.resource[from as usize] == to.resource;
                tally.same_resource += u32::from(same);
            }
        }
        Ok(tally)
    }
}

/// How often a number is in a sorted list.
fn count(sorted: &[u32], number: u32) -> u32 {
    let from = sorted.partition_point(|&one| one < number);
    let to = sorted.partition_point(|&one| one <= number);
    (to - from) as u32
}
