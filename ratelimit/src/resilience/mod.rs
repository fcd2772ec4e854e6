//! What stands between a call and a store that may not answer: a deadline, and each limit's fail mode.
//!
//! No call waits for the store longer than its deadline, and none asks it at all while it does not answer anybody
//! ([`Outage`]). A denial is an answer, never a failure. What a limit does without an answer is its [`FailMode`](crate::FailMode); `local` decides in this process's memory at a [`Share`] of
//! the limit, in a state of its own that is forgotten when the store is back.

mod claim;
mod keeper;
mod outage;
mod share;

pub(crate) use claim::{Claim, Correction, HeldClaim, Home};
pub(crate) use keeper::{Keeper, Kept};
pub(crate) use share::Share;

use crate::{
    store::{
        Answer, Charge, Failure, FailureKind, Outcome, Receipt, Renewals, Settlement, Settlements, Store,
        Verdict, Verdicts, memory::Memory,
    },
    time::Clock,
};
use core::{fmt, time::Duration};
use outage::Outage;
use std::sync::Arc;
use tokio::time::timeout;

/// A store behind its deadline, with what stands in for it during an outage.
pub(crate) struct Guarded {
    store: Arc<dyn Store>,
    deadline: Duration,
    share: Share,
    outage: Arc<Outage>,
}

impl Guarded {
    pub(crate) fn new(
        store: Box<dyn Store>,
        deadline: Duration,
        share: Share,
        clock: Clock,
        capacity: usize,
    ) -> Guarded {
        Guarded { store: Arc::from(store), deadline, share, outage: Arc::new(Outage::new(clock, capacity)) }
    }

    /// Asks the store, for no longer than the shortest deadline of the layers; one that names none has the limiter's.
    pub(crate) async fn decide(
        &self,
        charges: &[Charge<'_>],
        deadlines: impl Iterator<Item = Option<Duration>>,
    ) -> Result<Verdicts, Failure> {
        if self.outage.is_open() {
            return Err(Failure::new(FailureKind::NotAsked));
        }
        let deadlines = deadlines.map(|deadline| deadline.unwrap_or(self.deadline));
        let deadline = deadlines.min().unwrap_or(self.deadline);
        let answer = match timeout(deadline, self.store.decide(charges)).await {
            Ok(Ok(verdicts)) if verdicts.len() != charges.len() => {
                Err(Failure::new(FailureKind::Protocol).because("not one verdict for each charge"))
            }
            Ok(answer) => answer,
            Err(_elapsed) => Err(Failure::new(FailureKind::Timeout)),
        };
        match &answer {
            // A server that takes no writes answers those whom it denies all the same.
            Ok(verdicts) if wrote(charges, verdicts) => self.outage.end(),
            Ok(_) => self.outage.answered(),
            Err(failure) => self.outage.count(failure),
        }
        answer
    }

    /// What stands in for the store during this outage, and the share of each limit that it decides.
    pub(crate) fn local(&self) -> (Arc<Memory>, Share) {
        (self.outage.local(), self.share)
    }

    /// What decides in place of the store.
    pub(crate) fn outage(&self) -> &Outage {
        &self.outage
    }

    /// What the limiter's task has to do with.
    pub(crate) fn kept(&self) -> Kept {
        Kept { store: Arc::clone(&self.store), deadline: self.deadline, outage: Arc::clone(&self.outage) }
    }
}

/// Whether the store had to write for its answer.
fn wrote(charges: &[Charge<'_>], verdicts: &[Verdict]) -> bool {
    charges.iter().any(|charge| charge.cost > 0)
        && verdicts.iter().all(|verdict| matches!(verdict.outcome, Outcome::Allowed { .. }))
}

impl fmt::Debug for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Guarded { store, deadline, share, outage: _ } = self;
        f.debug_struct("Guarded")
            .field("store", store)
            .field("deadline", deadline)
            .field("share", share)
            .finish_non_exhaustive()
    }
}

/// The store of a set-up that names none that can be used: it never answers.
#[derive(Debug)]
pub(crate) struct Broken;

impl Store for Broken {
    fn decide<'a>(&'a self, _charges: &'a [Charge<'a>]) -> Answer<'a, Verdicts> {
        Answer::ready(Err(Failure::new(FailureKind::Setup)))
    }

    fn settle<'a>(&'a self, _settlements: &'a [Settlement<'a>]) -> Answer<'a, Settlements> {
        Answer::ready(Err(Failure::new(FailureKind::Setup)))
    }

    fn renew<'a>(&'a self, _charges: &'a [Charge<'a>]) -> Answer<'a, Renewals> {
        Answer::ready(Err(Failure::new(FailureKind::Setup)))
    }

    fn give_back<'a>(&'a self, _charge: &'a Charge<'a>, _receipt: Receipt) -> Answer<'a, ()> {
        Answer::ready(Err(Failure::new(FailureKind::Setup)))
    }
}
