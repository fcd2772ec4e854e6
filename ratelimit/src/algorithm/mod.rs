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
mod concurrency;
mod fixed_window;
mod leaky_bucket;
mod sliding_log;
mod sliding_window;
mod token_bucket;

pub(crate) use concurrency::Slots;

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
    Concurrency(Box<Slots>),
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
    Concurrency(concurrency::View),
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
            (Algorithm::Concurrency, Some(State::Concurrency(slots))) => {
                View::Concurrency(concurrency::View::of(Some(slots), now))
            }
            (Algorithm::Concurrency, _) => View::Concurrency(concurrency::View::of(None, now)),
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
            View::Concurrency(view) => view.admit(numbers),
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
            View::Concurrency(view) => view.take(),
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
            View::Concurrency(view) => view.remaining(numbers),
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
            // Nobody knows when a call ends.
            View::Concurrency(_) => 0,
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
            View::Concurrency(view) => view.at,
        }
    }

    /// Names what was taken.
    #[inline]
    pub(crate) fn receipt(&self, numbers: &Numbers) -> Receipt {
        let micros = |ticks: u64| ticks.saturating_mul(numbers.tick);
        let (stamp, level) = match self {
            View::FixedWindow(view) => (micros(view.start), view.used),
            View::SlidingWindow(view) => (micros(view.start), view.current),
            View::TokenBucket(view) => (micros(view.at), view.at_best.unsigned_abs()),
            View::LeakyBucket(view) => (micros(view.at), view.fill.unsigned_abs()),
            View::SlidingLog(view) => (view.newest, view.live),
            View::Concurrency(view) => (view.at, view.held),
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
            View::Concurrency(view) => {
                let mut slots = match old {
                    Some(State::Concurrency(slots)) => slots,
                    _ => Box::default(),
                };
                slots.forget_until(view.at);
                State::Concurrency(slots)
            }
        }
    }
}

/// What a charge took, found again to be corrected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    pub(crate) cost: u64,
    pub(crate) receipt: Receipt,
}

/// Corrects what a charge took to what it cost in the end: the new state, if it is another, and the units that could be
/// charged nowhere.
///
/// What comes back never leaves a key better off than if the smaller amount had been charged at admission: it goes to
/// where it was taken from, or nowhere. What is missing is owed, up to one capacity.
pub(crate) fn settle(
    numbers: &Numbers,
    state: &mut Option<State>,
    taken: Taken,
    actual: u64,
    now_micros: u64,
) -> u64 {
    let Some(surplus) = actual.checked_sub(taken.cost) else {
        refund(numbers, state, taken, actual, now_micros);
        return 0;
    };
    if let Some(State::TokenBucket(state)) = state {
        // All that it took is known to be gone, and so what else may come back.
        token_bucket::refund(numbers, state, taken, taken.cost, now_micros);
    }
    match surplus {
        0 => 0,
        _ => surplus - owe(numbers, state, taken.receipt.stamp, surplus, now_micros),
    }
}

/// Charges more to where a charge was taken from while that counts, else to now; returns how much of it.
fn owe(numbers: &Numbers, state: &mut Option<State>, stamp: u64, surplus: u64, now_micros: u64) -> u64 {
    let mut view = View::of(numbers, state.as_ref(), now_micros);
    let owed = match &mut view {
        View::FixedWindow(view) => view.owe(numbers, surplus),
        View::SlidingWindow(view) => view.owe(numbers, surplus, stamp),
        View::TokenBucket(view) => view.owe(numbers, surplus),
        View::LeakyBucket(view) => view.owe(numbers, surplus),
        View::SlidingLog(view) => {
            if let Some(State::SlidingLog(log)) = state
                && let Some(owed) = view.owe_in(numbers, log, surplus, stamp)
            {
                return owed;
            }
            view.owe(numbers, surplus)
        }
        View::Concurrency(_) => 0,
    };
    if owed > 0 {
        *state = Some(view.write(numbers, state.take()));
    }
    owed
}

fn refund(numbers: &Numbers, state: &mut Option<State>, taken: Taken, actual: u64, now_micros: u64) {
    let Taken { cost, receipt } = taken;
    let units = cost.saturating_sub(actual);
    match state {
        Some(State::FixedWindow(state)) => state.refund(units, receipt.stamp),
        Some(State::SlidingWindow(state)) => state.refund(numbers, units, receipt.stamp),
        Some(State::TokenBucket(state)) => token_bucket::refund(numbers, state, taken, actual, now_micros),
        Some(State::LeakyBucket(state)) => leaky_bucket::refund(numbers, state, units, receipt),
        Some(State::SlidingLog(log)) => log.refund(units, receipt.stamp),
        Some(State::Concurrency(_)) | None => {}
    }
}

/// The most units that a key can have used: what is owed counts too, up to one capacity, as far as all products with it
/// are exact.
fn most(numbers: &Numbers) -> u64 {
    let exact = EXACT / numbers.period.max(1);
    numbers.capacity.saturating_mul(2).min(exact.max(numbers.capacity))
}

/// The largest integer up to which a double counts without gaps.
const EXACT: u64 = 1 << 53;

/// Ticks that a stamp in microseconds amounts to; under a tick that is coarser than it, the next one.
#[inline]
fn ticks(micros: u64, numbers: &Numbers) -> u64 {
    if numbers.tick == 1 { micros } else { micros.div_ceil(numbers.tick) }
}

#[cfg(test)]
mod tests;
