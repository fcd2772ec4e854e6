//! The response to a call that does not pass, whatever the framework.
//!
//! | kind | status | problem type | `error` |
//! |---|---|---|---|
//! | `Limited` | 429 | `quota-exceeded` | `rate_limited` |
//! | `ExceedsCapacity` | 413 | – | `exceeds_capacity` |
//! | `StoreUnavailable` | 503 | `temporary-reduced-capacity` | `rate_limiter_unavailable` |
//! | `MissingKey` | 403 | – | `rate_limit_key_missing` |
//! | `Conflict` | 503 | – | `rate_limit_conflict` |
//!
//! `Retry-After` is there where waiting helps. The key of a request is never missing, because it falls back to the
//! client's address. One that is belongs to a limited function that the handler called for somebody it could not name:
//! nothing is broken, which a 500 would say, and waiting does not help, which a 429 would say.

use super::headers::{self, Put, retry_seconds};
use crate::decision::{Denied, DeniedKind, LayerOutcome};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode};

/// The most fields that a denial writes.
pub(super) const FIELDS: usize = headers::FIELDS + 3;

/// Writes the fields of a denial: those of its decision, and those of the response.
pub(super) fn write_fields(denied: &Denied, put: Put<'_>) {
    headers::write(denied.decision(), put);
    if let Some(wait) = denied.retry_after() {
        put("retry-after", itoa::Buffer::new().format(retry_seconds(wait)));
    }
    put("cache-control", "no-store");
    put("content-type", "application/problem+json");
}

/// What a kind of denial is called in a problem body.
struct Problem {
    /// From the registry of RFC 9457, as far as it knows the kind.
    uri: &'static str,
    title: &'static str,
    /// One word for programs.
    error: &'static str,
}

impl Problem {
    const fn of(kind: DeniedKind) -> Problem {
        match kind {
            DeniedKind::Limited => Problem {
                uri: "https://iana.org/assignments/http-problem-types#quota-exceeded",
                title: "Quota exceeded",
                error: "rate_limited",
            },
            DeniedKind::ExceedsCapacity => {
                Problem { uri: "about:blank", title: "Content Too Large", error: "exceeds_capacity" }
            }
            DeniedKind::StoreUnavailable => Problem {
                uri: "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",
                title: "Temporarily reduced capacity",
                error: "rate_limiter_unavailable",
            },
            DeniedKind::MissingKey => {
                Problem { uri: "about:blank", title: "Forbidden", error: "rate_limit_key_missing" }
            }
            DeniedKind::Conflict => {
                Problem { uri: "about:blank", title: "Service Unavailable", error: "rate_limit_conflict" }
            }
        }
    }
}

/// The body: a problem of RFC 9457. It says no more of the limit than the headers do, and nothing of the key.
pub(super) fn body(denied: &Denied) -> String {
    let rule = denied.limit().rule();
    let detail = match denied.kind() {
        DeniedKind::Limited => format!("The limit of {} is reached.", rule.rate()),
        DeniedKind::ExceedsCapacity => {
            format!("The request costs more than {}, the most that passes at once.", rule.capacity())
        }
        DeniedKind::StoreUnavailable => "Whether the limit is reached cannot be told now.".to_owned(),
        DeniedKind::MissingKey => "The request lacks what it is counted by.".to_owned(),
        DeniedKind::Conflict => "The limit is not set up.".to_owned(),
    };
    let Problem { uri, title, error } = Problem::of(denied.kind());
    let mut body = serde_json::json!({
        "type": uri,
        "title": title,
        "status": StatusCode::from(denied).as_u16(),
        "detail": detail,
        "error": error,
    });
    if let Some(members) = body.as_object_mut() {
        if let Some(wait) = denied.retry_after() {
            members.insert("retry_after_seconds".to_owned(), retry_seconds(wait).into());
        }
        let violated: Vec<&str> = violated(denied).collect();
        if !violated.is_empty() {
            members.insert("violated-policies".to_owned(), violated.into());
        }
    }
    body.to_string()
}

/// The policies that do not let the call pass.
fn violated(denied: &Denied) -> impl Iterator<Item = &str> {
    let layers = denied.decision().layers().iter().filter(|layer| match layer.outcome() {
        LayerOutcome::Denied { .. } | LayerOutcome::ExceedsCapacity | LayerOutcome::FailedClosed => true,
        LayerOutcome::Allowed | LayerOutcome::FailedOpen | LayerOutcome::NotAsked => false,
    });
    layers.map(|layer| layer.limit().policy())
}

/// 429 for a limit that is reached, 413 for a call that costs more than its limit ever admits, 503 for a store that does
/// not answer, 403 for a call that nothing is known of to count it by.
impl From<&Denied> for StatusCode {
    fn from(denied: &Denied) -> StatusCode {
        match denied.kind() {
            DeniedKind::Limited => StatusCode::TOO_MANY_REQUESTS,
            DeniedKind::ExceedsCapacity => StatusCode::PAYLOAD_TOO_LARGE,
            DeniedKind::StoreUnavailable | DeniedKind::Conflict => StatusCode::SERVICE_UNAVAILABLE,
            DeniedKind::MissingKey => StatusCode::FORBIDDEN,
        }
    }
}

/// For a handler that answers an error with no more than a status.
impl From<Denied> for StatusCode {
    fn from(denied: Denied) -> StatusCode {
        StatusCode::from(&denied)
    }
}

/// The response that an annotated handler gives, for servers without a framework: status, the limit's headers,
/// `Retry-After` and a problem body (RFC 9457).
impl From<&Denied> for Response<Bytes> {
    fn from(denied: &Denied) -> Response<Bytes> {
        let mut response = Response::new(Bytes::from(body(denied)));
        *response.status_mut() = StatusCode::from(denied);
        let headers = response.headers_mut();
        headers.reserve(FIELDS);
        write_fields(denied, &mut |name, value| insert(headers, name, value));
        response
    }
}

/// The response that an annotated handler gives.
impl From<Denied> for Response<Bytes> {
    fn from(denied: Denied) -> Response<Bytes> {
        Response::from(&denied)
    }
}

/// Puts one of our fields into a header map; it replaces what a handler put there under that name.
pub(super) fn insert(headers: &mut http::HeaderMap, name: &'static str, value: &str) {
    // Our values are printable ASCII.
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(HeaderName::from_static(name), value);
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Limit,
        decision::{Decision, Denied, Layer, LayerOutcome},
    };
    use bytes::Bytes;
    use core::time::Duration;
    use http::{Response, StatusCode};
    use smallvec::SmallVec;

    fn limit(name: &str) -> Limit {
        Limit::builder(name).key("user").rate("100/min").build().unwrap()
    }

    fn response(outcomes: &[(&str, LayerOutcome)]) -> Response<Bytes> {
        let layer = |&(name, outcome): &(&str, LayerOutcome)| Layer {
            limit: limit(name),
            cost: 1,
            outcome,
            place: 0,
            numbers: None,
        };
        let layers: SmallVec<[Layer; 1]> = outcomes.iter().map(layer).collect();
        Denied::from_decision(Decision::new(layers)).unwrap_err().into()
    }

    fn denied(millis: u64) -> LayerOutcome {
        LayerOutcome::Denied { retry_after: Duration::from_millis(millis) }
    }

    fn field<'r>(response: &'r Response<Bytes>, name: &str) -> Option<&'r str> {
        response.headers().get(name).map(|value| value.to_str().unwrap())
    }

    fn problem(response: &Response<Bytes>) -> serde_json::Value {
        let problem: serde_json::Value = serde_json::from_slice(response.body()).unwrap();
        assert_eq!(problem["status"], response.status().as_u16());
        problem
    }

    #[test]
    fn limit_that_is_reached_is_429_with_a_problem() {
        let response = response(&[("search", denied(1_500))]);
        assert_eq!(response.status(), 429);
        assert_eq!(field(&response, "retry-after"), Some("2"));
        assert_eq!(field(&response, "cache-control"), Some("no-store"));
        assert_eq!(field(&response, "content-type"), Some("application/problem+json"));
        assert_eq!(
            problem(&response),
            serde_json::json!({
                "type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
                "title": "Quota exceeded",
                "status": 429,
                "detail": "The limit of 100/min is reached.",
                "violated-policies": ["search"],
                "error": "rate_limited",
                "retry_after_seconds": 2,
            })
        );
    }

    #[test]
    fn every_layer_that_denies_is_a_violated_policy() {
        let response = response(&[("a", denied(500)), ("b", LayerOutcome::Allowed), ("c", denied(59_999))]);
        assert_eq!(problem(&response)["violated-policies"], serde_json::json!(["a", "c"]));
        assert_eq!(field(&response, "retry-after"), Some("60"));
    }

    #[test]
    fn call_above_capacity_is_413_without_a_time_to_retry() {
        let response = response(&[("search", LayerOutcome::ExceedsCapacity)]);
        assert_eq!(response.status(), 413);
        assert_eq!(field(&response, "retry-after"), None);
        assert_eq!(field(&response, "cache-control"), Some("no-store"));
        let problem = problem(&response);
        assert_eq!(problem["error"], "exceeds_capacity");
        assert!(problem.get("retry_after_seconds").is_none());
    }

    #[test]
    fn store_that_does_not_answer_is_503() {
        let response = response(&[("search", LayerOutcome::FailedClosed)]);
        assert_eq!(response.status(), 503);
        assert_eq!(field(&response, "retry-after"), Some("1"));
        let problem = problem(&response);
        assert_eq!(
            problem["type"],
            "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"
        );
        assert_eq!(problem["violated-policies"], serde_json::json!(["search"]));
    }

    #[test]
    fn call_without_a_key_is_403_and_violates_nothing() {
        let denied = Denied::missing_key(limit("search"), "user");
        assert_eq!(StatusCode::from(denied.clone()), 403);
        let response = Response::from(denied);
        assert_eq!(field(&response, "retry-after"), None);
        let problem = problem(&response);
        assert_eq!(problem["error"], "rate_limit_key_missing");
        assert!(problem.get("violated-policies").is_none());
    }
}
