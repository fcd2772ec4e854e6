//! An outage of the store, from its first failure to the next answer: said once, counted, and bridged.
//!
//! After some failures in a row the store is no longer asked (a circuit breaker, as Nygard's "Release It!" has it): a call
//! then costs no more than one that is decided in memory. Whether the store is back is found out by the limiter's own
//! task, never by a call.

use crate::{
    lock::lock,
    store::{Failure, FailureKind, memory::Memory},
    time::Clock,
};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use ratelimit_spec::FailMode;
use std::sync::{Arc, Mutex};

/// Whether the store answers, and what was decided here while it did not.
pub(crate) struct Outage {
    clock: Clock,
    capacity: usize,
    failing: AtomicBool,
    failures: AtomicU64,
    /// Failures in a row that speak against the store as a whole.
    in_a_row: AtomicU32,
    is_open: AtomicBool,
    /// Calls that each fail mode has decided, in the order of [`FailMode::ALL`].
    bridged: [AtomicU64; 3],
    local: Mutex<Option<Arc<Memory>>>,
}

/// So many failures in a row, and the store is no longer asked.
const OPENS_AFTER: u32 = 5;

impl Outage {
    pub(super) fn new(clock: Clock, capacity: usize) -> Outage {
        Outage {
            clock,
            capacity,
            failing: AtomicBool::new(false),
            failures: AtomicU64::new(0),
            in_a_row: AtomicU32::new(0),
            is_open: AtomicBool::new(false),
            bridged: Default::default(),
            local: Mutex::new(None),
        }
    }

    /// Whether the store is not asked for now.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    /// Counts a failure; the first of an outage is told.
    pub(super) fn count(&self, failure: &Failure) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        if !self.failing.swap(true, Ordering::AcqRel) {
            let cause = std::error::Error::source(failure);
            let kind = failure.kind().word();
            // A set-up that is wrong does not mend itself.
            if failure.kind() == FailureKind::Setup {
                tracing::error!(kind, cause, "rate limit store: {failure}; limits follow their fail mode");
            } else {
                tracing::warn!(
                    kind,
                    cause,
                    "rate limit store: {failure}; limits follow their fail mode until it is back"
                );
            }
        }
        // A foreign value under one key, or a command that is not allowed, is answered at once and says nothing of others.
        if failure.kind() != FailureKind::Setup
            && self.in_a_row.fetch_add(1, Ordering::Relaxed) + 1 >= OPENS_AFTER
            && !self.is_open.swap(true, Ordering::AcqRel)
        {
            tracing::warn!(
                "rate limit store: not asked by calls any more, until it answers the limiter's own question"
            );
        }
    }

    /// Counts a call that a fail mode has decided.
    pub(crate) fn bridge(&self, mode: FailMode) {
        let counter =
            FailMode::ALL.iter().position(|other| *other == mode).and_then(|at| self.bridged.get(at));
        if let Some(counter) = counter {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The store answered.
    pub(super) fn answered(&self) {
        // The common case writes nothing that other cores read.
        if self.in_a_row.load(Ordering::Relaxed) != 0 {
            self.in_a_row.store(0, Ordering::Relaxed);
        }
    }

    /// The store answered, and wrote: what was decided without it is forgotten.
    pub(crate) fn end(&self) {
        self.answered();
        if self.failing.load(Ordering::Acquire) && self.failing.swap(false, Ordering::AcqRel) {
            let failures = self.failures.swap(0, Ordering::Relaxed);
            let [open, closed, local] =
                self.bridged.each_ref().map(|counter| counter.swap(0, Ordering::Relaxed));
            lock(&self.local).take();
            self.is_open.store(false, Ordering::Release);
            tracing::info!(failures, open, closed, local, "rate limit store: answering again");
        }
    }

    /// The state of this outage.
    pub(super) fn local(&self) -> Arc<Memory> {
        let fresh = || Arc::new(Memory::with_capacity(self.clock.clone(), self.capacity));
        Arc::clone(lock(&self.local).get_or_insert_with(fresh))
    }
}
