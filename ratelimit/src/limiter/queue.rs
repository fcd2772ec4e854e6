//! Waiting for one's turn in a leaky bucket, and giving back what was taken when the call is dropped while it waits.

use super::Limiter;
use crate::{resilience::Claim, time::Clock};
use core::time::Duration;

/// An admitted call that waits for its turn.
pub(super) struct Queued {
    limiter: Limiter,
    delay: Duration,
    /// All that the call took, in every layer.
    claims: Vec<Claim>,
}

impl Queued {
    pub(super) fn new(limiter: Limiter, delay: Duration, claims: Vec<Claim>) -> Queued {
        Queued { limiter, delay, claims }
    }

    /// Waits for the turn; dropped before it comes, all is given back, but places in front of others.
    pub(super) async fn turn(mut self, clock: &Clock) {
        clock.sleep(self.delay).await;
        self.claims.clear();
    }
}

impl Drop for Queued {
    fn drop(&mut self) {
        self.limiter.0.keeper.give_back(self.claims.drain(..));
    }
}
