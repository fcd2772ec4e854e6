//! Waiting for one's turn in a leaky bucket, and giving the place back when the call is dropped while it waits.

use super::{Backend, Limiter};
use crate::{
    resilience::Place,
    store::{Charge, Outcome, Verdict, memory::Memory},
    time::Clock,
};
use core::time::Duration;
use smallvec::SmallVec;
use std::sync::Arc;

/// An admitted call that waits for its turn.
pub(super) struct Queued {
    limiter: Limiter,
    delay: Duration,
    places: SmallVec<[Place; 1]>,
    /// Where the places were taken, if that was not in the limiter's store.
    local: Option<Arc<Memory>>,
}

impl Queued {
    /// `None` if the call may start at once, or was not admitted.
    pub(super) fn new(
        limiter: &Limiter,
        charges: &[Charge<'_>],
        verdicts: &[Verdict],
        local: Option<Arc<Memory>>,
    ) -> Option<Queued> {
        let mut delay = Duration::ZERO;
        let mut places = SmallVec::new();
        for (charge, verdict) in charges.iter().zip(verdicts) {
            match verdict.outcome {
                Outcome::Denied { .. } | Outcome::Exceeds => return None,
                Outcome::Allowed { delay: Duration::ZERO } => {}
                // Who only looks stands in no queue.
                Outcome::Allowed { .. } if charge.cost == 0 => {}
                Outcome::Allowed { delay: due } => {
                    delay = delay.max(due);
                    places.push(Place::new(charge, verdict.receipt));
                }
            }
        }
        (!places.is_empty()).then(|| Queued { limiter: limiter.clone(), delay, places, local })
    }

    /// Waits for the turn; dropped before it comes, the places are given back.
    pub(super) async fn turn(mut self, clock: &Clock) {
        clock.sleep(self.delay).await;
        self.places.clear();
    }
}

impl Drop for Queued {
    fn drop(&mut self) {
        if self.places.is_empty() {
            return;
        }
        let places = core::mem::take(&mut self.places);
        match (&self.local, &self.limiter.0.backend) {
            (Some(memory), _) => give_back_now(memory, &places),
            (None, Backend::Memory(memory)) => give_back_now(memory, &places),
            (None, Backend::Guarded(guarded)) => guarded.give_back_later(places),
        }
    }
}

fn give_back_now(memory: &Memory, places: &[Place]) {
    for place in places {
        memory.give_back_now(&place.charge(), place.receipt());
    }
}
