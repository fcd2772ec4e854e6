//! The limiter's own task: it renews the leases of calls that are under way, delivers corrections until they are applied
//! or their lease ends, and finds out whether a store that did not answer is back. Nobody waits for it.
//!
//! Whatever it sends carries the id of a permit, by which a store applies it once however often it comes.

use super::{
    claim::{Claim, Correction, HeldClaim, Home},
    outage::Outage,
};
use crate::{
    lock::lock,
    store::{Charge, FailureKind, PermitId, Renewed, Settled, Settlement, Store},
    time::{Clock, micros},
};
use core::{
    future::{Future, poll_fn},
    pin::pin,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    task::Poll,
    time::Duration,
};
use ratelimit_spec::{Algorithm, Numbers};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex},
};
use tokio::{runtime::Handle, sync::Notify, task::AbortHandle, time::timeout};

/// Owns the task, which ends with it.
pub(crate) struct Keeper {
    shared: Arc<Shared>,
    task: Mutex<Option<AbortHandle>>,
}

struct Shared {
    clock: Clock,
    store: Option<Kept>,
    /// The key that is written to find out whether the store is back.
    probed: Vec<u8>,
    live: Mutex<HashMap<PermitId, Live>>,
    outbox: Mutex<VecDeque<Parcel>>,
    wake: Notify,
    /// Whether nobody is left who could want anything more.
    closing: AtomicBool,
    /// When the task means to look at the leases again, in microseconds.
    planned: AtomicU64,
}

/// The limiter's store, where that is not memory.
pub(crate) struct Kept {
    pub(crate) store: Arc<dyn Store>,
    /// How long it may take to answer.
    pub(crate) deadline: Duration,
    pub(crate) outage: Arc<Outage>,
}

/// A call under way.
struct Live {
    /// When to renew it, in microseconds since the epoch.
    due: u64,
    /// The shortest of its claims.
    lease: Duration,
    claims: Arc<[HeldClaim]>,
}

/// A correction on its way to the store.
struct Parcel {
    correction: Correction,
    /// When the store will have forgotten the permit.
    until: u64,
}

/// Corrections that wait for a store which does not answer; further ones are lost, so that what was charged stays.
const MOST_PARCELS: usize = 65_536;
/// Corrections in one call of the store.
const BATCH: usize = 64;
/// Between two attempts: doubled each time, up to a bound.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// A write to a key that nothing else counts in: a server that is full, or a replica, answers those who only look.
const PROBE: Numbers = Numbers {
    algorithm: Algorithm::FixedWindow,
    tick: 1,
    count: 1_000_000_000,
    period: 1_000_000,
    capacity: 1_000_000_000,
    slice: 1,
};
/// A live call renews its lease every third of it; those due within another twelfth go along.
const RENEWALS_A_LEASE: u32 = 3;
const EARLIER: u32 = 12;

impl Keeper {
    pub(crate) fn new(clock: Clock, prefix: &str, store: Option<Kept>) -> Keeper {
        let (live, outbox) = (Mutex::default(), Mutex::default());
        let (wake, planned) = (Notify::new(), AtomicU64::new(u64::MAX));
        let closing = AtomicBool::new(false);
        let probed = format!("{prefix}{{0000}}:probe").into_bytes();
        let shared = Shared { clock, store, probed, live, outbox, wake, closing, planned };
        Keeper { shared: Arc::new(shared), task: Mutex::new(None) }
    }

    /// Renews the leases of a call from now on.
    pub(crate) fn keep(&self, permit: PermitId, claims: Arc<[HeldClaim]>) {
        let lease = claims.iter().map(|held| held.claim.lease()).min().unwrap_or_default();
        let due = renewal(lease, self.shared.clock.now_micros());
        lock(&self.shared.live).insert(permit, Live { due, lease, claims });
        self.run();
        if due < self.shared.planned.load(Ordering::Relaxed) {
            self.shared.wake.notify_one();
        }
    }

    /// Renews them no more.
    pub(crate) fn let_go(&self, permit: PermitId) {
        lock(&self.shared.live).remove(&permit);
    }

    /// Settles: what the store does not take in time is sent again by the task.
    pub(crate) async fn settle(&self, corrections: &[Correction]) -> Vec<Option<Settled>> {
        let mut outcomes: Vec<Option<Settled>> = corrections.iter().map(settle_here).collect();
        let stored = corrections.iter().zip(&outcomes).filter(|(_, outcome)| outcome.is_none());
        let stored = stored.map(|(correction, _)| correction.clone());
        let unsettled = Unsettled { keeper: self, corrections: stored.collect() };
        if unsettled.corrections.is_empty() {
            return outcomes;
        }
        if self.shared.store.as_ref().is_some_and(|kept| kept.outage.is_open()) {
            // Nobody waits for a store that does not answer anybody.
            return outcomes;
        }
        let answer = self.shared.settle_stored(&unsettled.corrections).await;
        if let Ok(settled) = answer {
            unsettled.discard();
            let mut settled = settled.into_iter();
            for outcome in outcomes.iter_mut().filter(|outcome| outcome.is_none()) {
                *outcome = settled.next();
            }
        }
        outcomes
    }

    /// Settles without waiting for the store.
    pub(crate) fn settle_later(&self, corrections: Vec<Correction>) {
        let stored = corrections.into_iter().filter(|correction| settle_here(correction).is_none());
        self.post(stored);
    }

    /// Gives back what claims took, also of charges that hold no permit: those are told once.
    pub(crate) fn give_back(&self, claims: impl IntoIterator<Item = Claim>) {
        self.settle_later(claims.into_iter().map(|claim| Correction { claim, actual: 0 }).collect());
    }

    /// Finds out whether the store is back, again and again until it is.
    pub(crate) fn probe(&self) {
        self.run();
        self.shared.wake.notify_one();
    }

    fn post(&self, corrections: impl IntoIterator<Item = Correction>) {
        let now = self.shared.clock.now_micros();
        let parcel = |correction: Correction| {
            // One that holds nothing is told once, and until then is as good as any.
            let lease = correction.claim.hold.map_or(LONGEST_PAUSE, |hold| hold.lease);
            Parcel { correction, until: now.saturating_add(micros(lease)) }
        };
        let mut posted = false;
        {
            let mut outbox = lock(&self.shared.outbox);
            for correction in corrections {
                if outbox.len() >= MOST_PARCELS {
                    tracing::debug!(
                        "rate limit: too many corrections wait for the store, one is lost and its cost stays"
                    );
                    continue;
                }
                outbox.push_back(parcel(correction));
                posted = true;
            }
        }
        if posted {
            self.run();
            self.shared.wake.notify_one();
        }
    }

    /// Starts the task if it does not run. Without a runtime nothing is renewed, and nothing delivered later.
    fn run(&self) {
        let mut task = lock(&self.task);
        if task.as_ref().is_some_and(|task| !task.is_finished()) {
            return;
        }
        if let Ok(runtime) = Handle::try_current() {
            let shared = Arc::clone(&self.shared);
            shared.planned.store(u64::MAX, Ordering::Relaxed);
            *task = Some(runtime.spawn(shared.run()).abort_handle());
        }
    }
}

impl Drop for Keeper {
    /// Ends the task: at once, or if corrections wait after one attempt to deliver them.
    fn drop(&mut self) {
        let Some(task) = lock(&self.task).take() else { return };
        if lock(&self.shared.outbox).is_empty() {
            task.abort();
        } else {
            self.shared.closing.store(true, Ordering::Relaxed);
            self.shared.wake.notify_one();
        }
    }
}

/// Corrections that are posted unless they turn out to be settled, whatever becomes of the caller.
struct Unsettled<'k> {
    keeper: &'k Keeper,
    corrections: Vec<Correction>,
}

impl Unsettled<'_> {
    fn discard(mut self) {
        self.corrections.clear();
    }
}

impl Drop for Unsettled<'_> {
    fn drop(&mut self) {
        if !self.corrections.is_empty() {
            self.keeper.post(core::mem::take(&mut self.corrections));
        }
    }
}

impl Shared {
    async fn run(self: Arc<Self>) {
        let mut pause = Duration::ZERO;
        loop {
            self.rest(pause).await;
            let stored = self.renew_here();
            let delivered = self.is_back().await && {
                self.renew_stored(&stored).await;
                self.deliver().await
            };
            if self.closing.load(Ordering::Relaxed) {
                return;
            }
            pause = match delivered {
                true => Duration::ZERO,
                false => (pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE),
            };
        }
    }

    /// Waits until something is to be done; after a failure for the pause.
    async fn rest(&self, pause: Duration) {
        let now = self.clock.now_micros();
        let due = lock(&self.live).values().map(|live| live.due).min();
        self.planned.store(due.unwrap_or(u64::MAX), Ordering::Relaxed);
        let until_due = due.map(|due| Duration::from_micros(due.saturating_sub(now)));
        if !pause.is_zero() {
            // For a store that is real, whatever the clock of the limits is.
            return tokio::time::sleep(until_due.map_or(pause, |due| due.min(pause))).await;
        }
        let mut woken = pin!(self.wake.notified());
        let mut sleep = pin!(async {
            match until_due {
                Some(due) => self.clock.sleep(due).await,
                None => core::future::pending().await,
            }
        });
        poll_fn(|cx| match woken.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(()),
            Poll::Pending => sleep.as_mut().poll(cx),
        })
        .await;
    }

    /// Whether the store answers; one that calls do not ask any more is asked here.
    async fn is_back(&self) -> bool {
        let Some(Kept { store, deadline, outage }) = &self.store else { return true };
        if !outage.is_open() {
            return true;
        }
        let write = Charge { numbers: PROBE, key: &self.probed, cost: 1, max_delay: None, hold: None };
        let answers = matches!(timeout(*deadline, store.decide(&[write])).await, Ok(Ok(_)));
        if answers {
            outage.end();
        }
        answers
    }

    /// Renews what is due, as far as it is in memory; hands out what is in the store.
    fn renew_here(&self) -> Vec<Claim> {
        let now = self.clock.now_micros();
        let mut stored = Vec::new();
        for live in lock(&self.live).values_mut() {
            if live.due > now.saturating_add(micros(live.lease / EARLIER)) {
                continue;
            }
            live.due = renewal(live.lease, now);
            for HeldClaim { claim, .. } in live.claims.iter() {
                match &claim.home {
                    Home::Here(memory) => report(&[claim.charge()], &memory.renew_now(&[claim.charge()])),
                    Home::Store => stored.push(claim.clone()),
                }
            }
        }
        stored
    }

    async fn renew_stored(&self, claims: &[Claim]) {
        let Some(Kept { store, deadline, .. }) = &self.store else { return };
        let charges: Vec<Charge<'_>> = claims.iter().map(Claim::charge).collect();
        for batch in charges.chunks(BATCH) {
            // What does not arrive is due again before its lease ends.
            if let Ok(Ok(renewed)) = timeout(*deadline, store.renew(batch)).await {
                report(batch, &renewed);
            }
        }
    }

    /// Sends what waits; whether all of it arrived.
    async fn deliver(&self) -> bool {
        loop {
            let batch = self.take_batch();
            if batch.is_empty() {
                return true;
            }
            let (held, told_once): (Vec<Parcel>, Vec<Parcel>) =
                batch.into_iter().partition(|parcel| parcel.correction.claim.hold.is_some());
            for Parcel { correction, .. } in told_once {
                self.give_back_stored(&correction.claim).await;
            }
            let corrections: Vec<Correction> = held.iter().map(|parcel| parcel.correction.clone()).collect();
            let outcome = self.settle_stored(&corrections).await;
            match outcome {
                Ok(_) => {}
                // One of several that the store refuses must not keep the others from it.
                Err(FailureKind::Setup | FailureKind::Protocol) => {
                    for parcel in held {
                        let _ = self.settle_stored(&[parcel.correction]).await;
                    }
                }
                Err(_) => {
                    let mut outbox = lock(&self.outbox);
                    for parcel in held.into_iter().rev() {
                        outbox.push_front(parcel);
                    }
                    return false;
                }
            }
        }
    }

    /// The next ones that have not become pointless.
    fn take_batch(&self) -> Vec<Parcel> {
        let now = self.clock.now_micros();
        let mut outbox = lock(&self.outbox);
        let mut batch = Vec::new();
        while batch.len() < BATCH
            && let Some(parcel) = outbox.pop_front()
        {
            if parcel.until > now {
                batch.push(parcel);
            }
        }
        batch
    }

    async fn settle_stored(&self, corrections: &[Correction]) -> Result<Vec<Settled>, FailureKind> {
        let Some(Kept { store, deadline, .. }) = &self.store else { return Ok(Vec::new()) };
        let settlements: Vec<Settlement<'_>> = corrections.iter().map(Correction::settlement).collect();
        match timeout(*deadline, store.settle(&settlements)).await {
            Ok(Ok(settled)) if settled.len() == corrections.len() => Ok(settled.into_vec()),
            Ok(Ok(_)) => Err(FailureKind::Protocol),
            Ok(Err(failure)) => Err(failure.kind()),
            Err(_elapsed) => Err(FailureKind::Timeout),
        }
    }

    /// What is lost stays taken: it may have arrived, and is never sent twice.
    async fn give_back_stored(&self, claim: &Claim) {
        let Some(Kept { store, deadline, .. }) = &self.store else { return };
        let charge = claim.charge();
        let _ = timeout(*deadline, store.give_back(&charge, claim.receipt)).await;
    }
}

/// Settles what is in memory; `None` for what is in the store.
fn settle_here(correction: &Correction) -> Option<Settled> {
    let Home::Here(memory) = &correction.claim.home else { return None };
    if correction.claim.hold.is_some() {
        return memory.settle_now(&[correction.settlement()]).first().copied();
    }
    memory.give_back_now(&correction.claim.charge(), correction.claim.receipt);
    Some(Settled::Applied { overrun: 0 })
}

/// When a lease that begins now is to be renewed.
fn renewal(lease: Duration, now: u64) -> u64 {
    now.saturating_add(micros(lease / RENEWALS_A_LEASE))
}

/// Says of a lease that had ended that it was too short, or its holder too silent.
fn report(charges: &[Charge<'_>], renewed: &[Renewed]) {
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
