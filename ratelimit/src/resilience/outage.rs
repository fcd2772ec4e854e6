//! An outage of the store, from its first failure to the next answer: said once, counted, and bridged.

use crate::{
    store::{Failure, memory::Memory},
    time::Clock,
};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Whether the store answers, and what was decided here while it did not.
pub(super) struct Outage {
    clock: Clock,
    capacity: usize,
    failing: AtomicBool,
    failures: AtomicU64,
    local: Mutex<Option<Arc<Memory>>>,
}

impl Outage {
    pub(super) fn new(clock: Clock, capacity: usize) -> Outage {
        Outage {
            clock,
            capacity,
            failing: AtomicBool::new(false),
            failures: AtomicU64::new(0),
            local: Mutex::new(None),
        }
    }

    /// Counts a failure; the first of an outage is told.
    pub(super) fn count(&self, failure: &Failure) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        if !self.failing.swap(true, Ordering::AcqRel) {
            let cause = std::error::Error::source(failure);
            tracing::warn!(
                kind = failure.kind().word(),
                cause,
                "rate limit store: {failure}; limits follow their fail mode until it is back"
            );
        }
    }

    /// The store answered: what was decided without it is forgotten.
    pub(super) fn end(&self) {
        // The common case writes nothing that other cores read.
        if self.failing.load(Ordering::Acquire) && self.failing.swap(false, Ordering::AcqRel) {
            let failures = self.failures.swap(0, Ordering::Relaxed);
            self.lock().take();
            tracing::info!(failures, "rate limit store: answering again");
        }
    }

    /// The state of this outage.
    pub(super) fn local(&self) -> Arc<Memory> {
        let fresh = || Arc::new(Memory::with_capacity(self.clock.clone(), self.capacity));
        Arc::clone(self.lock().get_or_insert_with(fresh))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Arc<Memory>>> {
        // A poisoned lock holds a whole value all the same: it is replaced, never changed.
        self.local.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
