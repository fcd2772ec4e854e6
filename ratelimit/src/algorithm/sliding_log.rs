//! Sliding log: every call is remembered until it is a period old, so at most N pass in *any* window.
//!
//! Exact, at the cost of one entry a call; calls of one tick share one. With a precision, calls of one slice share an
//! entry that stands at the slice's last tick: it leaves as a whole, so a call comes back up to one slice late, and
//! never more than N pass in any window all the same.

use super::{Admission, most, ticks};
use ratelimit_spec::Numbers;
use std::collections::VecDeque;

#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// When it was last written, in microseconds since the epoch. An entry's end may lie ahead of it.
    latest: u64,
    /// Units of all entries.
    total: u64,
    /// In order of time.
    entries: VecDeque<Entry>,
}

/// What was taken in one slice.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The slice's last tick, in microseconds since the epoch.
    end: u64,
    units: u64,
}

impl State {
    /// Gives units back to the entry that ends at a stamp, if it is still there. An entry of no units is none.
    pub(super) fn refund(&mut self, units: u64, stamp: u64) {
        let Some(place) = self.find(stamp) else { return };
        let Some(entry) = self.entries.get_mut(place) else { return };
        let returned = units.min(entry.units);
        entry.units -= returned;
        self.total -= returned;
        if entry.units == 0 {
            self.entries.remove(place);
        }
        if self.entries.is_empty() {
            *self = State::default();
        }
    }

    fn find(&self, stamp: u64) -> Option<usize> {
        self.entries.binary_search_by_key(&stamp, |entry| entry.end).ok()
    }
}

#[cfg(test)]
impl State {
    pub(super) fn entries(&self) -> usize {
        self.entries.len()
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(super) at: u64,
    /// Entries at the front that are a period old.
    dead: usize,
    /// Units that count, with what was taken.
    pub(super) live: u64,
    /// End of the newest entry, in microseconds since the epoch; of no meaning while nothing counts.
    pub(super) newest: u64,
    taken: u64,
}

impl View {
    pub(super) fn of(numbers: &Numbers, state: Option<&State>, now: u64) -> View {
        let Some(state) = state else { return View { at: now, dead: 0, live: 0, newest: 0, taken: 0 } };
        let at = now.max(ticks(state.latest, numbers));
        let is_dead = |entry: &Entry| ticks(entry.end, numbers).saturating_add(numbers.period) <= at;
        let (dead, live) = match state.entries.back() {
            Some(newest) if !is_dead(newest) => {
                let dead = || state.entries.iter().take_while(|entry| is_dead(entry));
                (dead().count(), state.total - dead().map(|entry| entry.units).sum::<u64>())
            }
            _ => (state.entries.len(), 0),
        };
        let newest = state.entries.back().map_or(0, |entry| entry.end);
        View { at, dead, live, newest, taken: 0 }
    }

    pub(super) fn admit(&self, numbers: &Numbers, state: Option<&State>, cost: u64) -> Admission {
        let mut over = match self.live.saturating_add(cost).checked_sub(numbers.count) {
            None | Some(0) => return Admission::Fits(0),
            Some(over) => over,
        };
        // The oldest leave first; what was taken at this instant leaves last.
        let mut leaves = ticks(self.newest, numbers);
        for entry in state.into_iter().flat_map(|state| state.entries.iter().skip(self.dead)) {
            over = over.saturating_sub(entry.units);
            if over == 0 {
                leaves = ticks(entry.end, numbers);
                break;
            }
        }
        Admission::Later(leaves.saturating_add(numbers.period) - self.at)
    }

    pub(super) fn take(&mut self, numbers: &Numbers, cost: u64) {
        let end = self.end(numbers);
        // After a change of the precision an end may lie ahead: what joins it leaves late rather than early.
        if self.live == 0 || ticks(self.newest, numbers) < end {
            self.newest = end.saturating_mul(numbers.tick);
        }
        self.live = self.live.saturating_add(cost);
        self.taken = self.taken.saturating_add(cost);
    }

    /// Takes more than was asked for, also above the limit, in the entry that ends at a stamp; `None` if that is gone,
    /// else how much of it.
    pub(super) fn owe_in(
        &self,
        numbers: &Numbers,
        state: &mut State,
        surplus: u64,
        stamp: u64,
    ) -> Option<u64> {
        let place = state.find(stamp).filter(|place| *place >= self.dead)?;
        let owed = surplus.min(most(numbers).saturating_sub(self.live));
        state.entries.get_mut(place)?.units += owed;
        state.total += owed;
        Some(owed)
    }

    /// The same, now.
    pub(super) fn owe(&mut self, numbers: &Numbers, surplus: u64) -> u64 {
        let owed = surplus.min(most(numbers).saturating_sub(self.live));
        if owed > 0 {
            self.take(numbers, owed);
        }
        owed
    }

    /// The last tick of the slice that this instant is in.
    fn end(&self, numbers: &Numbers) -> u64 {
        let slice = numbers.slice.max(1);
        (self.at - self.at % slice).saturating_add(slice - 1)
    }

    pub(super) fn remaining(&self, numbers: &Numbers) -> u64 {
        numbers.count.saturating_sub(self.live)
    }

    pub(super) fn reset(&self, numbers: &Numbers) -> u64 {
        if self.live > 0 { ticks(self.newest, numbers).saturating_add(numbers.period) - self.at } else { 0 }
    }

    pub(super) fn write(self, numbers: &Numbers, state: &mut State) {
        state.entries.drain(..self.dead.min(state.entries.len()));
        match state.entries.back_mut() {
            Some(newest) if newest.end == self.newest => newest.units += self.taken,
            _ => state.entries.push_back(Entry { end: self.newest, units: self.taken }),
        }
        state.total = self.live;
        state.latest = self.at.saturating_mul(numbers.tick);
    }
}
