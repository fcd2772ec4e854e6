//! What a call took, kept apart from the call: it may have to be corrected after its caller is gone.

use crate::{
    key::KeyBuf,
    limit::Unused,
    store::{Charge, Hold, Receipt, Settlement, memory::Memory},
};
use core::time::Duration;
use ratelimit_spec::Numbers;
use smallvec::SmallVec;
use std::sync::Arc;

/// What one charge took, and where.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    numbers: Numbers,
    key: KeyBuf,
    cost: u64,
    pub(crate) hold: Option<Hold>,
    /// Names what was taken, for a charge that holds no permit.
    pub(crate) receipt: Receipt,
    pub(crate) home: Home,
}

/// Where a charge was decided.
#[derive(Clone, Debug)]
pub(crate) enum Home {
    /// In the limiter's store.
    Store,
    /// In this process's memory: the limiter's own, the one for `scope = "instance"`, or the one of an outage.
    Here(Arc<Memory>),
}

impl Claim {
    pub(crate) fn new(charge: &Charge<'_>, receipt: Receipt, home: Home) -> Claim {
        let Charge { numbers, key, cost, max_delay: _, hold } = *charge;
        Claim { numbers, key: SmallVec::from_slice(key), cost, hold, receipt, home }
    }

    pub(crate) fn charge(&self) -> Charge<'_> {
        let Claim { numbers, ref key, cost, hold, .. } = *self;
        Charge { numbers, key, cost, max_delay: None, hold }
    }

    pub(crate) fn cost(&self) -> u64 {
        self.cost
    }

    pub(crate) fn is_slot(&self) -> bool {
        self.numbers.algorithm == ratelimit_spec::Algorithm::Concurrency
    }

    /// How long it is kept while nothing is heard of it.
    pub(crate) fn lease(&self) -> Duration {
        self.hold.map_or(Duration::ZERO, |hold| hold.lease)
    }
}

/// A claim with its place among the layers of the decision.
#[derive(Debug)]
pub(crate) struct HeldClaim {
    pub(crate) layer: usize,
    pub(crate) claim: Claim,
    pub(crate) on_cancel: Unused,
}

/// A claim, and what it cost in the end: 0 gives all of it back.
#[derive(Clone, Debug)]
pub(crate) struct Correction {
    pub(crate) claim: Claim,
    pub(crate) actual: u64,
}

impl Correction {
    pub(crate) fn settlement(&self) -> Settlement<'_> {
        Settlement { charge: self.claim.charge(), actual: self.actual }
    }
}
