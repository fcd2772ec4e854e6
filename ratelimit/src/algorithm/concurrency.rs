//! Concurrency: at most so many calls in flight, each of which holds a slot until it ends.
//!
//! Nobody is told when a process dies, so a slot is good for a lease; who is alive renews it. (Gray and Cheriton,
//! "Leases: an efficient fault-tolerant mechanism", 1989.)

use super::Admission;
use crate::store::PermitId;
use ratelimit_spec::Numbers;
use std::collections::{BTreeSet, HashMap};

/// Who holds a slot, and until when, in microseconds since the epoch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    by_holder: HashMap<PermitId, u64>,
    by_end: BTreeSet<(u64, PermitId)>,
}

impl Slots {
    fn held(&self, at: u64) -> usize {
        self.by_end.len() - self.by_end.iter().take_while(|(end, _)| *end <= at).count()
    }

    /// Gives a slot to a holder, or lengthens its lease; whether it had one.
    pub(crate) fn hold(&mut self, holder: PermitId, until: u64, at: u64) -> bool {
        let before = self.by_holder.insert(holder, until);
        if let Some(before) = before {
            self.by_end.remove(&(before, holder));
        }
        self.by_end.insert((until, holder));
        before.is_some_and(|before| before > at)
    }

    /// Takes a slot back; whether its lease had not ended.
    pub(crate) fn release(&mut self, holder: PermitId, at: u64) -> bool {
        let Some(until) = self.by_holder.remove(&holder) else { return false };
        self.by_end.remove(&(until, holder));
        until > at
    }

    /// When the last lease ends.
    pub(crate) fn end(&self) -> u64 {
        self.by_end.last().map_or(0, |(end, _)| *end)
    }

    /// Takes back the slots of those who have been silent for longer than their lease.
    pub(super) fn forget_until(&mut self, at: u64) {
        while let Some((end, holder)) = self.by_end.first().copied()
            && end <= at
        {
            self.by_end.remove(&(end, holder));
            self.by_holder.remove(&holder);
        }
    }
}

/// When somebody who found every slot taken should look again, in ticks: there is no clock that says when a call ends.
const LOOK_AGAIN: u64 = 1_000_000;

#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(super) at: u64,
    pub(super) held: u64,
}

impl View {
    pub(super) fn of(slots: Option<&Slots>, now: u64) -> View {
        let held = slots.map_or(0, |slots| slots.held(now));
        View { at: now, held: u64::try_from(held).unwrap_or(u64::MAX) }
    }

    pub(super) fn admit(&self, numbers: &Numbers) -> Admission {
        if self.held < numbers.capacity { Admission::Fits(0) } else { Admission::Later(LOOK_AGAIN) }
    }

    pub(super) fn take(&mut self) {
        self.held += 1;
    }

    pub(super) fn remaining(&self, numbers: &Numbers) -> u64 {
        numbers.capacity.saturating_sub(self.held)
    }
}
