//! The store as the limiter's own task uses it, and a call that is over: for no longer than a deadline, place by place.

use super::{
    claim::{Claim, Correction},
    outage::{Outage, Outages},
};
use crate::store::{Charge, FailureKind, Place, Renewed, Settled, Settlement, Store};
use core::time::Duration;
use futures_util::future::join_all;
use ratelimit_spec::{Algorithm, Numbers};
use std::sync::Arc;
use tokio::time::timeout;

/// The limiter's store, where that is not memory.
pub(crate) struct Kept {
    pub(super) store: Arc<dyn Store>,
    /// How long it may take to answer.
    pub(super) deadline: Duration,
    pub(super) outages: Arc<Outages>,
}

/// A write to a key that nothing else counts in: a server that is full, or a replica, answers those who only look.
const PROBE: Numbers = Numbers {
    algorithm: Algorithm::FixedWindow,
    tick: 1,
    count: 1_000_000_000,
    period: 1_000_000,
    capacity: 1_000_000_000,
    slice: 1,
};

impl Kept {
    /// Whether calls do not ask the place of a claim.
    pub(super) fn is_out(&self, claim: &Claim) -> bool {
        self.outages.of(self.part(claim)).is_open()
    }

    pub(super) fn part(&self, claim: &Claim) -> u16 {
        self.store.place(claim.charge().key).part
    }

    /// Settles; what became of each, in their order. Parts that are not asked are not asked here.
    pub(super) async fn settle(&self, corrections: &[Correction]) -> Vec<Result<Settled, FailureKind>> {
        let places = self.by_place(corrections, |correction| &correction.claim);
        let settled = places.iter().map(|(_, numbers)| async {
            let group: Vec<_> = numbers.iter().filter_map(|number| corrections.get(*number)).collect();
            match self.settle_at_one_place(&group).await {
                // One of several that the store refuses must not keep the others from it.
                refused if group.len() > 1 && refused.contains(&Err(FailureKind::Setup)) => {
                    let mut each = Vec::with_capacity(group.len());
                    for correction in &group {
                        each.append(&mut self.settle_at_one_place(&[correction]).await);
                    }
                    each
                }
                settled => settled,
            }
        });
        let mut outcomes = vec![Err(FailureKind::NotAsked); corrections.len()];
        for ((_, numbers), settled) in places.iter().zip(join_all(settled).await) {
            for (number, outcome) in numbers.iter().zip(settled) {
                if let Some(place) = outcomes.get_mut(*number) {
                    *place = outcome;
                }
            }
        }
        outcomes
    }

    async fn settle_at_one_place(&self, corrections: &[&Correction]) -> Vec<Result<Settled, FailureKind>> {
        let failed = |kind| vec![Err(kind); corrections.len()];
        if corrections.iter().any(|correction| self.is_out(&correction.claim)) {
            return failed(FailureKind::NotAsked);
        }
        let settlements: Vec<Settlement<'_>> =
            corrections.iter().map(|correction| correction.settlement()).collect();
        match timeout(self.deadline, self.store.settle(&settlements)).await {
            Ok(Ok(settled)) if settled.len() == corrections.len() => settled.into_iter().map(Ok).collect(),
            Ok(Ok(_)) => failed(FailureKind::Protocol),
            Ok(Err(failure)) => failed(failure.kind()),
            Err(_elapsed) => failed(FailureKind::Timeout),
        }
    }

    /// Lengthens leases, up to so many in one call. What does not arrive is due again before its lease ends.
    pub(super) async fn renew(&self, claims: &[Claim], batch: usize) {
        let places = self.by_place(claims, |claim| claim);
        let renewals = places.iter().map(|(place, numbers)| async {
            if self.outages.of(place.part).is_open() {
                return;
            }
            let charges = numbers.iter().filter_map(|number| claims.get(*number)).map(Claim::charge);
            for charges in charges.collect::<Vec<_>>().chunks(batch) {
                match timeout(self.deadline, self.store.renew(charges)).await {
                    Ok(Ok(renewed)) => report(charges, &renewed),
                    // The others would wait for the same.
                    Ok(Err(_)) | Err(_) => return,
                }
            }
        });
        join_all(renewals).await;
    }

    /// Gives back what a charge without a permit took. What is lost stays taken: it may have arrived, and is never sent
    /// twice.
    pub(super) async fn give_back(&self, claim: &Claim) {
        if !self.is_out(claim) {
            let _ = timeout(self.deadline, self.store.give_back(&claim.charge(), claim.receipt)).await;
        }
    }

    /// Asks those parts that calls do not ask any more; whether all are back.
    pub(super) async fn probe(&self, prefix: &str) -> bool {
        let probes =
            self.outages.open().into_iter().map(|(part, outage)| self.probe_part(prefix, part, outage));
        join_all(probes).await.into_iter().all(|is_back| is_back)
    }

    async fn probe_part(&self, prefix: &str, part: u16, outage: Arc<Outage>) -> bool {
        let key = |tag: u16| format!("{prefix}{{{tag:04x}}}:probe").into_bytes();
        let Some(key) = (0..=u16::MAX).map(key).find(|key| self.store.place(key).part == part) else {
            // Others have taken over what it had.
            outage.end();
            return true;
        };
        let write = Charge { numbers: PROBE, key: &key, cost: 1, max_delay: None, hold: None };
        let is_back = matches!(timeout(self.deadline, self.store.decide(&[write])).await, Ok(Ok(_)));
        if is_back {
            outage.end();
        }
        is_back
    }

    /// The numbers of those that can be sent together.
    fn by_place<T>(&self, items: &[T], claim: impl Fn(&T) -> &Claim) -> Vec<(Place, Vec<usize>)> {
        let mut places: Vec<(Place, Vec<usize>)> = Vec::new();
        for (number, item) in items.iter().enumerate() {
            let place = self.store.place(claim(item).charge().key);
            match places.iter_mut().find(|(known, _)| *known == place) {
                Some((_, numbers)) => numbers.push(number),
                None => places.push((place, vec![number])),
            }
        }
        places
    }
}

/// Whether it is to be sent again: what a store refuses it will refuse the next time.
pub(super) fn is_undelivered(outcome: &Result<Settled, FailureKind>) -> bool {
    matches!(outcome, Err(kind) if *kind != FailureKind::Setup)
}

/// Says of a lease that had ended that it was too short, or its holder too silent.
pub(super) fn report(charges: &[Charge<'_>], renewed: &[Renewed]) {
    for (charge, renewed) in charges.iter().zip(renewed) {
        if *renewed == Renewed::Lost {
            tracing::warn!(
                algorithm = charge.numbers.algorithm.word(),
                "rate limit: a call was silent for longer than its lease; its slot is held again beside its successor's, \
                 and what it cost can no longer be settled"
            );
        }
    }
}
