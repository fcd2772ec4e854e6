//! What a handler answered, as far as a limit may look at it: [`Outcome`].

use core::fmt;
use http::StatusCode;

/// A handler's response, without its body: what `settle` and `charge_if` look at.
///
/// ```
/// use axum::{http::StatusCode, response::IntoResponse};
/// use ratelimit::rate_limit;
///
/// #[rate_limit(key = "ip", rate = "5/h", charge_if = |outcome| outcome.status() == 401)]
/// async fn log_in() -> impl IntoResponse {
///     StatusCode::UNAUTHORIZED
/// }
/// ```
pub struct Outcome<'r> {
    status: StatusCode,
    header: &'r dyn Fn(&str) -> Option<&'r [u8]>,
}

impl<'r> Outcome<'r> {
    #[cfg_attr(
        not(any(feature = "axum", feature = "actix")),
        allow(dead_code, reason = "only a framework answers")
    )]
    pub(crate) fn new(status: StatusCode, header: &'r dyn Fn(&str) -> Option<&'r [u8]>) -> Outcome<'r> {
        Outcome { status, header }
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The first value of a header, if it is text; `name` is in lower case.
    pub fn header(&self, name: &str) -> Option<&'r str> {
        core::str::from_utf8((self.header)(name)?).ok()
    }

    /// Whether the server failed: a status of 500 or above.
    pub fn is_error(&self) -> bool {
        self.status.as_u16() >= 500
    }
}

impl fmt::Debug for Outcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outcome").field("status", &self.status).finish_non_exhaustive()
    }
}
