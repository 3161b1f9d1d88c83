//! The dependencies, without repeats, by the claim they lead to.

use super::failure::Failure;
use super::watch::Steps;

/// One of the two points of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Point {
    /// Its start.
    Start,
    /// Its end.
    End,
}

/// A constraint: the time of `to`'s point less the time of `from`'s point is in `[min_delay, max_delay]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The claim that comes first, by index.
    pub from: u32,
    /// The claim that waits, by index.
    pub to: u32,
    /// The point of `from`; usually its end.
    pub from_point: Point,
    /// The point of `to`; usually its start.
    pub to_point: Point,
    /// Lower bound in ticks; none is 0. May be negative.
    pub min_delay: Option<i64>,
    /// Upper bound in ticks, if any.
    pub max_delay: Option<i64>,
}

impl Dependency {
    fn key(&self) -> (u32, u32, Point, Point, i64, Option<i64>) {
        (
            self.to,
            self.from,
            self.to_point,
            self.from_point,
            self.min_delay.unwrap_or(0),
            self.max_delay,
        )
    }
}

/// Numbers in buckets: those of bucket `b` are `items[offsets[b] .. offsets[b + 1]]`.
#[derive(Clone, Debug, Default)]
pub(super) struct Buckets {
    offsets: Vec<u32>,
    items: Vec<u32>,
}

impl Buckets {
    /// Sorts items by bucket, in linear time; `each` must call its argument with the same (bucket, item) both times.
    pub(super) fn new(
        buckets: usize,
        steps: &mut Steps,
        each: impl Fn(&mut Steps, &mut dyn FnMut(u32, u32)) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let mut offsets = steps.filled(0_u32, buckets + 1)?;
        let mut total = 0_usize;
        each(steps, &mut |bucket, _| {
            offsets[bucket as usize] += 1;
            total += 1;
        })?;
        let mut sum = 0;
        for offset in &mut offsets {
            steps.step()?;
            sum += *offset;
            *offset = sum;
        }
        // Filled from the last bucket's end downwards, which leaves each offset at its bucket's beginning.
        let mut items = steps.filled(0_u32, total)?;
        each(steps, &mut |bucket, item| {
            let offset = &mut offsets[bucket as usize];
            *offset -= 1;
            items[*offset as usize] = item;
        })?;
        Ok(Self { offsets, items })
    }

    /// The items of a bucket.
    pub(super) fn of(&self, bucket: u32) -> &[u32] {
        match self.offsets.get(bucket as usize..bucket as usize + 2) {
            Some(&[from, to]) => &self.items[from as usize..to as usize],
            _ => &[],
        }
    }

    /// All items, by bucket.
    pub(super) fn items(&self) -> &[u32] {
        &self.items
    }

    /// Sorts each bucket by `key`, and keeps the first of items that `same` calls repeats.
    fn tidy<K: Ord>(
        &mut self,
        steps: &mut Steps,
        key: impl Fn(u32) -> K,
        same: impl Fn(u32, u32) -> bool,
    ) -> Result<(), Failure> {
        let mut kept = 0_usize;
        let mut from = 0_usize;
        for bucket in 0..self.offsets.len().saturating_sub(1) {
            steps.step()?;
            let to = self.offsets[bucket + 1] as usize;
            self.items[from..to].sort_unstable_by_key(|&item| key(item));
            self.offsets[bucket] = kept as u32;
            let mut before = None;
            for at in from..to {
                steps.step()?;
                let item = self.items[at];
                if before.is_some_and(|before| same(before, item)) {
                    continue;
                }
                before = Some(item);
                self.items[kept] = item;
                kept += 1;
            }
            from = to;
        }
        if let Some(last) = self.offsets.last_mut() {
            *last = kept as u32;
        }
        self.items.truncate(kept);
        Ok(())
    }
}

/// The dependencies by `to`, repeats dropped; in a bucket by `from`, then points and bounds.
pub(super) struct Table {
    pub(super) by_to: Buckets,
}

impl Table {
    /// Fails for a dependency that names a claim that is not there.
    pub(super) fn new(
        claims: usize,
        dependencies: &[Dependency],
        steps: &mut Steps,
    ) -> Result<Self, Failure> {
        // The lowest bit of a constraint's number says which bound it is.
        if dependencies.len() >= 1 << 31 {
            return Err(Failure::TooMany);
        }
        for (index, dependency) in dependencies.iter().enumerate() {
            steps.step()?;
            if dependency.from.max(dependency.to) as usize >= claims {
                return Err(Failure::BadDependency {
                    index: index as u32,
                });
            }
        }
        let mut by_to = Buckets::new(claims, steps, |steps, sink| {
            for (index, dependency) in dependencies.iter().enumerate() {
                steps.step()?;
                sink(dependency.to, index as u32);
            }
            Ok(())
        })?;
        let key = |index: u32| dependencies[index as usize].key();
        by_to.tidy(
            steps,
            |index| (key(index), index),
            |left, right| key(left) == key(right),
        )?;
        Ok(Self { by_to })
    }

    /// How many there are without repeats.
    pub(super) fn len(&self) -> u64 {
        self.by_to.items().len() as u64
    }

    /// For each claim the others that it depends on from end to start, ascending: what labels edges.
    pub(super) fn labels(
        &self,
        claims: usize,
        dependencies: &[Dependency],
        steps: &mut Steps,
    ) -> Result<Buckets, Failure> {
        let mut labels = Buckets::new(claims, steps, |steps, sink| {
            for &index in self.by_to.items() {
                steps.step()?;
                let dependency = &dependencies[index as usize];
                let points = (dependency.from_point, dependency.to_point);
                if points == (Point::End, Point::Start) && dependency.from != dependency.to {
                    sink(dependency.to, dependency.from);
                }
            }
            Ok(())
        })?;
        labels.tidy(steps, |from| from, |left, right| left == right)?;
        Ok(labels)
    }
}
