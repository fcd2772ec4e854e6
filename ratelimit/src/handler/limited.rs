//! What an annotated handler returns.

use crate::decision::{Decision, Denied, Permit};

/// A handler's response together with what was decided on its call, or the denial.
///
/// Both axum's `IntoResponse` and actix's `Responder` where `R` is; either writes the limit's headers.
#[derive(Debug)]
pub struct Limited<R>(pub(crate) Result<(R, Decision), Denied>);

impl<R> Limited<R> {
    /// The handler ran.
    pub fn allowed(response: R, permit: Permit) -> Self {
        Limited(Ok((response, permit.into_decision())))
    }

    /// The handler did not run.
    pub fn denied(denied: Denied) -> Self {
        Limited(Err(denied))
    }
}
