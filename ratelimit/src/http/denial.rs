//! The response to a call that does not pass.

use super::headers::{self, Fields, retry_seconds};
use crate::decision::{Denied, DeniedKind};
use http::StatusCode;
use serde_json::json;

/// A denial as a response, whatever the framework.
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) fields: Fields,
    pub(super) body: String,
}

impl Refusal {
    /// 429 for a limit that is reached, 413 for a call that it never admits, 503 where its store does not answer.
    ///
    /// The body is a problem of RFC 9457, of the types that the `RateLimit` draft registers.
    pub(super) fn of(denied: &Denied) -> Refusal {
        let limit = denied.limit();
        let retry = denied.retry_after().map(retry_seconds);
        let rate = limit.rule().rate();
        let (problem, title, error, detail) = match denied.kind() {
            DeniedKind::Limited => (
                "https://iana.org/assignments/http-problem-types#quota-exceeded",
                "Quota exceeded",
                "rate_limited",
                format!("The limit of {rate} is reached."),
            ),
            DeniedKind::ExceedsCapacity => (
                "about:blank",
                "Content Too Large",
                "exceeds_capacity",
                format!(
                    "The request costs more than {}, the most that passes at once.",
                    limit.rule().capacity()
                ),
            ),
            DeniedKind::StoreUnavailable => (
                "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",
                "Temporarily reduced capacity",
                "rate_limiter_unavailable",
                "Whether the limit is reached cannot be told now.".to_owned(),
            ),
            // A request falls back to its client's address; this is a handler's own call of a limited function.
            DeniedKind::MissingKey => (
                "about:blank",
                "Forbidden",
                "rate_limit_key_missing",
                "The request lacks what it is counted by.".to_owned(),
            ),
        };
        let status = StatusCode::from(denied);
        let mut body = json!({
            "type": problem,
            "title": title,
            "status": status.as_u16(),
            "detail": detail,
            "violated-policies": [limit.policy()],
            "error": error,
        });
        let mut fields = headers::fields(denied.decision());
        if let (Some(seconds), Some(members)) = (retry, body.as_object_mut()) {
            members.insert("retry_after_seconds".to_owned(), seconds.into());
            fields.push(("retry-after", seconds.to_string()));
        }
        fields.push(("cache-control", "no-store".to_owned()));
        fields.push(("content-type", "application/problem+json".to_owned()));
        Refusal { status, fields, body: body.to_string() }
    }
}

/// The status that a denied request is answered with.
impl From<&Denied> for StatusCode {
    fn from(denied: &Denied) -> StatusCode {
        match denied.kind() {
            DeniedKind::Limited => StatusCode::TOO_MANY_REQUESTS,
            DeniedKind::ExceedsCapacity => StatusCode::PAYLOAD_TOO_LARGE,
            DeniedKind::StoreUnavailable => StatusCode::SERVICE_UNAVAILABLE,
            DeniedKind::MissingKey => StatusCode::FORBIDDEN,
        }
    }
}

/// The status that a denied request is answered with, for a handler that answers with no more than one.
impl From<Denied> for StatusCode {
    fn from(denied: Denied) -> StatusCode {
        StatusCode::from(&denied)
    }
}

#[cfg(test)]
mod tests {
    use super::Refusal;
    use crate::{
        Limit,
        decision::{Decision, Denied, Layer, LayerOutcome},
    };
    use core::time::Duration;
    use smallvec::smallvec;

    fn refusal(outcome: LayerOutcome) -> Refusal {
        let limit = Limit::builder("search").key("user").rate("100/min").build().unwrap();
        let decision = Decision::new(smallvec![Layer { limit, cost: 1, outcome, numbers: None }]);
        Refusal::of(&Denied::from_decision(decision).unwrap_err())
    }

    fn field<'r>(refusal: &'r Refusal, name: &str) -> Option<&'r str> {
        refusal.fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value.as_str())
    }

    #[test]
    fn limit_that_is_reached_is_429_with_a_problem() {
        let refusal = refusal(LayerOutcome::Denied { retry_after: Duration::from_millis(1_500) });
        assert_eq!(refusal.status, 429);
        assert_eq!(field(&refusal, "retry-after"), Some("2"));
        assert_eq!(field(&refusal, "cache-control"), Some("no-store"));
        assert_eq!(field(&refusal, "content-type"), Some("application/problem+json"));
        let body: serde_json::Value = serde_json::from_str(&refusal.body).unwrap();
        assert_eq!(body["type"], "https://iana.org/assignments/http-problem-types#quota-exceeded");
        assert_eq!(body["status"], 429);
        assert_eq!(body["violated-policies"], serde_json::json!(["search"]));
        assert_eq!(body["error"], "rate_limited");
        assert_eq!(body["retry_after_seconds"], 2);
    }

    #[test]
    fn call_above_capacity_is_413_without_a_time_to_retry() {
        let refusal = refusal(LayerOutcome::ExceedsCapacity);
        assert_eq!(refusal.status, 413);
        assert_eq!(field(&refusal, "retry-after"), None);
        assert!(!refusal.body.contains("retry_after"));
    }

    #[test]
    fn store_that_does_not_answer_is_503() {
        let refusal = refusal(LayerOutcome::FailedClosed);
        assert_eq!(refusal.status, 503);
        assert_eq!(field(&refusal, "retry-after"), Some("1"));
    }
}
