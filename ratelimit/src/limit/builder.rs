//! Limits that are described at run time.

use super::{Facts, Limit, Name};
use crate::error::InvalidLimit;
use core::time::Duration;
use ratelimit_spec::{Argument, Draft, FailMode, Fault, Key, check_name};

/// A limit that is being described at run time.
///
/// The arguments are those of the attribute, under the same names and with the same rules; a part of the key written as a
/// plain word is a value that the caller hands in with [`Check::part`](crate::Check::part).
#[derive(Clone, Debug)]
#[must_use = "a limit is made by `build`"]
pub struct LimitBuilder<'a> {
    name: &'a str,
    key: Option<&'a str>,
    draft: Draft<'a>,
    wait: Option<Duration>,
    deadline: Option<Duration>,
    fail: Option<FailMode>,
}

impl<'a> LimitBuilder<'a> {
    pub(super) fn new(name: &'a str) -> Self {
        LimitBuilder { name, key: None, draft: Draft::default(), wait: None, deadline: None, fail: None }
    }

    /// Who is counted, in the key language: `"tenant + (user | ip)"`.
    pub fn key(mut self, key: &'a str) -> Self {
        self.key = Some(key);
        self
    }

    /// Count per period: `"100/min"`.
    pub fn rate(mut self, rate: &'a str) -> Self {
        self.draft.rate = Some(rate);
        self
    }

    /// The algorithm by name: `"token_bucket"`.
    pub fn algo(mut self, algo: &'a str) -> Self {
        self.draft.algo = Some(algo);
        self
    }

    /// Capacity of a token bucket, in units.
    pub fn burst(mut self, burst: u64) -> Self {
        self.draft.burst = Some(burst);
        self
    }

    /// Places in a leaky bucket.
    pub fn queue(mut self, queue: u64) -> Self {
        self.draft.queue = Some(queue);
        self
    }

    /// Slice of a sliding log: `"1s"`.
    pub fn precision(mut self, precision: &'a str) -> Self {
        self.draft.precision = Some(precision);
        self
    }

    /// How long a call waits for admission instead of a denial.
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = Some(wait);
        self
    }

    /// How long a call waits for the store.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// What happens when the store cannot answer.
    pub fn fail(mut self, mode: FailMode) -> Self {
        self.fail = Some(mode);
        self
    }

    /// Judges the arguments.
    ///
    /// # Errors
    ///
    /// Every fault at once, in the sentences that the attribute uses.
    pub fn build(self) -> Result<Limit, InvalidLimit> {
        let mut faults = Vec::new();
        if let Err(fault) = check_name(self.name) {
            faults.push(fault);
        }
        let rule = self.draft.check().map_err(|found| faults.extend(found)).ok();
        let key = match self.key {
            Some(key) => read_key(key).map_err(|fault| faults.push(fault)).ok(),
            None => {
                faults.push(Fault::new(
                    Argument::Key,
                    "missing, write who is counted, for example `key = \"user\"`",
                ));
                None
            }
        };
        match (rule, key) {
            (Some(rule), Some(key)) if faults.is_empty() => {
                let mut facts = Facts::new(Name::Built(self.name.into()), key, rule);
                facts.wait = self.wait;
                facts.deadline = self.deadline;
                facts.fail = self.fail;
                Ok(Limit::built(facts))
            }
            _ => Err(InvalidLimit::new(self.name, faults)),
        }
    }
}

/// At run time there is no signature to look a word up in: every plain word of the key is a value that the caller
/// hands in.
fn read_key(text: &str) -> Result<Key, Fault> {
    let words: Vec<&str> = text
        .split(|c: char| matches!(c, '+' | '|' | '(' | ')') || c.is_whitespace())
        .filter(|word| !word.contains(':'))
        .map(|word| word.split('.').next().unwrap_or(word))
        .filter(|word| !matches!(*word, "" | "global" | "request"))
        .filter(|word| word.chars().all(|c| c.is_alphanumeric() || c == '_'))
        .collect();
    Key::parse(text, &words)
}
