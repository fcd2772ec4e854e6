//! The header fields of a decision.
//!
//! They come in families. *Structured*, as `draft-ietf-httpapi-ratelimit-headers-11` has it: `RateLimit-Policy` and
//! `RateLimit`, one item for each layer. *Triple*: `RateLimit-Limit`, `-Remaining` and `-Reset`, of the one layer that
//! is reported. A layer whose store did not answer has no numbers, and is in none.

use crate::decision::{Decision, Layer, LayerNumbers, LayerOutcome};
use core::time::Duration;
use ratelimit_spec::{Algorithm, Rule, Unit};

const POLICY: &str = "ratelimit-policy";
const STATE: &str = "ratelimit";
const LIMIT: &str = "ratelimit-limit";
const REMAINING: &str = "ratelimit-remaining";
const RESET: &str = "ratelimit-reset";

/// The most fields that a decision writes.
pub(super) const FIELDS: usize = 5;

/// The largest integer of a structured field (RFC 9651).
const LARGEST: u64 = 999_999_999_999_999;

/// Takes one field: a name in lower case, and a value of printable ASCII. Each name comes once.
///
/// The frameworks are on two versions of `http`, so there is no one map to write into.
pub(super) type Put<'p> = &'p mut dyn FnMut(&'static str, &str);

/// Writes the fields of a decision, allowed or denied.
pub(super) fn write(decision: &Decision, put: Put<'_>) {
    let mut out = Out { value: String::with_capacity(64), put };
    structured(decision, &mut out);
    triple(decision, &mut out);
}

/// Every value is written into one buffer, of which the header map makes a copy that fits.
struct Out<'p> {
    value: String,
    put: Put<'p>,
}

impl Out<'_> {
    fn field(&mut self, name: &'static str, value: impl FnOnce(&mut String)) {
        self.value.clear();
        value(&mut self.value);
        (self.put)(name, &self.value);
    }

    /// A list of RFC 9651, with an item for each layer that has numbers.
    fn list(&mut self, name: &'static str, decision: &Decision, item: fn(&mut String, &Layer, LayerNumbers)) {
        self.field(name, |value| {
            for layer in decision.layers() {
                if let Some(numbers) = layer.numbers() {
                    value.push_str(if value.is_empty() { "" } else { ", " });
                    item(value, layer, numbers);
                }
            }
        });
    }
}

fn structured(decision: &Decision, out: &mut Out<'_>) {
    // An empty list is no field.
    if decision.layers().iter().any(|layer| layer.numbers().is_some()) {
        out.list(POLICY, decision, policy);
        out.list(STATE, decision, state);
    }
}

fn triple(decision: &Decision, out: &mut Out<'_>) {
    let Some((layer, numbers)) = decision.tightest().and_then(|layer| Some((layer, layer.numbers()?))) else {
        return;
    };
    out.field(LIMIT, |value| push_integer(value, numbers.limit));
    out.field(REMAINING, |value| push_integer(value, numbers.remaining));
    out.field(RESET, |value| push_integer(value, effective(layer, numbers)));
}

/// `"name";q=100;w=60`, with the unit where it is not requests.
fn policy(out: &mut String, layer: &Layer, numbers: LayerNumbers) {
    let rule = layer.limit().rule();
    push_string(out, layer.limit().policy());
    out.push_str(";q=");
    push_integer(out, numbers.limit);
    let unit = match &rule.rate().unit {
        Unit::Requests => None,
        Unit::MicroUsd => Some("micro-usd"),
        Unit::Named(unit) => Some(&**unit),
    };
    if let Some(unit) = unit {
        out.push_str(";qu=");
        push_string(out, unit);
    }
    if let Some(window) = window(rule) {
        out.push_str(";w=");
        push_integer(out, window);
    }
}

/// `"name";r=50;t=30`.
fn state(out: &mut String, layer: &Layer, numbers: LayerNumbers) {
    push_string(out, layer.limit().policy());
    out.push_str(";r=");
    push_integer(out, numbers.remaining);
    // Nobody knows when a call in flight ends.
    let has_end = layer.limit().rule().algorithm() != Algorithm::Concurrency;
    if has_end || matches!(layer.outcome(), LayerOutcome::Denied { .. }) {
        out.push_str(";t=");
        push_integer(out, effective(layer, numbers));
    }
}

/// Writes an integer of RFC 9651: a larger one than it knows is the largest.
pub(super) fn push_integer(out: &mut String, integer: u64) {
    out.push_str(itoa::Buffer::new().format(integer.min(LARGEST)));
}

/// Writes a string of RFC 9651, which is one of JSON as well.
///
/// Names and units were checked to be plain words. Should anything else ever get here, it must not end the string, nor
/// cost a response its headers: what a string cannot hold becomes `_`.
pub(super) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    if text.chars().all(is_plain) {
        out.push_str(text);
    } else {
        for c in text.chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                c if is_plain(c) => out.push(c),
                _ => out.push('_'),
            }
        }
    }
    out.push('"');
}

fn is_plain(c: char) -> bool {
    matches!(c, ' '..='~') && c != '"' && c != '\\'
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
        Algorithm::Concurrency => return None,
    };
    micros.is_multiple_of(SECOND).then(|| u64::try_from(micros / SECOND).ok())?
}

/// Seconds in which no more than the remaining units can be used: on a denial, what `Retry-After` says.
fn effective(layer: &Layer, numbers: LayerNumbers) -> u64 {
    match layer.outcome() {
        LayerOutcome::Denied { retry_after } => retry_seconds(retry_after),
        _ => seconds(numbers.reset_after),
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
    use super::{push_string, retry_seconds, write};
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
        Layer { limit, cost: 1, outcome, place: 0, numbers: Some(numbers) }
    }

    fn shown(decision: &Decision) -> String {
        let mut shown = String::new();
        write(decision, &mut |name, value| shown += &format!("{name}: {value}\n"));
        shown
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
        let layer = Layer { limit, cost: 1, outcome: LayerOutcome::FailedOpen, place: 0, numbers: None };
        assert_eq!(shown(&Decision::new(smallvec![layer])), "");
    }

    #[test]
    fn numbers_are_no_larger_than_a_field_can_say() {
        let limit = Limit::builder("a").key("user").rate("9_007_199_254_740_992/us").build().unwrap();
        let decision = Decision::new(smallvec![layer(limit, LayerOutcome::Allowed, u64::MAX, 0)]);
        assert_eq!(
            shown(&decision),
            "ratelimit-policy: \"a\";q=999999999999999\nratelimit: \"a\";r=999999999999999;t=0\n\
             ratelimit-limit: 999999999999999\nratelimit-remaining: 999999999999999\nratelimit-reset: 0\n"
        );
    }

    #[test]
    fn string_ends_where_it_should() {
        for (text, quoted) in [
            ("", r#""""#),
            ("tenant.user-60s", r#""tenant.user-60s""#),
            (r#"a";q=0"#, r#""a\";q=0""#),
            (r"a\", r#""a\\""#),
            ("a\r\nb: c\u{7f}ß", r#""a__b: c__""#),
        ] {
            let mut out = String::new();
            push_string(&mut out, text);
            assert_eq!(out, quoted);
        }
    }

    #[test]
    fn retry_is_rounded_up_and_never_zero() {
        for (millis, seconds) in [(0, 1), (1, 1), (200, 1), (1_000, 1), (1_001, 2), (59_999, 60)] {
            assert_eq!(retry_seconds(Duration::from_millis(millis)), seconds, "{millis} ms");
        }
        assert_eq!(retry_seconds(Duration::MAX), 999_999_999_999_999);
    }
}
