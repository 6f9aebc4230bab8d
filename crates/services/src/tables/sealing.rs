//! Which epoch of a table is being sealed, and why the last attempt failed.

use std::sync::{Mutex, MutexGuard, PoisonError};

use table::store::CustodyError;

use crate::folder::FolderError;

/// Which epoch of a table is being sealed, and why the last attempt failed.
#[derive(Default)]
pub struct Sealing(Mutex<Job>);

/// What [`Sealing`] guards.
#[derive(Default)]
pub(super) struct Job {
    pub(super) running: Option<u32>,
    pub(super) failed: Option<(u32, Failure)>,
}

/// Why an epoch could not be sealed.
#[derive(Clone)]
pub(super) struct Failure {
    /// In a word, for anybody.
    pub(super) kind: &'static str,
    /// For custodians: it may name files, users and values.
    pub(super) detail: String,
}

impl Failure {
    pub(super) fn shown(&self, whole: bool) -> String {
        if whole { format!("{}: {}", self.kind, self.detail) } else { self.kind.to_owned() }
    }
}

impl From<CustodyError> for Failure {
    fn from(error: CustodyError) -> Self {
        let kind = match error {
            CustodyError::Store(_) | CustodyError::Damaged(_) => "storage",
            CustodyError::Build(_) | CustodyError::Row { .. } => "rows",
            CustodyError::State { .. }
            | CustodyError::OutOfOrder { .. }
            | CustodyError::RolledBack { .. }
            | CustodyError::Restoring
            | CustodyError::Unerased { .. } => "order",
            _ => "internal",
        };
        Self { kind, detail: error.to_string() }
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::Custody(error) => error.into(),
            error => Self { kind: "key", detail: error.to_string() },
        }
    }
}

/// While it is held, nothing is sealed.
pub struct Paused<'a>(#[expect(dead_code, reason = "held, not read")] MutexGuard<'a, Job>);

impl Sealing {
    pub(super) fn lock(&self) -> MutexGuard<'_, Job> {
        // What is under the lock changes field by field, each of which stands alone.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps epochs from being sealed; none while one is.
    pub fn pause(&self) -> Option<Paused<'_>> {
        let job = self.lock();
        job.running.is_none().then_some(Paused(job))
    }
}
