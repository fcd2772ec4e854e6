//! Calls that a limit's fail mode has decided.

use core::sync::atomic::{AtomicU64, Ordering};
use ratelimit_spec::FailMode;

/// Calls that were decided without the store, by fail mode, since the process started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unanswered {
    /// They passed.
    pub open: u64,
    /// They were refused.
    pub closed: u64,
    /// They were decided in this process's memory.
    pub local: u64,
}

#[derive(Debug)]
pub(crate) struct Counters {
    open: AtomicU64,
    closed: AtomicU64,
    local: AtomicU64,
}

impl Counters {
    pub(super) const fn new() -> Counters {
        Counters { open: AtomicU64::new(0), closed: AtomicU64::new(0), local: AtomicU64::new(0) }
    }

    pub(crate) fn count(&self, mode: FailMode) {
        let counter = match mode {
            FailMode::Open => &self.open,
            FailMode::Closed => &self.closed,
            FailMode::Local => &self.local,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> Unanswered {
        let [open, closed, local] =
            [&self.open, &self.closed, &self.local].map(|counter| counter.load(Ordering::Relaxed));
        Unanswered { open, closed, local }
    }
}
