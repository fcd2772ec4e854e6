//! Windows aligned to the epoch: what was admitted in each.

use super::{Exact, Rule};
use std::collections::HashMap;

/// What was admitted in each window, by its start in microseconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Windows(HashMap<i128, i128>);

impl Windows {
    fn used(&self, rule: &Rule, start: i128) -> i128 {
        self.0.get(&(start * rule.tick)).copied().unwrap_or(0)
    }

    fn both(&self, rule: &Rule, at: i128) -> (i128, i128) {
        let start = rule.window(at);
        (self.used(rule, start - rule.period), self.used(rule, start))
    }

    /// At most N in each window.
    pub(super) fn free_fixed(&self, rule: &Rule, at: i128) -> Exact {
        Exact::from(rule.count - self.used(rule, rule.window(at)))
    }

    pub(super) fn is_over_fixed(&self, rule: &Rule, at: i128) -> bool {
        self.used(rule, rule.window(at)) == 0
    }

    /// At most N in the current window and the part of the previous one that the last period still covers, counted as
    /// if its calls had been spread evenly.
    pub(super) fn free_weighted(&self, rule: &Rule, at: i128) -> Exact {
        let (previous, current) = self.both(rule, at);
        let covered = Exact::new(rule.period - (at - rule.window(at)), rule.period);
        Exact::from(rule.count - current) - covered * Exact::from(previous)
    }

    pub(super) fn is_over_weighted(&self, rule: &Rule, at: i128) -> bool {
        self.both(rule, at) == (0, 0)
    }

    /// Units that were used in the window that a tick lies in.
    pub(super) fn used_at(&self, rule: &Rule, at: i128) -> i128 {
        self.used(rule, rule.window(at))
    }

    /// Gives units back to the window that a tick lies in.
    pub(super) fn give_back(&mut self, rule: &Rule, at: i128, units: i128) {
        if let Some(used) = self.0.get_mut(&(rule.window(at) * rule.tick)) {
            *used = (*used - units).max(0);
        }
    }

    pub(super) fn take(&mut self, rule: &Rule, at: i128, cost: i128) {
        *self.0.entry(rule.window(at) * rule.tick).or_default() += cost;
    }
}
