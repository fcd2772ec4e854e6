//! What a token bucket and a leaky bucket remember: a level at a stamp, in parts of a unit.
//!
//! A level is counted in units × period, so that a tick's refill is the whole number `count`: nothing is ever rounded,
//! and no remainder is lost between two calls.

use super::{most, ticks};
use ratelimit_spec::Numbers;

#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// When it was written, in microseconds since the epoch.
    stamp: u64,
    /// Parts per unit: the period when it was written.
    scale: u64,
    /// Below zero where a token bucket owes something.
    level: i64,
    /// The level of a token bucket if all that was taken and is not settled came back; more than any capacity for a full
    /// one.
    at_best: i64,
}

/// A token bucket that would be full.
const FULL: i64 = i64::MAX;

impl State {
    #[inline]
    pub(super) fn new(numbers: &Numbers, at: u64, level: i64) -> State {
        State { stamp: at.saturating_mul(numbers.tick), scale: numbers.period, level, at_best: FULL }
    }

    /// The same with a level at best, which is no lower than the level.
    #[inline]
    pub(super) fn with_best(mut self, numbers: &Numbers, at_best: i64) -> State {
        let at_best = at_best.max(self.level);
        self.at_best = if at_best < full(numbers) { at_best } else { FULL };
        self
    }

    /// The tick of the stamp, and the level in parts of today's period, no further from zero than it can be. Another
    /// period counts in other parts: then whole units are kept, and `begun` says whether a part of one counts as one.
    #[inline]
    pub(super) fn read(&self, numbers: &Numbers, begun: bool) -> (u64, i64) {
        (ticks(self.stamp, numbers), self.in_parts(self.level, numbers, begun))
    }

    /// The level at best at the stamp, read likewise: a part of a unit counts as one.
    #[inline]
    pub(super) fn best(&self, numbers: &Numbers) -> i64 {
        self.in_parts(self.at_best, numbers, true)
    }

    #[inline]
    fn in_parts(&self, level: i64, numbers: &Numbers, begun: bool) -> i64 {
        let level = if self.scale == numbers.period || level == FULL {
            level
        } else {
            let scale = signed(self.scale.max(1));
            let whole = level.div_euclid(scale);
            let units = if begun && level.rem_euclid(scale) > 0 { whole + 1 } else { whole };
            units.saturating_mul(signed(numbers.period))
        };
        level.clamp(-most_owed(numbers), full(numbers))
    }

    /// The same as it was written, also above the capacity; `None` in parts of another period.
    pub(super) fn as_written(&self, numbers: &Numbers) -> Option<(u64, i64)> {
        (self.scale == numbers.period).then(|| (ticks(self.stamp, numbers), self.level))
    }

    /// The same state at another level.
    pub(super) fn set_level(&mut self, level: i64) {
        self.level = level;
    }
}

/// Units in parts. Exact up to the capacity; more saturates, and is more than the capacity all the same.
#[inline]
pub(super) fn parts(numbers: &Numbers, units: u64) -> i64 {
    signed(units.saturating_mul(numbers.period))
}

/// The capacity in parts.
#[inline]
pub(super) fn full(numbers: &Numbers) -> i64 {
    parts(numbers, numbers.capacity)
}

/// What can be owed on top of a capacity, in parts.
#[inline]
pub(super) fn most_owed(numbers: &Numbers) -> i64 {
    parts(numbers, most(numbers) - numbers.capacity)
}

/// What flows in or out in so many ticks, in parts; after a long time more than any capacity.
#[inline]
pub(super) fn flow(numbers: &Numbers, elapsed: u64) -> i64 {
    signed(elapsed.saturating_mul(numbers.count))
}

/// Ticks until so many parts have flowed, the last of them begun; none for what is not above zero.
#[inline]
pub(super) fn ticks_for(numbers: &Numbers, parts: i64) -> u64 {
    u64::try_from(parts).unwrap_or(0).div_ceil(numbers.count)
}

/// Whole units in parts; none below zero.
#[inline]
pub(super) fn whole_units(numbers: &Numbers, parts: i64) -> u64 {
    u64::try_from(parts).unwrap_or(0) / numbers.period
}

/// Rules keep all products at 2^53; what does not fit is more than any of them.
#[inline]
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
