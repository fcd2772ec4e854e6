//! The header fields of a decision.
//!
//! They come in families. *Structured*, as `draft-ietf-httpapi-ratelimit-headers-11` has it: `RateLimit-Policy` and
//! `RateLimit`, one item for each layer. *Triple*: `RateLimit-Limit`, `-Remaining` and `-Reset`, of the one layer that
//! is reported. A layer whose store did not answer has no numbers, and is in none.

use crate::decision::{Decision, Layer, LayerNumbers, LayerOutcome};
use core::{
    fmt::{self, Write as _},
    time::Duration,
};
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
    fn field(&mut self, name: &'static str, value: impl fmt::Display) {
        self.value.clear();
        // Writing to a `String` does not fail.
        let _ = write!(self.value, "{value}");
        (self.put)(name, &self.value);
    }
}

fn structured(decision: &Decision, out: &mut Out<'_>) {
    // An empty list is no field.
    if decision.layers().iter().any(|layer| layer.numbers().is_some()) {
        out.field(POLICY, List { decision, item: policy });
        out.field(STATE, List { decision, item: state });
    }
}

fn triple(decision: &Decision, out: &mut Out<'_>) {
    let Some((layer, numbers)) = decision.tightest().and_then(|layer| Some((layer, layer.numbers()?))) else {
        return;
    };
    out.field(LIMIT, numbers.limit.min(LARGEST));
    out.field(REMAINING, numbers.remaining.min(LARGEST));
    out.field(RESET, effective(layer, numbers));
}

/// A list of RFC 9651, with an item for each layer that has numbers.
struct List<'d> {
    decision: &'d Decision,
    item: fn(&Layer, LayerNumbers, &mut fmt::Formatter<'_>) -> fmt::Result,
}

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for layer in self.decision.layers() {
            if let Some(numbers) = layer.numbers() {
                f.write_str(separator)?;
                separator = ", ";
                (self.item)(layer, numbers, f)?;
            }
        }
        Ok(())
    }
}

/// `"name";q=100;w=60`, with the unit where it is not requests.
fn policy(layer: &Layer, numbers: LayerNumbers, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let rule = layer.limit().rule();
    write!(f, "{};q={}", Quoted(layer.limit().policy()), numbers.limit.min(LARGEST))?;
    match &rule.rate().unit {
        Unit::Requests => {}
        Unit::MicroUsd => write!(f, ";qu={}", Quoted("micro-usd"))?,
        Unit::Named(unit) => write!(f, ";qu={}", Quoted(unit))?,
    }
    match window(rule) {
        Some(window) => write!(f, ";w={}", window.min(LARGEST)),
        None => Ok(()),
    }
}

/// `"name";r=50;t=30`.
fn state(layer: &Layer, numbers: LayerNumbers, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let remaining = numbers.remaining.min(LARGEST);
    write!(f, "{};r={remaining};t={}", Quoted(layer.limit().policy()), effective(layer, numbers))
}

/// A string of RFC 9651, which is one of JSON as well.
///
/// Names and units were checked to be plain words. Should anything else ever get here, it must not end the string, nor
/// cost a response its headers: what a string cannot hold becomes `_`.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for run in self.0.split_inclusive(|c: char| !is_plain(c)) {
            let plain = run.trim_end_matches(|c: char| !is_plain(c));
            f.write_str(plain)?;
            match run.get(plain.len()..).unwrap_or_default() {
                "" => {}
                "\"" => f.write_str("\\\"")?,
                "\\" => f.write_str("\\\\")?,
                _ => f.write_char('_')?,
            }
        }
        f.write_char('"')
    }
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
    use super::{Quoted, retry_seconds, write};
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
        let layer = Layer { limit, cost: 1, outcome: LayerOutcome::FailedOpen, numbers: None };
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
            assert_eq!(Quoted(text).to_string(), quoted);
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
