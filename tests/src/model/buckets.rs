//! Buckets: a level that rises or falls with time, as a fraction.

use super::{Exact, Rule};

/// Tokens that there were when the bucket was last written, and the period that they came in by.
#[derive(Clone, Debug, Default)]
pub(super) struct Tokens(Option<(Exact, i128)>);

/// Places that were taken when the bucket was last written, and the period that they leak by.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    level: Option<(Exact, i128)>,
    /// Who stands in the queue, by number, and when the last of its places will have leaked, in ticks.
    queue: Vec<(usize, Exact)>,
    next: usize,
}

impl Tokens {
    /// They come in at the rate, up to the capacity, which a bucket has that was never used.
    pub(super) fn free(&self, rule: &Rule, at: i128, latest: i128) -> Exact {
        let full = Exact::from(rule.capacity);
        let Some((level, period)) = self.0 else { return full };
        // Where the period is another one, a part of a token is no token.
        let level = if period == rule.period { level } else { level.floor() };
        // No more is owed than can be.
        let level = level.max(full - Exact::from(rule.most()));
        (level.min(full) + rule.flow(at - rule.ticks(latest))).min(full)
    }

    pub(super) fn take(&mut self, rule: &Rule, at: i128, cost: i128, latest: i128) {
        self.0 = Some((self.free(rule, at, latest) - Exact::from(cost), rule.period));
    }
}

impl Tokens {
    /// Puts some back, as far as there is room.
    pub(super) fn give_back(&mut self, rule: &Rule, returned: Exact) {
        let full = Exact::from(rule.capacity);
        if let Some((level, period)) = &mut self.0
            && *period == rule.period
            && *level < full
        {
            *level = (*level + returned).min(full);
        }
    }
}

impl Places {
    /// They leak at the rate.
    fn taken(&self, rule: &Rule, at: i128, latest: i128) -> Exact {
        let Some((level, period)) = self.level else { return Exact::from(0) };
        // Where the period is another one, a part of a place is a place.
        let level = if period == rule.period { level } else { level.ceil() };
        let level = level.min(Exact::from(rule.capacity));
        (level - rule.flow(at - rule.ticks(latest))).max(Exact::from(0))
    }

    pub(super) fn free(&self, rule: &Rule, at: i128, latest: i128) -> Exact {
        Exact::from(rule.capacity) - self.taken(rule, at, latest)
    }

    pub(super) fn take(&mut self, rule: &Rule, at: i128, cost: i128, latest: i128) {
        let level = self.taken(rule, at, latest) + Exact::from(cost);
        self.level = Some((level, rule.period));
        self.queue.push((self.next, Exact::from(at) + level * Exact::new(rule.period, rule.count)));
        self.next += 1;
    }

    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// Only the last in the queue can leave it, or give up some of its places, and only while it stands there.
    pub(super) fn give_back(&mut self, number: usize, units: i128, leaves: bool, rule: &Rule, latest: i128) {
        if let Some((last, end)) = self.queue.last_mut()
            && *last == number
            && *end >= Exact::from(latest)
            && let Some((level, period)) = &mut self.level
            && *period == rule.period
        {
            *level = (*level - Exact::from(units)).max(Exact::from(0));
            *end -= Exact::new(units * rule.period, rule.count);
            if leaves {
                self.queue.pop();
            }
        }
    }
}
