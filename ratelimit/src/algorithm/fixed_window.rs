//! Fixed window: at most N per window, windows aligned to the epoch in UTC.
//!
//! The oldest quota there is, and the cheapest: one counter. Across the border of two windows up to 2N pass in one
//! period, N at the end of the one and N at the beginning of the next.

use super::{Admission, most, ticks};
use ratelimit_spec::Numbers;

#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// Start of the window, in microseconds since the epoch.
    start: u64,
    used: u64,
}

impl State {
    pub(super) const NONE: State = State { start: 0, used: 0 };

    /// Gives units back to the window that begins at a stamp, if it is still this one.
    pub(super) fn refund(&mut self, units: u64, stamp: u64) {
        if self.start == stamp {
            self.used = self.used.saturating_sub(units);
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(super) at: u64,
    pub(super) start: u64,
    pub(super) used: u64,
}

impl View {
    #[inline]
    pub(super) fn of(numbers: &Numbers, state: Option<&State>, now: u64) -> View {
        let Some(state) = state else { return View { at: now, start: now - now % numbers.period, used: 0 } };
        let since = ticks(state.start, numbers);
        // While the clock is behind the window, it stands at its start.
        let at = now.max(since);
        let start = at - at % numbers.period;
        View { at, start, used: if since >= start { state.used } else { 0 } }
    }

    #[inline]
    fn ends(&self, numbers: &Numbers) -> u64 {
        self.start.saturating_add(numbers.period) - self.at
    }

    #[inline]
    pub(super) fn admit(&self, numbers: &Numbers, cost: u64) -> Admission {
        if cost <= self.remaining(numbers) {
            Admission::Fits(0)
        } else {
            Admission::Later(self.ends(numbers))
        }
    }

    #[inline]
    pub(super) fn take(&mut self, cost: u64) {
        self.used = self.used.saturating_add(cost);
    }

    /// Takes more than was asked for, also above the limit; returns how much of it.
    pub(super) fn owe(&mut self, numbers: &Numbers, surplus: u64) -> u64 {
        let owed = surplus.min(most(numbers).saturating_sub(self.used));
        self.take(owed);
        owed
    }

    #[inline]
    pub(super) fn remaining(&self, numbers: &Numbers) -> u64 {
        numbers.count.saturating_sub(self.used)
    }

    #[inline]
    pub(super) fn reset(&self, numbers: &Numbers) -> u64 {
        if self.used > 0 { self.ends(numbers) } else { 0 }
    }

    #[inline]
    pub(super) fn write(self, numbers: &Numbers) -> State {
        State { start: self.start.saturating_mul(numbers.tick), used: self.used }
    }
}
