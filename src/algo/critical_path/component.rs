//! Strongly connected components of a constraint graph (Tarjan, SIAM Journal on Computing 1(2), 1972, in the form of
//! Pearce, Information Processing Letters 116(1), 2016), with a stack of its own: chains of claims are long.

use super::failure::Failure;
use super::graph::Graph;
use super::watch::Steps;

/// The components, each after all that it leads to.
pub(super) struct Components {
    /// The claims, by component.
    members: Vec<u32>,
    /// Where in `members` each component ends.
    ends: Vec<u32>,
    /// The component of each claim.
    of: Vec<u32>,
}

impl Components {
    /// Takes O(claims + bounds) time.
    pub(super) fn new(graph: &Graph, steps: &mut Steps) -> Result<Self, Failure> {
        let claims = graph.claims.len();
        let mut out = Self {
            members: steps.room(claims)?,
            ends: Vec::new(),
            of: steps.filled(u32::MAX, claims)?,
        };
        // Number of a claim in the order of discovery, from 1, lowered to the lowest that it leads back to; 0 before.
        let mut rank = steps.filled(0_u32, claims)?;
        let mut discovered = 0;
        let mut calls: Vec<(u32, u32, u32)> = Vec::new();
        let mut waiting: Vec<u32> = Vec::new();
        for root in 0..claims as u32 {
            steps.step()?;
            if rank[root as usize] != 0 {
                continue;
            }
            steps.push(&mut calls, (root, 0, 0))?;
            while let Some((claim, next, own)) = calls.last_mut() {
                steps.step()?;
                let claim = *claim;
                if *own == 0 {
                    discovered += 1;
                    *own = discovered;
                    rank[claim as usize] = discovered;
                }
                if let Some(&number) = graph.out(claim).get(*next as usize) {
                    let to = graph.bound(number).to;
                    if rank[to as usize] == 0 {
                        steps.push(&mut calls, (to, 0, 0))?;
                        continue;
                    }
                    *next += 1;
                    if out.of[to as usize] == u32::MAX {
                        rank[claim as usize] = rank[claim as usize].min(rank[to as usize]);
                    }
                    continue;
                }
                let own = *own;
                calls.pop();
                if rank[claim as usize] < own {
                    steps.push(&mut waiting, claim)?;
                    continue;
                }
                let number = out.ends.len() as u32;
                // What was found since, and leads back no further than here, waits above it.
                while let Some(member) = waiting.pop_if(|member| rank[*member as usize] >= own) {
                    steps.step()?;
                    out.of[member as usize] = number;
                    out.members.push(member);
                }
                out.of[claim as usize] = number;
                out.members.push(claim);
                let end = out.members.len() as u32;
                steps.push(&mut out.ends, end)?;
            }
        }
        Ok(out)
    }

    /// How many components there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The claims of a component.
    pub(super) fn members(&self, component: usize) -> &[u32] {
        let start = component.checked_sub(1).map_or(0, |last| self.ends[last]);
        &self.members[start as usize..self.ends[component] as usize]
    }

    /// Whether two claims are in one component.
    pub(super) fn together(&self, left: u32, right: u32) -> bool {
        self.of[left as usize] == self.of[right as usize]
    }
}
