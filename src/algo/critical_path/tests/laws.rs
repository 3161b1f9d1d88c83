//! The module against the naive reading of the text, on random small traces. `MAREY_ROUNDS` asks for more rounds.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::naive::{Found, Naive};
use super::*;

fn rounds() -> u32 {
    let asked = std::env::var("MAREY_ROUNDS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(1_000)
}

/// Up to seven claims in a few ticks on three resources: ties, instants, overlaps and gaps.
fn trace() -> impl Strategy<Value = Trace> {
    let claim = (
        0..=10_i64,
        prop_oneof![2 => Just(0), 5 => 0..=4_i64],
        0..3_u32,
    );
    let rows = prop::collection::vec(claim, 0..=7);
    (rows, prop_oneof![Just(0), -20..20_i64]).prop_map(|(rows, origin)| {
        let row = |(start, length, resource): &(i64, i64, u32)| {
            (origin + start, origin + start + length, *resource)
        };
        Trace::new(&rows.iter().map(row).collect::<Vec<_>>())
    })
}

fn either<T: Clone + std::fmt::Debug + 'static>(often: T, seldom: T) -> impl Strategy<Value = T> {
    prop_oneof![3 => Just(often), 1 => Just(seldom)]
}

/// Dependencies by fractions of the number of claims. Some pay heed to time, so that not all have cycles; some come twice.
fn dependencies(any: bool) -> impl Strategy<Value = Vec<(u32, u32, Dependency, bool)>> {
    let delay = |range: std::ops::RangeInclusive<i64>| {
        let some = range.prop_map(Some);
        prop_oneof![3 => Just(None), 1 => some]
    };
    let points = (
        either(Point::End, Point::Start),
        either(Point::Start, Point::End),
    );
    let bounds = (delay(-3..=4), delay(-2..=8));
    let one = (
        0..1000_u32,
        0..1000_u32,
        points,
        bounds,
        prop::bool::weighted(0.85),
    );
    let one = one.prop_map(move |(from, to, points, bounds, in_time)| {
        let mut one = dependency(0, 0);
        if any {
            (one.from_point, one.to_point) = points;
            (one.min_delay, one.max_delay) = bounds;
        }
        (from, to, one, in_time)
    });
    let list = prop::collection::vec(one, 0..=10);
    (list, prop::collection::vec(0..1000_usize, 0..=2)).prop_map(|(mut list, twice)| {
        for again in twice {
            if !list.is_empty() {
                list.push(list[again % list.len()]);
            }
        }
        list
    })
}

fn some_options() -> impl Strategy<Value = Options> {
    (
        prop_oneof![
            Just(Dependencies::Full),
            Just(Dependencies::None),
            Just(Dependencies::Application)
        ],
        prop_oneof![Just(0), Just(1), Just(2), 0..=20_i64, Just(i64::MAX)],
        either(Conform::Direct, Conform::Transitive),
        either(BlockedIf::Any, BlockedIf::All),
        prop_oneof![
            4 => Just(Variant::Longest),
            1 => Just(Variant::Spanning),
            1 => Just(Variant::BackwardWalk)
        ],
    )
        .prop_map(
            |(dependencies, epsilon, conform, blocked_if, variant)| Options {
                dependencies,
                epsilon,
                conform,
                blocked_if,
                variant,
            },
        )
}

fn resolve(trace: &Trace, drawn: &[(u32, u32, Dependency, bool)]) -> Vec<Dependency> {
    let claims = trace.start.len() as u32;
    if claims == 0 {
        return Vec::new();
    }
    let resolved = drawn.iter().map(|(from, to, one, in_time)| {
        let (mut from, mut to) = (from % claims, to % claims);
        let start = |claim: u32| (trace.start[claim as usize], trace.end[claim as usize]);
        if *in_time && start(from) > start(to) {
            (from, to) = (to, from);
        }
        Dependency { from, to, ..*one }
    });
    resolved.collect()
}

fn as_found(analysis: &Analysis) -> Found {
    let numbers = |column: &[Option<NonZeroU32>]| {
        column
            .iter()
            .map(|number| number.map(NonZeroU32::get))
            .collect()
    };
    Found {
        critical: analysis.critical.clone(),
        slack: analysis.slack.clone(),
        path_order: numbers(&analysis.path_order),
        path_position: numbers(&analysis.path_position),
        blocking: analysis.blocking.clone(),
        length: analysis.length,
        path_gap: analysis.path_gap,
        makespan: analysis.makespan,
        path: analysis.path.clone(),
        dependencies: analysis.dependencies,
        violated: analysis.violated.clone(),
        edges: analysis.edges.iter().collect(),
    }
}

fn run<S: Strategy>(strategy: S, check: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config {
        failure_persistence: None,
        ..Config::with_cases(rounds())
    };
    if let Err(failure) = TestRunner::new(config).run(&strategy, check) {
        panic!("{failure}");
    }
}

#[test]
fn equals_the_definitions_on_small_traces() {
    let drawn = prop::bool::ANY.prop_flat_map(dependencies);
    run(
        (trace(), drawn, some_options()),
        |(trace, drawn, options)| {
            let dependencies = resolve(&trace, &drawn);
            let found = analyse(trace.claims(), &dependencies, &options, &mut Unwatched);
            let naive = Naive::new(&trace, &dependencies, &options);
            let is_full = options.dependencies == Dependencies::Full;
            if is_full && options.variant == Variant::Spanning {
                let refused = matches!(found, Err(Failure::SpanningInFull | Failure::Cycle { .. }));
                prop_assert!(refused);
                return Ok(());
            }
            match (found, naive.find()) {
                (Ok(analysis), Some(told)) => {
                    prop_assert_eq!(analysis.edges.len(), told.edges.len() as u64);
                    prop_assert_eq!(as_found(&analysis), told);
                }
                (Err(Failure::Cycle { claims, weight }), None) => {
                    prop_assert!(weight > 0);
                    prop_assert!(naive.has_cycle(&claims, weight), "{:?} {}", claims, weight);
                }
                (found, told) => prop_assert!(false, "{:?}\n{:?}", found, told),
            }
            Ok(())
        },
    );
}

#[test]
fn the_smallest_spanning_epsilon_is_the_first_that_spans() {
    run(trace(), |trace| {
        let found = spanning_epsilon(trace.claims(), &mut Unwatched);
        let told = (0..=20).find(|epsilon| {
            let options = options(Dependencies::None, *epsilon);
            let marked = Naive::new(&trace, &[], &options).marked();
            marked.contains(&true)
        });
        prop_assert_eq!(found, Ok(told));
        Ok(())
    });
}

#[test]
fn rows_of_the_sweep_equal_the_definitions() {
    run((trace(), 0..=8_usize), |(trace, limit)| {
        let mut told: Vec<i64> = vec![0];
        for claim in 0..trace.start.len() {
            let nexts = (0..trace.start.len()).filter(|other| *other != claim);
            let gaps = nexts.map(|other| trace.start[other] - trace.end[claim]);
            told.extend(gaps.filter(|gap| *gap >= 0).min());
        }
        told.sort();
        told.dedup();
        if trace.start.is_empty() {
            told.clear();
        }
        let rows = epsilon_sweep(trace.claims(), limit, &mut Unwatched).expect("rows");
        let epsilons: Vec<i64> = rows.iter().map(|row| row.epsilon).collect();
        if told.len() <= limit.max(2) {
            prop_assert_eq!(&epsilons, &told);
        } else {
            prop_assert!(epsilons.len() <= limit.max(2));
            prop_assert!(epsilons.iter().all(|one| told.contains(one)));
            prop_assert_eq!(epsilons.first(), told.first());
            prop_assert_eq!(epsilons.last(), told.last());
            prop_assert!(epsilons.is_sorted_by(|one, two| one < two));
            prop_assert!(limit < 3 || epsilons.contains(&told[1]));
        }
        for row in rows {
            let options = options(Dependencies::None, row.epsilon);
            let naive = Naive::new(&trace, &[], &options);
            let found = naive.find().expect("no cycle");
            let critical = found.critical.iter().filter(|one| **one).count() as u64;
            let told = (found.length, found.path_gap, critical);
            prop_assert_eq!((row.length, row.path_gap, row.critical), told);
            prop_assert_eq!(row.spans, naive.marked().contains(&true));
        }
        Ok(())
    });
}
