//! The cases with answers, the ends of the range of times, and what happens when the caller stops or has no room.

mod cases;
mod laws;
mod limits;
mod naive;

use super::*;

/// A trace that owns its columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    pub(super) start: Vec<i64>,
    pub(super) end: Vec<i64>,
    pub(super) resource: Vec<u32>,
}

impl Trace {
    pub(super) fn new(rows: &[(i64, i64, u32)]) -> Self {
        let mut trace = Self::default();
        for &(start, end, resource) in rows {
            trace.start.push(start);
            trace.end.push(end);
            trace.resource.push(resource);
        }
        trace
    }

    pub(super) fn claims(&self) -> Claims<'_> {
        Claims {
            start: &self.start,
            end: &self.end,
            resource: &self.resource,
        }
    }
}

pub(super) fn options(dependencies: Dependencies, epsilon: i64) -> Options {
    Options {
        dependencies,
        epsilon,
        conform: Conform::Direct,
        blocked_if: BlockedIf::Any,
        variant: Variant::Longest,
    }
}

/// From the end of one claim to the start of another.
pub(super) fn dependency(from: u32, to: u32) -> Dependency {
    Dependency {
        from,
        to,
        from_point: Point::End,
        to_point: Point::Start,
        min_delay: None,
        max_delay: None,
    }
}
