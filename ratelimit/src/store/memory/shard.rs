//! One table of keys: bounded, swept in small steps.

use super::{Left, permits::Permits};
use crate::algorithm::{self, Slots, State, Taken, View};
use hashbrown::HashTable;
use ratelimit_spec::Numbers;

/// What stands for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Fingerprint(pub(super) u64, pub(super) u64);

/// A key: one cache line, never two halves.
#[repr(align(64))]
pub(super) struct Entry {
    fingerprint: Fingerprint,
    worth: Worth,
    state: State,
}

/// What speaks for keeping a key, in one word: the time from which it is idle, rounded up to 256 microseconds, and in
/// place of those how much of the limit was used when it was written.
#[derive(Clone, Copy)]
struct Worth(u64);

const _: () = assert!(size_of::<Entry>() == 64, "a key no longer fits into one cache line");

/// Two cores at work on neighbouring shards share no cache line, nor a pair of lines that is fetched together.
#[repr(align(128))]
pub(super) struct Shard {
    table: HashTable<Entry>,
    pub(super) permits: Permits,
    capacity: usize,
    evicted: u64,
    /// The next bucket to sweep, and when to go on.
    hand: usize,
    next_sweep: u64,
    pause: u64,
    /// What the sweep that is under way has removed.
    swept: usize,
}

/// Buckets that one decision sweeps: a few microseconds.
const STEP: usize = 256;
/// Between two sweeps of a table that had little to remove, in microseconds: doubled each time, up to a bound, because
/// a walk over live keys costs those who want them their place in the caches.
const PAUSE: u64 = 1_000_000;
const LONGEST_PAUSE: u64 = 8 * PAUSE;
/// How long a key is kept when it has stopped to matter, in microseconds: a clock may step back a little.
pub(super) const GRACE: u64 = 1_000_000;
/// Buckets that are looked at to find the key to evict; more where all of their keys are exhausted, up to a bound.
const LOOKED_AT: usize = 128;
const LOOKED_AT_MOST: usize = 2_048;
const EXHAUSTED: u8 = u8::MAX;

impl Entry {
    #[inline]
    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// Writes what a view has become; `base` is what it is a view of, unless that is the state that stands here.
    #[inline]
    pub(super) fn write(&mut self, numbers: &Numbers, view: View, left: Left, base: Option<State>) {
        // A state that is a log is taken out, changed and put back, not copied.
        let old = base.unwrap_or_else(|| core::mem::replace(&mut self.state, State::NONE));
        *self = Entry::new(self.fingerprint, numbers, view, left, Some(old));
    }

    #[inline]
    fn new(fingerprint: Fingerprint, numbers: &Numbers, view: View, left: Left, old: Option<State>) -> Entry {
        Entry {
            fingerprint,
            worth: Worth::new(idle_from(numbers, view, left), used(left.remaining, numbers.capacity)),
            state: view.write(numbers, old),
        }
    }
}

impl Worth {
    /// When it is as if it had never been used, in microseconds since the epoch, and the used part: 255 is all of it.
    #[inline]
    fn new(idle_from: u64, used: u8) -> Worth {
        let used = u64::from(used);
        Worth(idle_from.saturating_add(0xFF) & !0xFF | used)
    }

    #[inline]
    fn idle_from(self) -> u64 {
        self.0 & !0xFF
    }

    #[inline]
    fn used(self) -> u8 {
        self.0.to_le_bytes()[0]
    }
}

impl Shard {
    pub(super) fn new(capacity: usize) -> Shard {
        let table = HashTable::new();
        Shard {
            table,
            permits: Permits::default(),
            capacity,
            evicted: 0,
            hand: 0,
            next_sweep: 0,
            pause: PAUSE,
            swept: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    pub(super) fn evicted(&self) -> u64 {
        self.evicted
    }

    #[inline]
    pub(super) fn find(&self, fingerprint: Fingerprint) -> Option<&Entry> {
        self.table.find(fingerprint.0, |entry| entry.fingerprint == fingerprint)
    }

    #[inline]
    pub(super) fn find_mut(&mut self, fingerprint: Fingerprint) -> Option<&mut Entry> {
        self.table.find_mut(fingerprint.0, |entry| entry.fingerprint == fingerprint)
    }

    /// Adds a key that is not there, making room for it.
    pub(super) fn insert(
        &mut self,
        fingerprint: Fingerprint,
        numbers: &Numbers,
        view: View,
        left: Left,
        base: Option<State>,
        now: u64,
    ) {
        if self.table.len() >= self.capacity {
            self.make_room(now);
        }
        let entry = Entry::new(fingerprint, numbers, view, left, base);
        self.table.insert_unique(fingerprint.0, entry, |entry| entry.fingerprint.0);
    }

    /// Corrects what a charge took; returns the units that could be charged nowhere.
    pub(super) fn settle(
        &mut self,
        fingerprint: Fingerprint,
        numbers: &Numbers,
        taken: Taken,
        actual: u64,
        now: u64,
    ) -> u64 {
        let mut state =
            self.find_mut(fingerprint).map(|entry| core::mem::replace(&mut entry.state, State::NONE));
        let overrun = algorithm::settle(numbers, &mut state, taken, actual, now);
        let Some(state) = state else { return overrun };
        let view = View::of(numbers, Some(&state), now);
        let left = Left::of(numbers, &view);
        if self.find(fingerprint).is_none() {
            self.insert(fingerprint, numbers, view, left, Some(state), now);
        } else if let Some(entry) = self.find_mut(fingerprint) {
            entry.state = state;
            let idle_from = entry.worth.idle_from().max(idle_from(numbers, view, left));
            entry.worth = Worth::new(idle_from, used(left.remaining, numbers.capacity));
        }
        overrun
    }

    /// The slots of a key, if it has any.
    pub(super) fn slots(&mut self, fingerprint: Fingerprint) -> Option<&mut Slots> {
        match &mut self.find_mut(fingerprint)?.state {
            State::Concurrency(slots) => Some(slots),
            _ => None,
        }
    }

    /// Adds a key that is not there, of which nothing is used.
    pub(super) fn insert_empty(&mut self, fingerprint: Fingerprint, numbers: &Numbers, now: u64) {
        let view = View::of(numbers, None, now);
        self.insert(fingerprint, numbers, view, Left::of(numbers, &view), None, now);
    }

    /// Keeps a key as long as somebody may hold a slot of it.
    pub(super) fn keep_slots(&mut self, fingerprint: Fingerprint) {
        let Some(end) = self.slots(fingerprint).map(|slots| slots.end()) else { return };
        if let Some(entry) = self.find_mut(fingerprint) {
            entry.worth = Worth::new(end.saturating_add(GRACE), entry.worth.used());
        }
    }

    /// Sweeps a step, if a sweep is due.
    #[inline]
    pub(super) fn sweep(&mut self, now: u64) {
        if now >= self.next_sweep && !self.table.is_empty() {
            self.step(now);
        }
    }

    #[cold]
    fn step(&mut self, now: u64) {
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
            if self.swept > buckets / 16 {
                (self.next_sweep, self.pause) = (now, PAUSE);
            } else {
                self.next_sweep = now.saturating_add(self.pause);
                self.pause = (self.pause * 2).min(LONGEST_PAUSE);
            }
            (self.hand, self.swept) = (0, 0);
        }
    }

    fn remove_if_idle(&mut self, bucket: usize, now: u64) -> bool {
        match self.table.get_bucket_entry(bucket) {
            Ok(entry) if entry.get().worth.idle_from() <= now => {
                entry.remove();
                true
            }
            _ => false,
        }
    }

    /// Removes the idle keys of a stretch of buckets, or if there are none, the key whose loss lets the least pass.
    #[cold]
    fn make_room(&mut self, now: u64) {
        let buckets = self.table.num_buckets();
        let mut least: Option<(u8, usize)> = None;
        let mut removed = false;
        for step in 0..buckets {
            let bucket = (self.hand + step) % buckets;
            removed |= self.remove_if_idle(bucket, now);
            if let Some(entry) = self.table.get_bucket(bucket)
                && least.is_none_or(|(used, _)| entry.worth.used() < used)
            {
                least = Some((entry.worth.used(), bucket));
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

/// When a key may go, in microseconds since the epoch.
#[inline]
fn idle_from(numbers: &Numbers, view: View, left: Left) -> u64 {
    view.at().saturating_add(left.reset).saturating_mul(numbers.tick).saturating_add(GRACE)
}

/// The used part of a capacity, 255 for all of it.
#[inline]
fn used(remaining: u64, capacity: u64) -> u8 {
    if remaining == 0 {
        return EXHAUSTED;
    }
    let most = u64::from(EXHAUSTED - 1);
    // A capacity is at most 2^53, so nothing saturates.
    let used = capacity.saturating_sub(remaining).saturating_mul(most) / capacity.max(1);
    u8::try_from(used.min(most)).unwrap_or(EXHAUSTED)
}
