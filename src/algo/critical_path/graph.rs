//! The constraint graph of the mode `full` (critical-path.md, sections 2 and 7), one node a claim.
//!
//! A claim's start and end are tied by two edges, of its length there and of minus its length back, so the heaviest path to
//! the one is that to the other shifted by the length. Hence one node is enough, also for dependencies between other
//! points: an edge between any two points is one between the starts with its weight shifted by the lengths.

use super::Claims;
use super::dependency::{Buckets, Dependency, Point, Table};
use super::failure::Failure;
use super::watch::Steps;

/// One bound of a dependency: an edge of the graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) from_point: Point,
    pub(super) to_point: Point,
    /// How long after the one point the other comes at least, in ticks.
    pub(super) delay: i128,
    /// The dependency.
    pub(super) dependency: u32,
    /// Whether it is the upper bound, which leads from `to` to `from`.
    pub(super) is_upper: bool,
}

/// Bounds between different claims by the claim they lead to and by the one they leave.
pub(super) struct Graph<'a> {
    pub(super) claims: &'a Claims<'a>,
    dependencies: &'a [Dependency],
    into: Buckets,
    out: Buckets,
}

impl<'a> Graph<'a> {
    /// Fails if a dependency of a claim on itself cannot be met.
    pub(super) fn new(
        claims: &'a Claims<'a>,
        dependencies: &'a [Dependency],
        table: &Table,
        steps: &mut Steps,
    ) -> Result<Self, Failure> {
        let each = |steps: &mut Steps, sink: &mut dyn FnMut(u32, u32, u32)| {
            for &index in table.by_to.items() {
                steps.step()?;
                let dependency = &dependencies[index as usize];
                let (from, to) = (dependency.from, dependency.to);
                if from != to {
                    sink(from, to, index << 1);
                    if dependency.max_delay.is_some() {
                        sink(to, from, index << 1 | 1);
                    }
                }
            }
            Ok(())
        };
        let graph = Self {
            claims,
            dependencies,
            into: Buckets::new(claims.len(), steps, |steps, sink| {
                each(steps, &mut |_, to, number| sink(to, number))
            })?,
            out: Buckets::new(claims.len(), steps, |steps, sink| {
                each(steps, &mut |from, _, number| sink(from, number))
            })?,
        };
        for &index in table.by_to.items() {
            steps.step()?;
            let dependency = &dependencies[index as usize];
            if dependency.from != dependency.to {
                continue;
            }
            let upper = dependency.max_delay.map(|_| index << 1 | 1);
            for number in [Some(index << 1), upper].into_iter().flatten() {
                let weight = graph.weight(&graph.bound(number));
                if weight > 0 {
                    return Err(Failure::Cycle {
                        claims: vec![dependency.from; 2],
                        weight,
                    });
                }
            }
        }
        Ok(graph)
    }

    /// The numbers of the bounds that lead to a claim.
    pub(super) fn into(&self, claim: u32) -> &[u32] {
        self.into.of(claim)
    }

    /// The numbers of the bounds that leave a claim.
    pub(super) fn out(&self, claim: u32) -> &[u32] {
        self.out.of(claim)
    }

    /// All bounds, by the claim they lead to.
    pub(super) fn bounds(&self) -> impl Iterator<Item = Bound> {
        self.into.items().iter().map(|&number| self.bound(number))
    }

    pub(super) fn bound(&self, number: u32) -> Bound {
        let index = number >> 1;
        let dependency = &self.dependencies[index as usize];
        let lower = Bound {
            from: dependency.from,
            to: dependency.to,
            from_point: dependency.from_point,
            to_point: dependency.to_point,
            delay: i128::from(dependency.min_delay.unwrap_or(0)),
            dependency: index,
            is_upper: false,
        };
        match dependency.max_delay.filter(|_| number & 1 == 1) {
            None => lower,
            Some(most) => Bound {
                from: lower.to,
                to: lower.from,
                from_point: lower.to_point,
                to_point: lower.from_point,
                delay: -i128::from(most),
                dependency: index,
                is_upper: true,
            },
        }
    }

    /// How long after a claim's start its point comes, in ticks.
    pub(super) fn offset(&self, claim: u32, point: Point) -> i128 {
        match point {
            Point::Start => 0,
            Point::End => i128::from(self.claims.length(claim)),
        }
    }

    /// The weight of a bound as an edge between the starts.
    pub(super) fn weight(&self, bound: &Bound) -> i128 {
        self.offset(bound.from, bound.from_point) + bound.delay
            - self.offset(bound.to, bound.to_point)
    }

    /// Observed ticks from the first point to the second.
    pub(super) fn gap(&self, bound: &Bound) -> i64 {
        self.claims.time(bound.to, bound.to_point) - self.claims.time(bound.from, bound.from_point)
    }
}
