//! Buckets: a level that rises or falls with time, as a fraction.

use super::{Exact, Rule};

/// Tokens that there were when the bucket was last written, and the period that they came in by.
#[derive(Clone, Debug, Default)]
pub(super) struct Tokens {
    level: Option<(Exact, i128)>,
    /// The same if all that was taken and is not settled came back; none for a full bucket.
    at_best: Option<Exact>,
}

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
        let Some((level, period)) = self.level else { return full };
        // Where the period is another one, a part of a token is no token; and no more is owed than can be.
        let level = if period == rule.period { level } else { level.floor() };
        let level = level.min(full).max(full - Exact::from(rule.most()));
        (level + rule.flow(at - rule.ticks(latest))).min(full)
    }

    pub(super) fn take(&mut self, rule: &Rule, at: i128, cost: i128, latest: i128) {
        let at_best = self.best(rule, at, latest);
        self.level = Some((self.free(rule, at, latest) - Exact::from(cost), rule.period));
        self.set_best(rule, at_best);
    }

    /// Takes tokens that are gone for good, also some that are not there.
    pub(super) fn owe(&mut self, rule: &Rule, at: i128, units: i128, latest: i128) {
        let at_best = self.best(rule, at, latest) - Exact::from(units);
        self.take(rule, at, units, latest);
        self.set_best(rule, at_best);
    }

    /// Free tokens if all that was taken and is not settled came back.
    pub(super) fn best(&self, rule: &Rule, at: i128, latest: i128) -> Exact {
        let full = Exact::from(rule.capacity);
        (self.written_best(rule) + rule.flow(at - rule.ticks(latest))).min(full)
    }

    fn written_best(&self, rule: &Rule) -> Exact {
        let full = Exact::from(rule.capacity);
        let (Some(at_best), Some((_, period))) = (self.at_best, self.level) else { return full };
        let at_best = if period == rule.period { at_best } else { at_best.ceil() };
        at_best.min(full).max(full - Exact::from(rule.most()))
    }

    fn set_best(&mut self, rule: &Rule, at_best: Exact) {
        let level = self.level.map_or(at_best, |(level, _)| level);
        self.at_best = Some(at_best.max(level)).filter(|best| *best < Exact::from(rule.capacity));
    }

    /// Tokens come back, but none that would have overflowed by now had only `kept` been taken then, whatever else comes
    /// back: the room that there was is the room at best.
    pub(super) fn refund(
        &mut self,
        rule: &Rule,
        (at, latest): (i128, i128),
        (then, room): (i128, Exact),
        (cost, kept): (i128, i128),
    ) {
        let none = Exact::from(0);
        let full = Exact::from(rule.capacity);
        // What it is at best now, less what has come in since the bucket was written.
        let passed = rule.flow(at - rule.ticks(latest));
        let written_best = self.written_best(rule);
        if let Some((level, period)) = &mut self.level
            && *period == rule.period
        {
            let written_best = written_best.min(full - passed.min(full - *level));
            let overflow = (rule.flow((at - then).max(0)) - room).max(none);
            let possible = (Exact::from(cost) - overflow).max(none);
            let returned = possible.min(Exact::from(cost - kept));
            *level = (*level).max((*level + returned).min(full));
            self.set_best(rule, written_best - (possible - returned));
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
