//! Longest paths in the epsilon graph (critical-path.md, section 6): all claims that start at an instant have the same
//! predecessors, those that end in the window of epsilon before it, so one sweep with the maximum of a moving window gives
//! `into`, and the same sweep backwards gives `out`.

use std::collections::VecDeque;

use super::Claims;
use super::failure::Failure;
use super::timeline::{Timeline, run_end, run_start};
use super::watch::Steps;

/// The largest value among those whose time is still in the window. A value that a later one reaches is dropped, so values
/// fall strictly from front to back; each is moved in and out once.
#[derive(Default)]
pub(super) struct Window {
    queue: VecDeque<(i64, i64)>,
}

impl Window {
    fn clear(&mut self) {
        self.queue.clear();
    }

    fn push(&mut self, time: i64, value: i64) {
        while self.queue.back().is_some_and(|back| back.1 <= value) {
            self.queue.pop_back();
        }
        self.queue.push_back((time, value));
    }

    /// The maximum, 0 for an empty window, after dropping from the front while `gone`.
    fn maximum(&mut self, gone: impl Fn(i64) -> bool) -> i64 {
        while self.queue.front().is_some_and(|front| gone(front.0)) {
            self.queue.pop_front();
        }
        self.queue.front().map_or(0, |front| front.1)
    }
}

/// `into` and `out` of each claim, and the length of the longest path.
#[derive(Default)]
pub(super) struct Reach {
    pub(super) into: Vec<i64>,
    pub(super) out: Vec<i64>,
    pub(super) length: i64,
    window: Window,
}

impl Reach {
    /// Room for `claims` claims: 32 bytes for each.
    pub(super) fn new(claims: usize, steps: &mut Steps) -> Result<Self, Failure> {
        let queue: Vec<(i64, i64)> = steps.room(claims)?;
        Ok(Self {
            into: steps.filled(0, claims)?,
            out: steps.filled(0, claims)?,
            length: 0,
            window: Window {
                queue: queue.into(),
            },
        })
    }

    /// Fills all anew for one epsilon, in linear time.
    ///
    /// Nothing overflows: the claims of a path follow each other in time, so their lengths fit into the makespan.
    pub(super) fn sweep(
        &mut self,
        claims: &Claims,
        timeline: &Timeline,
        epsilon: i64,
        steps: &mut Steps,
    ) -> Result<(), Failure> {
        self.forwards(claims, timeline, epsilon, steps)?;
        self.backwards(claims, timeline, epsilon, steps)?;
        self.length = 0;
        for (claim, (into, out)) in (0_u32..).zip(self.into.iter().zip(&self.out)) {
            steps.step()?;
            self.length = self.length.max(into + claims.length(claim) + out);
        }
        Ok(())
    }

    fn forwards(
        &mut self,
        claims: &Claims,
        timeline: &Timeline,
        epsilon: i64,
        steps: &mut Steps,
    ) -> Result<(), Failure> {
        let (starts, ends) = (&timeline.starts, &timeline.ends);
        self.window.clear();
        let mut next = 0;
        // The instant whose claims of positive length are in the window already, but not those of length 0.
        let mut half_done = None;
        let mut at = 0;
        while at < starts.len() {
            let now = starts[at];
            while next < ends.len() && ends[next] < now {
                steps.step()?;
                let claim = timeline.ended[next];
                if half_done != Some(ends[next]) || claims.is_instant(claim) {
                    let value = self.into[claim as usize] + claims.length(claim);
                    self.window.push(ends[next], value);
                }
                next += 1;
            }
            // Its claims of length 0 are predecessors of the others at this instant, but with the value that is sought here:
            // they add nothing.
            let here = next..ends.len();
            for (&end, &claim) in ends[here.clone()].iter().zip(&timeline.ended[here]) {
                if end != now {
                    break;
                }
                steps.step()?;
                if !claims.is_instant(claim) {
                    let value = self.into[claim as usize] + claims.length(claim);
                    self.window.push(now, value);
                }
            }
            half_done = Some(now);
            let earliest = now.saturating_sub(epsilon);
            let value = self.window.maximum(|end| end < earliest);
            let group = at..run_end(starts, at);
            at = group.end;
            for &claim in &timeline.started[group] {
                steps.step()?;
                self.into[claim as usize] = value;
            }
        }
        Ok(())
    }

    fn backwards(
        &mut self,
        claims: &Claims,
        timeline: &Timeline,
        epsilon: i64,
        steps: &mut Steps,
    ) -> Result<(), Failure> {
        let (starts, ends) = (&timeline.starts, &timeline.ends);
        self.window.clear();
        let mut next = starts.len();
        let mut half_done = None;
        let mut at = ends.len();
        while at > 0 {
            let now = ends[at - 1];
            while next > 0 && starts[next - 1] > now {
                steps.step()?;
                next -= 1;
                let claim = timeline.started[next];
                if half_done != Some(starts[next]) || claims.is_instant(claim) {
                    let value = self.out[claim as usize] + claims.length(claim);
                    self.window.push(starts[next], value);
                }
            }
            let before = starts[..next].iter().zip(&timeline.started[..next]);
            for (&start, &claim) in before.rev() {
                if start != now {
                    break;
                }
                steps.step()?;
                if !claims.is_instant(claim) {
                    let value = self.out[claim as usize] + claims.length(claim);
                    self.window.push(now, value);
                }
            }
            half_done = Some(now);
            let latest = now.saturating_add(epsilon);
            let value = self.window.maximum(|start| start > latest);
            let group = run_start(ends, at)..at;
            at = group.start;
            for &claim in &timeline.ended[group] {
                steps.step()?;
                self.out[claim as usize] = value;
            }
        }
        Ok(())
    }
}
