//! The arithmetic of the algorithms: pure, in integers, one file each.
//!
//! A [`View`] is a key's [`State`] brought to the instant of a decision. Looking changes nothing: a denial must leave
//! no trace, not even a moved stamp, so that all stores decide alike when a clock steps back. Only what [`View::take`]
//! took is written, by [`View::write`].
//!
//! Everything is counted in ticks, whose length the rule chooses so that count × period and capacity × period are at
//! most 2^53. Stamps are kept in microseconds, so that a state outlives a change of the rule; under a coarser tick they
//! are rounded up, which never opens anything early. A key is judged at the latest instant that it knows of: while a
//! clock is behind, nothing refills and waits count from that instant.

mod bucket;
mod fixed_window;
mod leaky_bucket;
mod sliding_log;
mod sliding_window;
mod token_bucket;

use crate::store::Receipt;
use ratelimit_spec::{Algorithm, Numbers};

/// What a key remembers.
#[derive(Clone, Debug)]
pub(crate) enum State {
    FixedWindow(fixed_window::State),
    SlidingWindow(sliding_window::State),
    TokenBucket(bucket::State),
    LeakyBucket(bucket::State),
    SlidingLog(Box<sliding_log::State>),
}

impl State {
    /// No state: what stands in a place while its own is being changed.
    pub(crate) const NONE: State = State::FixedWindow(fixed_window::State::NONE);
}

/// A state at the instant of a decision, with what charges took so far.
#[derive(Clone, Copy, Debug)]
pub(crate) enum View {
    FixedWindow(fixed_window::View),
    SlidingWindow(sliding_window::View),
    TokenBucket(token_bucket::View),
    LeakyBucket(leaky_bucket::View),
    SlidingLog(sliding_log::View),
}

/// Whether a charge fits, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It fits; the call starts after this many ticks.
    Fits(u64),
    /// It fits after this many ticks, and not before.
    Later(u64),
    /// It is above the capacity.
    Never,
}

impl View {
    /// The state at an instant, in microseconds since the epoch. What another algorithm left, or nothing, is a key
    /// that was never used.
    #[inline]
    pub(crate) fn of(numbers: &Numbers, state: Option<&State>, now_micros: u64) -> View {
        // Nearly every rule has a tick of one microsecond, and a division costs as much as the rest of a look.
        let now = if numbers.tick == 1 { now_micros } else { now_micros / numbers.tick };
        match (numbers.algorithm, state) {
            (Algorithm::FixedWindow, Some(State::FixedWindow(state))) => {
                View::FixedWindow(fixed_window::View::of(numbers, Some(state), now))
            }
            (Algorithm::FixedWindow, _) => View::FixedWindow(fixed_window::View::of(numbers, None, now)),
            (Algorithm::SlidingWindow, Some(State::SlidingWindow(state))) => {
                View::SlidingWindow(sliding_window::View::of(numbers, Some(state), now))
            }
            (Algorithm::SlidingWindow, _) => {
                View::SlidingWindow(sliding_window::View::of(numbers, None, now))
            }
            (Algorithm::TokenBucket, Some(State::TokenBucket(state))) => {
                View::TokenBucket(token_bucket::View::of(numbers, Some(state), now))
            }
            (Algorithm::TokenBucket, _) => View::TokenBucket(token_bucket::View::of(numbers, None, now)),
            (Algorithm::LeakyBucket, Some(State::LeakyBucket(state))) => {
                View::LeakyBucket(leaky_bucket::View::of(numbers, Some(state), now))
            }
            (Algorithm::LeakyBucket, _) => View::LeakyBucket(leaky_bucket::View::of(numbers, None, now)),
            (Algorithm::SlidingLog, Some(State::SlidingLog(state))) => {
                View::SlidingLog(sliding_log::View::of(numbers, Some(state), now))
            }
            (Algorithm::SlidingLog, _) => View::SlidingLog(sliding_log::View::of(numbers, None, now)),
        }
    }

    /// Whether a charge fits on top of what was taken so far; `state` is the one that this is a view of.
    #[inline]
    pub(crate) fn admit(
        &self,
        numbers: &Numbers,
        state: Option<&State>,
        cost: u64,
        max_delay: Option<u64>,
    ) -> Admission {
        if cost > numbers.capacity {
            return Admission::Never;
        }
        if cost == 0 && !matches!(self, View::LeakyBucket(_)) {
            return Admission::Fits(0);
        }
        match self {
            View::FixedWindow(view) => view.admit(numbers, cost),
            View::SlidingWindow(view) => view.admit(numbers, cost),
            View::TokenBucket(view) => view.admit(numbers, cost),
            View::LeakyBucket(view) => view.admit(numbers, cost, max_delay),
            View::SlidingLog(view) => {
                let log = match state {
                    Some(State::SlidingLog(log)) => Some(&**log),
                    _ => None,
                };
                view.admit(numbers, log, cost)
            }
        }
    }

    /// Takes a charge that fits.
    #[inline]
    pub(crate) fn take(&mut self, numbers: &Numbers, cost: u64) {
        if cost == 0 {
            return;
        }
        match self {
            View::FixedWindow(view) => view.take(cost),
            View::SlidingWindow(view) => view.take(cost),
            View::TokenBucket(view) => view.take(numbers, cost),
            View::LeakyBucket(view) => view.take(numbers, cost),
            View::SlidingLog(view) => view.take(numbers, cost),
        }
    }

    /// Units left.
    #[inline]
    pub(crate) fn remaining(&self, numbers: &Numbers) -> u64 {
        match self {
            View::FixedWindow(view) => view.remaining(numbers),
            View::SlidingWindow(view) => view.remaining(numbers),
            View::TokenBucket(view) => view.remaining(numbers),
            View::LeakyBucket(view) => view.remaining(numbers),
            View::SlidingLog(view) => view.remaining(numbers),
        }
    }

    /// Ticks until the key is as if it had never been used.
    #[inline]
    pub(crate) fn reset(&self, numbers: &Numbers) -> u64 {
        match self {
            View::FixedWindow(view) => view.reset(numbers),
            View::SlidingWindow(view) => view.reset(numbers),
            View::TokenBucket(view) => view.reset(numbers),
            View::LeakyBucket(view) => view.reset(numbers),
            View::SlidingLog(view) => view.reset(numbers),
        }
    }

    /// The tick that the key is judged at.
    #[inline]
    pub(crate) fn at(&self) -> u64 {
        match self {
            View::FixedWindow(view) => view.at,
            View::SlidingWindow(view) => view.at,
            View::TokenBucket(view) => view.at,
            View::LeakyBucket(view) => view.at,
            View::SlidingLog(view) => view.at,
        }
    }

    /// Names what was taken.
    #[inline]
    pub(crate) fn receipt(&self, numbers: &Numbers) -> Receipt {
        let micros = |ticks: u64| ticks.saturating_mul(numbers.tick);
        let (stamp, level) = match self {
            View::FixedWindow(view) => (micros(view.start), view.used),
            View::SlidingWindow(view) => (micros(view.start), view.current),
            View::TokenBucket(view) => (micros(view.at), view.level),
            View::LeakyBucket(view) => (micros(view.at), view.fill),
            View::SlidingLog(view) => (view.newest, view.live),
        };
        Receipt { stamp, level }
    }

    /// The state as the charges left it; `old` is the one that this is a view of.
    #[inline]
    pub(crate) fn write(self, numbers: &Numbers, old: Option<State>) -> State {
        match self {
            View::FixedWindow(view) => State::FixedWindow(view.write(numbers)),
            View::SlidingWindow(view) => State::SlidingWindow(view.write(numbers)),
            View::TokenBucket(view) => State::TokenBucket(view.write(numbers)),
            View::LeakyBucket(view) => State::LeakyBucket(view.write(numbers)),
            View::SlidingLog(view) => {
                let mut log = match old {
                    Some(State::SlidingLog(log)) => log,
                    _ => Box::default(),
                };
                view.write(numbers, &mut log);
                State::SlidingLog(log)
            }
        }
    }
}

/// Takes the last place out of a leaky bucket's queue; `None` where somebody stands behind it, or it is gone.
pub(crate) fn give_back(numbers: &Numbers, state: &State, cost: u64, receipt: Receipt) -> Option<State> {
    match state {
        State::LeakyBucket(state) => {
            leaky_bucket::give_back(numbers, state, cost, receipt).map(State::LeakyBucket)
        }
        _ => None,
    }
}

/// Ticks that a stamp in microseconds amounts to; under a tick that is coarser than it, the next one.
#[inline]
fn ticks(micros: u64, numbers: &Numbers) -> u64 {
    if numbers.tick == 1 { micros } else { micros.div_ceil(numbers.tick) }
}

#[cfg(test)]
mod tests;
