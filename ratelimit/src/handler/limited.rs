//! What an annotated handler returns.

use crate::{
    decision::{Decision, Denied},
    http::Outcome,
    permit::{Holding, Permit, Settling},
};
use core::fmt;

/// A handler's response together with what was decided on its call, or the denial.
///
/// Both axum's `IntoResponse` and actix's `Responder` where `R` is; either writes the limit's headers.
pub struct Limited<R>(Inner<R>);

enum Inner<R> {
    Denied(Denied),
    Allowed(R, Decision),
    /// What the call costs is known when the response is.
    Settles(R, Holding, Settle),
}

type Settle = Box<dyn FnOnce(&Outcome<'_>, &mut Settling)>;

impl<R> Limited<R> {
    /// The handler ran.
    pub fn allowed(response: R, permit: Permit) -> Self {
        Limited(Inner::Allowed(response, permit.into_decision()))
    }

    /// The handler ran, and what it answered says what the call costs.
    pub fn settles(
        response: R,
        holding: Holding,
        settle: impl FnOnce(&Outcome<'_>, &mut Settling) + 'static,
    ) -> Self {
        Limited(Inner::Settles(response, holding, Box::new(settle)))
    }

    /// The handler did not run.
    pub fn denied(denied: Denied) -> Self {
        Limited(Inner::Denied(denied))
    }

    /// Makes the response, settles what depends on it, and hands out what was decided.
    #[cfg_attr(
        not(any(feature = "axum", feature = "actix")),
        allow(dead_code, reason = "only a framework answers")
    )]
    pub(crate) fn respond<T>(
        self,
        respond: impl FnOnce(R) -> T,
        with_outcome: impl FnOnce(&T, &mut dyn FnMut(&Outcome<'_>)),
    ) -> Result<(T, Decision), Denied> {
        match self.0 {
            Inner::Denied(denied) => Err(denied),
            Inner::Allowed(response, decision) => Ok((respond(response), decision)),
            Inner::Settles(response, holding, settle) => {
                let response = respond(response);
                let mut settling = holding.end();
                let mut settle = Some(settle);
                with_outcome(&response, &mut |outcome| {
                    if let Some(settle) = settle.take() {
                        settle(outcome, &mut settling);
                    }
                });
                Ok((response, settling.later()))
            }
        }
    }
}

impl<R: fmt::Debug> fmt::Debug for Limited<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Inner::Denied(denied) => f.debug_tuple("Limited::denied").field(denied).finish(),
            Inner::Allowed(response, _) | Inner::Settles(response, ..) => {
                f.debug_tuple("Limited::allowed").field(response).finish()
            }
        }
    }
}
