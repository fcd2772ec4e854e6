//! What a token bucket and a leaky bucket remember: a level at a stamp, in parts of a unit.
//!
//! A level is counted in units × period, so that a tick's refill is the whole number `count`: nothing is ever rounded,
//! and no remainder is lost between two calls.

use super::ticks;
use ratelimit_spec::Numbers;

#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// When it was written, in microseconds since the epoch.
    stamp: u64,
    /// Parts per unit: the period when it was written.
    scale: u64,
    level: u64,
}

impl State {
    #[inline]
    pub(super) fn new(numbers: &Numbers, at: u64, level: u64) -> State {
        State { stamp: at.saturating_mul(numbers.tick), scale: numbers.period, level }
    }

    /// The tick of the stamp, and the level in parts of today's period, at most the capacity. Another period counts in
    /// other parts: then whole units are kept, and `begun` says whether a part of one counts as one.
    #[inline]
    pub(super) fn read(&self, numbers: &Numbers, begun: bool) -> (u64, u64) {
        let level = if self.scale == numbers.period {
            self.level
        } else {
            let scale = self.scale.max(1);
            let units = if begun { self.level.div_ceil(scale) } else { self.level / scale };
            parts(numbers, units)
        };
        (ticks(self.stamp, numbers), level.min(full(numbers)))
    }

    /// The same as it was written, also above the capacity; `None` in parts of another period.
    pub(super) fn as_written(&self, numbers: &Numbers) -> Option<(u64, u64)> {
        (self.scale == numbers.period).then(|| (ticks(self.stamp, numbers), self.level))
    }
}

/// Units in parts. Exact up to the capacity; more saturates, and is more than the capacity all the same.
#[inline]
pub(super) fn parts(numbers: &Numbers, units: u64) -> u64 {
    units.saturating_mul(numbers.period)
}

/// The capacity in parts.
#[inline]
pub(super) fn full(numbers: &Numbers) -> u64 {
    parts(numbers, numbers.capacity)
}

/// What flows in or out in so many ticks, in parts; after a long time more than any capacity.
#[inline]
pub(super) fn flow(numbers: &Numbers, elapsed: u64) -> u64 {
    elapsed.saturating_mul(numbers.count)
}
