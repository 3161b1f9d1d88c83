//! The longest path at many epsilons (critical-path.md, section 10): choosing epsilon is the hard part.

use super::Claims;
use super::failure::Failure;
use super::spanning::spans;
use super::timeline::{Timeline, run_end};
use super::walk::{Chain, Preference};
use super::watch::{Steps, Watch};
use super::window::Reach;

/// The longest path at one epsilon, in the mode without dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepRow {
    /// The largest gap that joins two claims, in ticks.
    pub epsilon: i64,
    /// Length of the longest path, in ticks.
    pub length: i64,
    /// Sum of the gaps on the representative path, in ticks.
    pub path_gap: i64,
    /// How many claims are critical.
    pub critical: u64,
    /// Whether a chain with gaps up to epsilon leads from the first start to the last end: whether `Variant::Spanning` is
    /// not empty.
    pub spans: bool,
}

/// One row for each epsilon at which a gap closes: the distinct gaps from the end of a claim to the next start of another
/// one, and 0; ascending. None without claims.
///
/// Where there are more than `steps`, a choice: 0, the largest, and of the others those at or above `steps - 1` points
/// that lie evenly on a logarithmic scale from the smallest above 0 to the largest; fewer where points share a gap.
/// `steps` below 2 is 2. O(n log n) once and O(n) for each row.
pub fn epsilon_sweep(
    claims: Claims,
    steps: usize,
    watch: &mut dyn Watch,
) -> Result<Vec<SweepRow>, Failure> {
    let limit = steps.max(2);
    let mut steps = Steps::new(watch)?;
    let steps = &mut steps;
    let span = Timeline::check(&claims, steps)?;
    let timeline = Timeline::new(&claims, span, steps)?;
    if claims.is_empty() {
        return Ok(Vec::new());
    }
    let epsilons = choice(gaps(&claims, &timeline, steps)?, limit);
    let mut reach = Reach::new(claims.len(), steps)?;
    let mut reached = steps.filled(false, claims.len())?;
    let mut rows = steps.room(epsilons.len())?;
    for epsilon in epsilons {
        reach.sweep(&claims, &timeline, epsilon, steps)?;
        let mut critical = 0;
        for (claim, (into, out)) in (0..).zip(reach.into.iter().zip(&reach.out)) {
            steps.step()?;
            critical += u64::from(into + claims.length(claim) + out == reach.length);
        }
        let chain = Chain {
            claims: &claims,
            timeline: &timeline,
            epsilon,
            labels: None,
            preference: Preference::Path,
        };
        let path = reach.path(&chain, steps)?;
        let mut path_gap = 0;
        for pair in path.windows(2) {
            if let &[from, to] = pair {
                path_gap += claims.start[to as usize] - claims.end[from as usize];
            }
        }
        rows.push(SweepRow {
            epsilon,
            length: reach.length,
            path_gap,
            critical,
            spans: spans(&claims, &timeline, epsilon, &mut reached, steps)?,
        });
    }
    Ok(rows)
}

/// The distinct gaps from ends to next starts, and 0; ascending.
fn gaps(claims: &Claims, timeline: &Timeline, steps: &mut Steps) -> Result<Vec<i64>, Failure> {
    let starts = &timeline.starts;
    let mut gaps = steps.room(claims.len() + 1)?;
    gaps.push(0);
    let mut next = 0;
    for (&end, &claim) in timeline.ends.iter().zip(&timeline.ended) {
        steps.step()?;
        while starts.get(next).is_some_and(|&start| start < end) {
            steps.step()?;
            next += 1;
        }
        // The only claim that starts at an instant, if it is over at once, has to look for the one after it.
        let alone = claims.is_instant(claim) && run_end_within(starts, next, 2) == next + 1;
        if let Some(start) = starts.get(next + usize::from(alone)) {
            gaps.push(start - end);
        }
    }
    gaps.sort_unstable();
    gaps.dedup();
    Ok(gaps)
}

/// The end of the run of equal times from `from`, of which only `most` are looked at.
fn run_end_within(times: &[i64], from: usize, most: usize) -> usize {
    run_end(&times[..times.len().min(from + most)], from)
}

/// At most `limit` (at least 2) of ascending gaps that begin with 0.
fn choice(gaps: Vec<i64>, limit: usize) -> Vec<i64> {
    let [0, first, .., largest] = gaps[..] else {
        return gaps;
    };
    if gaps.len() <= limit {
        return gaps;
    }
    let mut chosen = vec![0];
    let (low, high) = (libm::log(first as f64), libm::log(largest as f64));
    let parts = (limit - 2) as f64;
    for part in 0..limit - 2 {
        let point = libm::exp(low + (high - low) * (part as f64) / parts);
        // Rounding must not lose the smallest.
        let at = match part {
            0 => 1,
            _ => gaps.partition_point(|&gap| (gap as f64) < point),
        };
        chosen.extend(gaps.get(at));
    }
    chosen.push(largest);
    chosen.dedup();
    chosen
}
