//! What was tried.

use std::ops::AddAssign;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    pub(super) calls: usize,
    pub(super) layers: usize,
    pub(super) denied: usize,
    pub(super) settled_down: usize,
    pub(super) settled_up: usize,
    pub(super) settled_again: usize,
    pub(super) late: usize,
    pub(super) overruns: usize,
    pub(super) given_back: usize,
    pub(super) renewed: usize,
    pub(super) lost: usize,
    pub(super) rule_changes: usize,
    pub(super) buckets_checked: usize,
}

impl Count {
    /// Whether everything has been tried often enough to mean something.
    pub(super) fn is_enough(&self) {
        let Count { calls, layers, denied, settled_down, settled_up, settled_again, late, .. } = *self;
        assert!(
            calls >= super::CALLS && layers > 2 * calls && denied > calls / 10 && denied < calls * 9 / 10,
            "{self:?}"
        );
        let Count { overruns, given_back, renewed, lost, rule_changes, buckets_checked, .. } = *self;
        let tried = [settled_down, settled_up, settled_again, late, overruns, given_back, renewed, lost];
        for tried in tried.into_iter().chain([rule_changes, buckets_checked * 10]) {
            assert!(tried > calls / 100, "{self:?}");
        }
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.calls += other.calls;
        self.layers += other.layers;
        self.denied += other.denied;
        self.settled_down += other.settled_down;
        self.settled_up += other.settled_up;
        self.settled_again += other.settled_again;
        self.late += other.late;
        self.overruns += other.overruns;
        self.given_back += other.given_back;
        self.renewed += other.renewed;
        self.lost += other.lost;
        self.rule_changes += other.rule_changes;
        self.buckets_checked += other.buckets_checked;
    }
}
