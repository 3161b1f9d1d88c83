//! Laws of a run, checked against a graph built from the sequential program and against recounts from the rows.

mod program;

use super::graph::{Kernel, Task};
use super::simulation::Sink;
use super::*;
use program::program;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Runs of all shapes: the default, one tile, one core, devices only, more workers than tasks, a device that is always full.
const RUNS: [(u32, u32, u32, u64); 9] = [
    (20, 8, 2, 1),
    (1, 1, 0, 0),
    (1, 0, 1, 5),
    (2, 3, 1, 7),
    (9, 1, 0, 2),
    (11, 0, 3, 3),
    (4, 40, 8, u64::MAX),
    (17, 2, 1, 11),
    (70, 3, 2, 4),
];

fn runs() -> impl Iterator<Item = Parameters> {
    RUNS.into_iter()
        .map(|(tiles, cpus, gpus, seed)| Parameters {
            tiles,
            cpus,
            gpus,
            seed,
        })
}

fn all_states(parameters: &Parameters) -> Vec<StateRow> {
    states(parameters).expect("valid").collect()
}

/// The states of tasks by job.
fn tasks_by_job(rows: &[StateRow]) -> BTreeMap<u64, StateRow> {
    let mut tasks = BTreeMap::new();
    for row in rows {
        if let Some(task) = row.task {
            assert!(tasks.insert(task.job_id, *row).is_none(), "job runs twice");
        }
    }
    tasks
}

#[test]
fn counts_are_those_of_the_program() {
    for tiles in 1..=14 {
        let program = program(tiles);
        assert_eq!(task_count(tiles), program.tasks.len() as u64);
        assert_eq!(dependency_count(tiles), program.edges.len() as u64);
        let n = u64::from(tiles);
        let count = |kernel| program.tasks.iter().filter(|task| task.0 == kernel).count() as u64;
        assert_eq!(count("potrf"), n);
        assert_eq!(count("trsm"), n * (n - 1) / 2);
        assert_eq!(count("syrk"), n * (n - 1) / 2);
        assert_eq!(count("gemm") * 6, n * (n - 1) * n.saturating_sub(2));
        assert!(
            program.anti.is_empty(),
            "the graph has true dependencies alone"
        );
    }
    assert_eq!(task_count(Parameters::MAX_TILES), 1_335_334_000);
}

#[test]
fn jobs_are_numbered_in_submission_order() {
    for tiles in [1, 2, 3, 8, 13] {
        let program = program(tiles);
        let index = |value: u32| u16::try_from(value).expect("small");
        for (job, &(name, step, row, column)) in (1..).zip(&program.tasks) {
            let task = Task {
                step: index(step),
                row: index(row),
                column: index(column),
            };
            assert_eq!(task.job(tiles), job);
            assert_eq!(task.kernel().value().name(), name);
        }
    }
}

#[test]
fn priorities_fall_along_dependencies() {
    let parameters = Parameters::default();
    let tasks = tasks_by_job(&all_states(&parameters));
    for (source, target, ..) in program(parameters.tiles).edges {
        let priority = |job| tasks[&job].task.expect("a task").priority;
        assert!(priority(source) > priority(target));
    }
}

#[test]
fn every_task_runs_once_after_its_dependencies_and_links_say_so() {
    for parameters in runs() {
        let program = program(parameters.tiles);
        let rows = all_states(&parameters);
        let tasks = tasks_by_job(&rows);
        assert_eq!(tasks.len(), program.tasks.len());
        for (job, &(name, step, row, column)) in (1..).zip(&program.tasks) {
            let state = tasks[&job];
            let task = state.task.expect("a task");
            assert_eq!(state.value.name(), name);
            assert_eq!((task.iteration, task.x, task.y), (step, row, column));
            assert_eq!(task.submit_order, job);
        }
        for &(source, target, ..) in &program.edges {
            assert!(tasks[&source].end <= tasks[&target].start);
        }
        let mut edges = BTreeSet::new();
        let mut last_end = 0;
        for (id, link) in (0..).zip(links(&parameters).expect("valid")) {
            let source = rows[link.source as usize];
            let target = rows[link.target as usize];
            assert_eq!(link.id, id);
            assert_eq!((link.start, link.end), (source.end, target.start));
            assert_eq!(link.source_resource, source.resource);
            assert_eq!(link.target_resource, target.resource);
            assert!(link.end >= last_end);
            last_end = link.end;
            let job = |state: StateRow| state.task.expect("a task").job_id;
            let rewrites = link.access == Access::ReadWrite;
            edges.insert((job(source), job(target), link.x, link.y, rewrites));
        }
        assert_eq!(edges, program.edges);
    }
}

#[test]
fn states_come_by_start_with_row_numbers_as_ids() {
    for parameters in runs() {
        let mut last = 0;
        for (id, row) in (0..).zip(states(&parameters).expect("valid")) {
            assert_eq!(row.id, id);
            assert!(row.start >= last && row.end >= row.start);
            last = row.start;
        }
    }
}

#[test]
fn few_rows_wait_for_their_turn() {
    let parameters = Parameters {
        tiles: 60,
        ..Parameters::default()
    };
    let mut states = states(&parameters).expect("valid");
    let mut most = 0;
    let mut count = 0;
    while states.next().is_some() {
        most = most.max(states.waiting());
        count += 1;
    }
    assert!(count > 200_000);
    // what all workers do while one sleeps a quarter of a second
    assert!(most < 5_000, "{most} rows waited");
}

#[test]
fn tracks_are_properly_nested() {
    for parameters in runs() {
        let resources = resources(&parameters).expect("valid");
        let mut tracks: BTreeMap<u32, Vec<StateRow>> = BTreeMap::new();
        for row in states(&parameters).expect("valid") {
            tracks.entry(row.resource).or_default().push(row);
        }
        for (resource, rows) in tracks {
            let expected = match resources[resource as usize].resource_type {
                "Worker" => StateType::Worker,
                "Memory Manager" => StateType::MemoryNode,
                other => panic!("{other} has states"),
            };
            let (mut outer_start, mut outer_end, mut inner_end) = (0, 0, 0);
            for row in rows {
                assert_eq!(row.state_type, expected);
                match row.depth {
                    0 => {
                        assert!(row.start >= outer_end, "{row:?} overlaps");
                        (outer_start, outer_end, inner_end) = (row.start, row.end, row.start);
                    }
                    1 => {
                        assert!(row.start >= outer_start && row.end <= outer_end);
                        assert!(row.start >= inner_end, "{row:?} overlaps");
                        inner_end = row.end;
                        assert!(row.task.is_none());
                    }
                    _ => panic!("too deep"),
                }
            }
        }
    }
}

#[test]
fn workers_are_never_without_a_state_for_long() {
    /// The longest hole: a few records' time.
    const HOLE: i64 = 20_000;
    let parameters = Parameters::default();
    let end = span(&parameters, || true).expect("valid").expect("not cut");
    let mut reach: BTreeMap<u32, i64> = BTreeMap::new();
    for row in states(&parameters).expect("valid") {
        if row.state_type == StateType::Worker && row.depth == 0 {
            let before = reach.insert(row.resource, row.end);
            assert!(before.is_none_or(|before| row.start - before < HOLE));
            assert!(row.end <= end);
        }
    }
    assert_eq!(reach.len() as u32, parameters.cpus + parameters.gpus);
    assert!(reach.values().all(|&last| end - last < HOLE));
}

/// Ready (+1) and taken (-1) times as a sink hears them.
#[derive(Default)]
struct Log {
    changes: Vec<(i64, i64)>,
}

impl Sink for Log {
    fn ready(&mut self, time: i64) {
        self.changes.push((time, 1));
    }

    fn taken(&mut self, time: i64) {
        self.changes.push((time, -1));
    }
}

/// The changes, by time, with their running sum instead of the change.
fn sums(changes: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let mut sum = 0;
    let add = |&(time, change): &(i64, i64)| {
        sum += change;
        (time, sum)
    };
    changes.iter().map(add).collect()
}

/// The running sum at a time.
fn count_at(sums: &[(i64, i64)], time: i64) -> i64 {
    match sums.partition_point(|sum| sum.0 <= time) {
        0 => 0,
        place => sums[place - 1].1,
    }
}

#[test]
fn variables_are_staircases_that_a_recount_confirms() {
    for parameters in runs().filter(|parameters| parameters.tiles <= 20) {
        let rows = all_states(&parameters);
        let end = span(&parameters, || true).expect("valid");
        let mut log = Log::default();
        let mut simulation = Simulation::new(&parameters);
        while simulation.step(&mut log) {}
        assert!(log.changes.is_sorted_by_key(|change| change.0));

        // from the states alone: a task is taken where its fetch starts, and can be ready when all its sources have ended
        let mut fetches: HashMap<u32, i64> = HashMap::new();
        let mut taken = Vec::new();
        for row in &rows {
            if row.value == StateValue::FetchingInput {
                fetches.insert(row.resource, row.start);
            } else if row.task.is_some() {
                taken.push(fetches[&row.resource]);
            }
        }
        taken.sort_unstable();
        let heard = log.changes.iter().filter(|change| change.1 < 0);
        assert_eq!(taken, heard.map(|change| change.0).collect::<Vec<_>>());
        let tasks = tasks_by_job(&rows);
        let mut sources_end: BTreeMap<u64, i64> = tasks.keys().map(|&job| (job, 0)).collect();
        for (source, target, ..) in program(parameters.tiles).edges {
            let time = sources_end.entry(target).or_default();
            *time = (*time).max(tasks[&source].end);
        }
        let mut possible: Vec<i64> = sources_end.into_values().collect();
        possible.sort_unstable();

        let submission = simulation.submission();
        let mut submitted: Vec<(i64, i64)> = (1..=task_count(parameters.tiles))
            .map(|job| (submission.time(job), 1))
            .chain(tasks.values().map(|row| (row.end, -1)))
            .collect();
        submitted.sort_unstable();
        let uncompleted = sums(&submitted);
        let ready = sums(&log.changes);

        let mut last_start = 0;
        let mut ends: BTreeMap<&str, (i64, f64)> = BTreeMap::new();
        for row in variables(&parameters).expect("valid") {
            assert!(row.start >= last_start && row.end > row.start && row.value >= 0.0);
            last_start = row.start;
            let before = ends.insert(row.metric, (row.end, row.value));
            assert!(before.is_none_or(|(end, _)| end == row.start), "a hole");
            let value = row.value as i64;
            if row.metric == "Number of Ready Tasks" {
                for time in [row.start, row.end - 1] {
                    assert_eq!(count_at(&ready, time), value);
                }
                let free = possible.partition_point(|&time| time <= row.start);
                let gone = taken.partition_point(|&time| time <= row.start);
                assert!(value <= free as i64 - gone as i64);
            } else {
                for time in [row.start, row.end - 1] {
                    assert_eq!(count_at(&uncompleted, time), value);
                }
            }
        }
        assert_eq!(ends.len(), 2);
        for (last, value) in ends.into_values() {
            assert_eq!((Some(last), value), (end, 0.0));
        }
    }
}

#[test]
fn events_mark_profiling_and_iterations() {
    let parameters = Parameters::default();
    let rows = events(&parameters, || true).expect("valid");
    assert_eq!(rows.len(), parameters.tiles as usize + 2);
    assert!(rows.is_sorted_by_key(|row| row.time));
    assert!((0..).zip(&rows).all(|(id, row)| row.id == id));
    assert_eq!(rows[0].value, "start_profiling");
    assert_eq!(rows[1].iteration, Some(0));
    let last = rows.last().expect("not empty");
    assert_eq!(last.value, "stop_profiling");
    assert_eq!(Some(last.time), span(&parameters, || true).expect("valid"));
    let cut = events(&parameters, || false).expect("valid");
    assert_eq!(cut, rows[..rows.len() - 1]);
    assert_eq!(span(&parameters, || false), Ok(None));
}

#[test]
fn resources_form_a_tree() {
    for parameters in runs() {
        let rows = resources(&parameters).expect("valid");
        let expected = 4 + parameters.cpus + 3 * parameters.gpus;
        assert_eq!(rows.len() as u32, expected);
        let paths: BTreeSet<&str> = rows.iter().map(|row| row.path.as_str()).collect();
        assert_eq!(paths.len(), rows.len());
        for (index, row) in (0..).zip(&rows) {
            match row.parent {
                None => assert_eq!((index, row.path.as_str()), (0, "p")),
                Some(parent) => {
                    assert!(parent < index);
                    let above = &rows[parent as usize].path;
                    assert_eq!(row.path, format!("{above}/{}", row.name));
                }
            }
        }
        let workers = rows.iter().filter(|row| row.resource_type == "Worker");
        assert_eq!(workers.count() as u32, parameters.cpus + parameters.gpus);
        let has = |path| paths.contains(path);
        assert_eq!(has("p/MEMNODE0/CPU0"), parameters.cpus > 0);
        assert_eq!(has("p/MEMNODE1/CUDA0_0"), parameters.gpus > 0);
    }
}

#[test]
fn the_seed_decides_all() {
    let parameters = Parameters::default();
    let other = Parameters {
        seed: 2,
        ..parameters
    };
    assert_eq!(all_states(&parameters), all_states(&parameters));
    assert_ne!(all_states(&parameters), all_states(&other));
}

/// The rows of the default run are part of what is promised: this number changes only with the changelog.
#[test]
fn the_default_run_is_the_same_everywhere() {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for row in all_states(&Parameters::default()) {
        let job = row.task.map_or(0, |task| task.job_id);
        let depth_and_resource = u64::from(row.depth) << 32 | u64::from(row.resource);
        for word in [
            row.start as u64,
            row.end as u64,
            depth_and_resource,
            row.value as u64,
            job,
        ] {
            hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    assert_eq!(hash, DEFAULT_HASH, "{hash:#018x}");
}

const DEFAULT_HASH: u64 = 0x587e_8516_b479_a2d3;

#[test]
fn the_default_run_looks_like_starpu() {
    let parameters = Parameters::default();
    let rows = all_states(&parameters);
    let end = span(&parameters, || true).expect("valid").expect("not cut");
    assert!((2_000_000_000..4_000_000_000).contains(&end));
    let mut total: HashMap<StateValue, i64> = HashMap::new();
    let mut instants = 0;
    let mut micro = 0;
    for row in &rows {
        let duration = row.end - row.start;
        *total.entry(row.value).or_default() += duration;
        instants += usize::from(duration == 0);
        micro += usize::from(duration > 0 && duration < 100_000);
    }
    for value in StateValue::ALL {
        assert!(total.contains_key(&value), "no {}", value.name());
    }
    let tasks = [Kernel::Potrf, Kernel::Trsm, Kernel::Syrk, Kernel::Gemm].map(Kernel::value);
    let busy: i64 = tasks.iter().map(|value| total[value]).sum();
    assert!(total[&StateValue::Gemm] * 4 > busy * 3, "gemm dominates");
    assert!(total[&StateValue::Potrf] * 20 < busy, "potrf is rare");
    assert!(instants * 20 > rows.len(), "instants");
    assert!(micro * 2 > rows.len(), "micro-durations");
    assert!(
        total[&StateValue::Reclaiming] * 20 < total[&StateValue::DriverCopy],
        "reclaiming is seldom"
    );
    let workers = i64::from(parameters.cpus + parameters.gpus);
    assert!(
        busy * 10 > workers * end * 6,
        "dense enough: {busy} of {}",
        workers * end
    );
}

#[test]
fn a_pass_can_move_to_another_thread() {
    fn check<T: Send>() {}
    check::<States>();
    check::<Links>();
    check::<Variables>();
}

#[test]
fn parameters_out_of_range_are_errors() {
    let good = Parameters::default();
    assert_eq!(good.validate(), Ok(()));
    let limits = Parameters {
        tiles: Parameters::MAX_TILES,
        cpus: Parameters::MAX_CPUS,
        gpus: Parameters::MAX_GPUS,
        seed: u64::MAX,
    };
    assert_eq!(limits.validate(), Ok(()));
    // the largest run starts without an overflow
    assert!(states(&limits).expect("valid").take(20_000).count() == 20_000);
    let cases = [
        (Parameters { tiles: 0, ..good }, ParameterError::Tiles(0)),
        (
            Parameters {
                tiles: u32::MAX,
                ..good
            },
            ParameterError::Tiles(u32::MAX),
        ),
        (
            Parameters { cpus: 1025, ..good },
            ParameterError::Cpus(1025),
        ),
        (Parameters { gpus: 33, ..good }, ParameterError::Gpus(33)),
        (
            Parameters {
                cpus: 0,
                gpus: 0,
                ..good
            },
            ParameterError::NoWorker,
        ),
    ];
    for (parameters, error) in cases {
        assert_eq!(parameters.validate(), Err(error));
        assert_eq!(states(&parameters).err(), Some(error));
        assert_eq!(links(&parameters).err(), Some(error));
        assert_eq!(variables(&parameters).err(), Some(error));
        assert_eq!(resources(&parameters).err(), Some(error));
        assert_eq!(events(&parameters, || true).err(), Some(error));
        assert_eq!(span(&parameters, || true).err(), Some(error));
        assert!(error.to_string().contains('`'));
    }
}
