//! What a token bucket and a leaky bucket remember: a level at a stamp, in parts of a unit.
//!
//! A level is counted in units × period, so that a tick's refill is the whole number `count`: nothing is ever rounded,
//! and no remainder is lost between two calls.

use super::{narrow, product, ticks};
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
    pub(super) fn new(numbers: &Numbers, at: u64, level: u64) -> State {
        State { stamp: at.saturating_mul(numbers.tick), scale: numbers.period, level }
    }

    /// The tick of the stamp, and the level in parts of today's period, at most the capacity. Another period counts in
    /// other parts: then whole units are kept, and `begun` says whether a part of one counts as one.
    pub(super) fn read(&self, numbers: &Numbers, begun: bool) -> (u64, u64) {
        let level = if self.scale == numbers.period {
            u128::from(self.level)
        } else {
            let scale = self.scale.max(1);
            let units = if begun { self.level.div_ceil(scale) } else { self.level / scale };
            product(units, numbers.period)
        };
        (ticks(self.stamp, numbers), narrow(level.min(u128::from(full(numbers)))))
    }

    pub(super) fn scale(&self) -> u64 {
        self.scale
    }
}

/// The capacity in parts.
pub(super) fn full(numbers: &Numbers) -> u64 {
    narrow(product(numbers.capacity, numbers.period))
}

/// What flows in or out in so many ticks, in parts.
pub(super) fn flow(numbers: &Numbers, elapsed: u64) -> u64 {
    elapsed.saturating_mul(numbers.count)
}
