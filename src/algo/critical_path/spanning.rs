//! Chains from the first start to the last end of a trace whose gaps are all small (critical-path.md, section 10).

use super::Claims;
use super::failure::Failure;
use super::timeline::{Timeline, run_end, run_start};
use super::watch::{Steps, Watch};

/// The smallest epsilon, in ticks, at which a chain of claims spans the trace: every gap of it is in `[0, epsilon]`, also
/// those from the first start of the trace to the chain and from the chain to the last end. It is the smallest at which
/// `Variant::Spanning` is not empty; none only without claims, because one claim alone is such a chain at some epsilon.
///
/// Chains at one epsilon are chains at every larger one, so it is a binary search over ticks: O(n log n) to sort, then
/// O(n) at most 63 times.
pub fn spanning_epsilon(claims: Claims, watch: &mut dyn Watch) -> Result<Option<i64>, Failure> {
    let mut steps = Steps::new(watch)?;
    let span = Timeline::check(&claims, &mut steps)?;
    let timeline = Timeline::new(&claims, span, &mut steps)?;
    if claims.is_empty() {
        return Ok(None);
    }
    let mut reached = steps.filled(false, claims.len())?;
    let (mut low, mut high) = (0, span.makespan());
    while low < high {
        let middle = low + (high - low) / 2;
        match spans(&claims, &timeline, middle, &mut reached, &mut steps)? {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    Ok(Some(low))
}

/// Marks the claims that a chain from the first start leads to; says whether one of them reaches the last end. If none
/// does, the marks mean nothing. Linear.
pub(super) fn spans(
    claims: &Claims,
    timeline: &Timeline,
    epsilon: i64,
    reached: &mut [bool],
    steps: &mut Steps,
) -> Result<bool, Failure> {
    let (starts, ends) = (&timeline.starts, &timeline.ends);
    let span = timeline.span;
    // The latest end up to now of a claim that is reached: if that is too early, so are all. Claims of length 0 at this
    // instant are reached together or not at all, so they need not ask each other.
    let mut latest = span.first;
    let mut furthest = span.first;
    let mut next = 0;
    let mut at = 0;
    while let Some(&now) = starts.get(at) {
        while let Some(&end) = ends.get(next).filter(|end| **end <= now) {
            steps.step()?;
            let claim = timeline.ended[next] as usize;
            if claims.start[claim] < now && reached[claim] {
                latest = end;
            }
            next += 1;
        }
        let joined = now - latest <= epsilon;
        if !joined && furthest < now {
            return Ok(false);
        }
        let group = at..run_end(starts, at);
        at = group.end;
        for &claim in &timeline.started[group] {
            steps.step()?;
            reached[claim as usize] = joined;
            if joined {
                furthest = furthest.max(claims.end[claim as usize]);
                if claims.is_instant(claim) {
                    latest = now;
                }
            }
        }
    }
    Ok(span.last - furthest <= epsilon)
}

/// Unmarks the claims from which no chain leads to the last end. The same as [`spans`] seen from the other side; linear.
pub(super) fn keep_spanning(
    claims: &Claims,
    timeline: &Timeline,
    epsilon: i64,
    marked: &mut [bool],
    steps: &mut Steps,
) -> Result<(), Failure> {
    let (starts, ends) = (&timeline.starts, &timeline.ends);
    let mut earliest = timeline.span.last;
    let mut next = starts.len();
    let mut at = ends.len();
    while at > 0 {
        let now = ends[at - 1];
        while let Some(&start) = starts[..next].last().filter(|start| **start >= now) {
            steps.step()?;
            next -= 1;
            let claim = timeline.started[next] as usize;
            if claims.end[claim] > now && marked[claim] {
                earliest = start;
            }
        }
        let joined = earliest - now <= epsilon;
        let group = run_start(ends, at)..at;
        at = group.start;
        for &claim in &timeline.ended[group] {
            steps.step()?;
            let kept = joined && marked[claim as usize];
            marked[claim as usize] = kept;
            if kept && claims.is_instant(claim) {
                earliest = now;
            }
        }
    }
    Ok(())
}
