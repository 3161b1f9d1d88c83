//! The modes whose edges come from the epsilon rule: `none` and `application`.

use std::cmp::Reverse;
use std::num::NonZeroU32;

use super::blocking::blocking;
use super::dependency::{Buckets, Dependency, Point, Table};
use super::edges::{CriticalEdges, Edge, Kind, kind};
use super::failure::Failure;
use super::junction::Junctions;
use super::spanning::{keep_spanning, spans};
use super::timeline::{Span, Timeline};
use super::transitive::Chains;
use super::walk::{Chain, Preference};
use super::watch::Steps;
use super::window::Reach;
use super::{Analysis, Blocking, Claims, Conform, Dependencies, Options, Variant};

pub(super) fn analyse(
    claims: Claims,
    dependencies: &[Dependency],
    table: &Table,
    span: Span,
    options: &Options,
    steps: &mut Steps,
) -> Result<Analysis, Failure> {
    let timeline = Timeline::new(&claims, span, steps)?;
    let labels = match options.dependencies {
        Dependencies::Application => Some(table.labels(claims.len(), dependencies, steps)?),
        Dependencies::None | Dependencies::Full => None,
    };
    let epsilon = Epsilon {
        claims: &claims,
        timeline: &timeline,
        options,
    };
    let mut analysis = match options.variant {
        Variant::Longest => epsilon.longest(labels, steps),
        Variant::Spanning => epsilon.spanning(labels, steps),
        Variant::BackwardWalk => epsilon.backward_walk(labels.as_ref(), steps),
    }?;
    analysis.makespan = span.makespan();
    analysis.dependencies = table.len();
    Ok(analysis)
}

struct Epsilon<'a> {
    claims: &'a Claims<'a>,
    timeline: &'a Timeline,
    options: &'a Options,
}

impl Epsilon<'_> {
    fn longest(&self, labels: Option<Buckets>, steps: &mut Steps) -> Result<Analysis, Failure> {
        let claims = self.claims;
        let mut reach = Reach::new(claims.len(), steps)?;
        reach.sweep(claims, self.timeline, self.options.epsilon, steps)?;
        let slack = reach.slack(claims, steps)?;
        let critical = critical_of(&slack, steps)?;
        let chain = self.chain(labels.as_ref(), Preference::Path);
        let path = reach.path(&chain, steps)?;
        let into = &reach.into;
        let value = |claim: u32| {
            let into = into[claim as usize];
            (into, into + claims.length(claim))
        };
        let path_order = path_order(&critical, steps, |claim| {
            let (into, done) = value(claim);
            (into, done, claims.start[claim as usize])
        })?;
        let mut analysis = self.share(critical, labels, value, path, path_order, steps)?;
        analysis.slack = Some(slack);
        analysis.length = reach.length;
        Ok(analysis)
    }

    fn spanning(&self, labels: Option<Buckets>, steps: &mut Steps) -> Result<Analysis, Failure> {
        let (claims, epsilon) = (self.claims, self.options.epsilon);
        let mut marked = steps.filled(false, claims.len())?;
        if spans(claims, self.timeline, epsilon, &mut marked, steps)? {
            keep_spanning(claims, self.timeline, epsilon, &mut marked, steps)?;
        } else {
            marked.fill(false);
        }
        let last = best(claims, |claim| marked[claim as usize], last_to_end(claims));
        let path = match last {
            None => Vec::new(),
            Some(last) => self.chain(labels.as_ref(), Preference::Path).back(
                last,
                |from, _| marked[from as usize],
                |_| false,
                steps,
            )?,
        };
        let path_order = path_order(&marked, steps, times(claims))?;
        // Every gap that fits is on a chain: all claims have the same value.
        let mut analysis = self.share(marked, labels, |_| (0, 0), path, path_order, steps)?;
        analysis.length = lengths(claims, &analysis.path)?;
        Ok(analysis)
    }

    fn backward_walk(
        &self,
        labels: Option<&Buckets>,
        steps: &mut Steps,
    ) -> Result<Analysis, Failure> {
        let claims = self.claims;
        let path = match best(claims, |_| true, last_and_long(claims)) {
            None => Vec::new(),
            Some(last) => {
                self.chain(labels, Preference::Walk)
                    .back(last, |_, _| true, |_| false, steps)?
            }
        };
        let mut edges = steps.room(path.len())?;
        for pair in path.windows(2) {
            steps.step()?;
            let &[from, to] = pair else {
                continue;
            };
            let conforms = labels.map(|labels| labels.of(to).binary_search(&from).is_ok());
            let same_resource = claims.resource[from as usize] == claims.resource[to as usize];
            edges.push(Edge {
                from,
                to,
                from_point: Point::End,
                to_point: Point::Start,
                gap: claims.start[to as usize] - claims.end[from as usize],
                is_application_dependency: conforms,
                kind: kind(conforms, same_resource),
                junction: None,
                dependency: None,
                is_upper_bound: false,
            });
        }
        walked(claims, path, edges, steps)
    }

    fn chain<'a>(&'a self, labels: Option<&'a Buckets>, preference: Preference) -> Chain<'a> {
        Chain {
            claims: self.claims,
            timeline: self.timeline,
            epsilon: self.options.epsilon,
            labels,
            preference,
        }
    }

    /// Joins the critical claims and finds what each waited for.
    fn share(
        &self,
        critical: Vec<bool>,
        labels: Option<Buckets>,
        value: impl Fn(u32) -> (i64, i64),
        path: Vec<u32>,
        path_order: Vec<Option<NonZeroU32>>,
        steps: &mut Steps,
    ) -> Result<Analysis, Failure> {
        let (claims, epsilon) = (self.claims, self.options.epsilon);
        let mut junctions =
            Junctions::new(claims, self.timeline, epsilon, &critical, &value, steps)?;
        if labels.is_some() && self.options.conform == Conform::Transitive {
            junctions.chains = Some(Chains::new(claims, &junctions.predecessors, steps)?);
        }
        junctions.labels = labels;
        let blocking = blocking(
            claims,
            &junctions,
            &critical,
            |joint, claim| {
                let end = claims.end[claim as usize];
                let window = joint.time.saturating_sub(epsilon)..=joint.time;
                critical[claim as usize] && window.contains(&end) && value(claim).1 == joint.arrives
            },
            self.options.blocked_if,
            steps,
        )?;
        let mut path_gap = 0_i64;
        for pair in path.windows(2) {
            if let &[from, to] = pair {
                path_gap += claims.start[to as usize] - claims.end[from as usize];
            }
        }
        Ok(Analysis {
            critical,
            slack: None,
            path_order,
            path_position: positions(claims.len(), &path, steps)?,
            blocking,
            length: 0,
            path_gap,
            makespan: 0,
            path,
            dependencies: 0,
            violated: Vec::new(),
            edges: CriticalEdges::shared(junctions),
        })
    }
}

impl Reach {
    /// By how much each claim may grow.
    fn slack(&self, claims: &Claims, steps: &mut Steps) -> Result<Vec<i64>, Failure> {
        let mut slack = steps.room(claims.len())?;
        for (claim, (into, out)) in (0..).zip(self.into.iter().zip(&self.out)) {
            steps.step()?;
            slack.push(self.length - (into + claims.length(claim) + out));
        }
        Ok(slack)
    }

    /// The representative path.
    pub(super) fn path(&self, chain: &Chain, steps: &mut Steps) -> Result<Vec<u32>, Failure> {
        let claims = chain.claims;
        let ends_a_path = |claim: u32| {
            let done = self.into[claim as usize] + claims.length(claim);
            self.out[claim as usize] == 0 && done == self.length
        };
        let Some(last) = best(claims, ends_a_path, last_to_end(claims)) else {
            return Ok(Vec::new());
        };
        // On the way back from a critical claim all is critical that brings the weight with which the claim starts.
        chain.back(
            last,
            |from, to| {
                let done = self.into[from as usize] + claims.length(from);
                done == self.into[to as usize]
            },
            |claim| self.into[claim as usize] == 0,
            steps,
        )
    }
}

/// The result for one chain whose consecutive claims `edges` join.
pub(super) fn walked(
    claims: &Claims,
    path: Vec<u32>,
    mut edges: Vec<Edge>,
    steps: &mut Steps,
) -> Result<Analysis, Failure> {
    let mut critical = steps.filled(false, claims.len())?;
    let mut blocking = steps.filled(None, claims.len())?;
    for &claim in &path {
        steps.step()?;
        critical[claim as usize] = true;
        blocking[claim as usize] = Some(Blocking::Start);
    }
    let mut path_gap = 0_i128;
    for edge in &edges {
        steps.step()?;
        path_gap += i128::from(edge.gap);
        blocking[edge.to as usize] = Some(match edge.kind {
            Kind::Dependency => Blocking::Dependency,
            Kind::Resource => Blocking::Resource,
            Kind::Other => Blocking::Other,
        });
    }
    sort_edges(claims, &mut edges);
    Ok(Analysis {
        path_order: path_order(&critical, steps, times(claims))?,
        path_position: positions(claims.len(), &path, steps)?,
        critical,
        slack: None,
        blocking,
        length: lengths(claims, &path)?,
        path_gap: i64::try_from(path_gap).map_err(|_| Failure::Overflow)?,
        makespan: 0,
        path,
        dependencies: 0,
        violated: Vec::new(),
        edges: CriticalEdges::listed(edges),
    })
}

/// Puts listed edges into the order that the module states.
pub(super) fn sort_edges(claims: &Claims, edges: &mut [Edge]) {
    edges.sort_unstable_by_key(|edge| {
        (
            claims.time(edge.to, edge.to_point),
            edge.to,
            claims.time(edge.from, edge.from_point),
            edge.from,
            (edge.to_point, edge.from_point),
            (edge.dependency, edge.is_upper_bound),
        )
    });
}

/// The claims without slack.
pub(super) fn critical_of(slack: &[i64], steps: &mut Steps) -> Result<Vec<bool>, Failure> {
    let mut critical = steps.room(slack.len())?;
    for &slack in slack {
        steps.step()?;
        critical.push(slack == 0);
    }
    Ok(critical)
}

/// The claim with the largest key among some, the first in the input of equal ones.
pub(super) fn best<K: Ord>(
    claims: &Claims,
    among: impl Fn(u32) -> bool,
    key: impl Fn(u32) -> K,
) -> Option<u32> {
    let some = (0..claims.len() as u32).filter(|claim| among(*claim));
    some.max_by_key(|claim| (key(*claim), Reverse(*claim)))
}

/// Prefers the claim that ends last.
pub(super) fn last_to_end(claims: &Claims) -> impl Fn(u32) -> i64 {
    |claim| claims.end[claim as usize]
}

/// Prefers the claim that ends last, then the longer.
pub(super) fn last_and_long(claims: &Claims) -> impl Fn(u32) -> (i64, i64) {
    |claim| (claims.end[claim as usize], claims.length(claim))
}

fn times(claims: &Claims) -> impl Fn(u32) -> (i64, i64, i64) {
    |claim| (claims.start[claim as usize], claims.end[claim as usize], 0)
}

/// Sum of the lengths of claims.
fn lengths(claims: &Claims, path: &[u32]) -> Result<i64, Failure> {
    let lengths = path.iter().map(|&claim| i128::from(claims.length(claim)));
    i64::try_from(lengths.sum::<i128>()).map_err(|_| Failure::Overflow)
}

/// Numbers the critical claims from 1 by a key, then as in the input.
pub(super) fn path_order<K: Ord>(
    critical: &[bool],
    steps: &mut Steps,
    key: impl Fn(u32) -> K,
) -> Result<Vec<Option<NonZeroU32>>, Failure> {
    let number = critical.iter().filter(|critical| **critical).count();
    let mut keys = steps.room(number)?;
    for (claim, _) in (0..).zip(critical).filter(|(_, critical)| **critical) {
        steps.step()?;
        keys.push((key(claim), claim));
    }
    keys.sort_unstable();
    number_of(critical.len(), keys.iter().map(|(_, claim)| *claim), steps)
}

/// Numbers the claims of a path from 1.
pub(super) fn positions(
    claims: usize,
    path: &[u32],
    steps: &mut Steps,
) -> Result<Vec<Option<NonZeroU32>>, Failure> {
    number_of(claims, path.iter().copied(), steps)
}

fn number_of(
    claims: usize,
    order: impl Iterator<Item = u32>,
    steps: &mut Steps,
) -> Result<Vec<Option<NonZeroU32>>, Failure> {
    let mut numbers = steps.filled(None, claims)?;
    for (number, claim) in (1..).zip(order) {
        steps.step()?;
        numbers[claim as usize] = NonZeroU32::new(number);
    }
    Ok(numbers)
}
