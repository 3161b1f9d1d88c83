//! The run itself: a discrete-event simulation of StarPU's `dmdas` scheduler on the platform.
//!
//! A ready task goes at once to the worker that is expected to end it first, into a queue by priority. What happens is told to
//! a [`Sink`]; chance never depends on the sink, so that all passes see the same run.

use super::Parameters;
use super::graph::{Kernel, Progress, Task, task_count};
use super::memory::{COPY, Memory, Piece, Request};
use super::noise::{Micro, Noise};
use super::platform::{Class, Platform, Submission, kernel_median, kernel_spread};
use super::rows::StateValue;
use super::sequencer::RawRow;
use super::startup::{self, Start};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A sleeping worker is woken after this time at the latest and looks for work, nanoseconds. It bounds the rows that have to
/// wait for the end of a sleep.
const LONGEST_SLEEP: i64 = 250_000_000;

/// Listener of a run. Times are nanoseconds.
pub(super) trait Sink {
    /// A state; its start is not before the clock.
    fn row(&mut self, _row: RawRow) {}
    /// A worker has nothing to do from `since` on, which is not before the clock.
    fn idle(&mut self, _worker: u32, _resource: u32, _since: i64) {}
    /// The end of the worker's idle time.
    fn wake(&mut self, _worker: u32, _end: i64) {}
    /// A task has become ready; called in time order, as are the next two.
    fn ready(&mut self, _time: i64) {}
    /// A ready task has been taken by its worker.
    fn taken(&mut self, _time: i64) {}
    /// A task is done.
    fn completed(&mut self, _time: i64) {}
}

/// A sink for those who only want the clock.
pub(super) struct Silent;

impl Sink for Silent {}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Happening {
    /// The worker's task ends.
    Finish(u32),
    /// The worker looks for its next task.
    Free(u32),
    /// The worker leaves its sleep for a task.
    Wake(u32),
    /// The worker has slept long enough, if it is still its sleep of this number.
    Poll(u32, u32),
    /// The task's dependencies are done, and it is submitted.
    Ready(Task),
}

/// A task waiting at a worker: the most urgent first, then the first submitted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Queued {
    priority: u32,
    job: Reverse<u64>,
    task: Task,
}

/// A task whose tiles are under way to the device.
#[derive(Clone, Copy)]
struct Prepared {
    task: Task,
    arrival: i64,
}

struct Worker {
    class: Class,
    node: u32,
    resource: u32,
    /// Factor on all durations: no two workers are quite alike.
    slowness: f64,
    queue: BinaryHeap<Queued>,
    /// Expected time of the queued tasks by kernel, nanoseconds.
    load: [i64; Kernel::COUNT],
    /// When the running task is expected to end.
    busy_until: i64,
    /// The running task with its true start and end.
    running: Option<(Task, i64, i64)>,
    /// Devices prepare one task while another runs.
    next: Option<Prepared>,
    /// What the memories did for the task fetched last.
    pieces: Vec<Piece>,
    idle_since: Option<i64>,
    is_waking: bool,
    sleeps: u32,
}

/// A run that has come to some point.
pub(super) struct Simulation {
    tiles: u32,
    platform: Platform,
    submission: Submission,
    noise: Noise,
    progress: Progress,
    memory: Memory,
    workers: Vec<Worker>,
    happenings: BinaryHeap<Reverse<(i64, u64, Happening)>>,
    happened: u64,
    now: i64,
    tasks_left: u64,
    /// What to tell at the first step; empty afterwards.
    starts: Vec<Start>,
    has_ended: bool,
    /// Scratch lists, kept for their room.
    freed: Vec<Task>,
    pushes: Vec<(i64, i64)>,
}

impl Simulation {
    /// A run that has not begun; the parameters are valid.
    pub(super) fn new(parameters: &Parameters) -> Self {
        let platform = Platform::new(parameters);
        let mut noise = Noise::new(parameters.seed);
        let (starts, submission) = startup::plan(platform, &mut noise);
        let workers = (0..)
            .zip(&starts)
            .map(|(worker, start)| {
                let class = platform.class(worker);
                Worker {
                    class,
                    node: platform.node(worker),
                    resource: platform.worker_resource(worker),
                    slowness: noise.factor(kernel_spread(class) / 2.0),
                    queue: BinaryHeap::new(),
                    load: [0; Kernel::COUNT],
                    busy_until: start.available,
                    running: None,
                    next: None,
                    pieces: Vec::new(),
                    idle_since: None,
                    is_waking: false,
                    sleeps: 0,
                }
            })
            .collect();
        Self {
            tiles: parameters.tiles,
            platform,
            starts,
            submission,
            noise,
            progress: Progress::new(parameters.tiles),
            memory: Memory::new(parameters.tiles, platform),
            workers,
            happenings: BinaryHeap::new(),
            happened: 0,
            now: 0,
            tasks_left: task_count(parameters.tiles),
            has_ended: false,
            freed: Vec::new(),
            pushes: Vec::new(),
        }
    }

    /// The clock, nanoseconds: no later call tells a sink anything that starts before it, and it stops at the end of the run.
    pub(super) fn now(&self) -> i64 {
        self.now
    }

    /// When the application submits its tasks.
    pub(super) fn submission(&self) -> Submission {
        self.submission
    }

    /// The machine.
    pub(super) fn platform(&self) -> Platform {
        self.platform
    }

    /// Lets the next thing happen; false when the run is over.
    pub(super) fn step(&mut self, sink: &mut impl Sink) -> bool {
        if !self.starts.is_empty() {
            self.begin_run(sink);
        }
        let Some(Reverse((time, _, happening))) = self.happenings.pop() else {
            self.end_run(sink);
            return false;
        };
        // the alarms of workers that sleep through the end of the run are not part of it
        if self.tasks_left == 0 && matches!(happening, Happening::Poll(..)) {
            return true;
        }
        self.now = time;
        match happening {
            Happening::Finish(worker) => self.finish(worker as usize, sink),
            Happening::Free(worker) => self.look_for_work(worker as usize, sink),
            Happening::Wake(worker) => self.wake(worker as usize, sink),
            Happening::Poll(worker, sleep) => self.poll(worker as usize, sleep, sink),
            Happening::Ready(task) => self.push(task, sink),
        }
        true
    }

    fn schedule(&mut self, time: i64, happening: Happening) {
        self.happenings
            .push(Reverse((time, self.happened, happening)));
        self.happened += 1;
    }

    fn begin_run(&mut self, sink: &mut impl Sink) {
        for (worker, start) in (0..).zip(std::mem::take(&mut self.starts)) {
            start.tell(self.platform.worker_resource(worker), sink);
            self.schedule(start.available, Happening::Free(worker));
        }
        let first = self.submission.time(Task::FIRST.job(self.tiles));
        self.schedule(first, Happening::Ready(Task::FIRST));
    }

    fn end_run(&mut self, sink: &mut impl Sink) {
        if std::mem::replace(&mut self.has_ended, true) {
            return;
        }
        let idle_from = self.workers.iter().filter_map(|worker| worker.idle_since);
        self.now = idle_from.fold(self.now, i64::max);
        for (index, worker) in (0..).zip(&mut self.workers) {
            if worker.idle_since.take().is_some() {
                sink.wake(index, self.now);
            }
        }
    }

    /// A task becomes ready: the policy pushes it to a worker.
    fn push(&mut self, task: Task, sink: &mut impl Sink) {
        sink.ready(self.now);
        let index = self.best_worker(task);
        let kernel = task.kernel();
        let queued = Queued {
            priority: task.priority(self.tiles),
            job: Reverse(task.job(self.tiles)),
            task,
        };
        let worker = &mut self.workers[index];
        worker.load[kernel as usize] += worker.expected(kernel);
        worker.queue.push(queued);
        let can_prepare = worker.class == Class::Cuda && worker.next.is_none();
        if let Some(since) = worker.idle_since {
            if !std::mem::replace(&mut worker.is_waking, true) {
                let signal = self.now + self.noise.micro(Micro::WAKE);
                self.schedule(signal.max(since), Happening::Wake(index as u32));
            }
        } else if let Some((_, start, end)) = worker.running
            && can_prepare
        {
            self.prepare(index, start.max(self.now), end, sink);
        }
    }

    /// The worker that is expected to end the task first: its queue, the copies and the kernel; the first of equals.
    ///
    /// Queued tasks of less urgent kernels do not count, as the queue is by priority.
    fn best_worker(&self, task: Task) -> usize {
        let kernel = task.kernel();
        let tiles = task.tiles();
        let mut missing = (u32::MAX, 0);
        let mut best = (i64::MAX, 0);
        for (index, worker) in self.workers.iter().enumerate() {
            if missing.0 != worker.node {
                missing = (worker.node, self.memory.missing(&tiles, worker.node));
            }
            let queued: i64 = worker.load[..=kernel as usize].iter().sum();
            let end = worker.busy_until.max(self.now)
                + queued
                + missing.1 * COPY as i64
                + worker.expected(kernel);
            if end < best.0 {
                best = (end, index);
            }
        }
        best.1
    }

    /// The worker takes the task it prepared or the most urgent one of its queue, or has nothing to do.
    fn look_for_work(&mut self, index: usize, sink: &mut impl Sink) {
        let worker = &mut self.workers[index];
        let prepared = worker.next.take();
        let task = prepared
            .map(|next| next.task)
            .or_else(|| worker.queue.pop().map(|queued| queued.task));
        match task {
            Some(task) => self.begin(index, task, prepared, sink),
            None => self.sleep(index, self.now, sink),
        }
    }

    fn sleep(&mut self, index: usize, since: i64, sink: &mut impl Sink) {
        let worker = &mut self.workers[index];
        worker.idle_since = Some(since);
        worker.sleeps = worker.sleeps.wrapping_add(1);
        let alarm = Happening::Poll(index as u32, worker.sleeps);
        sink.idle(index as u32, worker.resource, since);
        self.schedule(since + LONGEST_SLEEP, alarm);
    }

    fn wake(&mut self, index: usize, sink: &mut impl Sink) {
        let end = self.leave_sleep(index, sink);
        self.workers[index].is_waking = false;
        self.schedule(end, Happening::Free(index as u32));
    }

    fn poll(&mut self, index: usize, sleep: u32, sink: &mut impl Sink) {
        let worker = &self.workers[index];
        if worker.idle_since.is_some() && worker.sleeps == sleep && !worker.is_waking {
            let end = self.leave_sleep(index, sink);
            self.sleep(index, end, sink);
        }
    }

    /// Ends the sleep now; returns when the worker has asked the scheduler.
    fn leave_sleep(&mut self, index: usize, sink: &mut impl Sink) -> i64 {
        let end = self.now + self.noise.micro(Micro::POP);
        self.workers[index].idle_since = None;
        sink.wake(index as u32, self.now);
        sink.row(self.workers[index].row(StateValue::Scheduling, self.now, end));
        end
    }

    /// The worker fetches the inputs of its task and runs it.
    fn begin(
        &mut self,
        index: usize,
        task: Task,
        prepared: Option<Prepared>,
        sink: &mut impl Sink,
    ) {
        sink.taken(self.now);
        let kernel = task.kernel();
        let worker = &mut self.workers[index];
        let tiles = task.tiles();
        self.memory.pin_running(worker.node, tiles);
        let arrival = match prepared {
            Some(prepared) => prepared.arrival,
            None => {
                worker.pieces.clear();
                self.memory.fetch_all(
                    &tiles,
                    worker.node,
                    &mut Request {
                        now: self.now,
                        noise: &mut self.noise,
                        sink,
                        pieces: &mut worker.pieces,
                    },
                )
            }
        };
        let fetched = arrival.max(self.now + self.noise.micro(Micro::FETCH));
        sink.row(worker.row(StateValue::FetchingInput, self.now, fetched));
        // two buses may work at once, but the worker notices one copy after the other
        let mut cursor = self.now;
        for piece in worker.pieces.iter().filter(|piece| piece.end >= self.now) {
            let start = piece.start.clamp(cursor, fetched);
            cursor = piece.end.clamp(start, fetched);
            sink.row(RawRow {
                depth: 1,
                ..worker.row(piece.value, start, cursor)
            });
        }
        let start = fetched + self.noise.micro(Micro::GAP);
        let median = kernel_median(kernel, worker.class) * worker.slowness;
        let spread = kernel_spread(worker.class);
        let mut duration = self.noise.log_normal(median, spread);
        if worker.class == Class::Cpu && self.noise.once_in(150) {
            // another process or a page migration gets in the way
            duration += self.noise.log_normal(median / 3.0, 0.5);
        }
        let end = start + duration.max(1);
        sink.row(RawRow {
            task: Some(task),
            ..worker.row(kernel.value(), start, end)
        });
        let expected = worker.expected(kernel);
        worker.load[kernel as usize] -= expected;
        worker.busy_until = start + expected;
        worker.running = Some((task, start, end));
        self.schedule(end, Happening::Finish(index as u32));
        if self.workers[index].class == Class::Cuda {
            self.prepare(index, start, end, sink);
        }
    }

    /// A device requests the tiles of its next task while one runs from `earliest` to `end`.
    fn prepare(&mut self, index: usize, earliest: i64, end: i64, sink: &mut impl Sink) {
        let worker = &mut self.workers[index];
        let Some(Queued { task, .. }) = worker.queue.pop() else {
            return;
        };
        let tiles = task.tiles();
        self.memory.pin(worker.node, tiles);
        worker.pieces.clear();
        let arrival = self.memory.fetch_all(
            &tiles,
            worker.node,
            &mut Request {
                now: self.now,
                noise: &mut self.noise,
                sink,
                pieces: &mut worker.pieces,
            },
        );
        worker.next = Some(Prepared { task, arrival });
        if !worker.pieces.is_empty() {
            let launched = earliest + self.noise.micro(Micro::LAUNCH);
            sink.row(RawRow {
                depth: 1,
                ..worker.row(StateValue::DriverCopyAsync, earliest, launched.min(end))
            });
        }
    }

    /// The worker's task is done: its tile is released, and its successors are pushed one after the other.
    fn finish(&mut self, index: usize, sink: &mut impl Sink) {
        let Some((task, ..)) = self.workers[index].running.take() else {
            return;
        };
        sink.completed(self.now);
        self.tasks_left -= 1;
        let node = self.workers[index].node;
        if let Some(&rewritten) = task.tiles().as_slice().last() {
            self.memory.rewrite(rewritten, node);
        }
        let mut freed = std::mem::take(&mut self.freed);
        self.progress.complete(task, &mut freed);
        let released = self.now + self.noise.micro(Micro::PUSH_OUTPUT);
        let mut cursor = released + self.noise.micro(Micro::CALLBACK);
        self.pushes.clear();
        for task in freed.drain(..) {
            let start = cursor + self.noise.micro(Micro::GAP);
            let end = start + self.noise.micro(Micro::SCHEDULE);
            self.pushes.push((start, end));
            cursor = end;
            let submitted = self.submission.time(task.job(self.tiles));
            self.schedule(end.max(submitted), Happening::Ready(task));
        }
        self.freed = freed;
        let worker = &self.workers[index];
        sink.row(worker.row(StateValue::PushingOutput, self.now, released));
        sink.row(worker.row(StateValue::Callback, released, cursor));
        for &(start, end) in &self.pushes {
            sink.row(RawRow {
                depth: 1,
                ..worker.row(StateValue::Scheduling, start, end)
            });
        }
        let free = cursor + self.noise.micro(Micro::GAP);
        self.schedule(free, Happening::Free(index as u32));
    }
}

impl Worker {
    /// Expected duration of a kernel, nanoseconds.
    fn expected(&self, kernel: Kernel) -> i64 {
        (kernel_median(kernel, self.class) * self.slowness) as i64
    }

    fn row(&self, value: StateValue, start: i64, end: i64) -> RawRow {
        RawRow {
            start,
            end,
            resource: self.resource,
            value,
            depth: 0,
            task: None,
        }
    }
}
