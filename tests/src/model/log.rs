//! The log: every call that was admitted.

use super::{Exact, Rule};

/// Each call with the last instant of its slice, in microseconds; without a precision that is the instant of the call.
#[derive(Clone, Debug, Default)]
pub(super) struct Log(Vec<(i128, i128)>);

/// A call counts for a period from its slice's last instant.
fn counts(rule: &Rule, end: i128, at: i128) -> bool {
    rule.ticks(end) + rule.period > at
}

impl Log {
    /// At most N in any period.
    pub(super) fn free(&self, rule: &Rule, at: i128) -> Exact {
        Exact::from(rule.count - self.live(rule, at))
    }

    /// Units that count.
    pub(super) fn live(&self, rule: &Rule, at: i128) -> i128 {
        self.0.iter().filter(|(end, _)| counts(rule, *end, at)).map(|(_, cost)| cost).sum()
    }

    /// Gives units back to the calls that leave at an end.
    pub(super) fn give_back(&mut self, end: i128, units: i128) {
        let mut left = units;
        for (_, cost) in self.0.iter_mut().filter(|(other, _)| *other == end) {
            let returned = left.min(*cost);
            *cost -= returned;
            left -= returned;
        }
        self.0.retain(|(_, cost)| *cost > 0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds to the calls that leave at an end; whether they still count.
    pub(super) fn add_to(&mut self, rule: &Rule, at: i128, end: i128, units: i128) -> bool {
        match self.0.iter_mut().find(|(other, _)| *other == end && counts(rule, end, at)) {
            Some((_, cost)) => *cost += units,
            None => return false,
        }
        true
    }

    /// Returns the end of what was taken.
    pub(super) fn take(&mut self, rule: &Rule, at: i128, cost: i128) -> i128 {
        // What a shorter period has let go of does not come back under a longer one.
        self.0.retain(|(end, _)| counts(rule, *end, at));
        let end = (at - at % rule.slice + rule.slice - 1) * rule.tick;
        let end = match self.0.last() {
            // Calls leave in the order they came in: what follows calls of longer slices leaves late, never early.
            Some((last, _)) if rule.ticks(*last) * rule.tick >= end => *last,
            _ => end,
        };
        self.0.push((end, cost));
        end
    }
}
