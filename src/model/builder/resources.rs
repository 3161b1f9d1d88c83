//! The tree of resources while it grows: declared by rows, or made when a row first names them.
//!
//! The identity of a resource is the path from its root (`root/program/CPU0`). Where no other resource
//! of the trace has its bare name, the bare name stands for the path (`CPU0`).

use super::intern::Interner;
use rustc_hash::{FxHashMap, FxHashSet};

/// Deeper trees are refused: paths would grow with the square of the depth.
pub(super) const MAX_DEPTH: usize = 256;

const NO_PARENT: u32 = u32::MAX;

/// One resource.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Index of the parent.
    pub(super) parent: Option<u32>,
    /// Number of the bare name.
    pub(super) name: u32,
    /// Number of the type.
    pub(super) kind: u32,
    /// Ticks; `i64::MIN` is null.
    pub(super) start: i64,
    /// Ticks; `i64::MIN` is null.
    pub(super) end: i64,
    /// How much there is of it.
    pub(super) capacity: Option<f64>,
    /// False while only mentioned.
    pub(super) declared: bool,
    /// Number of the file's own id, which tells it from others of its path.
    pub(super) own: u32,
}

/// All resources of a trace.
#[derive(Debug, Default)]
pub(super) struct Resources {
    pub(super) entries: Vec<Entry>,
    /// The root of the file being read, where files have resources of their own (`file_as=`).
    root: Option<u32>,
    /// (file root, name) to the latest of that name.
    latest: FxHashMap<(u32, u32), u32>,
    /// (parent, name) to the resource.
    children: FxHashMap<(u32, u32), u32>,
    /// (parent, name, own id) to the resource.
    owned: FxHashMap<(u32, u32, u32), u32>,
    /// Names by which rows or parents were looked up.
    used: FxHashSet<u32>,
}

impl Resources {
    /// From now on resources without a parent hang under this one and names are looked up below it.
    pub(super) fn set_root(&mut self, root: Option<u32>) {
        self.root = root;
    }

    fn scope(&self) -> u32 {
        self.root.unwrap_or(NO_PARENT)
    }

    /// The resource of that bare name: the latest declared one, else a new one without parent or type.
    pub(super) fn named(&mut self, name: u32, null: u32) -> u32 {
        if let Some(found) = self.latest.get(&(self.scope(), name)) {
            self.used.insert(name);
            return *found;
        }
        self.push(Entry {
            parent: self.root,
            name,
            kind: null,
            start: i64::MIN,
            end: i64::MIN,
            capacity: None,
            declared: false,
            own: null,
        })
    }

    /// Declares a resource. One with the same parent and name is the same; one that was only mentioned by
    /// name becomes this. None where the tree gets too deep.
    pub(super) fn declare(&mut self, mut entry: Entry) -> Option<u32> {
        if entry.parent.is_none() {
            entry.parent = self.root;
        }
        let depth = self.ancestors(entry.parent).count();
        if depth >= MAX_DEPTH {
            return None;
        }
        let key = (entry.parent.unwrap_or(NO_PARENT), entry.name);
        if let Some(found) = self.children.get(&key).copied() {
            if let Some(old) = self.entries.get_mut(found as usize) {
                *old = merged(old, &entry);
            }
            self.latest.insert((self.scope(), entry.name), found);
            return Some(found);
        }
        let mentioned = self.latest.get(&(self.scope(), entry.name)).copied();
        if let Some(found) = mentioned
            && self
                .entries
                .get(found as usize)
                .is_some_and(|e| !e.declared)
            && !self.ancestors(entry.parent).any(|up| up == found)
        {
            let old = self.entries.get_mut(found as usize)?;
            self.children
                .remove(&(old.parent.unwrap_or(NO_PARENT), old.name));
            *old = entry;
            self.children.insert(key, found);
            return Some(found);
        }
        Some(self.push(entry))
    }

    /// True where a resource below this one would be too deep in the tree.
    pub(super) fn is_too_deep(&self, parent: Option<u32>) -> bool {
        self.ancestors(parent.or(self.root)).count() >= MAX_DEPTH
    }

    /// The resource of that parent, name and own id, new or not.
    pub(super) fn own(&mut self, mut entry: Entry) -> u32 {
        entry.parent = entry.parent.or(self.root);
        let key = (entry.parent.unwrap_or(NO_PARENT), entry.name, entry.own);
        if let Some(found) = self.owned.get(&key).copied() {
            if let Some(old) = self.entries.get_mut(found as usize) {
                *old = merged(old, &entry);
            }
            return found;
        }
        let index = self.beside(entry);
        self.owned.insert(key, index);
        index
    }

    /// A new resource beside all of its name; later ones of that name and parent are others.
    pub(super) fn beside(&mut self, entry: Entry) -> u32 {
        let key = (entry.parent.unwrap_or(NO_PARENT), entry.name);
        let index = self.push(entry);
        self.children.remove(&key);
        index
    }

    fn push(&mut self, entry: Entry) -> u32 {
        let index = self.entries.len() as u32;
        self.latest.insert((self.scope(), entry.name), index);
        self.children
            .insert((entry.parent.unwrap_or(NO_PARENT), entry.name), index);
        self.entries.push(entry);
        index
    }

    /// The resource itself, its parent, and so on up.
    fn ancestors(&self, from: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        // The cap is a belt: `declare` makes no cycles.
        std::iter::successors(from, |at| self.entries.get(*at as usize)?.parent).take(MAX_DEPTH * 2)
    }

    /// Bare names of several resources by which something was looked up, with their number.
    pub(super) fn ambiguous(&self) -> Vec<(u32, usize)> {
        let mut counts: Vec<(u32, usize)> = self
            .name_counts()
            .into_iter()
            .filter(|(name, count)| *count > 1 && self.used.contains(name))
            .collect();
        counts.sort_unstable();
        counts
    }

    fn name_counts(&self) -> FxHashMap<u32, usize> {
        let mut counts = FxHashMap::default();
        for entry in &self.entries {
            *counts.entry(entry.name).or_insert(0) += 1;
        }
        counts
    }

    /// The number of the identity of each resource, interned in `names`.
    pub(super) fn identities(&self, names: &mut Interner) -> Vec<u32> {
        let counts = self.name_counts();
        let mut taken: FxHashSet<u32> = counts
            .iter()
            .filter(|(_, count)| **count == 1)
            .map(|(name, _)| *name)
            .collect();
        let paths: Vec<Option<String>> = (0..self.entries.len())
            .map(|index| self.long_path(index, &counts, names))
            .collect();
        let mut alike: FxHashMap<&str, usize> = FxHashMap::default();
        for path in paths.iter().flatten() {
            *alike.entry(path).or_insert(0) += 1;
        }
        let mut identities = Vec::with_capacity(self.entries.len());
        for (entry, path) in self.entries.iter().zip(&paths) {
            let Some(path) = path else {
                identities.push(entry.name);
                continue;
            };
            let own = entry.own != super::intern::NULL;
            let path = if own && alike.get(path.as_str()).is_some_and(|count| *count > 1) {
                format!("{path}#{}", names.get(entry.own))
            } else {
                path.clone()
            };
            // A name may itself hold a slash and look like the path of another.
            let mut identity = names.intern(&path);
            let mut copy = 2;
            while !taken.insert(identity) {
                identity = names.intern(&format!("{path}#{copy}"));
                copy += 1;
            }
            identities.push(identity);
        }
        identities
    }

    /// The names from the root down, for a resource whose bare name others have too.
    fn long_path(
        &self,
        index: usize,
        counts: &FxHashMap<u32, usize>,
        names: &Interner,
    ) -> Option<String> {
        let entry = self.entries.get(index)?;
        if counts.get(&entry.name) == Some(&1) {
            return None;
        }
        let mut parts: Vec<&str> = self
            .ancestors(Some(index as u32))
            .filter_map(|up| self.entries.get(up as usize))
            .map(|up| names.get(up.name))
            .collect();
        parts.reverse();
        Some(parts.join("/"))
    }

    /// Depth first, children in natural order of their names (CPU2 before CPU10).
    pub(super) fn order(&self, names: &Interner) -> Vec<u32> {
        let natural = |a: &u32, b: &u32| {
            let name = |index: &u32| {
                self.entries
                    .get(*index as usize)
                    .map_or("", |entry| names.get(entry.name))
            };
            // Downwards, as the stack turns it around.
            natord::compare(name(b), name(a))
                .then_with(|| name(b).cmp(name(a)))
                .then_with(|| b.cmp(a))
        };
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); self.entries.len()];
        let mut stack = Vec::new();
        for (index, entry) in self.entries.iter().enumerate() {
            match entry.parent.and_then(|p| children.get_mut(p as usize)) {
                Some(list) => list.push(index as u32),
                None => stack.push(index as u32),
            }
        }
        stack.sort_by(natural);
        let mut order = Vec::with_capacity(self.entries.len());
        while let Some(index) = stack.pop() {
            order.push(index);
            if let Some(list) = children.get_mut(index as usize) {
                list.sort_by(natural);
                stack.append(list);
            }
        }
        order
    }
}

/// A resource declared twice: what one row leaves open the other may say.
fn merged(old: &Entry, new: &Entry) -> Entry {
    let null = i64::MIN;
    Entry {
        kind: if old.kind == super::intern::NULL {
            new.kind
        } else {
            old.kind
        },
        start: match (old.start, new.start) {
            (start, other) if start == null => other,
            (start, other) if other == null => start,
            (start, other) => start.min(other),
        },
        end: old.end.max(new.end),
        capacity: old.capacity.or(new.capacity),
        declared: true,
        ..*old
    }
}
