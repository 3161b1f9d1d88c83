//! Laws of a run; every start against a simulator with events, written apart; and the story the model is for, against a
//! critical path by definition.

mod critical;
mod events;

use super::*;
use critical::{Analysis, analyse};
use std::collections::BTreeMap;

fn parameters(tasks: u32, memories: u32, capacity: u32, images: u32, seed: u64) -> Parameters {
    Parameters {
        tasks,
        memories,
        capacity,
        images,
        seed,
    }
}

/// Runs of all shapes: the default, one of everything, one memory for all, a memory for each, room for one image, room
/// for some images only, room for all.
fn runs() -> Vec<Parameters> {
    let mut all: Vec<Parameters> = (1..=20)
        .map(|seed| Parameters {
            seed,
            ..Parameters::default()
        })
        .collect();
    all.extend([
        parameters(1, 1, 30, 1, 0),
        parameters(1, 1, 1000, 9, 5),
        parameters(2, 1, 30, 7, 2),
        parameters(2, 2, 59, 30, 3),
        parameters(7, 1, 88, 40, 4),
        parameters(7, 3, 57, 40, 6),
        parameters(7, 7, 30, 40, 7),
        parameters(5, 4, 86, 300, 8),
        parameters(26, 2, 117, 200, u64::MAX),
        parameters(26, 9, 30, 100, 9),
        parameters(9, 2, Parameters::MAX_CAPACITY, 60, 10),
    ]);
    all
}

fn made(parameters: &Parameters) -> Run {
    run(parameters).expect("valid")
}

/// The claims on memories by image and stage; those on processors too, with `kind`.
fn by_task(run: &Run, kind: ResourceKind) -> BTreeMap<(u32, u8), Claim> {
    let claims = run.claims.iter().filter(|claim| claim.kind == kind);
    claims
        .map(|claim| ((claim.image, claim.stage), *claim))
        .collect()
}

#[test]
fn each_task_claims_its_processor_and_its_memory() {
    for parameters in runs() {
        let run = made(&parameters);
        let resources = resources(&parameters).expect("valid");
        let count = parameters.tasks * parameters.images;
        assert_eq!(run.claims.len(), 2 * count as usize);
        for pair in run.claims.chunks(2) {
            let [processor, memory] = pair else {
                panic!("claims come in pairs")
            };
            assert_eq!(processor.kind, ResourceKind::Processor);
            assert_eq!(
                resources[processor.resource as usize].name,
                format!("P{}", processor.stage + 1)
            );
            assert_eq!((processor.amount, processor.offset), (1, 0));
            assert_eq!(memory.kind, ResourceKind::Memory);
            assert_eq!(
                resources[memory.resource as usize].kind,
                ResourceKind::Memory
            );
            let times = |claim: &Claim| (claim.image, claim.stage, claim.start, claim.end);
            assert_eq!(times(processor), times(memory));
            assert!(memory.start < memory.end);
            let sizes = Parameters::SMALLEST..=Parameters::FRAME;
            assert!(sizes.contains(&memory.amount));
        }
        let key = |claim: &Claim| (claim.start, claim.image, claim.stage);
        assert!(run.claims.is_sorted_by_key(key));
        let tasks = by_task(&run, ResourceKind::Memory);
        assert_eq!(tasks.len(), count as usize, "every image meets every stage");
    }
}

#[test]
fn stages_are_shared_out_in_order_and_each_memory_has_some() {
    let shared = |tasks, memories| {
        let run = made(&parameters(tasks, memories, 100, 1, 1));
        let tasks_of = by_task(&run, ResourceKind::Memory);
        tasks_of
            .values()
            .map(|claim| claim.resource - tasks + 1)
            .collect::<Vec<_>>()
    };
    assert_eq!(shared(7, 1), [1; 7]);
    assert_eq!(shared(7, 2), [1, 2, 2, 2, 2, 2, 2]);
    assert_eq!(shared(7, 3), [1, 2, 2, 2, 3, 3, 3]);
    assert_eq!(shared(7, 7), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(shared(1, 1), [1]);
    for tasks in 1..=Parameters::MAX_TASKS {
        for memories in 1..=tasks {
            let mut memories_of = shared(tasks, memories);
            assert!(memories_of.is_sorted());
            memories_of.dedup();
            assert_eq!(memories_of, (1..=memories).collect::<Vec<_>>());
        }
    }
}

#[test]
fn claims_fit_their_resource_and_never_overlap_in_time_and_units() {
    for parameters in runs() {
        let run = made(&parameters);
        let resources = resources(&parameters).expect("valid");
        for (at, claim) in run.claims.iter().enumerate() {
            let capacity = resources[claim.resource as usize].capacity;
            assert!(claim.offset + claim.amount <= capacity);
            let later = run.claims[at + 1..]
                .iter()
                .take_while(|later| later.start < claim.end);
            for other in later.filter(|other| other.resource == claim.resource) {
                assert!(
                    other.offset >= claim.offset + claim.amount
                        || claim.offset >= other.offset + other.amount,
                    "{claim:?} {other:?}"
                );
            }
        }
    }
}

#[test]
fn an_image_keeps_its_buffer_from_stage_to_stage() {
    for parameters in runs() {
        let tasks = by_task(&made(&parameters), ResourceKind::Memory);
        for (&(image, stage), claim) in &tasks {
            let before = stage.checked_sub(1).and_then(|s| tasks.get(&(image, s)));
            if let Some(before) = before.filter(|before| before.resource == claim.resource) {
                assert_eq!(before.offset, claim.offset);
            }
        }
    }
}

#[test]
fn every_start_is_that_of_a_simulation_with_events() {
    for parameters in runs() {
        let tasks = by_task(&made(&parameters), ResourceKind::Memory);
        let simulated = events::simulate(&parameters, &tasks);
        for (task, claim) in &tasks {
            assert_eq!(
                simulated.get(task),
                Some(&(claim.start, claim.offset)),
                "{task:?} of {parameters:?}"
            );
        }
    }
}

#[test]
fn every_start_is_an_end_that_the_task_waited_for() {
    for parameters in runs() {
        let run = made(&parameters);
        for kind in [ResourceKind::Processor, ResourceKind::Memory] {
            let tasks = by_task(&run, kind);
            for (&(image, stage), claim) in &tasks {
                let end = |image: Option<u32>, stage: Option<u8>| {
                    let found = image.zip(stage).and_then(|task| tasks.get(&task));
                    found.map(|claim| claim.end)
                };
                let same_stage = end(image.checked_sub(1), Some(stage));
                let same_image = end(Some(image), stage.checked_sub(1));
                let released = parameters.takes_buffer(stage.into())
                    && tasks.values().any(|other| {
                        parameters.memory_of(other.stage.into())
                            == parameters.memory_of(stage.into())
                            && parameters.gives_buffer_back(other.stage.into())
                            && other.end == claim.start
                    });
                let start = Some(claim.start);
                assert!(
                    claim.start == 0 || same_stage == start || same_image == start || released,
                    "{claim:?}"
                );
                for needed in [same_stage, same_image].into_iter().flatten() {
                    assert!(needed <= claim.start);
                }
            }
        }
    }
}

#[test]
fn dependencies_are_those_of_the_data() {
    for parameters in runs() {
        let run = made(&parameters);
        let (tasks, images) = (parameters.tasks as usize, parameters.images as usize);
        let count = images * (tasks - 1) + images - 1;
        assert_eq!(run.dependencies.len(), 2 * count);
        let mut found = std::collections::BTreeSet::new();
        for dependency in &run.dependencies {
            let source = run.claims[dependency.source as usize];
            let target = run.claims[dependency.target as usize];
            assert_eq!(source.kind, target.kind);
            assert!(source.end <= target.start);
            match dependency.data {
                Data::Image => {
                    assert_eq!(
                        (source.image, source.stage + 1),
                        (target.image, target.stage)
                    );
                }
                Data::Stream => {
                    assert_eq!((source.image + 1, source.stage), (target.image, 0));
                }
            }
            assert!(found.insert((dependency.source, dependency.target)));
        }
        let key = |d: &Dependency| (run.claims[d.source as usize].end, d.source, d.target);
        assert!(run.dependencies.is_sorted_by_key(key));
    }
}

#[test]
fn usage_counts_what_images_hold_at_every_moment() {
    for parameters in runs() {
        let run = made(&parameters);
        let tasks = by_task(&run, ResourceKind::Memory);
        // an image holds its buffer from its first to its last claim on the memory, also between stages
        let mut held: BTreeMap<(u32, u32), (i64, i64, u32)> = BTreeMap::new();
        for claim in tasks.values() {
            let buffer = held.entry((claim.resource, claim.image)).or_insert((
                claim.start,
                claim.end,
                claim.amount,
            ));
            buffer.0 = buffer.0.min(claim.start);
            buffer.1 = buffer.1.max(claim.end);
        }
        for memory in 0..parameters.memories {
            let resource = parameters.tasks + memory;
            let of_it: Vec<_> = held
                .iter()
                .filter(|((r, _), _)| *r == resource)
                .map(|(_, buffer)| *buffer)
                .collect();
            let steps: Vec<_> = run
                .usage
                .iter()
                .filter(|step| step.resource == resource)
                .collect();
            let first = of_it.iter().map(|(start, ..)| *start).min();
            let last = of_it.iter().map(|(_, end, _)| *end).max();
            assert_eq!(steps.first().map(|step| step.start), first);
            assert_eq!(steps.last().map(|step| step.end), last);
            for pair in steps.windows(2) {
                assert_eq!(pair[0].end, pair[1].start, "a hole");
            }
            for step in steps {
                assert!(step.start < step.end && step.amount <= parameters.capacity);
                for time in [step.start, step.end - 1] {
                    let taken = of_it
                        .iter()
                        .filter(|(start, end, _)| (*start..*end).contains(&time));
                    assert_eq!(step.amount, taken.map(|(.., amount)| amount).sum::<u32>());
                }
            }
        }
        assert!(
            run.usage
                .is_sorted_by_key(|step| (step.start, step.resource))
        );
    }
}

#[test]
fn a_longer_run_begins_with_the_shorter_and_a_seed_says_all() {
    let long = by_task(&made(&parameters(7, 2, 100, 30, 3)), ResourceKind::Memory);
    let short = by_task(&made(&parameters(7, 2, 100, 11, 3)), ResourceKind::Memory);
    for (task, claim) in &short {
        assert_eq!(long.get(task), Some(claim));
    }
    assert_eq!(made(&Parameters::default()), made(&Parameters::default()));
    let other = Parameters {
        seed: 2,
        ..Parameters::default()
    };
    assert_ne!(made(&Parameters::default()), made(&other));
}

/// Rows of M2, computed by a program in another language, its generator of random numbers included.
#[test]
fn the_first_images_are_those_of_another_program() {
    let run = made(&parameters(3, 2, 30, 3, 1));
    let rows: Vec<_> = by_task(&run, ResourceKind::Memory)
        .into_values()
        .map(|claim| {
            let Claim {
                resource,
                start,
                end,
                amount,
                offset,
                ..
            } = claim;
            (resource, start, end, amount, offset)
        })
        .collect();
    assert_eq!(rows, OTHER_PROGRAM);
}

const OTHER_PROGRAM: [(u32, i64, i64, u32, u32); 9] = [
    (3, 0, 15461531, 26, 0),
    (4, 15461531, 26325492, 26, 0),
    (4, 26325492, 35300410, 26, 0),
    (3, 15461531, 30966245, 27, 0),
    (4, 35300410, 46528140, 27, 0),
    (4, 46528140, 55322813, 27, 0),
    (3, 30966245, 46875021, 27, 0),
    (4, 55322813, 66611437, 27, 0),
    (4, 66611437, 75677272, 27, 0),
];

/// The case `memory` of critical-path.md, section 11, whose answers were computed by hand.
#[test]
fn the_analysis_of_these_tests_is_right_on_the_case_memory() {
    let claim = |stage, image, resource, start, end| Claim {
        resource,
        kind: ResourceKind::Memory,
        stage,
        image,
        start,
        end,
        amount: 1,
        offset: 0,
    };
    let claims = [
        claim(0, 0, 1, 0, 4),
        claim(1, 0, 2, 4, 9),
        claim(6, 0, 2, 9, 12),
        claim(0, 1, 1, 4, 8),
        claim(1, 1, 2, 12, 17),
        claim(6, 1, 2, 17, 21),
    ];
    let dependencies = [(0, 1), (1, 2), (3, 4), (4, 5)];
    let full = analyse(&claims, &dependencies, false);
    assert_eq!((full.makespan, full.length), (21, 13));
    assert_eq!(full.critical, "A1 B1 G1");
    assert_eq!(full.gaps, [("A1 B1".to_owned(), 4)]);
    let none = analyse(&claims, &dependencies, true);
    assert_eq!(none.length, 21);
    assert_eq!(none.critical, "A0 B0 G0 B1 G1");
    assert!(none.gaps.is_empty());
    assert_eq!(none.not_by_dependency, ["G0 B1"]);
}

/// The view of the anchor's figures: the claims on memories of images 0 to 5.
fn story(parameters: &Parameters, epsilon_only: bool) -> Analysis {
    let run = made(parameters);
    let view: Vec<(usize, Claim)> = run
        .claims
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, claim)| claim.kind == ResourceKind::Memory && claim.image < 6)
        .collect();
    let place: BTreeMap<usize, usize> = view
        .iter()
        .enumerate()
        .map(|(place, (id, _))| (*id, place))
        .collect();
    let dependencies: Vec<(usize, usize)> = run
        .dependencies
        .iter()
        .filter_map(|d| {
            let end = |id: u32| place.get(&(id as usize)).copied();
            end(d.source).zip(end(d.target))
        })
        .collect();
    let claims: Vec<Claim> = view.into_iter().map(|(_, claim)| claim).collect();
    analyse(&claims, &dependencies, epsilon_only)
}

#[test]
fn dependencies_alone_miss_that_b_waits_for_the_memory_of_g() {
    for seed in 0..400 {
        let parameters = Parameters {
            seed,
            ..Parameters::default()
        };
        let full = story(&parameters, false);
        // all of A up to image 5, then image 5 itself, with one gap: before its B
        assert_eq!(
            full.critical, "A0 A1 A2 A3 A4 A5 B5 C5 D5 E5 F5 G5",
            "seed {seed}"
        );
        assert_eq!(full.gaps.len(), 1, "seed {seed}");
        assert_eq!(full.gaps[0].0, "A5 B5");
        // wide enough to be seen: a fiftieth of the view, 3 pixels of a column
        assert!(full.gaps[0].1 * 50 > full.makespan, "seed {seed}");
        assert_eq!(full.length + full.gaps[0].1, full.makespan);

        let none = story(&parameters, true);
        assert_eq!(
            none.critical, "A0 A1 A2 B2 C2 D2 E2 F2 G2 B5 C5 D5 E5 F5 G5",
            "seed {seed}"
        );
        assert!(none.gaps.is_empty());
        assert_eq!(none.length, none.makespan);
        // and as application dependencies: one claim waits for something else, in the same memory
        assert_eq!(none.not_by_dependency, ["G2 B5"], "seed {seed}");
    }
}

#[test]
fn with_room_for_a_fourth_image_nothing_waits_for_memory() {
    let roomy = Parameters {
        capacity: 120,
        ..Parameters::default()
    };
    let (full, none) = (story(&roomy, false), story(&roomy, true));
    assert_eq!(full.length, full.makespan);
    assert_eq!(full.critical, none.critical);
    assert!(none.not_by_dependency.is_empty());
    assert!(full.makespan < story(&Parameters::default(), false).makespan);
}

#[test]
fn parameters_out_of_range_are_named() {
    let error = |p: Parameters| run(&p).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(error(Parameters::default()), Ok(()));
    let wrong = [
        (
            parameters(0, 1, 100, 1, 1),
            "`tasks` must be from 1 to 26, not 0",
        ),
        (
            parameters(27, 1, 100, 1, 1),
            "`tasks` must be from 1 to 26, not 27",
        ),
        (
            parameters(3, 4, 100, 1, 1),
            "`memories` must be from 1 to the number of tasks, which is 3, not 4",
        ),
        (
            parameters(3, 0, 100, 1, 1),
            "`memories` must be from 1 to the number of tasks, which is 3, not 0",
        ),
        (
            parameters(3, 2, 29, 1, 1),
            "`capacity` must be from 30 (the largest image) to 1000000, not 29",
        ),
        (
            parameters(3, 2, 1_000_001, 1, 1),
            "`capacity` must be from 30 (the largest image) to 1000000, not 1000001",
        ),
        (
            parameters(3, 2, 100, 0, 1),
            "`images` must be from 1 to 20000, not 0",
        ),
        (
            parameters(3, 2, 100, 20_001, 1),
            "`images` must be from 1 to 20000, not 20001",
        ),
    ];
    for (parameters, message) in wrong {
        assert_eq!(error(parameters), Err(message.to_owned()));
        let resources = resources(&parameters).map_err(|error| error.to_string());
        assert_eq!(resources, Err(message.to_owned()));
    }
}

#[test]
fn tasks_have_letters() {
    let names: String = (0..26).map(task_name).collect();
    assert_eq!(names, ('A'..='Z').collect::<String>());
    assert_eq!(task_name(26), "?");
}
