//! The header fields of a decision.
//!
//! *Structured*, as `draft-ietf-httpapi-ratelimit-headers-11` has them: `RateLimit-Policy` and `RateLimit`, one item for
//! each layer. *Triple*: `RateLimit-Limit`, `-Remaining` and `-Reset`, of the one layer that is reported. A layer whose
//! store did not answer has no numbers, and is in none.

use crate::decision::{Decision, Layer, LayerNumbers, LayerOutcome};
use core::{fmt::Write as _, time::Duration};
use ratelimit_spec::{Algorithm, Rule, Unit};
use smallvec::SmallVec;

pub(super) const POLICY: &str = "ratelimit-policy";
pub(super) const STATE: &str = "ratelimit";
pub(super) const LIMIT: &str = "ratelimit-limit";
pub(super) const REMAINING: &str = "ratelimit-remaining";
pub(super) const RESET: &str = "ratelimit-reset";

/// Header fields: a name in lower case, and a value of visible ASCII.
pub(super) type Fields = SmallVec<[(&'static str, String); 8]>;

/// The largest integer of a structured field (RFC 9651).
const LARGEST: u64 = 999_999_999_999_999;

/// The fields of a decision, allowed or denied.
pub(super) fn fields(decision: &Decision) -> Fields {
    let mut fields = Fields::new();
    let (mut policies, mut states) = (String::new(), String::new());
    for (layer, numbers) in decision.layers().iter().filter_map(|layer| Some((layer, layer.numbers()?))) {
        if !policies.is_empty() {
            policies.push_str(", ");
            states.push_str(", ");
        }
        write_policy(&mut policies, layer, numbers);
        // Writing to a `String` does not fail.
        let _ = write!(
            states,
            "\"{}\";r={};t={}",
            layer.limit().policy(),
            numbers.remaining.min(LARGEST),
            effective(layer, numbers)
        );
    }
    if policies.is_empty() {
        return fields;
    }
    fields.push((POLICY, policies));
    fields.push((STATE, states));
    if let Some((layer, numbers)) = decision.tightest().and_then(|layer| Some((layer, layer.numbers()?))) {
        fields.push((LIMIT, numbers.limit.to_string()));
        fields.push((REMAINING, numbers.remaining.to_string()));
        fields.push((RESET, effective(layer, numbers).to_string()));
    }
    fields
}

/// `"name";q=100;w=60`, with the unit where it is not requests.
fn write_policy(out: &mut String, layer: &Layer, numbers: LayerNumbers) {
    let rule = layer.limit().rule();
    let _ = write!(out, "\"{}\";q={}", layer.limit().policy(), numbers.limit.min(LARGEST));
    match &rule.rate().unit {
        Unit::Requests => {}
        Unit::MicroUsd => out.push_str(";qu=\"micro-usd\""),
        Unit::Named(unit) => {
            let _ = write!(out, ";qu=\"{unit}\"");
        }
    }
    if let Some(window) = window(rule) {
        let _ = write!(out, ";w={}", window.min(LARGEST));
    }
}

/// The window in seconds, where it is whole: the period, or the time in which a bucket fills or drains.
fn window(rule: &Rule) -> Option<u64> {
    const SECOND: u128 = 1_000_000;
    let period = u128::from(rule.rate().period.as_micros());
    let micros = match rule.algorithm() {
        Algorithm::FixedWindow | Algorithm::SlidingLog | Algorithm::SlidingWindow => period,
        Algorithm::TokenBucket | Algorithm::LeakyBucket => {
            let whole = u128::from(rule.capacity()) * period;
            let count = u128::from(rule.rate().count.max(1));
            whole.is_multiple_of(count).then_some(whole / count)?
        }
    };
    micros.is_multiple_of(SECOND).then(|| u64::try_from(micros / SECOND).ok())?
}

/// Seconds in which no more than the remaining units can be used: on a denial, what `Retry-After` says.
fn effective(layer: &Layer, numbers: LayerNumbers) -> u64 {
    match layer.outcome() {
        LayerOutcome::Denied { retry_after } => retry_seconds(retry_after),
        _ => seconds(numbers.reset_after).min(LARGEST),
    }
}

/// Whole seconds, rounded up: who waits that long does not come too early.
fn seconds(duration: Duration) -> u64 {
    duration.as_secs().saturating_add(u64::from(duration.subsec_nanos() > 0))
}

/// The value of `Retry-After`: whole seconds, rounded up, at least one.
pub(super) fn retry_seconds(wait: Duration) -> u64 {
    seconds(wait).clamp(1, LARGEST)
}

#[cfg(test)]
mod tests {
    use super::{fields, retry_seconds};
    use crate::{
        Limit,
        decision::{Decision, Layer, LayerNumbers, LayerOutcome},
    };
    use core::time::Duration;
    use smallvec::smallvec;

    fn layer(limit: Limit, outcome: LayerOutcome, remaining: u64, reset: u64) -> Layer {
        let numbers = LayerNumbers {
            limit: limit.rule().capacity(),
            remaining,
            reset_after: Duration::from_millis(reset),
        };
        Layer { limit, cost: 1, outcome, numbers: Some(numbers) }
    }

    fn shown(decision: &Decision) -> String {
        fields(decision).iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
    }

    #[test]
    fn every_layer_is_listed_and_the_tightest_reported() {
        let user = Limit::builder("user")
            .key("user")
            .rate("100/min")
            .algo("token_bucket")
            .burst(20)
            .build()
            .unwrap();
        let spend = Limit::builder("spend").key("tenant").rate("$20/day").build().unwrap();
        let fast = Limit::builder("fast").key("user").rate("5 tokens/100ms").build().unwrap();
        let decision = Decision::new(smallvec![
            layer(user, LayerOutcome::Allowed, 19, 600),
            layer(spend, LayerOutcome::Allowed, 20_000_000, 86_400_000),
            layer(fast, LayerOutcome::Allowed, 4, 100),
        ]);
        assert_eq!(
            shown(&decision),
            "ratelimit-policy: \"user\";q=20;w=12, \"spend\";q=20000000;qu=\"micro-usd\";w=86400, \
             \"fast\";q=5;qu=\"tokens\"\n\
             ratelimit: \"user\";r=19;t=1, \"spend\";r=20000000;t=86400, \"fast\";r=4;t=1\n\
             ratelimit-limit: 5\nratelimit-remaining: 4\nratelimit-reset: 1\n"
        );
    }

    #[test]
    fn denied_reset_is_the_retry_time_of_the_reported_layer() {
        let limit = |name| Limit::builder(name).key("user").rate("100/min").build().unwrap();
        let denied = |millis| LayerOutcome::Denied { retry_after: Duration::from_millis(millis) };
        let decision = Decision::new(smallvec![
            layer(limit("a"), denied(1_001), 0, 60_000),
            layer(limit("b"), denied(500), 0, 60_000),
        ]);
        let shown = shown(&decision);
        assert!(shown.contains("ratelimit: \"a\";r=0;t=2, \"b\";r=0;t=1\n"), "{shown}");
        assert!(
            shown.ends_with("ratelimit-limit: 100\nratelimit-remaining: 0\nratelimit-reset: 2\n"),
            "{shown}"
        );
    }

    #[test]
    fn decision_without_numbers_has_no_fields() {
        let limit = Limit::builder("a").key("user").rate("100/min").build().unwrap();
        let layer = Layer { limit, cost: 1, outcome: LayerOutcome::FailedOpen, numbers: None };
        assert_eq!(shown(&Decision::new(smallvec![layer])), "");
    }

    #[test]
    fn retry_is_rounded_up_and_never_zero() {
        for (millis, seconds) in [(0, 1), (1, 1), (200, 1), (1_000, 1), (1_001, 2), (59_999, 60)] {
            assert_eq!(retry_seconds(Duration::from_millis(millis)), seconds, "{millis} ms");
        }
        assert_eq!(retry_seconds(Duration::MAX), 999_999_999_999_999);
    }
}
