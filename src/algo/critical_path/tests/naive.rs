//! Sections 2 to 5 and 10 read word for word on tiny traces: a graph with a node for each start and each end, all edges
//! listed, the heaviest paths between all pairs of nodes, and definitions tried out one by one. Nothing is shared with the
//! module but its types.

mod chain;

use super::*;

/// An edge between two different claims.
#[derive(Clone, Copy, Debug)]
struct Arrow {
    from: usize,
    to: usize,
    from_point: Point,
    to_point: Point,
    weight: i128,
    gap: i64,
    conforms: Option<bool>,
    dependency: Option<u32>,
    is_upper: bool,
}

/// What the module is to find.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) critical: Vec<bool>,
    pub(super) slack: Option<Vec<i64>>,
    pub(super) path_order: Vec<Option<u32>>,
    pub(super) path_position: Vec<Option<u32>>,
    pub(super) blocking: Vec<Option<Blocking>>,
    pub(super) length: i64,
    pub(super) path_gap: i64,
    pub(super) makespan: i64,
    pub(super) path: Vec<u32>,
    pub(super) dependencies: u64,
    pub(super) violated: Vec<u32>,
    pub(super) edges: Vec<Edge>,
}

fn node(claim: usize, point: Point) -> usize {
    2 * claim + usize::from(point == Point::End)
}

pub(super) struct Naive<'a> {
    trace: &'a Trace,
    options: &'a Options,
    distinct: Vec<(u32, Dependency)>,
    arrows: Vec<Arrow>,
}

impl<'a> Naive<'a> {
    pub(super) fn new(
        trace: &'a Trace,
        dependencies: &'a [Dependency],
        options: &'a Options,
    ) -> Self {
        let mut distinct: Vec<(u32, Dependency)> = Vec::new();
        for (index, dependency) in (0..).zip(dependencies) {
            let bounded = Dependency {
                min_delay: Some(dependency.min_delay.unwrap_or(0)),
                ..*dependency
            };
            if !distinct.iter().any(|(_, known)| *known == bounded) {
                distinct.push((index, bounded));
            }
        }
        let mut naive = Self {
            trace,
            options,
            distinct,
            arrows: Vec::new(),
        };
        match options.dependencies {
            Dependencies::Full => naive.bounds(),
            Dependencies::None | Dependencies::Application => naive.pairs(),
        }
        naive
    }

    fn claims(&self) -> usize {
        self.trace.start.len()
    }

    fn length(&self, claim: usize) -> i64 {
        self.trace.end[claim] - self.trace.start[claim]
    }

    fn time(&self, claim: usize, point: Point) -> i64 {
        match point {
            Point::Start => self.trace.start[claim],
            Point::End => self.trace.end[claim],
        }
    }

    fn bounds(&mut self) {
        for (index, dependency) in &self.distinct {
            let (from, to) = (dependency.from as usize, dependency.to as usize);
            let gap = self.time(to, dependency.to_point) - self.time(from, dependency.from_point);
            let lower = Arrow {
                from,
                to,
                from_point: dependency.from_point,
                to_point: dependency.to_point,
                weight: i128::from(dependency.min_delay.expect("set")),
                gap,
                conforms: Some(true),
                dependency: Some(*index),
                is_upper: false,
            };
            self.arrows.push(lower);
            if let Some(most) = dependency.max_delay {
                self.arrows.push(Arrow {
                    from: to,
                    to: from,
                    from_point: dependency.to_point,
                    to_point: dependency.from_point,
                    weight: -i128::from(most),
                    gap: -gap,
                    is_upper: true,
                    ..lower
                });
            }
        }
    }

    fn pairs(&mut self) {
        for from in 0..self.claims() {
            for to in 0..self.claims() {
                let gap = self.trace.start[to] - self.trace.end[from];
                if from == to || gap < 0 || gap > self.options.epsilon {
                    continue;
                }
                let joined = self.distinct.iter().any(|(_, dependency)| {
                    (dependency.from as usize, dependency.to as usize) == (from, to)
                        && dependency.from_point == Point::End
                        && dependency.to_point == Point::Start
                });
                let labelled = self.options.dependencies == Dependencies::Application;
                self.arrows.push(Arrow {
                    from,
                    to,
                    from_point: Point::End,
                    to_point: Point::Start,
                    weight: 0,
                    gap,
                    conforms: labelled.then_some(joined),
                    dependency: None,
                    is_upper: false,
                });
            }
        }
    }

    /// The heaviest path between each two nodes (Floyd and Warshall), or none if a cycle is positive.
    fn heaviest(&self) -> Option<Vec<Vec<Option<i128>>>> {
        let nodes = 2 * self.claims();
        let mut best = vec![vec![None; nodes]; nodes];
        let mut put = |from: usize, to: usize, weight: i128| {
            let known: &mut Option<i128> = &mut best[from][to];
            *known = Some(known.map_or(weight, |known| known.max(weight)));
        };
        for claim in 0..self.claims() {
            let (start, end) = (node(claim, Point::Start), node(claim, Point::End));
            let length = i128::from(self.length(claim));
            put(start, start, 0);
            put(end, end, 0);
            put(start, end, length);
            put(end, start, -length);
        }
        for arrow in &self.arrows {
            let from = node(arrow.from, arrow.from_point);
            put(from, node(arrow.to, arrow.to_point), arrow.weight);
        }
        for middle in 0..nodes {
            for from in 0..nodes {
                for to in 0..nodes {
                    if let (Some(one), Some(other)) = (best[from][middle], best[middle][to]) {
                        let known = best[from][to].unwrap_or(i128::MIN);
                        best[from][to] = Some(known.max(one + other));
                    }
                }
            }
        }
        (0..nodes)
            .all(|node| best[node][node] == Some(0))
            .then_some(best)
    }

    /// Whether there is a walk through these claims whose best weight is at least this.
    pub(super) fn has_cycle(&self, claims: &[u32], weight: i128) -> bool {
        let mut most = 0;
        for pair in claims.windows(2) {
            let (from, to) = (pair[0] as usize, pair[1] as usize);
            // From start to start: the points' places in their claims count.
            let place = |claim: usize, point: Point| match point {
                Point::Start => 0,
                Point::End => i128::from(self.length(claim)),
            };
            let between = self
                .arrows
                .iter()
                .filter(|arrow| (arrow.from, arrow.to) == (from, to));
            let best = between
                .map(|arrow| {
                    place(from, arrow.from_point) + arrow.weight - place(to, arrow.to_point)
                })
                .max();
            match best {
                None => return false,
                Some(best) => most += best,
            }
        }
        let inner = &claims[1..];
        let first = inner.iter().min();
        let once = inner
            .iter()
            .all(|one| inner.iter().filter(|two| *two == one).count() == 1);
        once && claims.first() == claims.last() && claims.first() == first && weight <= most
    }

    /// None for a positive cycle.
    pub(super) fn find(&self) -> Option<Found> {
        let mut found = match self.options.variant {
            Variant::Longest => self.longest()?,
            Variant::BackwardWalk => {
                if self.options.dependencies == Dependencies::Full {
                    self.heaviest()?;
                }
                self.walk()
            }
            Variant::Spanning => self.spanning(),
        };
        let first = self.trace.start.iter().min();
        let last = self.trace.end.iter().max();
        found.makespan = last.zip(first).map_or(0, |(last, first)| last - first);
        found.dependencies = self.distinct.len() as u64;
        if self.options.dependencies == Dependencies::Full {
            for (index, dependency) in &self.distinct {
                let gap = self.time(dependency.to as usize, dependency.to_point)
                    - self.time(dependency.from as usize, dependency.from_point);
                let most = dependency.max_delay.unwrap_or(i64::MAX);
                if gap < dependency.min_delay.expect("set") || gap > most {
                    found.violated.push(*index);
                }
            }
        }
        Some(found)
    }

    fn longest(&self) -> Option<Found> {
        let best = self.heaviest()?;
        let nodes = 2 * self.claims();
        let to = |node: usize| (0..nodes).filter_map(|from| best[from][node]).max();
        let from = |node: usize| (0..nodes).filter_map(|to| best[node][to]).max();
        let to = |node: usize| to(node).expect("itself");
        let from = |node: usize| from(node).expect("itself");
        let others = || self.arrows.iter().filter(|arrow| arrow.from != arrow.to);
        let start_of = |arrow: &Arrow| node(arrow.from, arrow.from_point);
        let end_of = |arrow: &Arrow| node(arrow.to, arrow.to_point);
        let mut into = vec![0; self.claims()];
        let mut out = vec![0; self.claims()];
        for arrow in others() {
            if arrow.to_point == Point::Start {
                into[arrow.to] = into[arrow.to].max(to(start_of(arrow)) + arrow.weight);
            }
            if arrow.from_point == Point::End {
                out[arrow.from] = out[arrow.from].max(arrow.weight + from(end_of(arrow)));
            }
        }
        let length = (0..nodes).map(to).max().unwrap_or(0);
        let d = |claim: usize| i128::from(self.length(claim));
        let through = |claim: usize| into[claim] + d(claim) + out[claim];
        if self.arrows.iter().all(|arrow| arrow.weight <= 0) {
            let told = (0..self.claims()).map(through).max().unwrap_or(0);
            assert_eq!(length, told, "section 3's L");
        }
        let slack: Vec<i128> = (0..self.claims())
            .map(|one| length - through(one))
            .collect();
        let critical: Vec<bool> = slack.iter().map(|slack| *slack == 0).collect();
        let on_longest =
            |arrow: &Arrow| to(start_of(arrow)) + arrow.weight + from(end_of(arrow)) == length;
        let arrows: Vec<Arrow> = others().copied().filter(on_longest).collect();
        let done = |claim: usize| into[claim] + d(claim);
        let order = self.order(&critical, |one| {
            (into[one], done(one), self.trace.start[one])
        });
        let simple = self.arrows.iter().all(|arrow| {
            !arrow.is_upper
                && arrow.weight == 0
                && arrow.from_point == Point::End
                && arrow.to_point == Point::Start
        });
        let last = |some: &dyn Fn(usize) -> bool| {
            (0..self.claims())
                .filter(|one| some(*one))
                .min_by_key(|one| (-self.trace.end[*one], *one))
        };
        let ends_a_path = last(&|one| critical[one] && out[one] == 0);
        let any_end = last(&|one| to(node(one, Point::End)) == length);
        let mut path = Vec::new();
        let mut gap = 0;
        if let Some(last) = ends_a_path.or(any_end) {
            let mut passed = Vec::new();
            let needed = |claim: usize| to(node(claim, Point::Start));
            let tight = |arrow: &Arrow| {
                let place = |claim: usize, point: Point| match point {
                    Point::Start => 0,
                    Point::End => d(claim),
                };
                to(start_of(arrow)) + arrow.weight - place(arrow.to, arrow.to_point)
                    == needed(arrow.to)
            };
            let ways: Vec<Arrow> = others().copied().filter(tight).collect();
            let back = self.back(&ways, &needed, last, Point::End, &mut passed);
            (path, gap) = back.expect("a path");
        }
        if simple && let Some(last) = ends_a_path {
            // Section 5, word for word.
            let mut passed = Vec::new();
            let told = self
                .back_by_claims(&arrows, &into, last, &mut passed)
                .expect("a path");
            assert_eq!((&path, gap), (&told.0, told.1), "section 5's path");
            let sum: i128 = path.iter().map(|one| d(*one)).sum();
            assert_eq!(sum, length, "the lengths on the path");
        }
        let (blocking, edges) = self.blocked(&critical, &arrows);
        Some(Found {
            slack: Some(slack.iter().map(|slack| *slack as i64).collect()),
            path_order: order,
            path_position: self.positions(&path),
            blocking,
            length: length as i64,
            path_gap: gap,
            path: path.iter().map(|one| *one as u32).collect(),
            edges,
            critical,
            ..Found::default()
        })
    }

    fn order<K: Ord>(&self, critical: &[bool], key: impl Fn(usize) -> K) -> Vec<Option<u32>> {
        let mut some: Vec<usize> = (0..self.claims()).filter(|one| critical[*one]).collect();
        some.sort_by_key(|one| (key(*one), *one));
        self.positions(&some)
    }

    fn positions(&self, path: &[usize]) -> Vec<Option<u32>> {
        (0..self.claims())
            .map(|one| path.iter().position(|claim| *claim == one))
            .map(|place| place.map(|place| place as u32 + 1))
            .collect()
    }

    /// Whether a chain of dependencies among the critical edges joins two claims, through claims of length 0.
    fn chained(&self, arrows: &[Arrow], from: usize, to: usize, passed: &mut Vec<usize>) -> bool {
        let direct = |arrow: &&Arrow| arrow.conforms == Some(true) && arrow.from == from;
        for arrow in arrows.iter().filter(direct) {
            if arrow.to == to {
                return true;
            }
            if self.length(arrow.to) == 0 && !passed.contains(&arrow.to) {
                passed.push(arrow.to);
                if self.chained(arrows, arrow.to, to, passed) {
                    return true;
                }
            }
        }
        false
    }

    fn blocked(&self, critical: &[bool], arrows: &[Arrow]) -> (Vec<Option<Blocking>>, Vec<Edge>) {
        let mut arrows = arrows.to_vec();
        let walks = self.options.variant == Variant::BackwardWalk;
        let listed = walks || self.options.dependencies == Dependencies::Full;
        if self.options.conform == Conform::Transitive && !listed {
            let before = arrows.clone();
            for arrow in &mut arrows {
                if arrow.conforms == Some(false) {
                    arrow.conforms =
                        Some(self.chained(&before, arrow.from, arrow.to, &mut Vec::new()));
                }
            }
        }
        arrows.sort_by_key(|arrow| {
            (
                (self.time(arrow.to, arrow.to_point), arrow.to),
                (self.time(arrow.from, arrow.from_point), arrow.from),
                (arrow.to_point, arrow.from_point),
                (arrow.dependency, arrow.is_upper),
            )
        });
        let kind = |arrow: &Arrow| match self.preferred(arrow) {
            0 => Kind::Dependency,
            1 => Kind::Resource,
            _ => Kind::Other,
        };
        let blocking = (0..self.claims()).map(|claim| {
            let into: Vec<Kind> = (arrows.iter().filter(|arrow| arrow.to == claim))
                .map(kind)
                .collect();
            let dependencies = into
                .iter()
                .filter(|kind| **kind == Kind::Dependency)
                .count();
            let blocked = match self.options.blocked_if {
                BlockedIf::All if !listed => dependencies == into.len(),
                _ => dependencies > 0,
            };
            critical[claim].then_some(if into.is_empty() {
                Blocking::Start
            } else if blocked {
                Blocking::Dependency
            } else if into.contains(&Kind::Resource) {
                Blocking::Resource
            } else {
                Blocking::Other
            })
        });
        let mut times: Vec<i64> = arrows.iter().map(|one| self.trace.start[one.to]).collect();
        times.sort();
        times.dedup();
        let edges = arrows.iter().map(|arrow| {
            let time = self.trace.start[arrow.to];
            let junction = times.iter().position(|known| *known == time);
            Edge {
                from: arrow.from as u32,
                to: arrow.to as u32,
                from_point: arrow.from_point,
                to_point: arrow.to_point,
                gap: arrow.gap,
                is_application_dependency: arrow.conforms,
                kind: kind(arrow),
                junction: junction.map(|at| at as u32).filter(|_| !listed),
                dependency: arrow.dependency,
                is_upper_bound: arrow.is_upper,
            }
        });
        (blocking.collect(), edges.collect())
    }
}
