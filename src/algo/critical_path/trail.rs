//! One chain of claims back through the graph of `full`: the representative path (critical-path.md, section 5) and the walk
//! back by the latest end (section 10).

use std::cmp::Reverse;

use super::dependency::Point;
use super::failure::Failure;
use super::graph::{Bound, Graph};
use super::longest::Longest;
use super::watch::Steps;

/// A chain in the order of time and the bounds that join its claims. A path may pass a point of a claim that is not on it,
/// so it may have more bounds than steps.
#[derive(Default)]
pub(super) struct Trail {
    pub(super) claims: Vec<u32>,
    pub(super) bounds: Vec<Bound>,
}

/// A place on the way back: a claim, the point at which the path leaves it, and the bounds by which it may have come.
struct Frame {
    claim: u32,
    leaves: Point,
    /// Where its bounds begin; the last frame's reach to the end.
    first: usize,
    /// The bound to try next; the one before it is the one taken.
    next: usize,
}

impl Trail {
    /// A heaviest path that ends with the claim `last`.
    ///
    /// Backwards from the end of `last`, depth first, along bounds that give the weight needed at the point where they
    /// arrive or, shifted by the length, at the claim's other point. Preferred is what arrives at the start, then the
    /// smallest absolute gap, then the claim first in the input, then the end as its point, then the dependency first in
    /// the input. It stops where no weight is missing. On the path are the claims that it passes from start to end. No
    /// point is passed twice.
    pub(super) fn path(
        graph: &Graph,
        longest: &Longest,
        last: u32,
        steps: &mut Steps,
    ) -> Result<Self, Failure> {
        let mut visited = steps.filled([false; 2], graph.claims.len())?;
        let mut choices: Vec<u32> = Vec::new();
        let mut frames: Vec<Frame> = Vec::new();
        let mut enter = Some((last, Point::End));
        loop {
            if let Some((claim, leaves)) = enter.take() {
                visited[claim as usize][leaves as usize] = true;
                let first = choices.len();
                let frame = Frame {
                    claim,
                    leaves,
                    first,
                    next: first,
                };
                steps.push(&mut frames, frame)?;
                let needed = longest.before[claim as usize];
                if needed == 0 {
                    break;
                }
                for &number in graph.into(claim) {
                    steps.step()?;
                    let bound = graph.bound(number);
                    if longest.before[bound.from as usize] + graph.weight(&bound) == needed {
                        steps.push(&mut choices, number)?;
                    }
                }
                choices[first..].sort_unstable_by_key(|&number| {
                    let bound = graph.bound(number);
                    let gap = graph.gap(&bound).unsigned_abs();
                    let points = (bound.to_point, Reverse(bound.from_point));
                    (points.0, gap, bound.from, points.1, number)
                });
            }
            // The way on from the last frame, or back to the one before it.
            let Some(frame) = frames.last_mut() else {
                return Ok(Self::default());
            };
            let Some(&number) = choices.get(frame.next) else {
                choices.truncate(frame.first);
                frames.pop();
                continue;
            };
            frame.next += 1;
            steps.step()?;
            let bound = graph.bound(number);
            if !visited[bound.from as usize][bound.from_point as usize] {
                enter = Some((bound.from, bound.from_point));
            }
        }
        let mut trail = Self::default();
        for (at, frame) in frames.iter().enumerate().rev() {
            steps.step()?;
            let is_first = at + 1 == frames.len();
            let came = (frame.next.checked_sub(1).filter(|_| !is_first))
                .and_then(|choice| choices.get(choice))
                .map(|&number| graph.bound(number));
            if let Some(bound) = came {
                steps.push(&mut trail.bounds, bound)?;
            }
            let whole = came.is_none_or(|bound| bound.to_point == Point::Start);
            if frame.leaves == Point::End && whole {
                steps.push(&mut trail.claims, frame.claim)?;
            }
        }
        Ok(trail)
    }

    /// The walk back from the claim `last`, always to the claim that ended last among those with a dependency that arrives
    /// at the start: then the same resource, the longer, the first in the input. Upper bounds are no way back. Of several
    /// dependencies on one claim the edge is one from its end if there is, then the first in the input. No claim twice.
    pub(super) fn walk(graph: &Graph, last: u32, steps: &mut Steps) -> Result<Self, Failure> {
        let claims = graph.claims;
        let mut visited = steps.filled(false, claims.len())?;
        let mut trail = Self::default();
        let mut to = last;
        loop {
            visited[to as usize] = true;
            steps.push(&mut trail.claims, to)?;
            let mut best = None;
            for &number in graph.into(to) {
                steps.step()?;
                let bound = graph.bound(number);
                let from = bound.from as usize;
                if bound.is_upper || bound.to_point != Point::Start || visited[from] {
                    continue;
                }
                let key = (
                    Reverse(claims.end[from]),
                    claims.resource[from] != claims.resource[to as usize],
                    Reverse(claims.length(bound.from)),
                    bound.from,
                    Reverse(bound.from_point),
                    number,
                );
                if best.is_none_or(|best| key < best) {
                    best = Some(key);
                }
            }
            let Some((.., from, _, number)) = best else {
                break;
            };
            steps.push(&mut trail.bounds, graph.bound(number))?;
            to = from;
        }
        trail.claims.reverse();
        trail.bounds.reverse();
        Ok(trail)
    }
}
