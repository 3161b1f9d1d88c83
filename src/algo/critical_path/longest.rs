//! Longest paths in the constraint graph of `full` (critical-path.md, section 7).

use rustc_hash::FxHashMap;

use super::component::Components;
use super::failure::Failure;
use super::graph::Graph;
use super::watch::Steps;

/// Weights of the heaviest paths that end or begin at the start of each claim, at least 0 and at least its length.
///
/// The arithmetic is in 128 bits: nothing that memory can hold overflows it, not even on the way to finding a positive cycle.
pub(super) struct Longest {
    /// The heaviest path to the start.
    pub(super) before: Vec<i128>,
    /// The heaviest path from the start.
    pub(super) after: Vec<i128>,
    /// The heaviest path.
    pub(super) length: i128,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Before,
    After,
}

/// No bound led here yet.
const NONE: u32 = u32::MAX;

impl Longest {
    /// Fails for a cycle of positive weight. O(claims + bounds) unless a cycle has an edge of negative weight: such a
    /// component is relaxed, alternately with and against time, until nothing changes.
    pub(super) fn new(graph: &Graph, steps: &mut Steps) -> Result<Self, Failure> {
        let components = Components::new(graph, steps)?;
        let claims = graph.claims.len();
        let mut before = steps.filled(0_i128, claims)?;
        let mut after: Vec<i128> = steps.room(claims)?;
        for claim in 0..claims as u32 {
            steps.step()?;
            after.push(i128::from(graph.claims.length(claim)));
        }
        let mut relax = Relax {
            graph,
            components: &components,
            via: Vec::new(),
            seen: Vec::new(),
        };
        for component in (0..components.len()).rev() {
            relax.settle(component, Direction::Before, &mut before, steps)?;
        }
        for component in 0..components.len() {
            relax.settle(component, Direction::After, &mut after, steps)?;
        }
        let mut length = 0;
        for (before, claim) in before.iter().zip(0..) {
            steps.step()?;
            length = length.max(before + i128::from(graph.claims.length(claim)));
        }
        Ok(Self {
            before,
            after,
            length,
        })
    }
}

struct Relax<'a> {
    graph: &'a Graph<'a>,
    components: &'a Components,
    /// The bound that gave each claim its value, kept for components that need rounds.
    via: Vec<u32>,
    /// In which search a claim was passed last, from 1.
    seen: Vec<u32>,
}

impl Relax<'_> {
    fn settle(
        &mut self,
        component: usize,
        direction: Direction,
        values: &mut [i128],
        steps: &mut Steps,
    ) -> Result<(), Failure> {
        let members = self.components.members(component);
        if let &[claim] = members {
            self.pull(claim, direction, values, steps)?;
            return Ok(());
        }
        let (mut least, mut most) = (0, 0);
        for &claim in members {
            for &number in self.graph.into(claim) {
                steps.step()?;
                let bound = self.graph.bound(number);
                if self.components.together(bound.from, claim) {
                    let weight = self.graph.weight(&bound);
                    least = weight.min(least);
                    most = weight.max(most);
                }
            }
        }
        if least < 0 {
            return self.rounds(members, direction, values, steps);
        }
        if most > 0 {
            return Err(self.heavy_cycle(members, steps)?);
        }
        // All edges weigh 0: what reaches one reaches all.
        let mut best = 0;
        for &claim in members {
            self.pull(claim, direction, values, steps)?;
            best = values[claim as usize].max(best);
        }
        for &claim in members {
            steps.step()?;
            values[claim as usize] = best;
        }
        Ok(())
    }

    /// Raises a claim's value to what its neighbours give; says which bound did, if one.
    fn pull(
        &self,
        claim: u32,
        direction: Direction,
        values: &mut [i128],
        steps: &mut Steps,
    ) -> Result<Option<u32>, Failure> {
        let numbers = match direction {
            Direction::Before => self.graph.into(claim),
            Direction::After => self.graph.out(claim),
        };
        let mut value = values[claim as usize];
        let mut via = None;
        for &number in numbers {
            steps.step()?;
            let bound = self.graph.bound(number);
            let neighbour = match direction {
                Direction::Before => bound.from,
                Direction::After => bound.to,
            };
            let given = values[neighbour as usize] + self.graph.weight(&bound);
            if given > value {
                value = given;
                via = Some(number);
            }
        }
        values[claim as usize] = value;
        Ok(via)
    }

    /// Bellman and Ford's rounds, with and against time in turn (Yen 1970), so that they are few where the trace keeps the
    /// order. Without a positive cycle nothing changes after as many rounds as there are claims; with one, the bounds that
    /// gave the values close a cycle by then, and any cycle that they close is positive.
    fn rounds(
        &mut self,
        members: &[u32],
        direction: Direction,
        values: &mut [i128],
        steps: &mut Steps,
    ) -> Result<(), Failure> {
        let claims = self.graph.claims;
        if self.via.is_empty() {
            self.via = steps.filled(NONE, claims.len())?;
            self.seen = steps.filled(0, claims.len())?;
        }
        let mut order: Vec<u32> = steps.room(members.len())?;
        order.extend_from_slice(members);
        order.sort_unstable_by_key(|&claim| (claims.start[claim as usize], claim));
        for &claim in members {
            self.via[claim as usize] = NONE;
        }
        for round in 1_usize.. {
            let mut changed = false;
            for &claim in &order {
                if let Some(number) = self.pull(claim, direction, values, steps)? {
                    self.via[claim as usize] = number;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
            if direction == Direction::Before && (round.is_power_of_two() || round > order.len()) {
                self.closed_cycle(members, steps)?;
            }
            order.reverse();
        }
        Ok(())
    }

    /// Fails if the bounds in `via` close a cycle.
    fn closed_cycle(&mut self, members: &[u32], steps: &mut Steps) -> Result<(), Failure> {
        for &claim in members {
            self.seen[claim as usize] = 0;
        }
        for (&first, search) in members.iter().zip(1..) {
            let mut claim = first;
            while self.components.together(claim, first) && self.seen[claim as usize] == 0 {
                steps.step()?;
                self.seen[claim as usize] = search;
                let number = self.via[claim as usize];
                if number == NONE {
                    break;
                }
                claim = self.graph.bound(number).from;
                if self.seen[claim as usize] == search && self.components.together(claim, first) {
                    return Err(self.follow(claim, steps)?);
                }
            }
        }
        Ok(())
    }

    /// The cycle that the bounds in `via` close at a claim.
    fn follow(&self, last: u32, steps: &mut Steps) -> Result<Failure, Failure> {
        let mut backwards = Vec::new();
        let mut weight = 0;
        let mut claim = last;
        loop {
            let bound = self.graph.bound(self.via[claim as usize]);
            weight += self.graph.weight(&bound);
            steps.push(&mut backwards, bound.from)?;
            claim = bound.from;
            if claim == last {
                break;
            }
        }
        backwards.reverse();
        Ok(cycle(backwards, weight))
    }

    /// A cycle through an edge of positive weight, for a component in which no weight is negative: a shortest one back
    /// from the first such edge.
    fn heavy_cycle(&self, members: &[u32], steps: &mut Steps) -> Result<Failure, Failure> {
        let mut heavy: Option<(u32, u32, u32)> = None;
        for &claim in members {
            for &number in self.graph.out(claim) {
                steps.step()?;
                let bound = self.graph.bound(number);
                if self.components.together(bound.to, claim) && self.graph.weight(&bound) > 0 {
                    let key = (bound.from, bound.to, number);
                    heavy = Some(heavy.map_or(key, |known| known.min(key)));
                }
            }
        }
        // There is one, since this is only asked where there is.
        let (from, to, number) = heavy.ok_or(Failure::Overflow)?;
        let mut via: FxHashMap<u32, u32> = FxHashMap::default();
        let mut reached = vec![to];
        let mut at = 0;
        via.insert(to, number);
        while !via.contains_key(&from) && at < reached.len() {
            let claim = reached[at];
            at += 1;
            for &number in self.graph.out(claim) {
                steps.step()?;
                let next = self.graph.bound(number).to;
                if self.components.together(next, claim) && !via.contains_key(&next) {
                    via.insert(next, number);
                    steps.push(&mut reached, next)?;
                }
            }
        }
        let mut backwards = Vec::new();
        let mut weight = 0;
        let mut claim = from;
        while let Some(bound) = via.remove(&claim).map(|number| self.graph.bound(number)) {
            steps.step()?;
            weight += self.graph.weight(&bound);
            steps.push(&mut backwards, claim)?;
            claim = bound.from;
        }
        backwards.reverse();
        Ok(cycle(backwards, weight))
    }
}

/// Names a cycle from the claim that is first in the input, back to it.
fn cycle(mut claims: Vec<u32>, weight: i128) -> Failure {
    let first = (0..claims.len()).min_by_key(|&at| claims[at]);
    claims.rotate_left(first.unwrap_or(0));
    claims.extend(claims.first().copied());
    Failure::Cycle { claims, weight }
}
