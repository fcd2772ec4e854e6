//! Corrections on their way to the store, which are sent until they are applied or their lease ends.

use super::claim::Correction;
use crate::{
    lock::lock,
    time::{Clock, micros},
};
use core::time::Duration;
use std::{collections::VecDeque, sync::Mutex};

/// Corrections on their way to the store.
#[derive(Default)]
pub(super) struct Outbox(Mutex<VecDeque<Parcel>>);

/// One of them.
pub(super) struct Parcel {
    pub(super) correction: Correction,
    /// When the store will have forgotten the permit.
    until: u64,
}

/// Corrections that wait for a store which does not answer; further ones are lost, so that what was charged stays.
const MOST: usize = 65_536;

impl Outbox {
    /// Posts corrections; whether there was one. Those that hold nothing are told once, and until that time are as good as any.
    pub(super) fn post(
        &self,
        corrections: impl IntoIterator<Item = Correction>,
        clock: &Clock,
        told_once: Duration,
    ) -> bool {
        let now = clock.now_micros();
        let mut parcels = lock(&self.0);
        let mut posted = false;
        for correction in corrections {
            if parcels.len() >= MOST {
                tracing::debug!(
                    "rate limit: too many corrections wait for the store, one is lost and its cost stays"
                );
                continue;
            }
            let lease = correction.claim.hold.map_or(told_once, |hold| hold.lease);
            parcels.push_back(Parcel { correction, until: now.saturating_add(micros(lease)) });
            posted = true;
        }
        posted
    }

    /// Takes up to so many of the first, and leaves out what has become pointless.
    pub(super) fn take(&self, most: usize, clock: &Clock) -> Vec<Parcel> {
        let now = clock.now_micros();
        let mut parcels = lock(&self.0);
        let first = parcels.len().min(most);
        parcels.drain(..first).filter(|parcel| parcel.until > now).collect()
    }

    /// Puts back what did not arrive, behind all others.
    pub(super) fn put_back(&self, parcels: impl IntoIterator<Item = Parcel>) {
        lock(&self.0).extend(parcels);
    }

    pub(super) fn len(&self) -> usize {
        lock(&self.0).len()
    }
}
