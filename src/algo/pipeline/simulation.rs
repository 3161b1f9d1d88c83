//! The run. Stages take images in order, so nothing that a later image does can delay an earlier one: one pass over the
//! images finds every start, without a queue of events.

use super::Parameters;
use super::memory::Memory;
use super::rows::{Claim, Data, Dependency, ResourceKind, Run, Usage};
use rand_core::{Rng, SeedableRng};
use rand_pcg::Mcg128Xsl64;

/// The source of all chance in a run; whole numbers only, so that the rows are the same on every machine.
struct Noise(Mcg128Xsl64);

impl Noise {
    /// Units that an image needs.
    fn size(&mut self) -> u32 {
        let sizes = u64::from(Parameters::FRAME - Parameters::SMALLEST) + 1;
        Parameters::SMALLEST + (self.0.next_u64() % sizes) as u32
    }

    /// A nearly normal number of nanoseconds with the given mean, from the sum of four uniform 16-bit lanes. The standard
    /// deviation is 3 % of the mean, and nothing is further from it than 10.4 %.
    fn duration(&mut self, mean: i64) -> i64 {
        const MEAN: i64 = 2 * 65_535;
        /// 4 lanes of variance (65536² - 1) / 12.
        const DEVIATION: i64 = 37_837;
        const PERCENT: i64 = 3;
        let bits = self.0.next_u64();
        let lanes = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
        mean + mean * PERCENT * (lanes as i64 - MEAN) / (100 * DEVIATION)
    }
}

/// Mean duration of a stage in nanoseconds.
///
/// The first stage is the slowest, so images reach the others far enough apart to find each processor free. The default
/// others take 59 ms together, more than three times the first: where their memory has room for three images, the first
/// stage runs ahead, and the second waits until the last gives a buffer back.
fn mean(stage: u32) -> i64 {
    const FIRST: i64 = 16_000_000;
    const OTHERS: [i64; 6] = [
        11_000_000, 9_000_000, 8_000_000, 11_000_000, 10_000_000, 10_000_000,
    ];
    match stage.checked_sub(1) {
        None => FIRST,
        Some(other) => OTHERS[other as usize % OTHERS.len()],
    }
}

/// A stage at work on an image.
#[derive(Clone, Copy)]
struct Task {
    start: i64,
    end: i64,
    image: u32,
    stage: u32,
    amount: u32,
    offset: u32,
}

/// A change of what is taken of a memory.
#[derive(Clone, Copy)]
struct Change {
    memory: u32,
    time: i64,
    amount: i64,
}

/// Runs the pipeline; the parameters are valid.
pub(super) fn run(parameters: &Parameters) -> Run {
    let (tasks, changes) = simulate(parameters);
    let mut order: Vec<u32> = (0..tasks.len() as u32).collect();
    order.sort_unstable_by_key(|&at| {
        let task = &tasks[at as usize];
        (task.start, task.image, task.stage)
    });
    Run {
        claims: claims(parameters, &tasks, &order),
        dependencies: dependencies(parameters, &tasks, &order),
        usage: usage(parameters, changes),
    }
}

/// All tasks, by image and stage, and the changes of the memories.
fn simulate(parameters: &Parameters) -> (Vec<Task>, Vec<Change>) {
    let stages = parameters.tasks as usize;
    let mut noise = Noise(Mcg128Xsl64::seed_from_u64(parameters.seed));
    let mut memories: Vec<Memory> = (0..parameters.memories)
        .map(|_| Memory::new(parameters.capacity))
        .collect();
    let mut processor_free = vec![0_i64; stages];
    let mut tasks = Vec::with_capacity(stages * parameters.images as usize);
    let mut changes = Vec::new();
    for image in 0..parameters.images {
        let amount = noise.size();
        let mut offset = 0;
        let mut arrival = 0;
        for (stage, free) in (0_u32..).zip(&mut processor_free) {
            let memory = parameters.memory_of(stage);
            let mut start = arrival.max(*free);
            if parameters.takes_buffer(stage) {
                (start, offset) = memories[memory as usize].take(start, amount);
                changes.push(Change {
                    memory,
                    time: start,
                    amount: i64::from(amount),
                });
            }
            let end = start + noise.duration(mean(stage));
            if parameters.gives_buffer_back(stage) {
                memories[memory as usize].keep(offset, end);
                changes.push(Change {
                    memory,
                    time: end,
                    amount: -i64::from(amount),
                });
            }
            tasks.push(Task {
                start,
                end,
                image,
                stage,
                amount,
                offset,
            });
            *free = end;
            arrival = end;
        }
    }
    (tasks, changes)
}

fn claims(parameters: &Parameters, tasks: &[Task], order: &[u32]) -> Vec<Claim> {
    let both = |&at: &u32| {
        let task = tasks[at as usize];
        let processor = Claim {
            resource: task.stage,
            kind: ResourceKind::Processor,
            stage: task.stage as u8,
            image: task.image,
            start: task.start,
            end: task.end,
            amount: 1,
            offset: 0,
        };
        let memory = Claim {
            resource: parameters.tasks + parameters.memory_of(task.stage),
            kind: ResourceKind::Memory,
            amount: task.amount,
            offset: task.offset,
            ..processor
        };
        [processor, memory]
    };
    order.iter().flat_map(both).collect()
}

fn dependencies(parameters: &Parameters, tasks: &[Task], order: &[u32]) -> Vec<Dependency> {
    let mut place = vec![0_u32; order.len()];
    for (rank, &at) in (0..).zip(order) {
        place[at as usize] = rank;
    }
    let mut found = Vec::with_capacity(2 * tasks.len());
    for (at, task) in tasks.iter().enumerate() {
        let (before, data) = match (task.stage, task.image) {
            (0, 0) => continue,
            (0, _) => (at - parameters.tasks as usize, Data::Stream),
            _ => (at - 1, Data::Image),
        };
        // of the two claims of a task the one on the processor comes first
        for claim in 0..2 {
            let dependency = Dependency {
                data,
                source: 2 * place[before] + claim,
                target: 2 * place[at] + claim,
            };
            found.push((tasks[before].end, dependency));
        }
    }
    found.sort_unstable_by_key(|(end, dependency)| (*end, dependency.source, dependency.target));
    found
        .into_iter()
        .map(|(_, dependency)| dependency)
        .collect()
}

fn usage(parameters: &Parameters, mut changes: Vec<Change>) -> Vec<Usage> {
    changes.sort_by_key(|change| (change.memory, change.time));
    let mut steps = Vec::with_capacity(changes.len());
    let mut level = 0;
    for pair in changes.windows(2) {
        let [change, next] = pair else { continue };
        level += change.amount;
        // changes at one time are one change; where the next memory begins the level is 0 again
        if change.memory == next.memory && change.time < next.time {
            steps.push(Usage {
                resource: parameters.tasks + change.memory,
                start: change.time,
                end: next.time,
                amount: u32::try_from(level).unwrap_or(0),
            });
        }
    }
    steps.sort_by_key(|step| (step.start, step.resource));
    steps
}
