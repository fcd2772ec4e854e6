//! Layers of one call judged against each other: one that never decides is a mistake.

use super::Rule;
use crate::{Algorithm, Key};
use std::borrow::Cow;

impl Rule {
    /// Whether this rule denies at the latest where `other` does, if it counts at least every unit that `other` counts.
    ///
    /// Then `other` has nothing to say beside it. Only what holds for every timeline is answered with yes.
    pub fn denies_before(&self, other: &Rule) -> bool {
        if self.algorithm != other.algorithm || self.rate.unit != other.rate.unit {
            return false;
        }
        let (period, longer) = (other.rate.period.as_micros(), self.rate.period.as_micros());
        let (count, most) = (self.rate.count, other.rate.count);
        match self.algorithm {
            // Aligned to the epoch: the longer window holds whole shorter ones.
            Algorithm::FixedWindow => count <= most && longer.is_multiple_of(period),
            // What is weighed of the window before differs with its length.
            Algorithm::SlidingWindow => count <= most && longer == period,
            // A slice leaves as a whole, so logs of other slices remember other calls.
            Algorithm::SlidingLog => count <= most && longer >= period && self.precision == other.precision,
            // Both start full; the one that is no larger and refills no faster never holds more.
            Algorithm::TokenBucket | Algorithm::LeakyBucket => {
                let refills = |one: u64, period: u64| u128::from(one) * u128::from(period);
                self.capacity <= other.capacity && refills(count, period) <= refills(most, longer)
            }
            Algorithm::Concurrency => self.capacity <= other.capacity,
        }
    }
}

impl Key {
    /// Whether all calls that `other` counts in one bucket are counted in one bucket of this key too: each of its parts
    /// is one of the other's.
    pub fn covers(&self, other: &Key) -> bool {
        let parts = |key: &Key| match key {
            Key::Global => Vec::new(),
            Key::All(parts) => parts.to_vec(),
            Key::Word(_) | Key::First(_) => vec![key.clone()],
        };
        let theirs = parts(other);
        parts(self).iter().all(|part| theirs.iter().any(|their| same(part, their)))
    }
}

/// Whether two parts stand for one value. The slot of a parameter is its place in its own key.
fn same(one: &Key, other: &Key) -> bool {
    let list = |one: &Cow<'_, [Key]>, other: &Cow<'_, [Key]>| {
        one.len() == other.len() && one.iter().zip(other.iter()).all(|(one, other)| same(one, other))
    };
    match (one, other) {
        (Key::Global, Key::Global) => true,
        (Key::Word(one), Key::Word(other)) => {
            one.text == other.text
                && core::mem::discriminant(&one.source) == core::mem::discriminant(&other.source)
        }
        (Key::All(one), Key::All(other)) | (Key::First(one), Key::First(other)) => list(one, other),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Draft, Key, Rule};

    fn rule(algo: &str, rate: &str, burst: Option<u64>, precision: Option<&str>) -> Rule {
        Draft { algo: Some(algo), rate: Some(rate), burst, precision, ..Draft::default() }.check().unwrap()
    }

    #[test]
    fn rule_that_is_never_reached_is_known_by_its_numbers() {
        for (algo, first, second, denies) in [
            ("fixed_window", "100/min", "200/min", true),
            ("fixed_window", "100/min", "100/min", true),
            ("fixed_window", "100/h", "200/min", true),
            ("fixed_window", "100/min", "200/h", false),
            ("fixed_window", "100/90s", "200/min", false),
            ("fixed_window", "200/min", "100/min", false),
            ("sliding_window", "100/min", "200/min", true),
            ("sliding_window", "100/h", "200/min", false),
            ("sliding_log", "100/90s", "200/min", true),
            ("sliding_log", "100/min", "200/90s", false),
            ("fixed_window", "100 tokens/min", "200/min", false),
        ] {
            let rules = [first, second].map(|rate| rule(algo, rate, None, None));
            assert_eq!(rules[0].denies_before(&rules[1]), denies, "{algo} {first} {second}");
        }
        for (first, burst, second, other_burst, denies) in [
            ("5/s", 20, "300/min", 30, true),
            ("5/s", 20, "10/s", 20, true),
            ("5/s", 40, "300/min", 30, false),
            ("6/s", 20, "300/min", 30, false),
        ] {
            let first = rule("token_bucket", first, Some(burst), None);
            let second = rule("token_bucket", second, Some(other_burst), None);
            assert_eq!(first.denies_before(&second), denies, "{first:?} {second:?}");
        }
        let exact = rule("sliding_log", "10/min", None, None);
        let sliced = rule("sliding_log", "20/min", None, Some("1s"));
        assert!(!exact.denies_before(&sliced) && sliced.denies_before(&sliced));
    }

    #[test]
    fn key_covers_what_has_all_of_its_parts() {
        for (one, other, covers) in [
            ("global", "user", true),
            ("global", "global", true),
            ("user", "global", false),
            ("tenant", "tenant + user", true),
            ("tenant", "user + tenant", true),
            ("tenant + user", "tenant", false),
            ("user | ip", "tenant + (user | ip)", true),
            ("user | ip", "user", false),
            ("user", "user | ip", false),
            ("user", "request.user", false),
        ] {
            let keys = [one, other].map(|text| Key::parse(text, &[]).unwrap());
            assert_eq!(keys[0].covers(&keys[1]), covers, "{one} {other}");
        }
        let parameter = |text| Key::parse(text, &["tenant", "user"]).unwrap();
        assert!(parameter("user").covers(&parameter("tenant + user")));
        assert!(!Key::parse("user", &[]).unwrap().covers(&parameter("tenant + user")));
    }
}
