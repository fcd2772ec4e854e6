//! Token bucket: tokens come in at the rate, up to a burst; a call takes what it costs.
//!
//! In any interval t at most burst + rate × t pass. Known from traffic policing (RFC 2697 calls it a meter); equal to the
//! generic cell rate algorithm of ATM (ITU-T I.371) read the other way round.

use super::{
    Admission, Taken,
    bucket::{State, flow, full, most_owed, parts, signed, ticks_for, whole_units},
    ticks,
};
use ratelimit_spec::Numbers;

#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(super) at: u64,
    /// Tokens × period, below zero for what is owed.
    pub(super) level: i64,
}

impl View {
    #[inline]
    pub(super) fn of(numbers: &Numbers, state: Option<&State>, now: u64) -> View {
        let full = full(numbers);
        let Some(state) = state else { return View { at: now, level: full } };
        let (since, level) = state.read(numbers, false);
        let at = now.max(since);
        View { at, level: level.saturating_add(flow(numbers, at - since)).min(full) }
    }

    #[inline]
    pub(super) fn admit(&self, numbers: &Numbers, cost: u64) -> Admission {
        match ticks_for(numbers, parts(numbers, cost) - self.level) {
            0 => Admission::Fits(0),
            wait => Admission::Later(wait),
        }
    }

    #[inline]
    pub(super) fn take(&mut self, numbers: &Numbers, cost: u64) {
        self.level -= parts(numbers, cost);
    }

    /// Takes more than was asked for, also what is not there; returns how much of it.
    pub(super) fn owe(&mut self, numbers: &Numbers, surplus: u64) -> u64 {
        let owed = surplus.min(whole_units(numbers, self.level.saturating_add(most_owed(numbers))));
        self.level -= parts(numbers, owed);
        owed
    }

    #[inline]
    pub(super) fn remaining(&self, numbers: &Numbers) -> u64 {
        whole_units(numbers, self.level)
    }

    #[inline]
    pub(super) fn reset(&self, numbers: &Numbers) -> u64 {
        ticks_for(numbers, full(numbers) - self.level)
    }

    #[inline]
    pub(super) fn write(self, numbers: &Numbers) -> State {
        State::new(numbers, self.at, self.level)
    }
}

/// Puts tokens back, but none that would have overflowed by now had only `actual` been taken.
///
/// Plain adding back breaks the bound: a bucket that was full again since would be filled twice.
pub(super) fn refund(numbers: &Numbers, state: &mut State, taken: Taken, actual: u64, now_micros: u64) {
    // Under another period since then, nobody can tell what has overflowed.
    let Some((since, level)) = state.as_written(numbers) else { return };
    let at = (now_micros / numbers.tick).max(since);
    let full = full(numbers);
    let refill = flow(numbers, at.saturating_sub(ticks(taken.receipt.stamp, numbers)));
    let room = full - (signed(taken.receipt.level) + parts(numbers, taken.cost));
    let kept = parts(numbers, actual);
    let overflow = (refill - room - kept).max(0);
    let returned = (parts(numbers, taken.cost) - kept - overflow).max(0);
    // At the stamp that it has: what is above the capacity by now is cut off when it is read.
    if level < full {
        state.set_level((level + returned).min(full));
    }
}
