//! How a run starts: workers initialise, profiling starts, the BLAS library is set up on every worker, and only then are
//! tasks submitted. It is what one cuts away before looking at a run.

use super::noise::{Micro, Noise};
use super::platform::{Class, Platform, Submission};
use super::rows::StateValue;
use super::sequencer::RawRow;
use super::simulation::Sink;

/// The first times of one worker, nanoseconds, in order.
#[derive(Clone, Copy)]
pub(super) struct Start {
    created: i64,
    running: i64,
    initialized: i64,
    wrapper_begin: i64,
    /// When the worker begins to look for tasks.
    pub(super) available: i64,
}

/// The starts of all workers, and when the application submits its tasks.
pub(super) fn plan(platform: Platform, noise: &mut Noise) -> (Vec<Start>, Submission) {
    /// Creation of one worker's thread after the other.
    const STAGGER: i64 = 220_000;
    /// From the last initialisation to the start of profiling, and from the last set-up to the first submission.
    const PAUSE: i64 = 4_000_000;
    let mut created = 1_000_000;
    let mut starts: Vec<Start> = (0..platform.workers())
        .map(|worker| {
            created += STAGGER;
            let running = created + noise.log_normal(35_000.0, 0.4);
            // for a device the driver creates a context
            let median = match platform.class(worker) {
                Class::Cpu => 42e6,
                Class::Cuda => 170e6,
            };
            Start {
                created,
                running,
                initialized: running + noise.log_normal(median, 0.08),
                wrapper_begin: 0,
                available: 0,
            }
        })
        .collect();
    let latest = starts.iter().map(|start| start.initialized).max();
    let profiling = latest.unwrap_or(0) + PAUSE;
    for (start, worker) in starts.iter_mut().zip(0..) {
        start.wrapper_begin = profiling + noise.log_normal(25_000.0, 0.5);
        start.available = start.wrapper_begin
            + match platform.class(worker) {
                Class::Cpu => noise.micro(Micro::FETCH),
                Class::Cuda => noise.log_normal(6.5e6, 0.1),
            };
    }
    let latest = starts.iter().map(|start| start.available).max();
    let begin = latest.unwrap_or(0) + PAUSE;
    (starts, Submission { profiling, begin })
}

impl Start {
    /// The states of the worker up to the moment it is available.
    pub(super) fn tell(self, resource: u32, sink: &mut impl Sink) {
        let states = [
            (StateValue::Nothing, self.created, self.running),
            (StateValue::Initializing, self.running, self.initialized),
            (StateValue::Sleeping, self.initialized, self.wrapper_begin),
            (StateValue::ExecuteOnAll, self.wrapper_begin, self.available),
        ];
        for (value, start, end) in states {
            sink.row(RawRow {
                start,
                end,
                resource,
                value,
                depth: 0,
                task: None,
            });
        }
    }
}
