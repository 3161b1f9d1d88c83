//! Critical edges as the caller reads them: one after the other, each made when it is asked for.

use std::sync::Arc;

use super::dependency::Point;
use super::junction::{Joint, Junctions, Predecessor, Successor};
use super::transitive::Search;

/// What an edge stands for (section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is a dependency.
    Dependency,
    /// It is none, and both claims use the same resource.
    Resource,
    /// Neither.
    Other,
}

/// A critical edge. Claims are given by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The claim that comes first.
    pub from: u32,
    /// The claim that waits.
    pub to: u32,
    /// The point of `from`; its end except in `full`.
    pub from_point: Point,
    /// The point of `to`; its start except in `full`.
    pub to_point: Point,
    /// Observed ticks from the one point to the other; negative where the trace violates a dependency.
    pub gap: i64,
    /// Whether it conforms to the dependencies; none in the mode without them.
    pub is_application_dependency: Option<bool>,
    /// What it stands for.
    pub kind: Kind,
    /// Number of its junction, from 0, in order of time; none in `full` and in a walk.
    pub junction: Option<u32>,
    /// The dependency that it is, in `full`.
    pub dependency: Option<u32>,
    /// Whether it is that dependency's upper bound, which leads the other way: from the dependency's `to` to its `from`.
    pub is_upper_bound: bool,
}

#[derive(Debug)]
pub(super) enum Store {
    Listed(Vec<Edge>),
    Junctions(Junctions),
}

/// Critical claims that start at one instant, all joined to the same predecessors.
#[derive(Clone, Copy, Debug)]
pub struct Junction<'a> {
    /// The instant.
    pub time: i64,
    predecessors: &'a [Predecessor],
    successors: &'a [Successor],
}

impl<'a> Junction<'a> {
    /// The claims that end in the window before `time`, by end, then as in the input.
    pub fn predecessors(&self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        self.predecessors.iter().map(|one| one.claim)
    }

    /// The claims that start at `time`, as in the input. Those of length 0 are predecessors too, but not of themselves.
    pub fn successors(&self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        self.successors.iter().map(|one| one.claim)
    }
}

/// All critical edges in linear space. Cheap to clone.
#[derive(Clone, Debug)]
pub struct CriticalEdges {
    store: Arc<Store>,
    len: u64,
}

impl CriticalEdges {
    pub(super) fn listed(edges: Vec<Edge>) -> Self {
        let len = edges.len() as u64;
        let store = Arc::new(Store::Listed(edges));
        Self { store, len }
    }

    pub(super) fn shared(junctions: Junctions) -> Self {
        let len = junctions.edges();
        let store = Arc::new(Store::Junctions(junctions));
        Self { store, len }
    }

    /// How many edges there are, exactly.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The edges, in the order that the module states. The iterator owns its share of the data, so that it may outlive
    /// the analysis and move to another thread.
    pub fn iter(&self) -> Edges {
        Edges {
            store: Arc::clone(&self.store),
            at: Cursor::default(),
            left: self.len,
        }
    }

    /// The junctions in order of time; none in `full` and for a walk, whose edges are listed.
    pub fn junctions(&self) -> impl Iterator<Item = Junction<'_>> {
        let junctions = match &*self.store {
            Store::Listed(_) => None,
            Store::Junctions(junctions) => Some(junctions),
        };
        junctions.into_iter().flat_map(|junctions| {
            junctions.ranges.iter().map(|joint| Junction {
                time: joint.time,
                predecessors: junctions.before(joint),
                successors: junctions.after(joint),
            })
        })
    }
}

/// Goes through critical edges. Each step takes O(1), or O(log e) in `application`; with `Conform::Transitive` a search
/// through the instants before it comes on top for each successor.
#[derive(Debug)]
pub struct Edges {
    store: Arc<Store>,
    at: Cursor,
    left: u64,
}

impl Iterator for Edges {
    type Item = Edge;

    fn next(&mut self) -> Option<Edge> {
        let edge = match &*self.store {
            Store::Listed(edges) => self.at.list(edges),
            Store::Junctions(junctions) => self.at.expand(junctions),
        }?;
        self.left = self.left.saturating_sub(1);
        Some(edge)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left).ok();
        (left.unwrap_or(usize::MAX), left)
    }
}

/// Where an iterator is.
#[derive(Debug, Default)]
struct Cursor {
    /// The junction, and where its successor and predecessor are in their ranges. In a list, `predecessor` is the place.
    junction: usize,
    successor: usize,
    predecessor: usize,
    /// For which successor `search` was made.
    searched: Option<u32>,
    search: Search,
}

impl Cursor {
    fn list(&mut self, edges: &[Edge]) -> Option<Edge> {
        let edge = edges.get(self.predecessor).copied()?;
        self.predecessor += 1;
        Some(edge)
    }

    fn expand(&mut self, junctions: &Junctions) -> Option<Edge> {
        loop {
            let joint = junctions.ranges.get(self.junction)?;
            let Some(to) = junctions.after(joint).get(self.successor) else {
                self.junction += 1;
                self.successor = 0;
                continue;
            };
            let Some(from) = junctions.before(joint).get(self.predecessor) else {
                self.successor += 1;
                self.predecessor = 0;
                continue;
            };
            let place = joint.predecessors.start + self.predecessor as u32;
            self.predecessor += 1;
            if from.claim == to.claim {
                continue;
            }
            let conforms = self.conforms(junctions, joint, from, place, to);
            return Some(Edge {
                from: from.claim,
                to: to.claim,
                from_point: Point::End,
                to_point: Point::Start,
                gap: joint.time - from.end,
                is_application_dependency: conforms,
                kind: kind(conforms, from.resource == to.resource),
                junction: Some(self.junction as u32),
                dependency: None,
                is_upper_bound: false,
            });
        }
    }

    fn conforms(
        &mut self,
        junctions: &Junctions,
        joint: &Joint,
        from: &Predecessor,
        place: u32,
        to: &Successor,
    ) -> Option<bool> {
        let labels = junctions.labels.as_ref()?;
        let Some(chains) = &junctions.chains else {
            return Some(labels.of(to.claim).binary_search(&from.claim).is_ok());
        };
        if self.searched != Some(to.claim) {
            self.searched = Some(to.claim);
            let last = labels.of(to.claim).iter().copied();
            let all = &junctions.predecessors;
            chains.search(labels, all, joint, last, &mut self.search);
        }
        Some(self.search.has(place))
    }
}

/// The kind of an edge by whether it conforms and whether both ends use one resource.
pub(super) fn kind(conforms: Option<bool>, same_resource: bool) -> Kind {
    match (conforms, same_resource) {
        (Some(true), _) => Kind::Dependency,
        (_, true) => Kind::Resource,
        (_, false) => Kind::Other,
    }
}
