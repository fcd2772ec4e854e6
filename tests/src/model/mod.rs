//! What each algorithm means, in exact fractions, from what was admitted.
//!
//! The model keeps the past of a key, and answers by definition: a call fits if enough units are free at its instant, a
//! wait ends at the first tick at which the call fits, a key is reset at the first tick from which it is as if it had
//! never been used. It knows nothing of how a store gets there: nothing is scaled, and waits are searched for.

mod buckets;
mod log;
mod permits;
mod said;
mod windows;

pub use said::{Judged, Said};

use buckets::{Places, Tokens};
use log::Log;
use num_rational::Ratio;
use permits::{Origin, Permits};
use ratelimit::store::Charge;
use ratelimit_spec::{Algorithm, Numbers};
use std::collections::HashMap;
use windows::Windows;

type Exact = Ratio<i128>;

/// Every key by its name.
#[derive(Clone, Debug, Default)]
pub struct Model {
    keys: HashMap<Vec<u8>, Key>,
}

/// The past of one key, which is used under one algorithm.
#[derive(Clone, Debug, Default)]
struct Key {
    /// The latest instant that is known from what was written, in microseconds: no key is judged before it.
    latest: i128,
    windows: Windows,
    log: Log,
    tokens: Tokens,
    places: Places,
    permits: Permits,
}

/// A rule in wide integers.
#[derive(Clone, Copy, Debug)]
struct Rule {
    algorithm: Algorithm,
    tick: i128,
    count: i128,
    period: i128,
    capacity: i128,
    slice: i128,
}

impl Model {
    /// What must be said of these charges at that time, in microseconds; all are taken or none.
    ///
    /// Searches start at `guesses`, where there are some: what a store said, which is confirmed or found to be wrong.
    pub fn decide(&mut self, now: u64, charges: &[Charge<'_>], guesses: &[Said]) -> Vec<Said> {
        let mut after = self.clone_of(charges);
        let mut taken = Vec::new();
        for (place, charge) in charges.iter().enumerate() {
            let rule = Rule::of(&charge.numbers);
            let guess = guesses.get(place);
            let key = after.entry(charge.key.to_vec()).or_default();
            let at = key.at(&rule, now);
            let outcome = key.judge(&rule, at, charge, guess);
            let origin = match outcome {
                Judged::Allowed { .. } if charge.cost > 0 => key.take(&rule, at, charge),
                _ => Origin { at: -rule.period, room: Exact::from(0), end: -1, number: usize::MAX },
            };
            if let Some(hold) = charge.hold {
                key.permits.hold(&rule, hold, i128::from(charge.cost), origin, i128::from(now));
            }
            taken.push(key.said(&rule, at, outcome, guess));
        }
        if taken.iter().all(|said| matches!(said.outcome, Judged::Allowed { .. })) {
            self.keys.extend(after);
            return taken;
        }
        // Nothing is taken: each is told of its key as it was.
        let untaken = charges.iter().zip(&taken).enumerate().map(|(place, (charge, said))| {
            let rule = Rule::of(&charge.numbers);
            let key = self.keys.get(charge.key).cloned().unwrap_or_default();
            key.said(&rule, key.at(&rule, now), said.outcome, guesses.get(place))
        });
        untaken.collect()
    }

    /// Whether a charge would fit at that time.
    pub fn fits(&self, now: u64, charge: &Charge<'_>) -> bool {
        let rule = Rule::of(&charge.numbers);
        let key = self.keys.get(charge.key).cloned().unwrap_or_default();
        key.fits(&rule, key.at(&rule, now), i128::from(charge.cost), max_delay(&rule, charge))
    }

    /// Gives back the place that the last charge of this cost took, if nobody stands behind it.
    pub fn give_back(&mut self, charge: &Charge<'_>, number: usize) {
        let rule = Rule::of(&charge.numbers);
        if let Some(key) = self.keys.get_mut(charge.key) {
            let latest = rule.ticks(key.latest);
            key.places.give_back(number, i128::from(charge.cost), true, &rule, latest);
        }
    }

    /// How many charges of a leaky bucket have been taken: the number of the next.
    pub fn next_place(&self, key: &[u8]) -> usize {
        self.keys.get(key).map_or(0, |key| key.places.next())
    }

    /// The tick at which a key is judged at that time.
    pub fn at(&self, now: u64, charge: &Charge<'_>) -> i128 {
        let rule = Rule::of(&charge.numbers);
        self.keys.get(charge.key).cloned().unwrap_or_default().at(&rule, now)
    }

    /// Whether a key is as if it had never been used from that time on.
    pub fn is_over(&self, now: u64, charge: &Charge<'_>) -> bool {
        let rule = Rule::of(&charge.numbers);
        self.keys.get(charge.key).is_none_or(|key| key.is_over(&rule, key.at(&rule, now)))
    }

    /// Forgets a key.
    pub fn forget(&mut self, key: &[u8]) {
        self.keys.remove(key);
    }

    fn clone_of(&self, charges: &[Charge<'_>]) -> HashMap<Vec<u8>, Key> {
        let known = |charge: &Charge<'_>| Some((charge.key.to_vec(), self.keys.get(charge.key)?.clone()));
        charges.iter().filter_map(known).collect()
    }
}

impl Key {
    fn at(&self, rule: &Rule, now: u64) -> i128 {
        (i128::from(now) / rule.tick).max(rule.ticks(self.latest))
    }

    fn free(&self, rule: &Rule, at: i128) -> Exact {
        match rule.algorithm {
            Algorithm::FixedWindow => self.windows.free_fixed(rule, at),
            Algorithm::SlidingWindow => self.windows.free_weighted(rule, at),
            Algorithm::SlidingLog => self.log.free(rule, at),
            Algorithm::TokenBucket => self.tokens.free(rule, at, self.latest),
            Algorithm::LeakyBucket => self.places.free(rule, at, self.latest),
            Algorithm::Concurrency => Exact::from(rule.capacity - self.permits.held(at)),
        }
    }

    fn is_over(&self, rule: &Rule, at: i128) -> bool {
        match rule.algorithm {
            Algorithm::FixedWindow => self.windows.is_over_fixed(rule, at),
            Algorithm::SlidingWindow => self.windows.is_over_weighted(rule, at),
            _ => self.free(rule, at) == Exact::from(rule.capacity),
        }
    }

    fn fits(&self, rule: &Rule, at: i128, cost: i128, max_delay: Option<i128>) -> bool {
        let in_time = match (rule.algorithm, max_delay) {
            // Its first place is due when all before it has leaked.
            (Algorithm::LeakyBucket, Some(longest)) => self.is_over(rule, at + longest),
            _ => true,
        };
        // A call in flight takes one slot.
        let cost = if rule.algorithm == Algorithm::Concurrency { cost.min(1) } else { cost };
        cost == 0 || Exact::from(cost) <= self.free(rule, at) && in_time
    }

    fn judge(&self, rule: &Rule, at: i128, charge: &Charge<'_>, guess: Option<&Said>) -> Judged {
        let (cost, max_delay) = (i128::from(charge.cost), max_delay(rule, charge));
        if cost > rule.capacity {
            return Judged::Exceeds;
        }
        if !self.fits(rule, at, cost, max_delay) {
            if rule.algorithm == Algorithm::Concurrency {
                // Nobody knows when a call ends: a second is a hint.
                return Judged::Denied { retry: 1_000_000 };
            }
            let guess = guess.and_then(|said| said.outcome.wait());
            return Judged::Denied {
                retry: first(guess, |wait| self.fits(rule, at + wait, cost, max_delay)),
            };
        }
        let delay = match rule.algorithm {
            Algorithm::LeakyBucket => {
                first(guess.and_then(|said| said.outcome.wait()), |wait| self.is_over(rule, at + wait))
            }
            _ => 0,
        };
        Judged::Allowed { delay }
    }

    fn said(&self, rule: &Rule, at: i128, outcome: Judged, guess: Option<&Said>) -> Said {
        let remaining = self.free(rule, at).floor().to_integer().clamp(0, rule.capacity);
        let reset = match rule.algorithm {
            Algorithm::Concurrency => 0,
            _ => first(guess.map(|said| said.reset), |wait| self.is_over(rule, at + wait)),
        };
        Said { outcome, remaining, reset }
    }

    /// Takes a charge that fits, and says where from.
    fn take(&mut self, rule: &Rule, at: i128, charge: &Charge<'_>) -> Origin {
        let cost = i128::from(charge.cost);
        let mut origin = Origin { at, room: Exact::from(0), end: 0, number: self.places.next() };
        match rule.algorithm {
            Algorithm::FixedWindow | Algorithm::SlidingWindow => self.windows.take(rule, at, cost),
            Algorithm::SlidingLog => origin.end = self.log.take(rule, at, cost),
            Algorithm::TokenBucket => {
                origin.room = Exact::from(rule.capacity) - self.tokens.best(rule, at, self.latest);
                self.tokens.take(rule, at, cost, self.latest);
            }
            Algorithm::LeakyBucket => self.places.take(rule, at, cost, self.latest),
            // Held, not taken.
            Algorithm::Concurrency => return origin,
        }
        self.latest = self.written(rule, at);
        origin
    }

    /// What is known of the time from a state that is written at a tick, in microseconds.
    fn written(&self, rule: &Rule, at: i128) -> i128 {
        match rule.algorithm {
            // Of a window only its start is known.
            Algorithm::FixedWindow | Algorithm::SlidingWindow => rule.window(at) * rule.tick,
            _ => at * rule.tick,
        }
    }
}

impl Rule {
    fn of(numbers: &Numbers) -> Rule {
        let Numbers { algorithm, tick, count, period, capacity, slice } = *numbers;
        let [tick, count, period, capacity, slice] = [tick, count, period, capacity, slice].map(i128::from);
        Rule { algorithm, tick, count, period, capacity, slice }
    }

    /// The tick of a stamp in microseconds; one that lies between two is counted as the later one.
    fn ticks(&self, micros: i128) -> i128 {
        -((-micros).div_euclid(self.tick))
    }

    /// The first tick of the window that a tick lies in.
    fn window(&self, at: i128) -> i128 {
        at - at % self.period
    }

    /// Units that come in or leak in so many ticks.
    fn flow(&self, ticks: i128) -> Exact {
        Exact::new(ticks * self.count, self.period)
    }
}

fn max_delay(rule: &Rule, charge: &Charge<'_>) -> Option<i128> {
    Some(i128::try_from(charge.max_delay?.as_micros()).unwrap_or(i128::MAX) / rule.tick)
}

/// The first tick, from 0, at which something holds that from then on always does.
fn first(guess: Option<i128>, holds: impl Fn(i128) -> bool) -> i128 {
    if let Some(guess) = guess
        && guess >= 0
        && holds(guess)
        && (guess == 0 || !holds(guess - 1))
    {
        return guess;
    }
    if holds(0) {
        return 0;
    }
    let (mut before, mut after) = (0, 1);
    while !holds(after) {
        assert!(after < 1 << 62, "it never holds");
        (before, after) = (after, after * 2);
    }
    while after - before > 1 {
        let middle = before + (after - before) / 2;
        if holds(middle) {
            after = middle;
        } else {
            before = middle;
        }
    }
    after
}
