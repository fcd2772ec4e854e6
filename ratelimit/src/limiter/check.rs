//! Deciding a call, from its values to a permit or a denial.
//!
//! 1. Every layer's key is built, by the one function that does.
//! 2. All layers are charged together: in memory, or in the store behind its deadline.
//! 3. What the store could not decide is decided by each layer's fail mode.
//! 4. A denial may be waited out, if its limit says for how long; a place in a leaky bucket always is.

use super::{Backend, Call, call::CallLayer, queue::Queued};
use crate::{
    decision::{Decision, Denied, Layer, LayerNumbers, LayerOutcome, Permit, RETRY_CLOSED},
    key::{self, KeyBuf, Missing},
    resilience::Guarded,
    store::{Charge, Outcome, Verdict, Verdicts},
};
use core::time::Duration;
use ratelimit_spec::{Algorithm, FailMode};
use smallvec::SmallVec;

type Keys = SmallVec<[KeyBuf; 1]>;
type Charges<'a> = SmallVec<[Charge<'a>; 2]>;

/// Decides in memory without awaiting; `None`, with nothing taken, where the call has to be awaited.
pub(super) fn at_once(call: &Call) -> Option<Result<Permit, Denied>> {
    let Backend::Memory(memory) = &call.limiter.0.backend else { return None };
    if call.layers.iter().any(may_wait) {
        return None;
    }
    let keys = match keys(call) {
        Ok(keys) => keys,
        Err(denied) => return Some(Err(denied)),
    };
    let verdicts = memory.decide_now(&charges(call, &keys));
    Some(conclude(decision(call, &verdicts)))
}

/// Decides a call, waiting for the store or for its turn where it has to.
pub(super) async fn decide(call: Call) -> Result<Permit, Denied> {
    let keys = keys(&call)?;
    let charges = charges(&call, &keys);
    let clock = &call.limiter.0.clock;
    let asked_at = clock.now_micros();
    loop {
        let asked = ask(&call, &charges).await;
        match conclude(asked.decision) {
            Ok(permit) => {
                if let Some(queued) = asked.queued {
                    queued.turn(clock).await;
                }
                return Ok(permit);
            }
            Err(denied) => {
                let waited = Duration::from_micros(clock.now_micros().saturating_sub(asked_at));
                match patience(&call, &denied, waited) {
                    Some(wait) => clock.sleep(wait).await,
                    None => return Err(denied),
                }
            }
        }
    }
}

/// A decision, and the turn that an admitted call has to wait for.
struct Asked {
    decision: Decision,
    queued: Option<Queued>,
}

/// Charges all layers together, and meets a store that does not answer by each layer's fail mode.
async fn ask(call: &Call, charges: &[Charge<'_>]) -> Asked {
    let limiter = &call.limiter;
    let answered = |verdicts: Verdicts| Asked {
        decision: decision(call, &verdicts),
        queued: Queued::new(limiter, charges, &verdicts, None),
    };
    match &limiter.0.backend {
        Backend::Memory(memory) => answered(memory.decide_now(charges)),
        Backend::Guarded(guarded) => {
            let deadlines = call.layers.iter().map(|layer| layer.limit.facts().deadline);
            match guarded.decide(charges, deadlines).await {
                Ok(verdicts) => answered(verdicts),
                Err(_failure) => without_store(call, charges, guarded),
            }
        }
    }
}

/// Each layer's fail mode: `closed` refuses the call, else the `local` layers decide together, and `open` ones pass.
fn without_store(call: &Call, charges: &[Charge<'_>], guarded: &Guarded) -> Asked {
    let limiter = &call.limiter;
    let mode = |layer: &CallLayer| layer.limit.facts().fail.unwrap_or(limiter.0.fail);
    if call.layers.iter().any(|layer| mode(layer) == FailMode::Closed) {
        let layers = call.layers.iter().map(|layer| match mode(layer) {
            FailMode::Closed => without_numbers(layer, LayerOutcome::FailedClosed),
            FailMode::Open | FailMode::Local => without_numbers(layer, LayerOutcome::NotAsked),
        });
        return Asked { decision: Decision::new(layers.collect()), queued: None };
    }

    let (memory, share) = guarded.local();
    let local: Charges<'_> = charges
        .iter()
        .zip(&call.layers)
        .filter(|(_, layer)| mode(layer) == FailMode::Local)
        .map(|(charge, _)| Charge { numbers: share.of(charge.numbers), ..*charge })
        .collect();
    let verdicts = memory.decide_now(&local);
    let mut decided = verdicts.iter();
    let layers = call.layers.iter().map(|layer| match mode(layer) {
        FailMode::Local => match decided.next() {
            Some(verdict) => locally_decided(layer, verdict),
            None => without_numbers(layer, LayerOutcome::FailedClosed),
        },
        FailMode::Open | FailMode::Closed => without_numbers(layer, LayerOutcome::FailedOpen),
    });
    let decision = Decision::new(layers.collect());
    let queued = Queued::new(limiter, &local, &verdicts, Some(memory));
    Asked { decision, queued }
}

/// How much longer a denied call is ready to wait for its next attempt.
fn patience(call: &Call, denied: &Denied, waited: Duration) -> Option<Duration> {
    let retry_after = denied.retry_after()?;
    let denying = denied.decision().layers().iter().zip(&call.layers).filter_map(|(decided, layer)| {
        matches!(decided.outcome, LayerOutcome::Denied { .. }).then_some(layer)
    });
    let mut ready_to_wait = Duration::MAX;
    for layer in denying {
        // A leaky bucket has its own queue: who does not get a place in it would not get a better one by waiting.
        if layer.limit.rule().algorithm() == Algorithm::LeakyBucket {
            return None;
        }
        ready_to_wait = ready_to_wait.min(layer.limit.facts().wait?);
    }
    (ready_to_wait < Duration::MAX && waited + retry_after <= ready_to_wait).then_some(retry_after)
}

fn may_wait(layer: &CallLayer) -> bool {
    layer.limit.facts().wait.is_some() || layer.limit.rule().algorithm() == Algorithm::LeakyBucket
}

fn keys(call: &Call) -> Result<Keys, Denied> {
    let mut keys = Keys::new();
    for layer in &call.layers {
        let mut key = KeyBuf::new();
        key::write(&mut key, &call.limiter.0.prefix, layer.limit.facts(), &layer.values, call.client)
            .map_err(|Missing(word)| Denied::missing_key(layer.limit.clone(), &word.text))?;
        keys.push(key);
    }
    Ok(keys)
}

fn charges<'a>(call: &Call, keys: &'a Keys) -> Charges<'a> {
    let charge = |(layer, key): (&CallLayer, &'a KeyBuf)| {
        let facts = layer.limit.facts();
        Charge { numbers: facts.rule.numbers(), key, cost: layer.cost, max_delay: facts.wait, hold: None }
    };
    call.layers.iter().zip(keys).map(charge).collect()
}

fn decision(call: &Call, verdicts: &[Verdict]) -> Decision {
    Decision::new(call.layers.iter().zip(verdicts).map(|(layer, verdict)| decided(layer, verdict)).collect())
}

fn decided(layer: &CallLayer, verdict: &Verdict) -> Layer {
    let outcome = match verdict.outcome {
        Outcome::Allowed { .. } => LayerOutcome::Allowed,
        Outcome::Denied { retry_after } => LayerOutcome::Denied { retry_after },
        Outcome::Exceeds => LayerOutcome::ExceedsCapacity,
    };
    let numbers = LayerNumbers {
        limit: layer.limit.rule().capacity(),
        remaining: verdict.remaining,
        reset_after: verdict.reset_after,
    };
    Layer { limit: layer.limit.clone(), cost: layer.cost, outcome, numbers: Some(numbers) }
}

fn locally_decided(layer: &CallLayer, verdict: &Verdict) -> Layer {
    let mut decided = decided(layer, verdict);
    if decided.outcome == LayerOutcome::ExceedsCapacity && layer.cost <= layer.limit.rule().capacity() {
        // Too much for this process's share, but not for the limit: it passes when the store is back.
        decided.outcome = LayerOutcome::Denied { retry_after: RETRY_CLOSED };
    }
    decided
}

fn without_numbers(layer: &CallLayer, outcome: LayerOutcome) -> Layer {
    Layer { limit: layer.limit.clone(), cost: layer.cost, outcome, numbers: None }
}

fn conclude(decision: Decision) -> Result<Permit, Denied> {
    match Denied::from_decision(decision) {
        Ok(decision) => Ok(Permit::new(decision)),
        Err(denied) => {
            tracing::debug!(limit = denied.limit().name(), kind = ?denied.kind(), "rate limit: denied");
            Err(denied)
        }
    }
}
