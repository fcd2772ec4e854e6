//! Sliding window counter: the current window's count plus the previous one's, weighted by what of it is in view.
//!
//! At most N per aligned window and less than 2N in any; for steady traffic close to a true sliding window, at the cost
//! of two counters. Cloudflare described it for its edge ("How we built rate limiting capable of scaling to millions
//! of domains", 2017).

use super::{Admission, most, ticks};
use ratelimit_spec::Numbers;

#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// Start of the current window, in microseconds since the epoch.
    start: u64,
    previous: u64,
    current: u64,
}

impl State {
    /// Gives units back to the window that begins at a stamp, if it is still one of the two.
    pub(super) fn refund(&mut self, numbers: &Numbers, units: u64, stamp: u64) {
        let period = numbers.period.saturating_mul(numbers.tick);
        if self.start == stamp {
            self.current = self.current.saturating_sub(units);
        } else if self.start == stamp.saturating_add(period) {
            self.previous = self.previous.saturating_sub(units);
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(super) at: u64,
    pub(super) start: u64,
    previous: u64,
    pub(super) current: u64,
}

impl View {
    #[inline]
    pub(super) fn of(numbers: &Numbers, state: Option<&State>, now: u64) -> View {
        let period = numbers.period;
        let Some(state) = state else {
            return View { at: now, start: now - now % period, previous: 0, current: 0 };
        };
        let since = ticks(state.start, numbers);
        let at = now.max(since);
        let start = at - at % period;
        let (previous, current) = if since >= start {
            (state.previous, state.current)
        } else if since >= start.saturating_sub(period) {
            (state.current, 0)
        } else {
            (0, 0)
        };
        View { at, start, previous, current }
    }

    /// Ticks of the previous window that are in view: from a whole period at the window's start down to one.
    #[inline]
    fn in_view(&self, numbers: &Numbers) -> u64 {
        self.start.saturating_add(numbers.period) - self.at
    }

    #[inline]
    pub(super) fn admit(&self, numbers: &Numbers, cost: u64) -> Admission {
        let Numbers { count, period, .. } = *numbers;
        let in_view = self.in_view(numbers);
        match count.checked_sub(self.current).and_then(|left| left.checked_sub(cost)) {
            Some(room) => {
                let room = product(room, period);
                if product(self.previous, in_view) <= room {
                    return Admission::Fits(0);
                }
                // The first tick at which no more of the previous window is in view than there is room for.
                Admission::Later(in_view - quotient(room, self.previous))
            }
            None => {
                // Not in this window. In the next one, this one's count is the previous.
                let then_in_view = quotient(product(count - cost, period), self.current);
                Admission::Later(in_view + (period - then_in_view))
            }
        }
    }

    #[inline]
    pub(super) fn take(&mut self, cost: u64) {
        self.current = self.current.saturating_add(cost);
    }

    /// Takes more than was asked for, also above the limit, in the window that begins at a stamp if it is the previous
    /// one, else in the current one; returns how much of it.
    pub(super) fn owe(&mut self, numbers: &Numbers, surplus: u64, stamp: u64) -> u64 {
        let previous = self.start.checked_sub(numbers.period).map(|start| start.saturating_mul(numbers.tick));
        let used = if previous == Some(stamp) { &mut self.previous } else { &mut self.current };
        let owed = surplus.min(most(numbers).saturating_sub(*used));
        *used = used.saturating_add(owed);
        owed
    }

    #[inline]
    pub(super) fn remaining(&self, numbers: &Numbers) -> u64 {
        let in_view = self.in_view(numbers);
        // What a larger rule has counted may not fit; a rule's own products do, and are divided at a fifth of the cost.
        let weighted = match self.previous.checked_mul(in_view) {
            Some(product) => product.div_ceil(numbers.period),
            None => narrow(product(self.previous, in_view).div_ceil(u128::from(numbers.period))),
        };
        numbers.count.saturating_sub(self.current).saturating_sub(weighted)
    }

    #[inline]
    pub(super) fn reset(&self, numbers: &Numbers) -> u64 {
        match (self.previous, self.current) {
            (0, 0) => 0,
            (_, 0) => self.in_view(numbers),
            _ => self.in_view(numbers) + numbers.period,
        }
    }

    #[inline]
    pub(super) fn write(self, numbers: &Numbers) -> State {
        State {
            start: self.start.saturating_mul(numbers.tick),
            previous: self.previous,
            current: self.current,
        }
    }
}

#[inline]
fn product(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

/// The quotient, rounded down; it is below a period wherever it is asked for.
#[inline]
fn quotient(product: u128, units: u64) -> u64 {
    narrow(product / u128::from(units.max(1)))
}

/// Back to 64 bits, where the arithmetic keeps it below; a rule that was not checked saturates.
#[inline]
fn narrow(wide: u128) -> u64 {
    u64::try_from(wide).unwrap_or(u64::MAX)
}
