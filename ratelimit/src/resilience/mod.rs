//! What stands between a call and a store that may not answer: a deadline, and each limit's fail mode.
//!
//! No call waits for the store longer than its deadline, and none asks it at all while it does not answer anybody
//! ([`Outage`]). A denial is an answer, never a failure. What a limit does without an answer is its [`FailMode`](crate::FailMode); `local` decides in this process's memory at a [`Share`] of
//! the limit, in a state of its own that is forgotten when the store is back.

mod claim;
mod keeper;
mod kept;
mod outage;
mod outbox;
mod share;

pub(crate) use claim::{Claim, Correction, HeldClaim, Home};
pub(crate) use keeper::Keeper;
pub(crate) use kept::Kept;
pub(crate) use share::Share;

use crate::{
    store::{
        Answer, Charge, Failure, FailureKind, Outcome, Place, Receipt, Renewals, Settlement, Settlements,
        Store, Verdict, Verdicts,
    },
    time::Clock,
};
use core::{fmt, time::Duration};
use outage::{Outage, Outages};
use std::sync::Arc;
use tokio::time::timeout;

/// How long a store may take to say that it is ready: it has to connect first.
const LONGEST_START: Duration = Duration::from_secs(2);

/// A store behind its deadline, with what stands in for it during an outage.
pub(crate) struct Guarded {
    store: Arc<dyn Store>,
    deadline: Duration,
    share: Share,
    outages: Arc<Outages>,
}

impl Guarded {
    pub(crate) fn new(
        store: Box<dyn Store>,
        deadline: Duration,
        share: Share,
        clock: Clock,
        capacity: usize,
    ) -> Guarded {
        Guarded { store: Arc::from(store), deadline, share, outages: Arc::new(Outages::new(clock, capacity)) }
    }

    /// Where a key is.
    pub(crate) fn place(&self, key: &[u8]) -> Place {
        self.store.place(key)
    }

    /// Asks the store at one place, for no longer than the shortest deadline of the layers; one that names none has the limiter's.
    pub(crate) async fn decide(
        &self,
        place: Place,
        charges: &[Charge<'_>],
        deadlines: impl Iterator<Item = Option<Duration>>,
    ) -> Result<Verdicts, Failure> {
        let outage = self.outages.of(place.part);
        if outage.is_open() {
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
            Ok(verdicts) if wrote(charges, verdicts) => outage.end(),
            Ok(_) => outage.answered(),
            Err(failure) => {
                let part = self.part_of(charges);
                self.outages.of(part).count(failure, || self.store.part_name(part));
            }
        }
        answer
    }

    /// What decides charges of one place while the store does not. Which part failed may have been found out only by
    /// asking.
    pub(crate) fn outage(&self, charges: &[Charge<'_>]) -> Arc<Outage> {
        self.outages.of(self.part_of(charges))
    }

    fn part_of(&self, charges: &[Charge<'_>]) -> u16 {
        charges.first().map_or(0, |charge| self.place(charge.key).part)
    }

    /// The share of each limit that this process decides in an outage.
    pub(crate) fn share(&self) -> Share {
        self.share
    }

    /// Tries out all that limits may ask of the store; for longer than a call waits, because nobody does.
    pub(crate) async fn ready(&self, prefix: &str) -> Result<(), Failure> {
        let patience = self.deadline.max(LONGEST_START);
        timeout(patience, self.store.ready(prefix))
            .await
            .unwrap_or_else(|_elapsed| Err(Failure::new(FailureKind::Timeout)))
    }

    /// What the limiter's task has to do with.
    pub(crate) fn kept(&self) -> Kept {
        Kept { store: Arc::clone(&self.store), deadline: self.deadline, outages: Arc::clone(&self.outages) }
    }
}

/// Whether the store had to write for its answer.
fn wrote(charges: &[Charge<'_>], verdicts: &[Verdict]) -> bool {
    charges.iter().any(|charge| charge.cost > 0)
        && verdicts.iter().all(|verdict| matches!(verdict.outcome, Outcome::Allowed { .. }))
}

impl fmt::Debug for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Guarded { store, deadline, share, outages: _ } = self;
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
