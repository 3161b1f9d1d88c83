//! One flag that stops whatever runs: loops look at it, waiting futures are woken by it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// A shared cancel flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    wake: Arc<Notify>,
}

impl Cancel {
    /// Asks whatever runs to stop.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::SeqCst);
        self.wake.notify_waiters();
    }

    /// Forgets an earlier request, before the next run.
    pub fn reset(&self) {
        self.flag.store(false, Ordering::SeqCst);
    }

    /// Whether a stop was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::SeqCst)
    }

    /// The bare flag, for kernels that know nothing of this type.
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }

    /// Resolves once a stop is asked for.
    pub async fn cancelled(&self) {
        loop {
            let notified = self.wake.notified();
            if self.is_cancelled() {
                return;
            }
            notified.await;
        }
    }
}
