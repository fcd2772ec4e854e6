//! Limits that are described at run time.

use super::{Facts, Limit, Name, PlanRule, Ruled, Unused};
use crate::error::InvalidLimit;
use core::time::Duration;
use ratelimit_spec::{Argument, Draft, FailMode, Fault, Key, Rule, Scope, check_name};
use std::{borrow::Cow, sync::OnceLock};

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
    /// Plans with a rate of their own; `None` has no limit.
    plans: Vec<(&'a str, Option<&'a str>)>,
    wait: Option<Duration>,
    deadline: Option<Duration>,
    fail: Option<FailMode>,
    scope: Scope,
    colocate: Option<&'a str>,
    on_cancel: Unused,
}

impl<'a> LimitBuilder<'a> {
    pub(super) fn new(name: &'a str) -> Self {
        LimitBuilder {
            name,
            key: None,
            // Whether it is kept is asked call by call: `Limiter::acquire`.
            draft: Draft { keeps_permits: true, ..Draft::default() },
            plans: Vec::new(),
            wait: None,
            deadline: None,
            fail: None,
            scope: Scope::Cluster,
            colocate: None,
            on_cancel: Unused::Keep,
        }
    }

    /// Who is counted, in the key language: `"tenant + (user | ip)"`.
    pub fn key(mut self, key: &'a str) -> Self {
        self.key = Some(key);
        self
    }

    /// Count per period: `"100/min"`. With [`plan`](LimitBuilder::plan)s, what goes for all others.
    pub fn rate(mut self, rate: &'a str) -> Self {
        self.draft.rate = Some(rate);
        self
    }

    /// The rate of those who have that plan.
    ///
    /// ```
    /// use ratelimit::Limit;
    ///
    /// let limit = Limit::builder("api")
    ///     .key("tenant")
    ///     .rate("60/min")
    ///     .plan("pro", "10k/min")
    ///     .unlimited("enterprise")
    ///     .build()?;
    /// # let _ = limit;
    /// # Ok::<(), ratelimit::InvalidLimit>(())
    /// ```
    pub fn plan(mut self, name: &'a str, rate: &'a str) -> Self {
        self.plans.push((name, Some(rate)));
        self
    }

    /// Those who have that plan are not limited.
    pub fn unlimited(mut self, name: &'a str) -> Self {
        self.plans.push((name, None));
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

    /// Calls in flight at once, with `concurrency`.
    pub fn limit(mut self, limit: u64) -> Self {
        self.draft.limit = Some(limit);
        self
    }

    /// How long the store keeps a permit whose holder is silent: `"30s"`.
    pub fn lease(mut self, lease: &'a str) -> Self {
        self.draft.lease = Some(lease);
        self
    }

    /// What becomes of the cost of a permit that is dropped without being settled; it stays charged by default.
    pub fn on_cancel(mut self, unused: Unused) -> Self {
        self.on_cancel = unused;
        self
    }

    /// Where it counts; for all instances together by default.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// The part of the key whose value chooses the slot of a Redis Cluster; limits that name the same part are decided in
    /// one round trip there.
    pub fn colocate(mut self, part: &'a str) -> Self {
        self.colocate = Some(part);
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
        let draft = self.draft();
        let otherwise = draft.check().map_err(|found| faults.extend(found)).ok();
        let plans = self.plans(&draft, otherwise.as_ref(), &mut faults);
        let key = match self.key {
            Some(key) => read_key(key).map_err(|fault| faults.push(fault)).ok(),
            None => {
                faults.push(Key::missing());
                None
            }
        };
        if let (Some(key), Some(word)) = (&key, self.colocate) {
            faults.extend(key.check_colocate(word).err());
        }
        match (otherwise, key) {
            (Some(rule), Some(key)) if faults.is_empty() => {
                let mut facts = Facts::new(Name::Built(self.name.into()), key, rule);
                facts.plans = Cow::Owned(plans);
                facts.wait = self.wait;
                facts.deadline = self.deadline;
                facts.fail = self.fail;
                facts.scope = self.scope;
                facts.colocate = self.colocate.map(|word| Cow::Owned(word.to_owned()));
                facts.on_cancel = self.on_cancel;
                if let Ok(lease) = draft.lease() {
                    facts.lease = lease.as_duration();
                }
                Ok(Limit::built(facts))
            }
            _ => Err(InvalidLimit::new(self.name, faults)),
        }
    }

    fn draft(&self) -> Draft<'a> {
        let given: &[Argument] = if self.wait.is_some() { &[Argument::Wait] } else { &[] };
        Draft { given, ..self.draft }
    }

    fn plans(&self, draft: &Draft<'_>, otherwise: Option<&Rule>, faults: &mut Vec<Fault>) -> Vec<PlanRule> {
        let mut plans = Vec::new();
        for (at, (name, rate)) in self.plans.iter().enumerate() {
            if self.plans.iter().take(at).any(|(before, _)| before == name) {
                faults.push(Fault::new(
                    Argument::Rate,
                    format!("the plan `{}` has two rates, remove one of them", name.escape_debug()),
                ));
            }
            let ruled = match rate.map(|rate| Draft { rate: Some(rate), ..*draft }.check()) {
                None => None,
                Some(Ok(rule)) => {
                    faults.extend(otherwise.and_then(|otherwise| rule.differs_in_unit(otherwise)));
                    Some(Ruled { rule, texts: OnceLock::new() })
                }
                Some(Err(found)) => {
                    // What is wrong with the limit as a whole has been told.
                    faults.extend(found.into_iter().filter(|fault| fault.argument() == Argument::Rate));
                    continue;
                }
            };
            plans.push(PlanRule { name: Cow::Owned((*name).to_owned()), ruled });
        }
        plans
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
