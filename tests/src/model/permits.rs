//! Permits: what a charge took, and what becomes of it when its cost is known.

use super::{Exact, Key, Model, Rule};
use ratelimit::store::{Charge, Hold, PermitId, Renewed, Settled, Settlement};
use ratelimit_spec::Algorithm;
use std::collections::HashMap;

/// What the permits of one key hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Permits {
    taken: HashMap<PermitId, Taken>,
    /// Holders of slots, with the end of their lease in microseconds.
    slots: HashMap<PermitId, i128>,
}

/// What one charge took, and from where.
#[derive(Clone, Copy, Debug)]
struct Taken {
    until: i128,
    settled: bool,
    cost: i128,
    origin: Origin,
}

/// Where a charge was taken from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// The tick.
    pub(super) at: i128,
    /// What was missing in a token bucket before, if all that was not settled came back.
    pub(super) room: Exact,
    /// The end of its entry in a log, in microseconds.
    pub(super) end: i128,
    /// Its number in a queue.
    pub(super) number: usize,
}

impl Permits {
    /// Holders whose lease has not ended.
    pub(super) fn held(&self, now: i128) -> i128 {
        i128::try_from(self.slots.values().filter(|until| **until > now).count()).unwrap_or(i128::MAX)
    }

    /// Writes down what an admitted charge took; one of nothing took it from nowhere.
    pub(super) fn hold(&mut self, rule: &Rule, hold: Hold, cost: i128, origin: Origin, now: i128) {
        let until = now + lease(hold);
        if rule.algorithm != Algorithm::Concurrency {
            self.taken.insert(hold.permit, Taken { until, settled: false, cost, origin });
        } else if cost > 0 {
            // Who has been silent for too long is forgotten, also by a clock that steps back.
            self.slots.retain(|_, until| *until > now);
            self.slots.insert(hold.permit, until);
        }
    }
}

impl Model {
    /// What must become of a settlement at that time.
    pub fn settle(&mut self, now: u64, settlement: &Settlement<'_>) -> Settled {
        let Settlement { charge, actual } = *settlement;
        let (rule, now) = (Rule::of(&charge.numbers), i128::from(now));
        let Some(hold) = charge.hold else { return Settled::Late };
        let Some(key) = self.keys.get_mut(charge.key) else { return Settled::Late };
        if rule.algorithm == Algorithm::Concurrency {
            let until = key.permits.slots.remove(&hold.permit);
            return if until.is_some_and(|until| until > now) {
                Settled::Applied { overrun: 0 }
            } else {
                Settled::Late
            };
        }
        let live = key.permits.taken.get_mut(&hold.permit).filter(|taken| taken.until > now);
        let Some(taken) = live else { return Settled::Late };
        if std::mem::replace(&mut taken.settled, true) {
            return Settled::Already;
        }
        let taken = *taken;
        let overrun = key.correct(&rule, now, &taken, i128::from(actual));
        Settled::Applied { overrun: u64::try_from(overrun).unwrap_or(u64::MAX) }
    }

    /// What must become of a renewal at that time.
    pub fn renew(&mut self, now: u64, charge: &Charge<'_>) -> Renewed {
        let (Some(hold), now) = (charge.hold, i128::from(now)) else { return Renewed::Lost };
        let key = self.keys.entry(charge.key.to_vec()).or_default();
        let until = now + lease(hold);
        let renewed = if charge.numbers.algorithm == Algorithm::Concurrency {
            key.permits.slots.insert(hold.permit, until).is_some_and(|before| before > now)
        } else {
            let live = key.permits.taken.get_mut(&hold.permit).filter(|taken| taken.until > now);
            live.map(|taken| taken.until = until).is_some()
        };
        if renewed { Renewed::Renewed } else { Renewed::Lost }
    }
}

impl Key {
    /// Corrects a charge; what is owed beyond one capacity is handed back.
    fn correct(&mut self, rule: &Rule, now: i128, taken: &Taken, actual: i128) -> i128 {
        let at = self.at(rule, u64::try_from(now).unwrap_or(u64::MAX));
        let Taken { cost, origin, .. } = *taken;
        if actual <= cost {
            self.refund(rule, at, cost, actual, origin);
            return 0;
        }
        let surplus = actual - cost;
        if rule.algorithm == Algorithm::TokenBucket {
            self.refund(rule, at, cost, cost, origin);
        }
        let owed = match rule.algorithm {
            Algorithm::FixedWindow => {
                let owed = surplus.min(rule.most() - self.windows.used_at(rule, at)).max(0);
                self.windows.take(rule, at, owed);
                owed
            }
            Algorithm::SlidingWindow => {
                // Where it was taken from, while that is in view.
                let before = rule.window(at) - rule.period;
                let to = if cost > 0 && rule.window(origin.at) == before { before } else { at };
                let owed = surplus.min(rule.most() - self.windows.used_at(rule, to)).max(0);
                self.windows.take(rule, to, owed);
                owed
            }
            Algorithm::SlidingLog => {
                let owed = surplus.min(rule.most() - self.log.live(rule, at)).max(0);
                if owed > 0 && cost > 0 && self.log.add_to(rule, at, origin.end, owed) {
                    return surplus - owed;
                }
                if owed > 0 {
                    self.log.take(rule, at, owed);
                }
                owed
            }
            Algorithm::TokenBucket => {
                let free = self.tokens.free(rule, at, self.latest);
                let can_owe = Exact::from(rule.most() - rule.capacity);
                let owed = surplus.min((free + can_owe).floor().to_integer());
                if owed > 0 {
                    self.tokens.owe(rule, at, owed, self.latest);
                }
                owed
            }
            Algorithm::LeakyBucket => {
                let owed = surplus.min(self.places.free(rule, at, self.latest).floor().to_integer());
                if owed > 0 {
                    self.places.take(rule, at, owed, self.latest);
                }
                owed
            }
            Algorithm::Concurrency => 0,
        };
        if owed > 0 {
            self.latest = self.written(rule, at);
        }
        surplus - owed
    }

    /// Gives back to where it was taken from, or nowhere.
    fn refund(&mut self, rule: &Rule, at: i128, cost: i128, actual: i128, origin: Origin) {
        let units = cost - actual;
        // Of a token bucket what is kept is known to be gone, and so what else may come back.
        if units == 0 && rule.algorithm != Algorithm::TokenBucket || cost == 0 {
            return;
        }
        match rule.algorithm {
            Algorithm::FixedWindow | Algorithm::SlidingWindow => {
                self.windows.give_back(rule, origin.at, units)
            }
            Algorithm::SlidingLog => {
                self.log.give_back(origin.end, units);
                if self.log.is_empty() {
                    self.latest = 0;
                }
            }
            Algorithm::TokenBucket => {
                self.tokens.refund(rule, (at, self.latest), (origin.at, origin.room), (cost, actual));
            }
            Algorithm::LeakyBucket => {
                let latest = rule.ticks(self.latest);
                self.places.give_back(origin.number, units, actual == 0, rule, latest);
            }
            Algorithm::Concurrency => {}
        }
    }
}

impl Rule {
    /// The most that can be used: what is owed counts too, up to one capacity, and as far as doubles are exact.
    pub(super) fn most(&self) -> i128 {
        let exact = (1 << 53) / self.period;
        (2 * self.capacity).min(exact.max(self.capacity))
    }
}

fn lease(hold: Hold) -> i128 {
    i128::try_from(hold.lease.as_micros()).unwrap_or(i128::MAX >> 1)
}
