//! Leading a subject along a timeline.

use super::{Call, Expected, Kind, Numbered, Timeline};
use crate::RATED;
use crate::{
    Memory, Redis,
    model::{Judged, Model, Said},
};
use ratelimit::store::{Charge, Verdict};
use ratelimit_spec::{Algorithm, Numbers};
use std::collections::HashMap;

/// The start of a day, and of a window of every length that a timeline has.
const START: u64 = 1_577_836_800_000_000;

/// What decides: the model or a store.
#[allow(async_fn_in_trait, reason = "one task leads it")]
pub trait Subject {
    /// What it says of these charges at each of these times, one after the other.
    async fn decide_all(&mut self, times: &[u64], charges: &[Charge<'_>]) -> Vec<Vec<Said>>;
}

impl Subject for Model {
    async fn decide_all(&mut self, times: &[u64], charges: &[Charge<'_>]) -> Vec<Vec<Said>> {
        let mut all: Vec<Vec<Said>> = Vec::new();
        let mut before = 0;
        for now in times {
            // Where nothing was taken, everything is nearer by the time that has passed.
            let guesses = all.last().into_iter().flatten().zip(charges);
            let guesses: Vec<Said> = guesses
                .map(|(said, charge)| said.after(i128::from((now - before) / charge.numbers.tick)))
                .collect();
            all.push(self.decide(*now, charges, &guesses));
            before = *now;
        }
        all
    }
}

impl Subject for Memory {
    async fn decide_all(&mut self, times: &[u64], charges: &[Charge<'_>]) -> Vec<Vec<Said>> {
        let mut all = Vec::new();
        for now in times {
            all.push(said(&self.decide(*now, charges).await, charges));
        }
        all
    }
}

impl Subject for Redis {
    async fn decide_all(&mut self, times: &[u64], charges: &[Charge<'_>]) -> Vec<Vec<Said>> {
        let answers = Redis::decide_all(self, times, charges).await;
        for charge in charges {
            self.ttl(charge.key).await;
        }
        answers.iter().map(|verdicts| said(verdicts, charges)).collect()
    }
}

fn said(verdicts: &[Verdict], charges: &[Charge<'_>]) -> Vec<Said> {
    verdicts.iter().zip(charges).map(|(verdict, charge)| Said::of(verdict, &charge.numbers)).collect()
}

impl Timeline {
    /// The algorithms that it is written for.
    pub fn algorithms(&self) -> &'static [Algorithm] {
        let is_for_any = |kind: &Kind| matches!(kind, Kind::Limit { limit, .. } if limit.algorithm.is_none());
        if self.steps.iter().any(|step| is_for_any(&step.kind)) { RATED } else { &[Algorithm::TokenBucket] }
    }

    /// Leads a subject along it, under one algorithm where it is written for any.
    ///
    /// # Panics
    ///
    /// If something else comes out.
    pub async fn run(&self, who: &str, any: Algorithm, subject: &mut impl Subject) {
        let mut numbers: HashMap<&str, Numbers> = HashMap::new();
        for step in &self.steps {
            let here = format!("{who} along {}:{} ({any})", self.name, step.line);
            match &step.kind {
                Kind::Limit { name, limit } => {
                    numbers.insert(name, limit.numbers(any));
                }
                Kind::Call(call) => call.run(&here, any, &numbers, subject).await,
            }
        }
    }
}

impl Call {
    #[allow(clippy::expect_used, clippy::indexing_slicing, reason = "a test kit fails loudly")]
    async fn run(
        &self,
        here: &str,
        any: Algorithm,
        numbers: &HashMap<&str, Numbers>,
        subject: &mut impl Subject,
    ) {
        let keys: Vec<String> = self.charges.iter().map(|(name, _)| format!("{name}:{any}")).collect();
        let charges: Vec<Charge<'_>> = self
            .charges
            .iter()
            .zip(&keys)
            .map(|((name, cost), key)| Charge {
                numbers: numbers[&**name],
                key: key.as_bytes(),
                cost: *cost,
                max_delay: None,
                hold: None,
            })
            .collect();
        let nth = |n: u64| self.at + self.every * i64::try_from(n).expect("a number of calls");
        let time = |n: u64| START.checked_add_signed(nth(n)).expect("a time since the epoch");
        let times: Vec<u64> = (0..self.times).map(time).collect();
        let answers = subject.decide_all(&times, &charges).await;
        match &self.expected {
            Expected::Admits(range) => {
                let allowed = |said: &Said| matches!(said.outcome, Judged::Allowed { .. });
                let admitted = answers.iter().filter(|said| said.iter().all(allowed)).count() as u64;
                assert!(range.contains(&admitted), "{here}: admits {admitted}");
            }
            Expected::Each(expected) => {
                for said in answers {
                    assert_eq!(said.len(), expected.len(), "{here}: {said:?}");
                    for ((said, expected), charge) in said.iter().zip(expected).zip(&charges) {
                        expected.check(here, said, &charge.numbers);
                    }
                }
            }
        }
    }
}

impl Numbered {
    fn check(&self, here: &str, said: &Said, numbers: &Numbers) {
        let micros = |ticks: i128| ticks * i128::from(numbers.tick);
        let outcome = match said.outcome {
            Judged::Allowed { .. } => "allowed",
            Judged::Denied { .. } => "denied",
            Judged::Exceeds => "exceeds",
        };
        let is = outcome == self.outcome
            && self.remaining.is_none_or(|remaining| remaining == said.remaining)
            && self.reset.is_none_or(|reset| i128::from(reset) == micros(said.reset))
            && self.wait.is_none_or(|wait| said.outcome.wait().map(micros) == Some(i128::from(wait)));
        assert!(is, "{here}: {said:?} in ticks of {} us", numbers.tick);
    }
}
