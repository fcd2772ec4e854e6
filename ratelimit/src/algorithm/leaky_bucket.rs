//! Leaky bucket as a queue: calls start evenly spaced, one every period / N.
//!
//! A call is accepted if there is a place, and starts when the first of its places is due. The queue of Turner's "New
//! directions in communications" (1986): it shapes, where a token bucket only polices.

use super::{
    Admission,
    bucket::{State, flow, full, parts, signed, ticks_for, whole_units},
};
use crate::store::Receipt;
use ratelimit_spec::Numbers;

#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(super) at: u64,
    /// Places taken × period.
    pub(super) fill: i64,
}

impl View {
    #[inline]
    pub(super) fn of(numbers: &Numbers, state: Option<&State>, now: u64) -> View {
        let Some(state) = state else { return View { at: now, fill: 0 } };
        let (since, fill) = state.read(numbers, true);
        let at = now.max(since);
        View { at, fill: fill.saturating_sub(flow(numbers, at - since)).max(0) }
    }

    #[inline]
    pub(super) fn admit(&self, numbers: &Numbers, cost: u64, max_delay: Option<u64>) -> Admission {
        // When all before it has leaked, the first of its places is due.
        let delay = self.reset(numbers);
        if cost == 0 {
            return Admission::Fits(delay);
        }
        let short = ticks_for(numbers, parts(numbers, cost) - (full(numbers) - self.fill));
        let late = max_delay.map_or(0, |longest| delay.saturating_sub(longest));
        match short.max(late) {
            0 => Admission::Fits(delay),
            wait => Admission::Later(wait),
        }
    }

    #[inline]
    pub(super) fn take(&mut self, numbers: &Numbers, cost: u64) {
        self.fill += parts(numbers, cost);
    }

    /// Takes more places, as far as there are any: a queue is never longer than it may be. Returns how many.
    pub(super) fn owe(&mut self, numbers: &Numbers, surplus: u64) -> u64 {
        let owed = surplus.min(self.remaining(numbers));
        self.fill += parts(numbers, owed);
        owed
    }

    #[inline]
    pub(super) fn remaining(&self, numbers: &Numbers) -> u64 {
        whole_units(numbers, full(numbers) - self.fill)
    }

    #[inline]
    pub(super) fn reset(&self, numbers: &Numbers) -> u64 {
        ticks_for(numbers, self.fill)
    }

    #[inline]
    pub(super) fn write(self, numbers: &Numbers) -> State {
        State::new(numbers, self.at, self.fill)
    }
}

/// Gives places of the receipt back, if the queue still ends with them.
pub(super) fn refund(numbers: &Numbers, state: &mut State, places: u64, receipt: Receipt) {
    // Not clamped to the capacity: a queue that a larger rule has filled further ends with somebody else.
    let Some((since, fill)) = state.as_written(numbers) else { return };
    let stamp = super::ticks(receipt.stamp, numbers);
    // A queue's end moves when a call joins, and only then: fill falls by what leaks.
    let end = |fill: i64, since: u64| i128::from(fill) + i128::from(since) * i128::from(numbers.count);
    if end(fill, since) == end(signed(receipt.level), stamp) {
        state.set_level((fill - parts(numbers, places)).max(0));
    }
}
