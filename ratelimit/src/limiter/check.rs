//! Deciding a call, from its values to a permit or a denial.
//!
//! 1. Layers that do not apply to the call are left out, and each of the others goes by the subject's plan.
//! 2. Every layer's key is built, by the one function that does.
//! 3. All layers are charged together: in memory, or in the store behind its deadline ([`ask`](super::ask)).
//! 4. A denial may be waited out in line, if its limit says for how long; a place in a leaky bucket always is.

use super::{
    Backend, Call,
    ask::{Asked, ask, decision},
    call::CallLayer,
    line::{Ahead, InLine},
    queue::Queued,
};
use crate::{
    decision::{Decision, Denied, Layer, LayerOutcome},
    key::{self, KeyBuf, Missing},
    permit::{Held, Permit},
    resilience::HeldClaim,
    store::{Charge, Hold, PermitId},
    time::micros,
};
use core::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
    time::Duration,
};
use ratelimit_spec::Algorithm;
use smallvec::SmallVec;

type Keys = SmallVec<[KeyBuf; 1]>;
pub(super) type Charges<'a> = SmallVec<[Charge<'a>; 2]>;

/// Decides in memory without awaiting; `None`, with nothing taken, where the call has to be awaited.
pub(super) fn at_once(call: &mut Call) -> Option<Result<Permit, Denied>> {
    call.leave_out();
    let Backend::Memory(memory) = &call.limiter.0.backend else { return None };
    if call.layers.iter().any(|layer| may_wait(layer) || layer.asks_for_plan(&call.limiter)) {
        return None;
    }
    let keys = match keys(call) {
        Ok(keys) => keys,
        Err(denied) => return Some(Err(denied)),
    };
    let charges = charges(call, &keys);
    if charges.iter().all(|charge| charge.hold.is_none()) {
        // What is taken is taken for good, so nothing but the decision is kept.
        let decision = decision(call, &memory.decide_now(&charges));
        return Some(allowed(decision).map(|decision| Permit::new(decision, None)));
    }
    let asked = Asked::here(call, &charges, memory);
    Some(conclude(call, asked).map(|(permit, _)| permit))
}

/// Decides a call, waiting for the store or for its turn where it has to.
///
/// What does not apply to it was left out [`at_once`].
pub(super) async fn decide(mut call: Call) -> Result<Permit, Denied> {
    call.ask_for_plans().await;
    let call = call;
    let keys = keys(&call)?;
    let charges = charges(&call, &keys);
    let clock = &call.limiter.0.clock;
    let asked_at = clock.now_micros();
    let waited = || Duration::from_micros(clock.now_micros().saturating_sub(asked_at));
    let lines = &call.limiter.0.lines;

    let mut line: Option<InLine> = None;
    let waiting = waited_for(&call);
    if let Some((layer, longest)) = waiting
        && let Some(ahead) = lines.ahead(&keys)
    {
        // Others came earlier. Who cannot be admitted in time does not stand in line.
        let Asked { decision, .. } = ask(&call, &look(&charges)).await;
        let wait = wait_behind(layer, &decision, ahead, asked_at);
        let late = wait > longest || {
            let place = line.insert(lines.join(&keys, layer.cost));
            !is_in_time(place.turn(), clock.sleep(longest)).await
        };
        if late && let Some(denied) = Denied::waiting(decision, |limit| limit.facts().wait.is_some(), wait) {
            return Err(denied);
        }
    }
    loop {
        let asked = ask(&call, &charges).await;
        let denied = match conclude(&call, asked) {
            Ok((permit, None)) => return Ok(permit),
            Ok((permit, Some(queued))) => {
                queued.turn(clock).await;
                return Ok(permit);
            }
            Err(denied) => denied,
        };
        let Some(wait) = patience(&call, &denied, waited()) else { return Err(denied) };
        match &mut line {
            Some(place) => {
                place.expect(clock.now_micros().saturating_add(micros(wait)));
                clock.sleep(wait).await;
            }
            None => {
                let (cost, longest) =
                    waiting.map_or((0, Duration::ZERO), |(layer, longest)| (layer.cost, longest));
                let place = line.insert(lines.join(&keys, cost));
                let longest = longest.saturating_sub(waited());
                if !is_in_time(place.turn(), clock.sleep(longest)).await {
                    return Err(denied);
                }
            }
        }
    }
}

/// Whether the first of two is ready before the second.
async fn is_in_time(turn: impl Future<Output = ()>, end: impl Future<Output = ()>) -> bool {
    let (mut turn, mut end) = (pin!(turn), pin!(end));
    poll_fn(|cx| match turn.as_mut().poll(cx) {
        Poll::Ready(()) => Poll::Ready(true),
        Poll::Pending => end.as_mut().poll(cx).map(|()| false),
    })
    .await
}

/// The same charges, which only look.
fn look<'a>(charges: &[Charge<'a>]) -> Charges<'a> {
    charges.iter().map(|charge| Charge { cost: 0, hold: None, ..*charge }).collect()
}

/// How long a call waits at least behind others: not before the first of them; and where units come in evenly, until
/// there are as many as all of them and this one want.
fn wait_behind(layer: &CallLayer, decision: &Decision, ahead: Ahead, now: u64) -> Duration {
    let next = Duration::from_micros(ahead.next.saturating_sub(now).max(1));
    let rule = layer.limit.rule();
    let decided = decision.layers().iter().find(|decided| decided.place == layer.place);
    let Some(numbers) =
        decided.and_then(Layer::numbers).filter(|_| rule.algorithm() == Algorithm::TokenBucket)
    else {
        return next;
    };
    let time_for = |units: u64| {
        let micros = u128::from(units) * u128::from(rule.rate().period.as_micros());
        Duration::from_micros(
            u64::try_from(micros.div_ceil(u128::from(rule.rate().count))).unwrap_or(u64::MAX),
        )
    };
    // Full after the reset; before it there is less, behind it as much more could have come in.
    let wanted = ahead.cost.saturating_add(layer.cost);
    next.max((numbers.reset_after + time_for(wanted)).saturating_sub(time_for(rule.capacity())))
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

/// The layer that a call is ready to stand in line for, and for how long: the shortest `wait`.
fn waited_for(call: &Call) -> Option<(&CallLayer, Duration)> {
    let waits = call.layers.iter().filter(|layer| layer.limit.rule().algorithm() != Algorithm::LeakyBucket);
    waits.filter_map(|layer| Some((layer, layer.limit.facts().wait?))).min_by_key(|(_, wait)| *wait)
}

fn may_wait(layer: &CallLayer) -> bool {
    layer.limit.facts().wait.is_some() || layer.limit.rule().algorithm() == Algorithm::LeakyBucket
}

fn keys(call: &Call) -> Result<Keys, Denied> {
    if let (Some(conflict), Some(layer)) = (call.conflict, call.layers.first()) {
        return Err(Denied::conflict(layer.limit.clone(), conflict));
    }
    let mut keys = Keys::new();
    for layer in &call.layers {
        let mut key = KeyBuf::new();
        key::write(&mut key, &call.limiter.0.prefix, &layer.limit, &layer.values, call.client)
            .map_err(|Missing(word)| Denied::missing_key(layer.limit.clone(), &word.text))?;
        keys.push(key);
    }
    Ok(keys)
}

fn charges<'a>(call: &Call, keys: &'a Keys) -> Charges<'a> {
    let mut permit = None;
    let charge = |(layer, key): (&CallLayer, &'a KeyBuf)| {
        let limit = &layer.limit;
        let numbers = limit.rule().numbers();
        let is_slot = numbers.algorithm == Algorithm::Concurrency;
        let holds = call.acquires || is_slot || limit.facts().holds;
        // One permit for all layers of a call.
        let hold =
            holds.then(|| Hold { permit: *permit.get_or_insert_with(PermitId::new), lease: limit.lease() });
        // A call in flight is one call, whatever it costs.
        let cost = if is_slot { layer.cost.min(1) } else { layer.cost };
        Charge { numbers, key, cost, max_delay: limit.facts().wait, hold }
    };
    call.layers.iter().zip(keys).map(charge).collect()
}

/// The decision, if it lets the call pass.
fn allowed(decision: Decision) -> Result<Decision, Denied> {
    Denied::from_decision(decision).inspect_err(|denied| {
        tracing::debug!(limit = denied.limit().name(), kind = ?denied.kind(), "rate limit: denied");
    })
}

/// A permit, with the turn that it may have to wait for; or the denial.
fn conclude(call: &Call, asked: Asked) -> Result<(Permit, Option<Queued>), Denied> {
    let Asked { decision, claims, delay } = asked;
    let decision = allowed(decision)?;
    let limiter = &*call.limiter;
    let queued = (!delay.is_zero()).then(|| {
        let claims = claims.iter().map(|(_, claim)| claim.clone());
        Queued::new(limiter.clone(), delay, claims.collect())
    });
    let Some(permit) = claims.iter().find_map(|(_, claim)| Some(claim.hold?.permit)) else {
        return Ok((Permit::new(decision, None), queued));
    };
    let held = claims.into_iter().filter(|(_, claim)| claim.hold.is_some()).filter_map(|(layer, claim)| {
        let on_cancel = call.layers.get(layer)?.limit.facts().on_cancel;
        Some(HeldClaim { layer, claim, on_cancel })
    });
    let held = Held::new(limiter.clone(), permit, held.collect());
    Ok((Permit::new(decision, Some(held)), queued))
}
