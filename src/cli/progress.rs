//! Progress on standard error: what runs and how much of an input is read. Only on a terminal, only after
//! a second, and gone before anything else is written there.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Nobody wants to see what is over at once.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// A progress line, or none where there is no terminal. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    shared: Option<Arc<Shared>>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Since when something runs without a word.
    since: Option<Instant>,
    stage: String,
    bytes: Option<(u64, u64)>,
    bar: Option<ProgressBar>,
}

impl Shared {
    /// A thread that panicked while drawing leaves a state that is as good as any.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress {
    /// Starts the thread that draws. Without `visible`, nothing ever shows.
    pub fn new(visible: bool) -> Progress {
        if !visible {
            return Progress::default();
        }
        let shared = Arc::new(Shared {
            state: Mutex::new(State::default()),
            changed: Condvar::new(),
        });
        let drawn = Arc::downgrade(&shared);
        let thread = std::thread::Builder::new()
            .name("progress".to_owned())
            .spawn(move || {
                while let Some(shared) = drawn.upgrade() {
                    let state = shared.lock();
                    let (mut state, _) = shared
                        .changed
                        .wait_timeout(state, TICK)
                        .unwrap_or_else(PoisonError::into_inner);
                    state.draw();
                }
            });
        Progress {
            shared: thread.is_ok().then_some(shared),
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        if let Some(shared) = &self.shared {
            change(&mut shared.lock());
        }
    }

    /// Something starts to run.
    pub fn begin(&self) {
        self.change(|state| {
            state.since = Some(Instant::now());
            state.stage.clear();
            state.bytes = None;
        });
    }

    /// It is over.
    pub fn end(&self) {
        self.change(|state| {
            state.hide();
            state.since = None;
        });
    }

    /// What runs now.
    pub fn stage(&self, name: &str) {
        self.change(|state| {
            name.clone_into(&mut state.stage);
            state.bytes = None;
        });
    }

    /// How much of the input is read.
    pub fn bytes(&self, done: u64, total: u64) {
        self.change(|state| state.bytes = Some((done, total)));
    }

    /// Makes room for other output; the line comes back after another second.
    pub fn clear(&self) {
        self.change(|state| {
            state.hide();
            if state.since.is_some() {
                state.since = Some(Instant::now());
            }
        });
    }
}

impl State {
    fn hide(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn draw(&mut self) {
        let Some(since) = self.since else { return };
        if since.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
                .with_elapsed(since.elapsed())
        });
        let stage = if self.stage.is_empty() {
            "running"
        } else {
            &self.stage
        };
        // A template that does not parse would fall back to the plain bar: it is constant, so it does not.
        let template = match self.bytes {
            Some((_, total)) if total > 0 => {
                "{spinner} {msg} {bytes}/{total_bytes} ({bytes_per_sec}) {elapsed}"
            }
            Some(_) => "{spinner} {msg} {bytes} ({bytes_per_sec}) {elapsed}",
            None => "{spinner} {msg} {elapsed}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.tick_chars("|/-\\ "));
        }
        if let Some((done, total)) = self.bytes {
            bar.set_length(total.max(done));
            bar.set_position(done);
        }
        bar.set_message(stage.to_owned());
        bar.tick();
    }
}
