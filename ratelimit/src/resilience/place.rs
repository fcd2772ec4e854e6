//! A place in a queue that may have to be given back after its caller is gone.

use crate::{
    key::KeyBuf,
    store::{Charge, Receipt},
};
use ratelimit_spec::Numbers;
use smallvec::SmallVec;

/// What a charge took, kept apart from the call that it was for.
#[derive(Debug)]
pub(crate) struct Place {
    numbers: Numbers,
    key: KeyBuf,
    cost: u64,
    receipt: Receipt,
}

impl Place {
    pub(crate) fn new(charge: &Charge<'_>, receipt: Receipt) -> Place {
        Place { numbers: charge.numbers, key: SmallVec::from_slice(charge.key), cost: charge.cost, receipt }
    }

    pub(crate) fn charge(&self) -> Charge<'_> {
        Charge { numbers: self.numbers, key: &self.key, cost: self.cost, max_delay: None, hold: None }
    }

    pub(crate) fn receipt(&self) -> Receipt {
        self.receipt
    }
}
