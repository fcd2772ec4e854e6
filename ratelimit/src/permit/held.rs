//! What a permit holds in its stores, and how it is let go of: settled, or dropped.

use crate::{
    limit::Unused,
    limiter::Limiter,
    resilience::{Correction, HeldClaim},
    store::{PermitId, Settled},
};
use core::fmt;
use smallvec::SmallVec;
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

    /// Settles the claims at the cost of their layers; `None` keeps what was charged. The places of the layers with what
    /// became of them, `None` where the store has not answered yet.
    pub(crate) async fn settle(mut self, actual: &[Option<u64>]) -> Vec<(usize, Option<Settled>)> {
        let corrections = self.close(actual);
        let keeper = self.limiter.keeper();
        let outcomes = keeper
            .settle(&corrections.iter().map(|(_, correction)| correction.clone()).collect::<Vec<_>>())
            .await;
        corrections.iter().map(|(layer, _)| *layer).zip(outcomes).collect()
    }

    /// The same without waiting.
    pub(crate) fn settle_later(mut self, actual: &[Option<u64>]) {
        let corrections = self.close(actual);
        self.limiter
            .keeper()
            .settle_later(corrections.into_iter().map(|(_, correction)| correction).collect());
    }

    /// Ends the renewals; what has to be corrected is handed out.
    fn close(&mut self, actual: &[Option<u64>]) -> Vec<(usize, Correction)> {
        self.is_open = false;
        self.limiter.keeper().let_go(self.permit);
        let correction = |held: &HeldClaim| {
            let actual = actual.get(held.layer).copied().flatten();
            let actual = if held.claim.is_slot() { 0 } else { actual? };
            Some((held.layer, Correction { claim: held.claim.clone(), actual }))
        };
        self.claims.iter().filter_map(correction).collect()
    }

    /// Units that were charged in a layer.
    pub(crate) fn reserved(&self, layer: usize) -> Option<u64> {
        self.claims.iter().find(|held| held.layer == layer).map(|held| held.claim.cost())
    }

    /// What becomes of a layer's cost if the call is dropped.
    pub(crate) fn on_cancel(&self, layer: usize) -> Unused {
        self.claims.iter().find(|held| held.layer == layer).map_or(Unused::Keep, |held| held.on_cancel)
    }

    /// The layers that hold something.
    pub(crate) fn layers(&self) -> impl Iterator<Item = usize> {
        self.claims.iter().map(|held| held.layer)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.is_open {
            let most = self.claims.iter().map(|held| held.layer + 1).max().unwrap_or(0);
            let refunded = |layer| matches!(self.on_cancel(layer), Unused::Refund).then_some(0);
            let actual: SmallVec<[Option<u64>; 4]> = (0..most).map(refunded).collect();
            let corrections = self.close(&actual);
            self.limiter
                .keeper()
                .settle_later(corrections.into_iter().map(|(_, correction)| correction).collect());
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
