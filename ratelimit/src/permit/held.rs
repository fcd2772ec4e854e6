//! What a permit holds in its stores, and how it is let go of: settled, or dropped.

use crate::{
    limit::Unused,
    limiter::Limiter,
    resilience::{Correction, HeldClaim},
    store::{PermitId, Settled},
};
use core::fmt;
use std::sync::Arc;

/// The claims of one call that can still be corrected. Dropped, each goes the way that its limit says.
pub(crate) struct Held {
    limiter: Limiter,
    permit: PermitId,
    claims: Arc<[HeldClaim]>,
    is_open: bool,
}

impl Held {
    /// From now on the leases are renewed.
    pub(crate) fn new(limiter: Limiter, permit: PermitId, claims: Vec<HeldClaim>) -> Held {
        let claims: Arc<[HeldClaim]> = claims.into();
        limiter.keeper().keep(permit, Arc::clone(&claims));
        Held { limiter, permit, claims, is_open: true }
    }

    /// What is held, in the order in which costs are given.
    pub(crate) fn claims(&self) -> &[HeldClaim] {
        &self.claims
    }

    /// Settles each claim at its cost; `None` keeps what was charged. The places of the layers with what became of them,
    /// `None` where the store has not answered yet.
    pub(crate) async fn settle(mut self, actual: Vec<Option<u64>>) -> Vec<(usize, Option<Settled>)> {
        let (layers, corrections) = self.close(actual);
        let outcomes = self.limiter.keeper().settle(&corrections).await;
        layers.into_iter().zip(outcomes).collect()
    }

    /// The same without waiting.
    pub(crate) fn settle_later(mut self, actual: Vec<Option<u64>>) {
        self.close_later(actual);
    }

    fn close_later(&mut self, actual: Vec<Option<u64>>) {
        let (_, corrections) = self.close(actual);
        self.limiter.keeper().settle_later(corrections);
    }

    /// Ends the renewals; what has to be corrected is handed out, with the places of the layers. A slot always has.
    fn close(&mut self, actual: Vec<Option<u64>>) -> (Vec<usize>, Vec<Correction>) {
        self.is_open = false;
        self.limiter.keeper().let_go(self.permit);
        let correction = |(held, actual): (&HeldClaim, Option<u64>)| {
            let actual = if held.claim.is_slot() { 0 } else { actual? };
            Some((held.layer, Correction { claim: held.claim.clone(), actual }))
        };
        self.claims.iter().zip(actual).filter_map(correction).unzip()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.is_open {
            let refunded = |held: &HeldClaim| matches!(held.on_cancel, Unused::Refund).then_some(0);
            self.close_later(self.claims.iter().map(refunded).collect());
        }
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held")
            .field("permit", &self.permit)
            .field("claims", &self.claims)
            .finish_non_exhaustive()
    }
}
