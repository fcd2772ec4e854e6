//! Permits of a shard's keys, for as long as their leases run.

use super::shard::{Fingerprint, GRACE, Shard};
use crate::{
    algorithm::Taken,
    store::{Charge, Hold, PermitId, Receipt, Renewed, Settled},
    time::micros,
};
use ratelimit_spec::Algorithm;
use std::collections::HashMap;

/// What each permit took of each key.
#[derive(Default)]
pub(super) struct Permits {
    table: HashMap<(Fingerprint, PermitId), Permit>,
    /// At so many, those whose lease has ended are removed; twice what a removal leaves.
    full: usize,
}

struct Permit {
    receipt: Receipt,
    /// When it ends without a renewal, in microseconds since the epoch.
    until: u64,
    settled: bool,
}

/// No removal below that many.
const LEAST_FULL: usize = 64;

impl Permits {
    fn insert(&mut self, key: (Fingerprint, PermitId), permit: Permit, now: u64) {
        if self.table.len() >= self.full {
            self.table.retain(|_, permit| permit.until.saturating_add(GRACE) > now);
            self.full = (self.table.len() * 2).max(LEAST_FULL);
        }
        self.table.insert(key, permit);
    }

    fn live(&mut self, key: (Fingerprint, PermitId), now: u64) -> Option<&mut Permit> {
        self.table.get_mut(&key).filter(|permit| permit.until > now)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }
}

fn until(hold: Hold, now: u64) -> u64 {
    // Of the shortest lease as well, so that every store has one.
    now.saturating_add(micros(hold.lease).max(1))
}

impl Shard {
    /// Writes down what a charge took, so that its permit can be settled.
    pub(super) fn hold(
        &mut self,
        fingerprint: Fingerprint,
        charge: &Charge<'_>,
        receipt: Option<Receipt>,
        now: u64,
    ) {
        let Some(hold) = charge.hold else { return };
        let until = until(hold, now);
        if charge.numbers.algorithm == Algorithm::Concurrency {
            if let (Some(_), Some(slots)) = (receipt, self.slots(fingerprint)) {
                slots.hold(hold.permit, until, now);
                self.keep_slots(fingerprint);
            }
        } else {
            // An estimate of nothing took nothing from nowhere, and may cost something in the end.
            let receipt = receipt.unwrap_or_default();
            self.permits.insert((fingerprint, hold.permit), Permit { receipt, until, settled: false }, now);
        }
    }

    /// Settles a permit: once, and only while its lease runs.
    pub(super) fn settle_permit(
        &mut self,
        fingerprint: Fingerprint,
        charge: &Charge<'_>,
        actual: u64,
        now: u64,
    ) -> Settled {
        let Some(hold) = charge.hold else { return Settled::Late };
        if charge.numbers.algorithm == Algorithm::Concurrency {
            let released = self.slots(fingerprint).is_some_and(|slots| slots.release(hold.permit, now));
            return if released { Settled::Applied { overrun: 0 } } else { Settled::Late };
        }
        let Some(permit) = self.permits.live((fingerprint, hold.permit), now) else { return Settled::Late };
        if core::mem::replace(&mut permit.settled, true) {
            return Settled::Already;
        }
        let taken = Taken { cost: charge.cost, receipt: permit.receipt };
        let overrun = self.settle(fingerprint, &charge.numbers, taken, actual, now);
        Settled::Applied { overrun }
    }

    /// Lengthens a lease from now on.
    pub(super) fn renew(&mut self, fingerprint: Fingerprint, charge: &Charge<'_>, now: u64) -> Renewed {
        let Some(hold) = charge.hold else { return Renewed::Lost };
        let until = until(hold, now);
        let renewed = if charge.numbers.algorithm == Algorithm::Concurrency {
            self.renew_slot(fingerprint, charge, hold.permit, (until, now))
        } else {
            let permit = self.permits.live((fingerprint, hold.permit), now);
            permit.map(|permit| permit.until = until).is_some()
        };
        if renewed { Renewed::Renewed } else { Renewed::Lost }
    }

    /// Who holds a slot and has only been silent for too long holds it again.
    fn renew_slot(
        &mut self,
        fingerprint: Fingerprint,
        charge: &Charge<'_>,
        holder: PermitId,
        (until, now): (u64, u64),
    ) -> bool {
        if self.find(fingerprint).is_none() {
            self.insert_empty(fingerprint, &charge.numbers, now);
        }
        let Some(slots) = self.slots(fingerprint) else { return false };
        let renewed = slots.hold(holder, until, now);
        self.keep_slots(fingerprint);
        renewed
    }
}
