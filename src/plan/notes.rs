//! What nodes want to tell the user while they run: remarks that are no errors, such as rows that a limit left out.

use crate::diag::Diag;
use std::sync::{Mutex, PoisonError};

/// Remarks that nobody has read yet. The engine carries one into every query it runs.
#[derive(Debug, Default)]
pub struct Notes {
    list: Mutex<Vec<Diag>>,
}

impl Notes {
    /// Leaves a remark; one that says the same as an earlier one is said once.
    pub fn add(&self, note: Diag) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        if !list.iter().any(|other| other.message == note.message) {
            list.push(note);
        }
    }

    /// Takes all remarks, oldest first.
    pub fn take(&self) -> Vec<Diag> {
        std::mem::take(&mut *self.list.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
