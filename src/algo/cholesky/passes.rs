//! One pass over a run for each relation: states, links, variables, events.

use super::Parameters;
use super::graph::{Task, tile_total};
use super::platform::{PROGRAM, Platform, SCHEDULER, Submission};
use super::rows::{Access, EventRow, LinkRow, StateRow, TaskAttributes, VariableRow};
use super::sequencer::{RawRow, Sequencer};
use super::simulation::{Simulation, Sink};
use super::task_count;
use std::collections::VecDeque;

/// The rows of a run in start order, with ids.
struct Rows {
    simulation: Simulation,
    sequencer: Sequencer,
    is_over: bool,
}

impl Rows {
    fn new(parameters: &Parameters) -> Self {
        let simulation = Simulation::new(parameters);
        let sequencer = Sequencer::new(simulation.platform().workers());
        Self {
            simulation,
            sequencer,
            is_over: false,
        }
    }

    fn next_row(&mut self) -> Option<(u64, RawRow)> {
        loop {
            let clock = if self.is_over {
                i64::MAX
            } else {
                self.simulation.now()
            };
            if let Some(row) = self.sequencer.pop(clock) {
                return Some(row);
            }
            if self.is_over {
                return None;
            }
            self.is_over = !self.simulation.step(&mut self.sequencer);
        }
    }
}

/// The states of a run; see [`super::states`].
pub struct States {
    rows: Rows,
    platform: Platform,
    tiles: u32,
}

impl States {
    pub(super) fn new(parameters: &Parameters) -> Self {
        Self {
            rows: Rows::new(parameters),
            platform: Platform::new(parameters),
            tiles: parameters.tiles,
        }
    }

    /// How many rows wait for their turn.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.rows.sequencer.waiting()
    }
}

impl Iterator for States {
    type Item = StateRow;

    fn next(&mut self) -> Option<StateRow> {
        let (id, row) = self.rows.next_row()?;
        Some(StateRow {
            id,
            resource: row.resource,
            state_type: self.platform.state_type(row.resource),
            value: row.value,
            start: row.start,
            end: row.end,
            depth: u16::from(row.depth),
            task: row.task.map(|task| attributes(task, self.tiles)),
        })
    }
}

fn attributes(task: Task, tiles: u32) -> TaskAttributes {
    let job = task.job(tiles);
    TaskAttributes {
        job_id: job,
        submit_order: job,
        x: u32::from(task.row),
        y: u32::from(task.column),
        iteration: u32::from(task.step),
        priority: task.priority(tiles),
        gflop: task.kernel().gflop(),
    }
}

/// The task that rewrote a tile last.
#[derive(Clone, Copy)]
struct Writer {
    state: u64,
    resource: u32,
    end: i64,
    row: u16,
    column: u16,
}

/// The dependencies of a run; see [`super::links`].
pub struct Links {
    rows: Rows,
    writers: Vec<Option<Writer>>,
    waiting: VecDeque<LinkRow>,
    ids: u64,
}

impl Links {
    pub(super) fn new(parameters: &Parameters) -> Self {
        Self {
            rows: Rows::new(parameters),
            writers: vec![None; tile_total(parameters.tiles)],
            waiting: VecDeque::new(),
            ids: 0,
        }
    }

    /// The links that arrive at a task, whose state has this id; then the task is the last writer of its tile.
    fn arrive(&mut self, target: u64, row: RawRow, task: Task) {
        let tiles = task.tiles();
        let Some((&rewritten, _)) = tiles.as_slice().split_last() else {
            return;
        };
        for &tile in tiles.as_slice() {
            // the first task on a tile finds what the application put there
            let Some(writer) = self.writers[tile as usize] else {
                continue;
            };
            self.waiting.push_back(LinkRow {
                id: self.ids,
                access: if tile == rewritten {
                    Access::ReadWrite
                } else {
                    Access::Read
                },
                source: writer.state,
                target,
                source_resource: writer.resource,
                target_resource: row.resource,
                start: writer.end,
                end: row.start,
                x: u32::from(writer.row),
                y: u32::from(writer.column),
            });
            self.ids += 1;
        }
        self.writers[rewritten as usize] = Some(Writer {
            state: target,
            resource: row.resource,
            end: row.end,
            row: task.row,
            column: task.column,
        });
    }
}

impl Iterator for Links {
    type Item = LinkRow;

    fn next(&mut self) -> Option<LinkRow> {
        loop {
            if let Some(link) = self.waiting.pop_front() {
                return Some(link);
            }
            let (id, row) = self.rows.next_row()?;
            if let Some(task) = row.task {
                self.arrive(id, row, task);
            }
        }
    }
}

/// Name of the variable that counts the tasks in the queues.
const READY: &str = "Number of Ready Tasks";
/// Name of the variable that counts the tasks submitted and not done.
const SUBMITTED: &str = "Number of Submitted Uncompleted Tasks";

/// A staircase whose last step is still open.
struct Staircase {
    metric: &'static str,
    since: Option<i64>,
    count: i64,
    closed: VecDeque<VariableRow>,
}

impl Staircase {
    fn new(metric: &'static str) -> Self {
        Self {
            metric,
            since: None,
            count: 0,
            closed: VecDeque::new(),
        }
    }

    fn change(&mut self, time: i64, by: i64) {
        self.close(time);
        self.since = Some(time);
        self.count += by;
    }

    /// Ends the open step; steps without length are not kept.
    fn close(&mut self, time: i64) {
        if let Some(start) = self.since.filter(|&start| start < time) {
            self.closed.push_back(VariableRow {
                resource: SCHEDULER,
                metric: self.metric,
                start,
                end: time,
                value: self.count as f64,
            });
        }
    }

    /// Nothing that starts before this can come any more; None when there is nothing closed and the run is over.
    fn first_start(&self) -> Option<i64> {
        match self.closed.front() {
            Some(row) => Some(row.start),
            None => self.since,
        }
    }
}

/// The counts of a run, and the submissions, which come by the clock alone.
struct Counts {
    ready: Staircase,
    submitted: Staircase,
    submission: Submission,
    next_job: u64,
    last_job: u64,
}

impl Counts {
    fn submit_until(&mut self, time: i64) {
        while self.next_job <= self.last_job {
            let submitted = self.submission.time(self.next_job);
            if submitted > time {
                break;
            }
            self.submitted.change(submitted, 1);
            self.next_job += 1;
        }
    }
}

impl Sink for Counts {
    fn ready(&mut self, time: i64) {
        self.submit_until(time);
        self.ready.change(time, 1);
    }

    fn taken(&mut self, time: i64) {
        self.submit_until(time);
        self.ready.change(time, -1);
    }

    fn completed(&mut self, time: i64) {
        self.submit_until(time);
        self.submitted.change(time, -1);
    }
}

/// The variables of a run; see [`super::variables`].
pub struct Variables {
    simulation: Simulation,
    counts: Counts,
    is_over: bool,
}

impl Variables {
    pub(super) fn new(parameters: &Parameters) -> Self {
        let simulation = Simulation::new(parameters);
        let counts = Counts {
            ready: Staircase::new(READY),
            submitted: Staircase::new(SUBMITTED),
            submission: simulation.submission(),
            next_job: 1,
            last_job: task_count(parameters.tiles),
        };
        Self {
            simulation,
            counts,
            is_over: false,
        }
    }
}

impl Iterator for Variables {
    type Item = VariableRow;

    fn next(&mut self) -> Option<VariableRow> {
        loop {
            let Counts {
                ready, submitted, ..
            } = &mut self.counts;
            // a staircase that has not begun cannot begin before the clock, where the other one's closed steps end
            let (first, second) = match (ready.first_start(), submitted.first_start()) {
                (Some(left), Some(right)) if right < left => (submitted, ready),
                (None, Some(_)) => (submitted, ready),
                _ => (ready, submitted),
            };
            if let Some(row) = first.closed.pop_front() {
                return Some(row);
            }
            if self.is_over {
                return second.closed.pop_front();
            }
            if !self.simulation.step(&mut self.counts) {
                self.is_over = true;
                for staircase in [&mut self.counts.ready, &mut self.counts.submitted] {
                    staircase.close(self.simulation.now());
                    staircase.since = None;
                }
            }
        }
    }
}

/// The events of a run; see [`super::events`].
pub(super) fn events(parameters: &Parameters, keep_going: impl FnMut() -> bool) -> Vec<EventRow> {
    let simulation = Simulation::new(parameters);
    let submission = simulation.submission();
    let program = |value, time| (PROGRAM, "program event type", value, time, None);
    let first = std::iter::once(program("start_profiling", submission.profiling));
    let iterations = (0..parameters.tiles).map(|iteration| {
        let before = task_count(parameters.tiles) - task_count(parameters.tiles - iteration);
        let time = submission.time(before + 1);
        (
            PROGRAM,
            "user event type",
            "submit_iteration",
            time,
            Some(iteration),
        )
    });
    let end = super::span(parameters, keep_going).ok().flatten();
    let last = end.map(|end| program("stop_profiling", end));
    (0..)
        .zip(first.chain(iterations).chain(last))
        .map(
            |(id, (resource, event_type, value, time, iteration))| EventRow {
                id,
                resource,
                event_type,
                value,
                time,
                iteration,
            },
        )
        .collect()
}
