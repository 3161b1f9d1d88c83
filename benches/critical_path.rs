//! Critical paths of generated traces: 64 workers with a barrier after every 16 tasks, one million tasks. The limit to
//! compare with is what any such algorithm must do at least: sort the starts and the ends. Compare the ratios of one run,
//! not times of different days.

use divan::{Bencher, black_box};
use marey::algo::critical_path::{
    BlockedIf, Claims, Conform, Dependencies, Dependency, Options, Point, Unwatched, Variant,
    analyse, epsilon_sweep, spanning_epsilon,
};

fn main() {
    divan::main();
}

const CLAIMS: usize = 1_000_000;
const WORKERS: usize = 64;
/// Tasks of a worker between two barriers.
const PHASE: usize = 16;

struct Trace {
    start: Vec<i64>,
    end: Vec<i64>,
    resource: Vec<u32>,
    dependencies: Vec<Dependency>,
}

/// Tasks last 1 to 1000 ticks, with gaps of up to 3 between them where `gaps`. Each depends on the worker's task before it
/// or, after a barrier, on the last task of each of four workers before it.
fn trace(claims: usize, gaps: bool) -> Trace {
    let mut state = 1_u64;
    let mut below = |bound: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let mut trace = Trace {
        start: Vec::with_capacity(claims),
        end: Vec::with_capacity(claims),
        resource: Vec::with_capacity(claims),
        dependencies: Vec::new(),
    };
    let mut barrier = 0;
    let mut before: Vec<u32> = Vec::new();
    while trace.start.len() < claims {
        let mut latest = barrier;
        let mut last = Vec::new();
        for worker in 0..WORKERS {
            let mut now = barrier;
            for task in 0..PHASE {
                let claim = trace.start.len() as u32;
                let mut depend = |from| {
                    trace.dependencies.push(Dependency {
                        from,
                        to: claim,
                        from_point: Point::End,
                        to_point: Point::Start,
                        min_delay: None,
                        max_delay: None,
                    });
                };
                if task > 0 {
                    depend(claim - 1);
                } else {
                    let near = (0..4).filter_map(|step| before.get((worker + step) % WORKERS));
                    near.copied().for_each(depend);
                }
                now += if gaps { below(4) as i64 } else { 0 };
                trace.start.push(now);
                now += 1 + below(1000) as i64;
                trace.end.push(now);
                trace.resource.push(worker as u32);
            }
            last.push(trace.start.len() as u32 - 1);
            latest = latest.max(now);
        }
        barrier = latest;
        before = last;
    }
    trace
}

/// All tasks last the same, so that all are critical and every barrier is 64 × 64 edges: the longest results.
fn even(claims: usize) -> Trace {
    let mut trace = trace(claims, false);
    for (at, (start, end)) in trace.start.iter_mut().zip(&mut trace.end).enumerate() {
        let phase = at / (WORKERS * PHASE);
        let task = at % PHASE;
        *start = (100 * (phase * PHASE + task)) as i64;
        *end = *start + 100;
    }
    trace
}

fn claims(trace: &Trace) -> Claims<'_> {
    Claims {
        start: &trace.start,
        end: &trace.end,
        resource: &trace.resource,
    }
}

fn run(bencher: Bencher, trace: &Trace, dependencies: Dependencies, epsilon: i64) {
    let options = Options {
        dependencies,
        epsilon,
        conform: Conform::Direct,
        blocked_if: BlockedIf::Any,
        variant: Variant::Longest,
    };
    bencher.bench_local(|| {
        let found = analyse(
            black_box(claims(trace)),
            &trace.dependencies,
            &options,
            &mut Unwatched,
        );
        found.map(|found| (found.length, found.edges.len()))
    });
}

/// The limit: both columns of times sorted, each with the number of its row.
#[divan::bench(sample_count = 10)]
fn sorted_columns(bencher: Bencher) {
    let trace = trace(CLAIMS, true);
    bencher.bench_local(|| {
        let mut sum = 0_u64;
        for column in [&trace.start, &trace.end] {
            let mut keys: Vec<(i64, u32)> = black_box(column).iter().copied().zip(0..).collect();
            keys.sort_unstable();
            sum += keys.get(keys.len() / 2).map_or(0, |key| u64::from(key.1));
        }
        sum
    });
}

#[divan::bench(args = [0, 3, i64::MAX], sample_count = 10)]
fn none(bencher: Bencher, epsilon: i64) {
    run(bencher, &trace(CLAIMS, true), Dependencies::None, epsilon);
}

#[divan::bench(args = [0, 3, i64::MAX], sample_count = 10)]
fn application(bencher: Bencher, epsilon: i64) {
    run(
        bencher,
        &trace(CLAIMS, true),
        Dependencies::Application,
        epsilon,
    );
}

#[divan::bench(sample_count = 10)]
fn full(bencher: Bencher) {
    run(bencher, &trace(CLAIMS, true), Dependencies::Full, 0);
}

#[divan::bench(args = [0, 3, i64::MAX], sample_count = 10)]
fn application_all_critical(bencher: Bencher, epsilon: i64) {
    run(bencher, &even(CLAIMS), Dependencies::Application, epsilon);
}

#[divan::bench(sample_count = 10)]
fn full_all_critical(bencher: Bencher) {
    run(bencher, &even(CLAIMS), Dependencies::Full, 0);
}

/// The first million edges, made one by one.
#[divan::bench(sample_count = 10)]
fn expanded_edges(bencher: Bencher) {
    let trace = even(CLAIMS);
    let options = Options {
        dependencies: Dependencies::Application,
        epsilon: 0,
        conform: Conform::Direct,
        blocked_if: BlockedIf::Any,
        variant: Variant::Longest,
    };
    let found = analyse(
        claims(&trace),
        &trace.dependencies,
        &options,
        &mut Unwatched,
    );
    let Ok(found) = found else {
        return;
    };
    bencher.bench_local(|| {
        found
            .edges
            .iter()
            .take(1_000_000)
            .map(|edge| edge.gap)
            .sum::<i64>()
    });
}

#[divan::bench(args = [20], sample_count = 3)]
fn sweep(bencher: Bencher, steps: usize) {
    let trace = trace(CLAIMS, true);
    bencher.bench_local(|| epsilon_sweep(black_box(claims(&trace)), steps, &mut Unwatched));
}

#[divan::bench(sample_count = 10)]
fn smallest_spanning_epsilon(bencher: Bencher) {
    let trace = trace(CLAIMS, true);
    bencher.bench_local(|| spanning_epsilon(black_box(claims(&trace)), &mut Unwatched));
}
