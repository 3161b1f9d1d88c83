//! The critical path of a view by its definition, over all pairs of claims: longest paths through claims, by relaxation
//! until nothing changes.

use super::super::{Claim, task_name};
use std::collections::BTreeSet;

/// What an analysis of a view says. Claims are written as task and image, `B5`; edges as two of them.
pub(super) struct Analysis {
    pub(super) makespan: i64,
    /// Length of the longest paths.
    pub(super) length: i64,
    /// The claims on them, by start.
    pub(super) critical: String,
    /// Critical edges whose ends lie apart, with the distance.
    pub(super) gaps: Vec<(String, i64)>,
    /// Critical edges into claims that no critical dependency leads to.
    pub(super) not_by_dependency: Vec<String>,
}

/// Over the dependencies, or over all pairs of which one starts when the other ends. No dependency is violated.
pub(super) fn analyse(
    claims: &[Claim],
    dependencies: &[(usize, usize)],
    epsilon_only: bool,
) -> Analysis {
    let length = |at: usize| claims[at].end - claims[at].start;
    let edges: Vec<(usize, usize)> = if epsilon_only {
        let all = (0..claims.len()).flat_map(|a| (0..claims.len()).map(move |b| (a, b)));
        all.filter(|&(a, b)| claims[a].end == claims[b].start)
            .collect()
    } else {
        dependencies.to_vec()
    };
    let mut into = vec![0; claims.len()];
    let mut out = vec![0; claims.len()];
    loop {
        let mut changed = false;
        for &(a, b) in &edges {
            let (before, after) = (into[a] + length(a), length(b) + out[b]);
            changed |= before > into[b] || after > out[a];
            into[b] = into[b].max(before);
            out[a] = out[a].max(after);
        }
        if !changed {
            break;
        }
    }
    let whole = |at: usize| into[at] + length(at) + out[at];
    let longest = (0..claims.len()).map(whole).max().unwrap_or(0);
    let name = |at: usize| format!("{}{}", task_name(claims[at].stage), claims[at].image);
    let edge_name = |&(a, b): &(usize, usize)| format!("{} {}", name(a), name(b));
    let mut critical: Vec<usize> = (0..claims.len())
        .filter(|&at| whole(at) == longest)
        .collect();
    critical.sort_by_key(|&at| claims[at].start);
    let names: Vec<String> = critical.into_iter().map(name).collect();
    let edges: Vec<(usize, usize)> = edges
        .into_iter()
        .filter(|&(a, b)| into[a] + length(a) + length(b) + out[b] == longest)
        .collect();
    let gap = |&(a, b): &(usize, usize)| claims[b].start - claims[a].end;
    let known: BTreeSet<_> = dependencies.iter().collect();
    let conforming: BTreeSet<usize> = edges
        .iter()
        .filter(|edge| known.contains(edge))
        .map(|(_, b)| *b)
        .collect();
    let start = claims.iter().map(|claim| claim.start).min().unwrap_or(0);
    let end = claims.iter().map(|claim| claim.end).max().unwrap_or(0);
    Analysis {
        makespan: end - start,
        length: longest,
        critical: names.join(" "),
        gaps: edges
            .iter()
            .filter(|edge| gap(edge) != 0)
            .map(|edge| (edge_name(edge), gap(edge)))
            .collect(),
        not_by_dependency: edges
            .iter()
            .filter(|(_, b)| !conforming.contains(b))
            .map(edge_name)
            .collect(),
    }
}
