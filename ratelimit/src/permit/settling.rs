//! What the attribute does with a permit at the end of its function: `settle`, `on_err` and `charge_if`.

use super::Held;
use crate::decision::Decision;
use smallvec::SmallVec;

/// A call that has run, on its way to what it cost.
#[derive(Debug)]
pub struct Settling {
    decision: Decision,
    held: Option<Box<Held>>,
    /// By layer; `None` keeps what was charged.
    actual: SmallVec<[Option<u64>; 4]>,
}

/// What a call cost in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actual {
    /// What was charged at admission.
    Keep,
    /// So many units.
    Units(u64),
    /// A number below zero: no call earns its caller units.
    Negative,
}

impl Settling {
    pub(super) fn new(decision: Decision, held: Option<Box<Held>>) -> Settling {
        let actual = SmallVec::from_elem(None, decision.layers().len());
        Settling { decision, held, actual }
    }

    /// The cost in the layer at a place in the attribute's order.
    pub fn layer(&mut self, layer: usize, actual: Actual) {
        // A layer that did not apply to this call is in no decision.
        let place = self.decision.layers().iter().position(|decided| decided.place == layer);
        let Some(slot) = place.and_then(|place| self.actual.get_mut(place)) else { return };
        *slot = match actual {
            Actual::Keep => None,
            Actual::Units(units) => Some(units),
            Actual::Negative => {
                tracing::error!(
                    layer,
                    "rate limit: `settle` gave a cost below zero, the estimate stays charged"
                );
                None
            }
        };
    }

    /// Settles, waiting for the store no longer than its deadline.
    pub async fn done(self) {
        let Some(held) = self.held else { return };
        let actual = by_claim(&held, &self.actual);
        held.settle(actual).await;
    }

    /// Settles without waiting.
    pub(crate) fn later(self) -> Decision {
        if let Some(held) = self.held {
            let actual = by_claim(&held, &self.actual);
            held.settle_later(actual);
        }
        self.decision
    }
}

/// The costs of what is held, from those of the layers.
fn by_claim(held: &Held, by_layer: &[Option<u64>]) -> Vec<Option<u64>> {
    held.claims().iter().map(|held| by_layer.get(held.layer).copied().flatten()).collect()
}

/// An output by reference: finds whether it is a `Result`, whatever it is called.
///
/// Method lookup takes the impl with the most references first, and these two differ in them.
#[derive(Debug)]
pub struct Output<'a, T: ?Sized>(pub &'a T);

/// A `Result`: its value is what a call is settled by.
#[doc(hidden)]
pub trait ViaResult {
    #[doc(hidden)]
    type Value: ?Sized;
    #[doc(hidden)]
    type Error: ?Sized;
    #[doc(hidden)]
    fn __ratelimit_ok<C>(&self, cost: impl FnOnce(&Self::Value) -> C) -> Option<C>;
    #[doc(hidden)]
    fn __ratelimit_err<C>(&self, cost: impl FnOnce(&Self::Error) -> C) -> Option<C>;
}

impl<T, E> ViaResult for &Output<'_, Result<T, E>> {
    type Value = T;
    type Error = E;

    fn __ratelimit_ok<C>(&self, cost: impl FnOnce(&T) -> C) -> Option<C> {
        self.0.as_ref().ok().map(cost)
    }

    fn __ratelimit_err<C>(&self, cost: impl FnOnce(&E) -> C) -> Option<C> {
        self.0.as_ref().err().map(cost)
    }
}

/// Anything else is its own value, and no error.
#[doc(hidden)]
pub trait ViaValue {
    #[doc(hidden)]
    type Value: ?Sized;
    #[doc(hidden)]
    fn __ratelimit_ok<C>(&self, cost: impl FnOnce(&Self::Value) -> C) -> Option<C>;
    #[doc(hidden)]
    fn __ratelimit_err<C>(&self, cost: impl FnOnce(&core::convert::Infallible) -> C) -> Option<C>;
}

impl<T: ?Sized> ViaValue for Output<'_, T> {
    type Value = T;

    fn __ratelimit_ok<C>(&self, cost: impl FnOnce(&T) -> C) -> Option<C> {
        Some(cost(self.0))
    }

    fn __ratelimit_err<C>(&self, _cost: impl FnOnce(&core::convert::Infallible) -> C) -> Option<C> {
        None
    }
}

/// `charge_if`: a call that does not count gives back what it took while it was in flight.
pub fn charge_if(counts: bool) -> Actual {
    if counts { Actual::Keep } else { Actual::Units(0) }
}

/// What a closure gives of a value; in a function, so that the closure's types need not be written.
pub fn with<T: ?Sized, C>(value: &T, cost: impl FnOnce(&T) -> C) -> C {
    cost(value)
}
