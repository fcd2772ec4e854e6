//! The limiter's own task: it renews the leases of calls that are under way, delivers corrections until they are applied
//! or their lease ends, and finds out whether a store that did not answer is back. Nobody waits for it.
//!
//! Whatever it sends carries the id of a permit, by which a store applies it once however often it comes.

use super::{
    claim::{Claim, Correction, HeldClaim, Home},
    kept::{Kept, is_undelivered, report},
    outbox::{Outbox, Parcel},
};
use crate::{
    lock::lock,
    store::{PermitId, Settled},
    time::{Clock, micros},
};
use core::{
    future::{Future, poll_fn},
    pin::pin,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    task::Poll,
    time::Duration,
};
use futures_util::future::join_all;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use tokio::{runtime::Handle, sync::Notify, task::AbortHandle};

/// Owns the task, which ends with it.
pub(crate) struct Keeper {
    shared: Arc<Shared>,
    task: Mutex<Option<AbortHandle>>,
}

struct Shared {
    clock: Clock,
    store: Option<Kept>,
    /// What every key begins with.
    prefix: Box<str>,
    live: Mutex<HashMap<PermitId, Live>>,
    outbox: Outbox,
    /// Whether some of what was in the outbox is being sent.
    delivering: AtomicBool,
    wake: Notify,
    /// Whether nobody is left who could want anything more.
    closing: AtomicBool,
    /// When the task means to look at the leases again, in microseconds.
    planned: AtomicU64,
}

/// A call under way.
struct Live {
    /// When to renew it, in microseconds since the epoch.
    due: u64,
    /// The shortest of its claims.
    lease: Duration,
    claims: Arc<[HeldClaim]>,
}

/// Corrections in one call of the store.
const BATCH: usize = 64;
/// Between two attempts: doubled each time, up to a bound.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// A live call renews its lease every third of it; those due within another twelfth go along.
const RENEWALS_A_LEASE: u32 = 3;
const EARLIER: u32 = 12;

impl Keeper {
    pub(crate) fn new(clock: Clock, prefix: &str, store: Option<Kept>) -> Keeper {
        let shared = Shared {
            clock,
            store,
            prefix: prefix.into(),
            live: Mutex::default(),
            outbox: Outbox::default(),
            delivering: AtomicBool::new(false),
            wake: Notify::new(),
            closing: AtomicBool::new(false),
            planned: AtomicU64::new(u64::MAX),
        };
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
        let mut unsettled = Unsettled { keeper: self, corrections: stored.collect() };
        let Some(kept) = self.shared.store.as_ref().filter(|_| !unsettled.corrections.is_empty()) else {
            return outcomes;
        };
        let settled = kept.settle(&unsettled.corrections).await;
        // Whatever the store has answered is not sent again.
        let mut undelivered = settled.iter().map(is_undelivered);
        unsettled.corrections.retain(|_| undelivered.next().unwrap_or(true));
        let mut settled = settled.into_iter();
        for outcome in outcomes.iter_mut().filter(|outcome| outcome.is_none()) {
            *outcome = settled.next().and_then(Result::ok);
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
        if self.shared.outbox.post(corrections, &self.shared.clock, LONGEST_PAUSE) {
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
        if self.shared.outbox.len() == 0 && !self.shared.delivering.load(Ordering::Acquire) {
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
            let delivered = match &self.store {
                None => true,
                Some(kept) => {
                    let is_back = kept.probe(&self.prefix).await;
                    kept.renew(&stored, BATCH).await;
                    self.deliver(kept).await && is_back
                }
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

    /// Sends what waits, each once; whether all of it arrived.
    async fn deliver(&self, kept: &Kept) -> bool {
        // Parts that did not answer this time: what goes there would wait for the same.
        let mut silent = Vec::new();
        let mut left = self.outbox.len();
        while left > 0 {
            self.delivering.store(true, Ordering::Release);
            let batch = self.outbox.take(left.min(BATCH), &self.clock);
            left = left.saturating_sub(BATCH);
            let is_silent = |parcel: &Parcel| silent.contains(&kept.part(&parcel.correction.claim));
            let (mut returned, batch): (Vec<Parcel>, Vec<Parcel>) = batch.into_iter().partition(is_silent);
            let (held, told_once): (Vec<Parcel>, Vec<Parcel>) =
                batch.into_iter().partition(|parcel| parcel.correction.claim.hold.is_some());
            join_all(told_once.iter().map(|parcel| kept.give_back(&parcel.correction.claim))).await;
            let corrections: Vec<Correction> = held.iter().map(|parcel| parcel.correction.clone()).collect();
            let outcomes = kept.settle(&corrections).await;
            for (parcel, outcome) in held.into_iter().zip(outcomes) {
                if is_undelivered(&outcome) {
                    silent.push(kept.part(&parcel.correction.claim));
                    returned.push(parcel);
                }
            }
            self.outbox.put_back(returned);
            self.delivering.store(false, Ordering::Release);
        }
        silent.is_empty()
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
