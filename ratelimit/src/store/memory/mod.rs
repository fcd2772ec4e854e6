//! The store in this process's memory.
//!
//! Keys are spread over shards, each a table behind a lock that is held for one decision and never across an await. A
//! key's bytes are not kept, only a keyed fingerprint of 128 bits (SipHash-1-3, the key drawn at random for each store):
//! so a key costs the same memory however long it is, and who does not know the store's key cannot look for two keys
//! that meet. By chance two of a million keys meet with a probability of 10⁻²⁷.
//!
//! The number of keys is bounded, by a share for each shard: chance fills one a few percent before the others. Idle keys
//! go without a task of their own: decisions take turns sweeping a few buckets each, when a sweep is due. Where there is
//! no room all the same, a live key has to go, exhausted ones last; that may cost one limit, and is counted by
//! [`Memory::evicted`].

mod list;
mod permits;
mod shard;

use super::{Answer, Charge, Outcome, Receipt, Renewals, Settlement, Settlements, Store, Verdict, Verdicts};
use crate::{
    algorithm::{Admission, Taken, View},
    lock::lock,
    time::Clock,
};
use core::{fmt, hash::BuildHasher};
use ratelimit_spec::Numbers;
use shard::{Entry, Fingerprint, Shard};
use siphasher::sip128::SipHasher13;
use std::{hash::RandomState, sync::Mutex};

/// Counts in this process's memory, for a bounded number of keys.
pub struct Memory {
    clock: Clock,
    /// A power of two of them.
    shards: Box<[Mutex<Shard>]>,
    hasher: SipHasher13,
}

/// So many keys to a shard at least: a small store is one table, whose bound is exact.
const LEAST_KEYS: usize = 1_024;
/// So many at most, roughly: what one decision moves when a table grows.
const MOST_KEYS: usize = 8_192;
/// Enough that cores seldom meet, and so many at most, whatever the capacity.
const SHARDS: usize = 64;
const MOST_SHARDS: usize = 4_096;

/// What a view leaves: units, and ticks until it is as if the key had never been used.
#[derive(Clone, Copy, Debug)]
struct Left {
    remaining: u64,
    reset: u64,
}

impl Memory {
    /// How many keys are kept unless [`Memory::with_capacity`] says otherwise.
    pub const DEFAULT_CAPACITY: usize = 1 << 20;

    /// A store of the default capacity that goes by the system's clock.
    pub fn new() -> Memory {
        Memory::with_capacity(Clock::system(), Memory::DEFAULT_CAPACITY)
    }

    /// A store for that many keys, at least one, that goes by that clock.
    pub fn with_capacity(clock: Clock, keys: usize) -> Memory {
        let shards = (keys / LEAST_KEYS).min(SHARDS).max(keys / MOST_KEYS).clamp(1, MOST_SHARDS);
        // The power of two below, so that no shard gets less than its share.
        let shards = 1 << shards.ilog2();
        let state = RandomState::new();
        let hasher = SipHasher13::new_with_keys(state.hash_one(0_u8), state.hash_one(1_u8));
        let shards = (0..shards).map(|_| Mutex::new(Shard::new((keys / shards).max(1)))).collect();
        Memory { clock, shards, hasher }
    }

    /// Keys that are kept now, idle ones that no sweep has reached among them.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }

    /// Whether no key is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many live keys had to go because the store was full: each may have cost one limit.
    pub fn evicted(&self) -> u64 {
        self.shards.iter().map(|shard| lock(shard).evicted()).sum()
    }

    /// Decides without awaiting anything.
    pub(crate) fn decide_now(&self, charges: &[Charge<'_>]) -> Verdicts {
        match charges {
            [charge] => {
                // Pushed, not collected: the list is made where the caller wants it.
                let mut verdicts = Verdicts::new();
                if let Some(verdict) = self.decide_one(charge) {
                    verdicts.push(verdict);
                }
                verdicts
            }
            _ => self.decide_list(charges),
        }
    }

    /// One charge: one hash, one lock, one look-up.
    #[inline]
    fn decide_one(&self, charge: &Charge<'_>) -> Option<Verdict> {
        let numbers = &charge.numbers;
        let (fingerprint, shard) = self.place(charge.key);
        let now = self.clock.now_micros();
        let mut shard = lock(self.shards.get(shard)?);
        shard.sweep(now);
        let entry = shard.find_mut(fingerprint);
        let state = entry.as_deref().map(Entry::state);
        let mut view = View::of(numbers, state, now);
        let admission = view.admit(numbers, state, charge.cost, max_delay(charge));
        let takes = charge.takes() && matches!(admission, Admission::Fits(_));
        if takes {
            view.take(numbers, charge.cost);
        }
        let left = Left::of(numbers, &view);
        if takes {
            match entry {
                Some(entry) => entry.write(numbers, view, left, None),
                None => shard.insert(fingerprint, numbers, view, left, None, now),
            }
        }
        let receipt = takes.then(|| view.receipt(numbers));
        if charge.hold.is_some() && matches!(admission, Admission::Fits(_)) {
            shard.hold(fingerprint, charge, receipt, now);
        }
        drop(shard);
        Some(verdict(numbers, left, admission, receipt))
    }

    /// Corrects charges without awaiting anything. They are independent of each other: each has its own lock.
    pub(crate) fn settle_now(&self, settlements: &[Settlement<'_>]) -> Settlements {
        let settle = |settlement: &Settlement<'_>| {
            let (fingerprint, shard) = self.place(settlement.charge.key);
            let mut shard = lock(self.shards.get(shard)?);
            let now = self.clock.now_micros();
            Some(shard.settle_permit(fingerprint, &settlement.charge, settlement.actual, now))
        };
        settlements.iter().filter_map(settle).collect()
    }

    /// Lengthens leases without awaiting anything.
    pub(crate) fn renew_now(&self, charges: &[Charge<'_>]) -> Renewals {
        let renew = |charge: &Charge<'_>| {
            let (fingerprint, shard) = self.place(charge.key);
            let mut shard = lock(self.shards.get(shard)?);
            let now = self.clock.now_micros();
            Some(shard.renew(fingerprint, charge, now))
        };
        charges.iter().filter_map(renew).collect()
    }

    /// Gives back without awaiting anything.
    pub(crate) fn give_back_now(&self, charge: &Charge<'_>, receipt: Receipt) {
        let (fingerprint, shard) = self.place(charge.key);
        if let Some(shard) = self.shards.get(shard) {
            let mut shard = lock(shard);
            let now = self.clock.now_micros();
            shard.settle(fingerprint, &charge.numbers, Taken { cost: charge.cost, receipt }, 0, now);
        }
    }

    /// Permits that are kept now, ended ones that no sweep has reached among them.
    #[cfg(test)]
    fn permits(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).permits.len()).sum()
    }

    fn place(&self, key: &[u8]) -> (Fingerprint, usize) {
        let hash = self.hasher.hash(key);
        // The table's buckets go by the first half, the shards by the second.
        let shard = usize::try_from(hash.h2 >> 32).unwrap_or(0) & (self.shards.len() - 1);
        (Fingerprint(hash.h1, hash.h2), shard)
    }
}

fn max_delay(charge: &Charge<'_>) -> Option<u64> {
    let micros = charge.max_delay?.as_micros();
    Some(u64::try_from(micros / u128::from(charge.numbers.tick)).unwrap_or(u64::MAX))
}

/// What a charge is answered; a receipt only where something was taken.
fn verdict(numbers: &Numbers, left: Left, admission: Admission, receipt: Option<Receipt>) -> Verdict {
    let outcome = match admission {
        Admission::Fits(delay) => Outcome::Allowed { delay: numbers.duration(delay) },
        Admission::Later(wait) => Outcome::Denied { retry_after: numbers.duration(wait) },
        Admission::Never => Outcome::Exceeds,
    };
    Verdict {
        outcome,
        remaining: left.remaining,
        reset_after: numbers.duration(left.reset),
        receipt: receipt.unwrap_or_default(),
    }
}

impl Left {
    #[inline]
    fn of(numbers: &Numbers, view: &View) -> Left {
        Left { remaining: view.remaining(numbers), reset: view.reset(numbers) }
    }
}

impl Default for Memory {
    fn default() -> Self {
        Memory::new()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("shards", &self.shards.len()).finish_non_exhaustive()
    }
}

impl Store for Memory {
    fn decide<'a>(&'a self, charges: &'a [Charge<'a>]) -> Answer<'a, Verdicts> {
        Answer::ready(Ok(self.decide_now(charges)))
    }

    fn settle<'a>(&'a self, settlements: &'a [Settlement<'a>]) -> Answer<'a, Settlements> {
        Answer::ready(Ok(self.settle_now(settlements)))
    }

    fn renew<'a>(&'a self, charges: &'a [Charge<'a>]) -> Answer<'a, Renewals> {
        Answer::ready(Ok(self.renew_now(charges)))
    }

    fn give_back<'a>(&'a self, charge: &'a Charge<'a>, receipt: Receipt) -> Answer<'a, ()> {
        self.give_back_now(charge, receipt);
        Answer::ready(Ok(()))
    }
}

#[cfg(test)]
mod tests;
