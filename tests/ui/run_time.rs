//! A limit that is described at run time is told the same sentences as one in an attribute.

use crate::cases;
use ratelimit::{Limit, LimitBuilder};

/// What is wrong only in an attribute: at run time every plain word is a value that the caller hands in, and whether a
/// permit is kept is asked call by call.
const ONLY_THERE: [&str; 6] = [
    "key_empty",
    "key_field_unknown",
    "key_header_without_name",
    "key_pattern_unbound",
    "key_unknown",
    "lease_without_permit",
];

/// What the attribute calls a limit that has no name of its own: at run time a name is required.
const NAME: &str = "limited";

#[test]
fn sentences_are_those_of_the_attribute() {
    let mut compared = Vec::new();
    for case in cases::read() {
        let attributes: Vec<&str> =
            case.source.lines().filter(|line| line.starts_with("#[rate_limit(")).collect();
        let ([attribute], [said]) = (&*attributes, &*case.errors) else { continue };
        let Some(arguments) = arguments(attribute) else { continue };
        if ONLY_THERE.contains(&&*case.name) || said.code.is_some() {
            continue;
        }
        let Some(limit) = described(&arguments) else { continue };
        match limit.build() {
            Ok(_) => {
                // What is wrong with the place that it stands in, or with how it is written.
                let is_of_its_place = [
                    "function",
                    "method",
                    "future",
                    "handler",
                    "return",
                    "layer",
                    "neighbour",
                    "renamed",
                    "argument_no_comma",
                ]
                .iter()
                .any(|topic| case.name.starts_with(topic));
                assert!(is_of_its_place, "{}: nothing wrong at run time, but {said:?}", case.name);
            }
            Err(invalid) => {
                let sentences: Vec<String> = invalid.faults().iter().map(ToString::to_string).collect();
                assert_eq!(sentences, std::slice::from_ref(&said.sentence), "{}", case.name);
                compared.push(case.name);
            }
        }
    }
    assert!(compared.len() >= 40, "only {} were compared: {compared:?}", compared.len());
}

/// `name = "text"` and `name = 5`, of a line that holds nothing else.
fn arguments(attribute: &str) -> Option<Vec<(&str, &str)>> {
    let mut rest = attribute.strip_prefix("#[rate_limit(")?.strip_suffix(")]")?;
    let mut arguments = Vec::new();
    while !rest.is_empty() {
        let (name, value) = rest.split_once(" = ")?;
        let end = match value.strip_prefix('"') {
            Some(text) => text.find('"')? + 2,
            None => value.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(value.len()),
        };
        let (value, behind) = value.split_at(end);
        arguments.push((name, value));
        rest = behind.trim_start_matches([',', ' ']);
        if rest.is_empty() && !behind.is_empty() {
            return None;
        }
    }
    Some(arguments)
}

/// `None` for arguments that are no texts or numbers at run time.
fn described<'a>(arguments: &[(&str, &'a str)]) -> Option<LimitBuilder<'a>> {
    let name =
        arguments.iter().find(|(name, _)| *name == "name").map_or(NAME, |(_, value)| value.trim_matches('"'));
    let mut limit = Limit::builder(name);
    for (name, value) in arguments {
        let text = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        let number = value.replace('_', "").parse().ok();
        limit = match (*name, text, number) {
            ("key", Some(text), _) => limit.key(text),
            ("rate", Some(text), _) => limit.rate(text),
            ("algo", Some(text), _) => limit.algo(text),
            ("precision", Some(text), _) => limit.precision(text),
            ("lease", Some(text), _) => limit.lease(text),
            ("colocate", Some(text), _) => limit.colocate(text),
            ("burst", _, Some(number)) => limit.burst(number),
            ("queue", _, Some(number)) => limit.queue(number),
            ("limit", _, Some(number)) => limit.limit(number),
            ("name", Some(_), _) => limit,
            _ => return None,
        };
    }
    Some(limit)
}
