//! The store in this process's memory.
//!
//! Keys are spread over shards, each a table behind a lock that is held for one decision and never across an await. A
//! key's bytes are not kept, only a keyed fingerprint of 128 bits (SipHash-1-3, the key drawn at random for each store):
//! so a key costs the same memory however long it is, and who does not know the store's key cannot look for two keys
//! that meet. By chance two of a million keys meet with a probability of 10⁻²⁷.
//!
//! The number of keys is bounded. Idle keys go without a task of their own: decisions take turns sweeping a few buckets
//! each, when a sweep is due. Where there is no room all the same, a live key has to go, exhausted ones last; that may
//! cost one limit, and is counted by [`Memory::evicted`].

mod shard;

use super::{Answer, Charge, Outcome, Receipt, Store, Verdict, Verdicts};
use crate::{
    algorithm::{Admission, View},
    time::Clock,
};
use core::{
    fmt,
    hash::{BuildHasher, Hasher},
    time::Duration,
};
use shard::{Fingerprint, Shard};
use siphasher::sip128::SipHasher13;
use smallvec::SmallVec;
use std::{
    hash::RandomState,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Counts in this process's memory, for a bounded number of keys.
pub struct Memory {
    clock: Clock,
    /// A power of two of them.
    shards: Box<[Mutex<Shard>]>,
    hasher: SipHasher13,
}

/// Enough that cores seldom meet.
const MOST_SHARDS: usize = 64;
/// So many keys to a shard at least: a small store is one table, whose bound is exact.
const LEAST_KEYS: usize = 1_024;

/// One charge on its way to a verdict.
struct Judged {
    fingerprint: Fingerprint,
    shard: usize,
    /// The key as it was found.
    before: View,
    /// The key with all that this call took of it so far.
    after: View,
    admission: Admission,
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
        let shards = (keys / LEAST_KEYS).clamp(1, MOST_SHARDS);
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
            [charge] => self.decide_one(charge),
            _ => self.decide_all(charges),
        }
    }

    /// One charge: one lock, one look-up.
    fn decide_one(&self, charge: &Charge<'_>) -> Verdicts {
        let numbers = &charge.numbers;
        let (fingerprint, shard) = self.place(charge.key);
        let now = self.clock.now_micros();
        let mut verdicts = Verdicts::new();
        let Some(shard) = self.shards.get(shard) else { return verdicts };
        let mut shard = lock(shard);
        shard.sweep(now);
        let found = shard.find(fingerprint);
        let state = shard.state(found);
        let mut view = View::of(numbers, state, now);
        let admission = view.admit(numbers, state, charge.cost, max_delay(charge));
        if charge.cost > 0 && matches!(admission, Admission::Fits(_)) {
            view.take(numbers, charge.cost);
            shard.write(found, fingerprint, numbers, view, now);
        }
        verdicts.push(verdict(charge, &view, admission));
        verdicts
    }

    /// Several charges: their shards are locked in one order, so that two calls never wait for each other.
    fn decide_all(&self, charges: &[Charge<'_>]) -> Verdicts {
        let places: SmallVec<[_; 8]> = charges.iter().map(|charge| self.place(charge.key)).collect();
        let mut numbers: SmallVec<[usize; 8]> = places.iter().map(|(_, shard)| *shard).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut locked: SmallVec<[(usize, MutexGuard<'_, Shard>); 8]> =
            numbers.iter().filter_map(|shard| Some((*shard, lock(self.shards.get(*shard)?)))).collect();
        // One instant for all, read when nobody else can be writing.
        let now = self.clock.now_micros();
        for (_, shard) in &mut locked {
            shard.sweep(now);
        }

        let mut judged: SmallVec<[Judged; 4]> = SmallVec::new();
        for (charge, (fingerprint, shard)) in charges.iter().zip(&places) {
            let Some((_, table)) = locked.iter().find(|(number, _)| number == shard) else { continue };
            let state = table.state(table.find(*fingerprint));
            // Charges of one key add up: each is judged on top of the earlier ones.
            let earlier = judged.iter().rev().find(|earlier| earlier.fingerprint == *fingerprint);
            let before =
                earlier.map_or_else(|| View::of(&charge.numbers, state, now), |earlier| earlier.before);
            let mut after = earlier.map_or(before, |earlier| earlier.after);
            let admission = after.admit(&charge.numbers, state, charge.cost, max_delay(charge));
            if matches!(admission, Admission::Fits(_)) {
                after.take(&charge.numbers, charge.cost);
            }
            judged.push(Judged { fingerprint: *fingerprint, shard: *shard, before, after, admission });
        }

        let all_fit = judged.iter().all(|judged| matches!(judged.admission, Admission::Fits(_)));
        if all_fit {
            for (at, (charge, this)) in charges.iter().zip(&judged).enumerate() {
                let is_last = judged.iter().skip(at + 1).all(|later| later.fingerprint != this.fingerprint);
                let takes = charges
                    .iter()
                    .zip(&judged)
                    .any(|(charge, other)| other.fingerprint == this.fingerprint && charge.cost > 0);
                let table = locked.iter_mut().find(|(number, _)| *number == this.shard);
                if let (true, true, Some((_, table))) = (is_last, takes, table) {
                    let found = table.find(this.fingerprint);
                    table.write(found, this.fingerprint, &charge.numbers, this.after, now);
                }
            }
        }
        let shown = |judged: &Judged| if all_fit { judged.after } else { judged.before };
        charges
            .iter()
            .zip(&judged)
            .map(|(charge, judged)| verdict(charge, &shown(judged), judged.admission))
            .collect()
    }

    /// Gives back without awaiting anything.
    pub(crate) fn give_back_now(&self, charge: &Charge<'_>, receipt: Receipt) {
        let (fingerprint, shard) = self.place(charge.key);
        if let Some(shard) = self.shards.get(shard) {
            lock(shard).give_back(fingerprint, charge, receipt);
        }
    }

    fn place(&self, key: &[u8]) -> (Fingerprint, usize) {
        let mut hasher = self.hasher;
        hasher.write(key);
        let hash = siphasher::sip128::Hasher128::finish128(&hasher);
        // The table's buckets go by the first half, the shards by the second.
        let shard = usize::try_from(hash.h2 >> 32).unwrap_or(0) & (self.shards.len() - 1);
        (Fingerprint(hash.h1, hash.h2), shard)
    }
}

/// A lock that is poisoned holds whole states all the same: each is written by one assignment.
fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

fn max_delay(charge: &Charge<'_>) -> Option<u64> {
    let micros = charge.max_delay?.as_micros();
    Some(u64::try_from(micros / u128::from(charge.numbers.tick)).unwrap_or(u64::MAX))
}

fn verdict(charge: &Charge<'_>, view: &View, admission: Admission) -> Verdict {
    let numbers = &charge.numbers;
    let duration = |ticks| numbers.duration(ticks);
    let (outcome, receipt) = match admission {
        Admission::Fits(delay) => (Outcome::Allowed { delay: duration(delay) }, view.receipt(numbers)),
        Admission::Later(wait) => (Outcome::Denied { retry_after: duration(wait) }, Receipt::default()),
        Admission::Never => (Outcome::Exceeds, Receipt::default()),
    };
    let reset_after: Duration = duration(view.reset(numbers));
    Verdict { outcome, remaining: view.remaining(numbers), reset_after, receipt }
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

    fn give_back<'a>(&'a self, charge: &'a Charge<'a>, receipt: Receipt) -> Answer<'a, ()> {
        self.give_back_now(charge, receipt);
        Answer::ready(Ok(()))
    }
}

#[cfg(test)]
mod tests;
