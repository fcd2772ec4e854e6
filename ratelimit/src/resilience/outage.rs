//! An outage of the store, from its first failure to the next answer: said once, counted, and bridged.
//!
//! After some failures in a row the store is no longer asked (a circuit breaker, as Nygard's "Release It!" has it): a call
//! then costs no more than one that is decided in memory. Whether the store is back is found out by the limiter's own
//! task, never by a call.

use crate::{
    lock::{lock, read, write},
    store::{Failure, FailureKind, memory::Memory},
    time::Clock,
};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use ratelimit_spec::FailMode;
use std::sync::{Arc, Mutex, RwLock};

/// The outages of a store, one for each part that can fail by itself.
pub(crate) struct Outages {
    clock: Clock,
    capacity: usize,
    /// Of a store that is a whole, or of what is not known to be a part of it.
    whole: Arc<Outage>,
    parts: RwLock<Vec<Arc<Outage>>>,
}

impl Outages {
    pub(super) fn new(clock: Clock, capacity: usize) -> Outages {
        let whole = Arc::new(Outage::new(clock.clone(), capacity));
        Outages { clock, capacity, whole, parts: RwLock::default() }
    }

    /// That of a part. Parts are numbered from 1 without large gaps.
    pub(crate) fn of(&self, part: u16) -> Arc<Outage> {
        let Some(at) = usize::from(part).checked_sub(1) else { return Arc::clone(&self.whole) };
        if let Some(outage) = read(&self.parts).get(at) {
            return Arc::clone(outage);
        }
        let mut parts = write(&self.parts);
        while parts.len() <= at {
            parts.push(Arc::new(Outage::new(self.clock.clone(), self.capacity)));
        }
        parts.get(at).map_or_else(|| Arc::clone(&self.whole), Arc::clone)
    }

    /// The parts that calls do not ask any more.
    pub(super) fn open(&self) -> Vec<(u16, Arc<Outage>)> {
        let parts = read(&self.parts);
        let all = core::iter::once(&self.whole).chain(parts.iter());
        all.zip(0..)
            .filter(|(outage, _)| outage.is_open())
            .map(|(outage, part)| (part, Arc::clone(outage)))
            .collect()
    }
}

/// Whether a store, or a part of it, answers, and what was decided here while it did not.
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
    /// What the part was called when the outage began.
    name: Mutex<Option<String>>,
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
            name: Mutex::new(None),
        }
    }

    /// Whether the store is not asked for now.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    /// Counts a failure; the first of an outage is told, with what the part is called.
    pub(super) fn count(&self, failure: &Failure, name: impl FnOnce() -> Option<String>) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        if !self.failing.swap(true, Ordering::AcqRel) {
            let (cause, name) = (std::error::Error::source(failure), name());
            let server = name.as_deref();
            let kind = failure.kind().word();
            // A set-up that is wrong does not mend itself.
            if failure.kind() == FailureKind::Setup {
                tracing::error!(
                    kind,
                    server,
                    cause,
                    "rate limit store: {failure}; limits follow their fail mode"
                );
            } else {
                tracing::warn!(
                    kind,
                    server,
                    cause,
                    "rate limit store: {failure}; limits follow their fail mode until it is back"
                );
            }
            *lock(&self.name) = name;
        }
        // A foreign value under one key, or a command that is not allowed, is answered at once and says nothing of others.
        if failure.kind() != FailureKind::Setup
            && self.in_a_row.fetch_add(1, Ordering::Relaxed) + 1 >= OPENS_AFTER
            && !self.is_open.swap(true, Ordering::AcqRel)
        {
            tracing::warn!(
                server = lock(&self.name).as_deref(),
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
            let name = lock(&self.name).take();
            let server = name.as_deref();
            tracing::info!(server, failures, open, closed, local, "rate limit store: answering again");
        }
    }

    /// The state of this outage.
    pub(crate) fn local(&self) -> Arc<Memory> {
        let fresh = || Arc::new(Memory::with_capacity(self.clock.clone(), self.capacity));
        Arc::clone(lock(&self.local).get_or_insert_with(fresh))
    }
}
