//! One chain of claims back through the epsilon graph: the representative path (critical-path.md, section 5) and the walk
//! back by the latest end (section 10).
//!
//! The predecessors of a claim are looked through from the latest end downwards, one group of equal ends at a time. A step
//! to a claim with a length goes strictly back in time and no group is gathered more than twice; steps between
//! claims of length 0 at one instant share their group. So a walk takes O(n log n), whatever the size of the junctions.

use std::cmp::Reverse;

use super::Claims;
use super::dependency::Buckets;
use super::failure::Failure;
use super::timeline::{Timeline, run_start};
use super::watch::Steps;

/// How one predecessor is preferred to others that end with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Preference {
    /// A dependency, then the same resource; then the first in the input.
    Path,
    /// A dependency, then the same resource also among dependencies, then the longer, then the first in the input.
    Walk,
}

/// What a chain is looked for in.
pub(super) struct Chain<'a> {
    pub(super) claims: &'a Claims<'a>,
    pub(super) timeline: &'a Timeline,
    pub(super) epsilon: i64,
    pub(super) labels: Option<&'a Buckets>,
    pub(super) preference: Preference,
}

/// Claims that end at one instant and may come next.
#[derive(Default)]
struct Group {
    end: i64,
    /// By resource, then by preference.
    members: Vec<Member>,
    /// Places in `members` by preference alone.
    order: Vec<u32>,
    /// How many of `order` are known to be taken.
    taken: usize,
    /// How many members are not taken.
    left: usize,
}

#[derive(Clone, Copy)]
struct Member {
    resource: u32,
    rank: Rank,
    /// For the first member of a resource: how many of it are known to be taken.
    taken: u32,
}

/// Smaller is better: the longer (if that counts), then the first in the input.
type Rank = (Reverse<i64>, u32);

impl Chain<'_> {
    /// Goes back from `last` to claims that `accepts(from, to)` until `stops` or none is left; no claim twice. What is
    /// accepted must depend on the start of `to` only. Gives the chain in the order of time.
    pub(super) fn back(
        &self,
        last: u32,
        accepts: impl Fn(u32, u32) -> bool,
        stops: impl Fn(u32) -> bool,
        steps: &mut Steps,
    ) -> Result<Vec<u32>, Failure> {
        let (ends, ended) = (&self.timeline.ends, &self.timeline.ended);
        let mut visited = steps.filled(false, self.claims.len())?;
        let mut path = Vec::new();
        let mut group = Group::default();
        let mut here = None;
        let mut cursor = 0;
        let mut to = last;
        'walk: loop {
            visited[to as usize] = true;
            steps.push(&mut path, to)?;
            if stops(to) {
                break;
            }
            let now = self.claims.start[to as usize];
            if here != Some(now) {
                here = Some(now);
                cursor = ends.partition_point(|&end| end <= now);
                group.left = 0;
            }
            while group.left == 0 {
                if cursor == 0 || ends[cursor - 1] < now.saturating_sub(self.epsilon) {
                    break 'walk;
                }
                let from = run_start(ends, cursor);
                group.members.clear();
                for &claim in &ended[from..cursor] {
                    steps.step()?;
                    if !visited[claim as usize] && accepts(claim, to) {
                        steps.push(&mut group.members, self.member(claim))?;
                    }
                }
                group.end = ends[from];
                group.sort(steps)?;
                cursor = from;
            }
            let accepted = |claim: u32| !visited[claim as usize] && accepts(claim, to);
            let dependency = self.dependency(&group, to, accepted, steps)?;
            let Some(next) = dependency.or_else(|| {
                let resource = self.claims.resource[to as usize];
                group.choose(resource, &visited)
            }) else {
                break;
            };
            group.left -= 1;
            to = next;
        }
        path.reverse();
        Ok(path)
    }

    fn member(&self, claim: u32) -> Member {
        let length = match self.preference {
            Preference::Path => 0,
            Preference::Walk => self.claims.length(claim),
        };
        Member {
            resource: self.claims.resource[claim as usize],
            rank: (Reverse(length), claim),
            taken: 0,
        }
    }

    /// The best claim of the group on which `to` depends.
    fn dependency(
        &self,
        group: &Group,
        to: u32,
        accepted: impl Fn(u32) -> bool,
        steps: &mut Steps,
    ) -> Result<Option<u32>, Failure> {
        let mut best = None;
        for &claim in self.labels.map_or(&[][..], |labels| labels.of(to)) {
            steps.step()?;
            if self.claims.end[claim as usize] != group.end || !accepted(claim) {
                continue;
            }
            let member = self.member(claim);
            let elsewhere = match self.preference {
                Preference::Path => false,
                Preference::Walk => member.resource != self.claims.resource[to as usize],
            };
            let rank = (elsewhere, member.rank);
            if best.is_none_or(|best| rank < best) {
                best = Some(rank);
            }
        }
        Ok(best.map(|(_, (_, claim))| claim))
    }
}

impl Group {
    fn sort(&mut self, steps: &mut Steps) -> Result<(), Failure> {
        let members = &mut self.members;
        self.left = members.len();
        self.taken = 0;
        members.sort_unstable_by_key(|member| (member.resource, member.rank));
        self.order.clear();
        steps.reserve(&mut self.order, members.len())?;
        self.order.extend(0..members.len() as u32);
        (self.order).sort_unstable_by_key(|&place| members[place as usize].rank);
        Ok(())
    }

    /// The best member that is not taken: one of this resource if there is one.
    fn choose(&mut self, resource: u32, visited: &[bool]) -> Option<u32> {
        let taken = |member: &Member| visited[member.rank.1 as usize];
        let first = (self.members).partition_point(|member| member.resource < resource);
        if let Some(run) = self.members.get_mut(first..) {
            let mut at = run.first().map_or(0, |member| member.taken as usize);
            let of_it = |member: &&Member| member.resource == resource;
            while run.get(at).filter(of_it).is_some_and(taken) {
                at += 1;
            }
            if let Some(member) = run.first_mut() {
                member.taken = at as u32;
            }
            if let Some(member) = run.get(at).filter(of_it) {
                return Some(member.rank.1);
            }
        }
        loop {
            let place = *self.order.get(self.taken)?;
            let member = self.members.get(place as usize)?;
            if !taken(member) {
                return Some(member.rank.1);
            }
            self.taken += 1;
        }
    }
}
