//! The mode whose edges are the dependencies: `full` (critical-path.md, sections 3 and 7).

use super::dependency::{Dependency, Point, Table};
use super::edges::{CriticalEdges, Edge, Kind};
use super::epsilon::{
    best, critical_of, last_and_long, last_to_end, path_order, positions, sort_edges, walked,
};
use super::failure::Failure;
use super::graph::{Bound, Graph};
use super::longest::Longest;
use super::timeline::Span;
use super::trail::Trail;
use super::watch::Steps;
use super::{Analysis, Blocking, Claims, Options, Variant};

pub(super) fn analyse(
    claims: Claims,
    dependencies: &[Dependency],
    table: &Table,
    span: Span,
    options: &Options,
    steps: &mut Steps,
) -> Result<Analysis, Failure> {
    let graph = Graph::new(&claims, dependencies, table, steps)?;
    let longest = Longest::new(&graph, steps)?;
    let mut analysis = match options.variant {
        Variant::Longest => critical_claims(&graph, &longest, steps),
        Variant::BackwardWalk => backward_walk(&graph, steps),
        Variant::Spanning => Err(Failure::SpanningInFull),
    }?;
    analysis.makespan = span.makespan();
    analysis.dependencies = table.len();
    analysis.violated = violated(&graph, dependencies, table, steps)?;
    Ok(analysis)
}

fn critical_claims(
    graph: &Graph,
    longest: &Longest,
    steps: &mut Steps,
) -> Result<Analysis, Failure> {
    let claims = graph.claims;
    let length = fits(longest.length)?;
    let ways = Ways::new(graph, longest, steps)?;
    let mut slack = steps.room(claims.len())?;
    for (claim, (into, out)) in (0..).zip(ways.into.iter().zip(&ways.out)) {
        steps.step()?;
        // None of the three exceeds what is left of the length by the others.
        slack.push(length - into - claims.length(claim) - out);
    }
    let critical = critical_of(&slack, steps)?;
    let (blocking, edges) = critical_edges(graph, longest, &critical, steps)?;
    let ends_a_path = |claim: u32| critical[claim as usize] && ways.out[claim as usize] == 0;
    // With bounds other than 0 perhaps none does: a heaviest path may end in waiting for a claim's end.
    let reaches = |claim: u32| {
        longest.before[claim as usize] + graph.offset(claim, Point::End) == longest.length
    };
    let last = best(claims, ends_a_path, last_to_end(claims))
        .or_else(|| best(claims, reaches, last_to_end(claims)));
    let trail = match last {
        None => Trail::default(),
        Some(last) => Trail::path(graph, longest, last, steps)?,
    };
    let mut path_gap = 0_i128;
    for bound in &trail.bounds {
        path_gap += i128::from(graph.gap(bound));
    }
    Ok(Analysis {
        path_order: path_order(&critical, steps, |claim| {
            let into = ways.into[claim as usize];
            let done = into + claims.length(claim);
            (into, done, claims.start[claim as usize])
        })?,
        path_position: positions(claims.len(), &trail.claims, steps)?,
        critical,
        slack: Some(slack),
        blocking,
        length,
        path_gap: fits(path_gap)?,
        makespan: 0,
        path: trail.claims,
        dependencies: 0,
        violated: Vec::new(),
        edges: CriticalEdges::listed(edges),
    })
}

/// The heaviest ways into the start and out of the end of each claim, over bounds between different claims only.
struct Ways {
    into: Vec<i64>,
    out: Vec<i64>,
}

impl Ways {
    fn new(graph: &Graph, longest: &Longest, steps: &mut Steps) -> Result<Self, Failure> {
        let claims = graph.claims.len();
        let mut ways = Self {
            into: steps.filled(0, claims)?,
            out: steps.filled(0, claims)?,
        };
        for bound in graph.bounds() {
            steps.step()?;
            let arrives = longest.before[bound.from as usize]
                + graph.offset(bound.from, bound.from_point)
                + bound.delay;
            let leaves = bound.delay + longest.after[bound.to as usize]
                - graph.offset(bound.to, bound.to_point);
            // Paths are no heavier than the longest, and what is lighter than nothing does not count.
            if bound.to_point == Point::Start && arrives > 0 {
                let into = &mut ways.into[bound.to as usize];
                *into = fits(arrives)?.max(*into);
            }
            if bound.from_point == Point::End && leaves > 0 {
                let out = &mut ways.out[bound.from as usize];
                *out = fits(leaves)?.max(*out);
            }
        }
        Ok(ways)
    }
}

/// What critical claims waited for, and all edges on longest paths.
fn critical_edges(
    graph: &Graph,
    longest: &Longest,
    critical: &[bool],
    steps: &mut Steps,
) -> Result<(Vec<Option<Blocking>>, Vec<Edge>), Failure> {
    let mut blocking = steps.room(critical.len())?;
    for &critical in critical {
        steps.step()?;
        blocking.push(critical.then_some(Blocking::Start));
    }
    let mut edges = Vec::new();
    for bound in graph.bounds() {
        steps.step()?;
        let weight = graph.weight(&bound);
        let (from, to) = (bound.from as usize, bound.to as usize);
        if longest.before[from] + weight + longest.after[to] != longest.length {
            continue;
        }
        if critical[to] {
            blocking[to] = Some(Blocking::Dependency);
        }
        steps.push(&mut edges, edge(graph, &bound))?;
    }
    sort_edges(graph.claims, &mut edges);
    Ok((blocking, edges))
}

fn backward_walk(graph: &Graph, steps: &mut Steps) -> Result<Analysis, Failure> {
    let claims: &Claims = graph.claims;
    let trail = match best(claims, |_| true, last_and_long(claims)) {
        None => Trail::default(),
        Some(last) => Trail::walk(graph, last, steps)?,
    };
    let mut edges = steps.room(trail.bounds.len())?;
    edges.extend(trail.bounds.iter().map(|bound| edge(graph, bound)));
    walked(claims, trail.claims, edges, steps)
}

fn edge(graph: &Graph, bound: &Bound) -> Edge {
    Edge {
        from: bound.from,
        to: bound.to,
        from_point: bound.from_point,
        to_point: bound.to_point,
        gap: graph.gap(bound),
        is_application_dependency: Some(true),
        kind: Kind::Dependency,
        junction: None,
        dependency: Some(bound.dependency),
        is_upper_bound: bound.is_upper,
    }
}

/// The dependencies that the trace does not keep.
fn violated(
    graph: &Graph,
    dependencies: &[Dependency],
    table: &Table,
    steps: &mut Steps,
) -> Result<Vec<u32>, Failure> {
    let mut violated = Vec::new();
    for &index in table.by_to.items() {
        steps.step()?;
        let dependency = &dependencies[index as usize];
        let gap = graph.gap(&graph.bound(index << 1));
        let early = gap < dependency.min_delay.unwrap_or(0);
        if early || dependency.max_delay.is_some_and(|most| gap > most) {
            steps.push(&mut violated, index)?;
        }
    }
    violated.sort_unstable();
    Ok(violated)
}

fn fits(ticks: i128) -> Result<i64, Failure> {
    i64::try_from(ticks).map_err(|_| Failure::Overflow)
}
