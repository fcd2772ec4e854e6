//! The permit of the annotated function that is running.

use super::{Held, Permit, SettledLayer, Settling};
use crate::{decision::Decision, lock::lock};
use core::fmt;
use std::sync::{Arc, Mutex};

tokio::task_local! {
    static CURRENT: CurrentPermit;
}

/// The permit of the annotated function that is running, to settle it by hand or to take it along.
///
/// The function holds it until somebody takes it: whatever the attribute would have done at the end is then left to the
/// taker.
#[derive(Clone)]
pub struct CurrentPermit(Option<Arc<Slot>>);

struct Slot {
    decision: Decision,
    held: Mutex<Option<Box<Held>>>,
}

/// The permit of the call that is running: in a function with `settle`, `charge_if` or `concurrency`, or one whose body
/// names `current_permit`, which then holds what its layers with a `cost` have taken. Anywhere else it holds nothing.
///
/// ```
/// use ratelimit::{Denied, rate_limit};
///
/// #[rate_limit(key = "tenant", rate = "100k tokens/min", cost = 1_000)]
/// async fn complete(tenant: &str) -> Result<String, Denied> {
///     let (answer, tokens) = ("42".to_owned(), 350);
///     ratelimit::current_permit().settle(tokens).await;
///     Ok(answer)
/// }
/// # #[tokio::main(flavor = "current_thread")] async fn main() { complete("acme").await.unwrap(); }
/// ```
pub fn current_permit() -> CurrentPermit {
    CURRENT.try_with(CurrentPermit::clone).unwrap_or(CurrentPermit(None))
}

impl CurrentPermit {
    fn of(permit: Permit) -> CurrentPermit {
        let Permit { decision, held } = permit;
        CurrentPermit(Some(Arc::new(Slot { decision, held: Mutex::new(held) })))
    }

    /// Takes the permit out of the function's hands, for example into a stream that outlives it: see
    /// [`Permit::meter`]. `None` if there is none, or it was taken before.
    pub fn detach(&self) -> Option<Permit> {
        let held = self.take()?;
        let decision = self.0.as_ref()?.decision.clone();
        Some(Permit { decision, held: Some(held) })
    }

    /// Settles it now, in every layer: see [`Permit::settle`]. Empty if there is none, or it was taken before.
    pub async fn settle(&self, actual: u64) -> Vec<SettledLayer> {
        match self.detach() {
            Some(permit) => permit.settle(actual).await,
            None => Vec::new(),
        }
    }

    /// What was decided on the call.
    pub fn decision(&self) -> Option<&Decision> {
        self.0.as_ref().map(|slot| &slot.decision)
    }

    fn take(&self) -> Option<Box<Held>> {
        lock(&self.0.as_ref()?.held).take()
    }
}

impl fmt::Debug for CurrentPermit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_held = self.0.as_ref().is_some_and(|slot| lock(&slot.held).is_some());
        f.debug_struct("CurrentPermit").field("is_held", &is_held).finish_non_exhaustive()
    }
}

/// A permit while the body of its function runs. Dropped before the end, the call was cancelled.
#[derive(Debug)]
pub struct Holding(CurrentPermit);

impl Holding {
    /// Holds a permit.
    pub fn new(permit: Permit) -> Holding {
        Holding(CurrentPermit::of(permit))
    }

    /// The body, in which the permit is the current one.
    pub fn run<F: Future>(&self, body: F) -> impl Future<Output = F::Output> + use<F> {
        CURRENT.scope(self.0.clone(), body)
    }

    /// The body has run.
    pub fn end(self) -> Settling {
        let decision = self.0.decision().cloned().unwrap_or_else(Decision::of_nothing);
        Settling::new(decision, self.0.take())
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        // Not left to the last handle: a task that has one may live on.
        drop(self.0.take());
    }
}
