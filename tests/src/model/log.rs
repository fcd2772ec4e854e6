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
        let live: i128 = self.0.iter().filter(|(end, _)| counts(rule, *end, at)).map(|(_, cost)| cost).sum();
        Exact::from(rule.count - live)
    }

    pub(super) fn take(&mut self, rule: &Rule, at: i128, cost: i128) {
        // What a shorter period has let go of does not come back under a longer one.
        self.0.retain(|(end, _)| counts(rule, *end, at));
        let end = (at - at % rule.slice + rule.slice - 1) * rule.tick;
        let end = match self.0.last() {
            // Calls leave in the order they came in: what follows calls of longer slices leaves late, never early.
            Some((last, _)) if rule.ticks(*last) * rule.tick >= end => *last,
            _ => end,
        };
        self.0.push((end, cost));
    }
}
