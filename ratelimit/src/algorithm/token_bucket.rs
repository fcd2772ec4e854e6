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
    /// The same if all that was taken and is not settled came back.
    pub(super) at_best: i64,
}

impl View {
    #[inline]
    pub(super) fn of(numbers: &Numbers, state: Option<&State>, now: u64) -> View {
        let full = full(numbers);
        let Some(state) = state else { return View { at: now, level: full, at_best: full } };
        let (since, level) = state.read(numbers, false);
        let at = now.max(since);
        let refill = flow(numbers, at - since);
        let refilled = |level: i64| level.saturating_add(refill).min(full);
        View { at, level: refilled(level), at_best: refilled(state.best(numbers)) }
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
        self.at_best -= parts(numbers, owed);
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
        State::new(numbers, self.at, self.level).with_best(numbers, self.at_best)
    }
}

/// Puts tokens back, but none that would have overflowed by now had only `actual` been taken.
///
/// Plain adding back breaks the bound: a bucket that was full again since would be filled twice. How much would have
/// overflowed is told by the level at best: the level itself is lower by what other calls may get back, and where two
/// calls each count on the same room, both would fill it. At best, what this call kept is gone now.
///
/// While L is the level, B the level at best and D what can come back of a call (all that it took, less what has come in
/// since its admission beyond the room that there was at best), B is never below L and all D together, and L and what
/// does come back of all calls never above the level of a bucket that was charged the smaller amounts at admission.
pub(super) fn refund(numbers: &Numbers, state: &mut State, taken: Taken, actual: u64, now_micros: u64) {
    // Under another period since then, nobody can tell what has overflowed.
    let Some((since, level)) = state.as_written(numbers).filter(|_| taken.cost > 0) else { return };
    let at = (now_micros / numbers.tick).max(since);
    let full = full(numbers);
    let refill = flow(numbers, at.saturating_sub(ticks(taken.receipt.stamp, numbers)));
    let room = full - signed(taken.receipt.level);
    let cost = parts(numbers, taken.cost);
    let possible = (cost - (refill - room).max(0)).max(0);
    let returned = possible.min(cost - parts(numbers, actual));
    // At the stamp that it has: what is above the capacity by now is cut off when it is read.
    // At best it was full by now all the same where it would have been before.
    let refilled = flow(numbers, at - since).min(full - level);
    let best = state.best(numbers).min(full - refilled) - (possible - returned);
    if level < full {
        state.set_level((level + returned).min(full));
    }
    *state = state.with_best(numbers, best);
}
