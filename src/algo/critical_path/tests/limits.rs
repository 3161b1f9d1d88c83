//! Ends of the range of times, the caller's stop and its memory, and traces that would be too much if edges were expanded.

use std::cell::Cell;

use super::*;

fn run(trace: &Trace, options: &Options) -> Result<Analysis, Failure> {
    analyse(trace.claims(), &[], options, &mut Unwatched)
}

#[test]
fn times_at_both_ends_of_the_range() {
    let (low, high) = (i64::MIN, i64::MAX);
    for (first, last) in [(low, -1), (0, high), (low + 1, 0), (-7, high - 7)] {
        let middle = first / 2 + last / 2;
        let trace = Trace::new(&[(middle, last, 0), (first, middle, 1), (last, last, 0)]);
        for epsilon in [0, high] {
            let found = run(&trace, &options(Dependencies::None, epsilon)).expect("it fits");
            assert_eq!(found.length, last - first);
            assert_eq!(found.path, [1, 0]);
            assert_eq!(found.critical, [true; 3]);
            let full = [dependency(1, 0)];
            let options = options(Dependencies::Full, epsilon);
            let found = analyse(trace.claims(), &full, &options, &mut Unwatched);
            assert_eq!(found.map(|found| found.length), Ok(last - first));
        }
        let epsilon = spanning_epsilon(trace.claims(), &mut Unwatched);
        assert_eq!(epsilon, Ok(Some(0)));
        // Instants at the very ends: only the whole makespan joins them.
        let apart = Trace::new(&[(first, first, 0), (last, last, 0)]);
        let epsilon = spanning_epsilon(apart.claims(), &mut Unwatched);
        assert_eq!(epsilon, Ok(Some(last - first)));
        let rows = epsilon_sweep(apart.claims(), 9, &mut Unwatched).expect("rows");
        let told: Vec<i64> = rows.iter().map(|row| row.epsilon).collect();
        assert_eq!(told, [0, last - first]);
    }
}

#[test]
fn a_makespan_beyond_63_bits_is_refused() {
    let trace = Trace::new(&[(i64::MIN, -1, 0), (0, 0, 0)]);
    for mode in [Dependencies::None, Dependencies::Full] {
        let found = run(&trace, &options(mode, 0));
        assert_eq!(found.map(|_| ()), Err(Failure::Overflow));
    }
    let epsilon = spanning_epsilon(trace.claims(), &mut Unwatched);
    assert_eq!(epsilon, Err(Failure::Overflow));
}

#[test]
fn a_path_beyond_63_bits_is_refused() {
    // Two claims at once that have to follow each other.
    let trace = Trace::new(&[(0, i64::MAX, 0), (0, i64::MAX, 1)]);
    let options = options(Dependencies::Full, 0);
    let chain = [dependency(0, 1)];
    let found = analyse(trace.claims(), &chain, &options, &mut Unwatched);
    assert_eq!(found.map(|_| ()), Err(Failure::Overflow));
    let late = [Dependency {
        min_delay: Some(i64::MAX),
        ..dependency(0, 1)
    }];
    let found = analyse(trace.claims(), &late, &options, &mut Unwatched);
    assert_eq!(found.map(|_| ()), Err(Failure::Overflow));
    let never = [Dependency {
        max_delay: Some(i64::MIN),
        ..dependency(0, 1)
    }];
    let found = analyse(trace.claims(), &never, &options, &mut Unwatched);
    let told = Failure::Cycle {
        claims: vec![0, 1, 0],
        weight: 1 << 63,
    };
    assert_eq!(found.map(|_| ()), Err(told));
}

#[test]
fn input_that_makes_no_sense_is_refused() {
    let trace = Trace::new(&[(0, 4, 0), (3, 2, 0)]);
    let found = run(&trace, &options(Dependencies::None, 0));
    assert_eq!(found.map(|_| ()), Err(Failure::BadClaim { index: 1 }));
    let trace = Trace::new(&[(0, 4, 0), (4, 5, 0)]);
    let found = run(&trace, &options(Dependencies::None, -1));
    let told = Failure::NegativeEpsilon { epsilon: -1 };
    assert_eq!(found.map(|_| ()), Err(told));
    for list in [
        [dependency(0, 1), dependency(0, 2)],
        [dependency(0, 1), dependency(2, 0)],
    ] {
        let options = options(Dependencies::None, 0);
        let found = analyse(trace.claims(), &list, &options, &mut Unwatched);
        assert_eq!(found.map(|_| ()), Err(Failure::BadDependency { index: 1 }));
    }
    let ragged = Claims {
        resource: &[0],
        ..trace.claims()
    };
    let options = options(Dependencies::None, 0);
    let found = analyse(ragged, &[], &options, &mut Unwatched);
    assert_eq!(found.map(|_| ()), Err(Failure::Ragged));
}

/// Stops at the n-th look; refuses what goes beyond a budget.
struct Limit {
    looks: Cell<u32>,
    budget: usize,
    used: usize,
}

impl Limit {
    fn new(looks: u32, budget: usize) -> Self {
        Self {
            looks: Cell::new(looks),
            budget,
            used: 0,
        }
    }
}

impl Watch for Limit {
    fn is_cancelled(&self) -> bool {
        self.looks.set(self.looks.get().saturating_sub(1));
        self.looks.get() == 0
    }

    fn grow(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        self.used += bytes;
        match self.used <= self.budget {
            true => Ok(()),
            false => Err(OutOfMemory),
        }
    }
}

/// Workers whose tasks of one length all end at the same time, and instants at the barriers.
fn barriers(workers: u32, rounds: i64, instants: u32) -> Trace {
    let mut rows = Vec::new();
    for round in 0..rounds {
        rows.extend((0..workers).map(|worker| (10 * round, 10 * round + 10, worker)));
        rows.extend((0..instants).map(|mark| (10 * round + 10, 10 * round + 10, mark)));
    }
    Trace::new(&rows)
}

/// Each task depends on its worker's task before it, and on all instants between.
fn worker_chains(workers: u32, rounds: u32, instants: u32) -> Vec<Dependency> {
    let mut list = Vec::new();
    let size = workers + instants;
    for round in 1..rounds {
        for worker in 0..workers {
            let (from, to) = ((round - 1) * size + worker, round * size + worker);
            list.push(dependency(from, to));
            for mark in 0..instants {
                let mark = (round - 1) * size + workers + mark;
                list.push(dependency(from, mark));
                list.push(dependency(mark, to));
            }
        }
    }
    list
}

fn all_options() -> Vec<Options> {
    let mut all = Vec::new();
    for mode in [
        Dependencies::Full,
        Dependencies::None,
        Dependencies::Application,
    ] {
        for variant in [Variant::Longest, Variant::Spanning, Variant::BackwardWalk] {
            for conform in [Conform::Direct, Conform::Transitive] {
                for epsilon in [0, 3, i64::MAX] {
                    all.push(Options {
                        dependencies: mode,
                        epsilon,
                        conform,
                        blocked_if: BlockedIf::All,
                        variant,
                    });
                }
            }
        }
    }
    all
}

#[test]
fn a_stop_is_heard_at_every_look() {
    let trace = barriers(64, 200, 1);
    let list = worker_chains(64, 200, 1);
    for options in all_options() {
        let looks = (0_u32..).map(|at| at + 1 + at * at * at / 20);
        for look in looks {
            let mut watch = Limit::new(look, usize::MAX);
            let found = analyse(trace.claims(), &list, &options, &mut watch);
            if watch.looks.get() > 0 {
                assert!(look > 5, "{look} looks");
                break;
            }
            assert_eq!(found.map(|_| ()), Err(Failure::Cancelled));
        }
    }
}

#[test]
fn every_budget_ends_in_a_result_or_in_no_room() {
    let trace = barriers(16, 20, 2);
    let list = worker_chains(16, 20, 2);
    for options in all_options() {
        let mut free = Limit::new(u32::MAX, usize::MAX);
        let told = analyse(trace.claims(), &list, &options, &mut free).map(|_| ());
        for part in 0..=40 {
            let mut watch = Limit::new(u32::MAX, free.used * part / 40);
            match analyse(trace.claims(), &list, &options, &mut watch) {
                Err(Failure::OutOfMemory { bytes }) => assert!(bytes > 0 && part < 40),
                found => assert_eq!((found.map(|_| ()), watch.used), (told.clone(), free.used)),
            }
        }
    }
}

#[test]
fn barriers_have_the_square_of_edges_in_linear_memory() {
    let (workers, rounds) = (20_000, 3);
    let trace = barriers(workers, rounds, 0);
    for epsilon in [0, 9, 10, i64::MAX] {
        let mut watch = Limit::new(u32::MAX, usize::MAX);
        let options = options(Dependencies::None, epsilon);
        let found = analyse(trace.claims(), &[], &options, &mut watch).expect("a result");
        // With the largest epsilons claims of the first round point at those of the third too, but that path is shorter.
        let square = u64::from(workers).pow(2);
        assert_eq!(found.edges.len(), 2 * square);
        assert_eq!(found.critical, vec![true; trace.start.len()]);
        let bytes = watch.used / trace.start.len();
        assert!(bytes < 400, "{bytes} bytes for each claim");
        let some: Vec<Edge> = found.edges.iter().skip(workers as usize).take(2).collect();
        let pairs: Vec<(u32, u32)> = some.iter().map(|edge| (edge.from, edge.to)).collect();
        assert_eq!(pairs, [(0, workers + 1), (1, workers + 1)]);
    }
}

#[test]
fn instants_by_the_thousand_at_one_time() {
    // Edges, path and walk must not take the square of them.
    let instants = 200_000;
    let trace = Trace::new(&vec![(5, 5, 7); instants]);
    let list: Vec<Dependency> = (1..instants as u32)
        .map(|to| dependency(to - 1, to))
        .collect();
    for mut options in all_options() {
        options.blocked_if = BlockedIf::Any;
        if options.dependencies == Dependencies::Full && options.variant == Variant::Spanning {
            continue;
        }
        let found = analyse(trace.claims(), &list, &options, &mut Unwatched).expect("a result");
        let number = instants as u64;
        if options.variant == Variant::BackwardWalk {
            // Back from the first in the input: nothing comes before it in `full`.
            let most = match options.dependencies {
                Dependencies::Full => 1,
                _ => instants,
            };
            assert_eq!(found.path.len(), most);
        } else if options.dependencies == Dependencies::Full {
            assert_eq!(found.edges.len(), number - 1);
        } else {
            assert_eq!(found.edges.len(), number * (number - 1));
        }
    }
}

#[test]
fn long_chains_and_cycles_need_no_deep_stack() {
    let claims = 200_000_u32;
    let rows: Vec<(i64, i64, u32)> = (0..i64::from(claims)).map(|at| (at, at + 1, 0)).collect();
    let trace = Trace::new(&rows);
    let mut list: Vec<Dependency> = (1..claims).map(|to| dependency(to - 1, to)).collect();
    let full = options(Dependencies::Full, 0);
    let found = analyse(trace.claims(), &list, &full, &mut Unwatched).expect("a result");
    assert_eq!(found.length, i64::from(claims));
    assert_eq!(found.path.len(), claims as usize);
    // Upper bounds tie all of them into one component that the trace fulfils.
    let tied: Vec<Dependency> = (list.iter())
        .map(|one| Dependency {
            max_delay: Some(0),
            ..*one
        })
        .collect();
    let found = analyse(trace.claims(), &tied, &full, &mut Unwatched).expect("a result");
    assert_eq!(found.length, i64::from(claims));
    assert_eq!(found.edges.len(), 2 * u64::from(claims - 1));
    // Back to the first: a cycle through all.
    list.push(dependency(claims - 1, 0));
    let found = analyse(trace.claims(), &list, &full, &mut Unwatched);
    let Err(Failure::Cycle {
        claims: cycle,
        weight,
    }) = found
    else {
        panic!("a cycle");
    };
    assert_eq!(
        (cycle.len(), weight),
        (claims as usize + 1, i128::from(claims))
    );
    assert_eq!((cycle[0], cycle[1], cycle[claims as usize]), (0, 1, 0));
}

#[test]
fn bounds_count_as_waiting_in_the_longest_path() {
    // By hand: b may begin 10 after a ends, so 3 + 10 + 2; c ends 100 after d starts, whatever their lengths.
    let trace = Trace::new(&[(0, 3, 0), (13, 15, 0), (0, 1, 1), (0, 2, 2)]);
    let mut list = vec![Dependency {
        min_delay: Some(10),
        ..dependency(0, 1)
    }];
    let full = options(Dependencies::Full, 0);
    let found = analyse(trace.claims(), &list, &full, &mut Unwatched).expect("a result");
    assert_eq!((found.length, found.path_gap), (15, 10));
    assert_eq!(found.slack, Some(vec![0, 0, 14, 13]));
    assert_eq!(found.violated, [0_u32; 0]);
    list.push(Dependency {
        from_point: Point::Start,
        to_point: Point::End,
        min_delay: Some(100),
        ..dependency(3, 2)
    });
    let found = analyse(trace.claims(), &list, &full, &mut Unwatched).expect("a result");
    assert_eq!(found.length, 100);
    assert_eq!(found.slack, Some(vec![85, 85, 99, 98]));
    assert_eq!((found.edges.len(), found.path.len()), (1, 0));
    assert_eq!(found.violated, [1]);
}

#[test]
fn edges_can_leave_the_analysis_and_the_thread() {
    let trace = barriers(4, 3, 0);
    let found = run(&trace, &options(Dependencies::None, 0)).expect("a result");
    let mut edges = found.edges.iter();
    assert_eq!(edges.size_hint(), (32, Some(32)));
    drop(found);
    let rest = std::thread::spawn(move || {
        let batch: Vec<Edge> = edges.by_ref().take(10).collect();
        (batch.len(), edges.count())
    });
    assert_eq!(rest.join().expect("no panic"), (10, 22));
}
