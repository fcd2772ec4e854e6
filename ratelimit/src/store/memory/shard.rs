//! One table of keys: bounded, swept in small steps.

use crate::{
    algorithm::{self, State, View},
    store::{Charge, Receipt},
};
use hashbrown::HashTable;
use ratelimit_spec::Numbers;

/// What stands for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint(pub(super) u64, pub(super) u64);

/// A key: one cache line.
struct Entry {
    fingerprint: Fingerprint,
    /// When it is as if it had never been used, in microseconds since the epoch.
    idle_from: u64,
    state: State,
    /// How much of the limit was used when it was written: 255 is all of it.
    used: u8,
}

pub(super) struct Shard {
    table: HashTable<Entry>,
    capacity: usize,
    evicted: u64,
    /// The next bucket to sweep, and when to go on.
    hand: usize,
    next_sweep: u64,
    /// What the sweep that is under way has removed.
    swept: usize,
}

/// Where a key was found, good until the table changes.
pub(super) type Found = Option<usize>;

/// Buckets that one decision sweeps: a microsecond or so.
const STEP: usize = 256;
/// Between two sweeps of a table that had little to remove, in microseconds.
const PAUSE: u64 = 1_000_000;
/// How long a key is kept when it has stopped to matter, in microseconds: a clock may step back a little.
const GRACE: u64 = 1_000_000;
/// Buckets that are looked at to find the key to evict; more where all of their keys are exhausted, up to a bound.
const LOOKED_AT: usize = 128;
const LOOKED_AT_MOST: usize = 2_048;
const EXHAUSTED: u8 = u8::MAX;

impl Shard {
    pub(super) fn new(capacity: usize) -> Shard {
        Shard { table: HashTable::new(), capacity, evicted: 0, hand: 0, next_sweep: 0, swept: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    pub(super) fn evicted(&self) -> u64 {
        self.evicted
    }

    pub(super) fn find(&self, fingerprint: Fingerprint) -> Found {
        self.table.find_bucket_index(fingerprint.0, |entry| entry.fingerprint == fingerprint)
    }

    pub(super) fn state(&self, found: Found) -> Option<&State> {
        Some(&self.table.get_bucket(found?)?.state)
    }

    /// Writes what a view has become, making room for a new key.
    pub(super) fn write(
        &mut self,
        found: Found,
        fingerprint: Fingerprint,
        numbers: &Numbers,
        view: View,
        now: u64,
    ) {
        let idle_at = view.at().saturating_add(view.reset(numbers)).saturating_mul(numbers.tick);
        let idle_from = idle_at.saturating_add(GRACE);
        let used = used(view.remaining(numbers), numbers.capacity);
        match found.and_then(|bucket| self.table.get_bucket_mut(bucket)) {
            Some(entry) => {
                // A state that is a log is taken out, changed and put back, not copied.
                let old = core::mem::replace(&mut entry.state, State::NONE);
                *entry = Entry { fingerprint, idle_from, state: view.write(numbers, Some(old)), used };
            }
            None => {
                if self.table.len() >= self.capacity {
                    self.make_room(now);
                }
                let entry = Entry { fingerprint, idle_from, state: view.write(numbers, None), used };
                self.table.insert_unique(fingerprint.0, entry, |entry| entry.fingerprint.0);
            }
        }
    }

    pub(super) fn give_back(&mut self, fingerprint: Fingerprint, charge: &Charge<'_>, receipt: Receipt) {
        let Some(entry) = self.table.find_mut(fingerprint.0, |entry| entry.fingerprint == fingerprint) else {
            return;
        };
        if let Some(state) = algorithm::give_back(&charge.numbers, &entry.state, charge.cost, receipt) {
            entry.state = state;
            entry.used = entry.used.saturating_sub(1);
        }
    }

    /// Sweeps a step, if a sweep is due. A table without idle keys is walked once a second at most.
    pub(super) fn sweep(&mut self, now: u64) {
        if now < self.next_sweep || self.table.is_empty() {
            return;
        }
        let buckets = self.table.num_buckets();
        let end = self.hand.saturating_add(STEP).min(buckets);
        for bucket in self.hand..end {
            self.swept += usize::from(self.remove_if_idle(bucket, now));
        }
        self.hand = end;
        if end == buckets {
            if self.table.len() < self.table.capacity() / 8 {
                self.table.shrink_to(self.table.len() * 2, |entry| entry.fingerprint.0);
            }
            // Where a walk paid, more may have become idle meanwhile.
            let paid = self.swept > buckets / 16;
            self.next_sweep = if paid { now } else { now.saturating_add(PAUSE) };
            (self.hand, self.swept) = (0, 0);
        }
    }

    fn remove_if_idle(&mut self, bucket: usize, now: u64) -> bool {
        match self.table.get_bucket_entry(bucket) {
            Ok(entry) if entry.get().idle_from <= now => {
                entry.remove();
                true
            }
            _ => false,
        }
    }

    /// Removes the idle keys of a stretch of buckets, or if there are none, the key whose loss lets the least pass.
    fn make_room(&mut self, now: u64) {
        let buckets = self.table.num_buckets();
        let mut least: Option<(u8, usize)> = None;
        let mut removed = false;
        for step in 0..buckets {
            let bucket = (self.hand + step) % buckets;
            removed |= self.remove_if_idle(bucket, now);
            if let Some(entry) = self.table.get_bucket(bucket)
                && least.is_none_or(|(used, _)| entry.used < used)
            {
                least = Some((entry.used, bucket));
            }
            let spared = least.is_some_and(|(used, _)| used < EXHAUSTED);
            if step >= LOOKED_AT && (removed || spared) || step >= LOOKED_AT_MOST {
                self.hand = (bucket + 1) % buckets;
                break;
            }
        }
        if let (false, Some((_, bucket))) = (removed, least)
            && let Ok(entry) = self.table.get_bucket_entry(bucket)
        {
            entry.remove();
            self.evicted += 1;
        }
    }
}

/// The used part of a capacity, 255 for all of it.
fn used(remaining: u64, capacity: u64) -> u8 {
    if remaining == 0 {
        return EXHAUSTED;
    }
    let used = u128::from(capacity.saturating_sub(remaining)) * u128::from(EXHAUSTED - 1)
        / u128::from(capacity.max(1));
    u8::try_from(used).unwrap_or(EXHAUSTED - 1)
}
