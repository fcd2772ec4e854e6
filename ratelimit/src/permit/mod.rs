//! What an admitted call holds: [`Permit`].

mod current;
mod held;
mod meter;
mod settling;

pub use current::{CurrentPermit, Holding, current_permit};
pub use meter::{Meter, Metered};
pub use settling::{Actual, Output, Settling, ViaResult, ViaValue, charge_if, with};

pub(crate) use held::Held;

use crate::{
    decision::{Decision, Layer},
    limit::Limit,
    store::Settled,
};
use core::fmt;

/// What an admitted call holds.
///
/// It names what was taken and from where. A permit of [`Limiter::acquire`](crate::Limiter::acquire) can be settled: what
/// was charged at admission is corrected to what the call cost in the end, once. One of
/// [`Limiter::check`](crate::Limiter::check) only tells what was decided: an admitted call counts.
///
/// Dropped without being settled, a slot of `concurrency` is given back, and what else was charged stays, unless the
/// limit says `on_cancel = refund`. While a permit lives, its leases are renewed by the limiter's own task, which needs
/// a Tokio runtime.
///
/// ```
/// use ratelimit::{Limit, Limiter};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let limiter = Limiter::in_memory();
/// let tokens = Limit::builder("tokens").key("tenant").rate("100k tokens/min").build()?;
///
/// let permit = limiter.acquire(&tokens).part("tenant", "acme").cost(1_000).await?; // an estimate
/// permit.settle(350).await; // what it was
///
/// let left = limiter.check(&tokens).part("tenant", "acme").cost(0).await?;
/// assert_eq!(left.decision().layers()[0].numbers().unwrap().remaining, 99_650);
/// # Ok(()) }
/// ```
pub struct Permit {
    decision: Decision,
    held: Option<Box<Held>>,
}

/// What became of one layer of a permit that was settled.
#[derive(Clone, Debug)]
pub struct SettledLayer {
    limit: Limit,
    outcome: Option<Settled>,
}

impl Permit {
    pub(crate) fn new(decision: Decision, held: Option<Held>) -> Permit {
        Permit { decision, held: held.map(Box::new) }
    }

    /// What was decided.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// Whether there is something to settle.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Corrects what was charged, in every layer that holds something, to what the call cost in the end, in units (of
    /// `$` in micro-dollars). Slots of `concurrency` are given back.
    ///
    /// Less is given back to where it was taken from; more is charged there, also above the limit, up to one capacity.
    pub async fn settle(self, actual: u64) -> Vec<SettledLayer> {
        self.settle_each(|_| actual).await
    }

    /// The same with the cost of each layer.
    pub async fn settle_each(mut self, actual: impl Fn(&Layer) -> u64) -> Vec<SettledLayer> {
        let Some(held) = self.held.take() else { return Vec::new() };
        let layers = self.decision.layers();
        let actual = held.claims().iter().map(|held| layers.get(held.layer).map(&actual)).collect();
        let outcomes = held.settle(actual).await;
        let layer = |(place, outcome): (usize, Option<Settled>)| {
            Some(SettledLayer { limit: layers.get(place)?.limit.clone(), outcome })
        };
        outcomes.into_iter().filter_map(layer).collect()
    }

    /// The same without waiting for the store: what it does not take at once is sent by the limiter's task.
    pub fn settle_later(mut self, actual: u64) {
        if let Some(held) = self.held.take() {
            let actual = vec![Some(actual); held.claims().len()];
            held.settle_later(actual);
        }
    }

    pub(crate) fn into_decision(self) -> Decision {
        self.decision
    }

    pub(crate) fn of_nothing() -> Permit {
        Permit { decision: Decision::of_nothing(), held: None }
    }
}

impl SettledLayer {
    /// The limit.
    pub fn limit(&self) -> &Limit {
        &self.limit
    }

    /// What the store said; `None` if it did not answer: then the limiter's task sends it again until it does, or the
    /// lease ends.
    pub fn outcome(&self) -> Option<Settled> {
        self.outcome
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit")
            .field("decision", &self.decision)
            .field("held", &self.held.is_some())
            .finish()
    }
}
