//! Charging all layers of a call together, and what stands in for a store that does not answer.
//!
//! Layers of scope `instance` are decided first, in this process's memory: what they refuse the store never hears of, and
//! what the store refuses they get back.

use super::{Backend, Call, Inner, call::CallLayer, check::Charges};
use crate::{
    decision::{Decision, Layer, LayerNumbers, LayerOutcome, RETRY_CLOSED},
    resilience::{Claim, Guarded, Home},
    store::{Charge, FailureKind, Outcome, Receipt, Verdict, memory::Memory},
};
use core::time::Duration;
use ratelimit_spec::{FailMode, Scope};
use smallvec::SmallVec;
use std::sync::Arc;

/// What was decided on a call.
pub(super) struct Asked {
    pub(super) decision: Decision,
    /// What was taken, by layer, as far as it may have to be corrected or given back.
    pub(super) claims: Vec<(usize, Claim)>,
    /// How long an admitted call has to wait for its turn.
    pub(super) delay: Duration,
}

impl Asked {
    /// Decides all layers in this process's memory.
    pub(super) fn here(call: &Call, charges: &[Charge<'_>], memory: &Arc<Memory>) -> Asked {
        let verdicts = memory.decide_now(charges);
        let mut asked =
            Asked { decision: decision(call, &verdicts), claims: Vec::new(), delay: Duration::ZERO };
        let layers = 0..call.layers.len();
        asked.claim(layers, charges, &verdicts, || Home::Here(Arc::clone(memory)));
        asked
    }

    /// Of a call whose layers are asked one group after the other.
    fn not_yet(call: &Call) -> Asked {
        let layers = call.layers.iter().map(|layer| without_numbers(layer, LayerOutcome::NotAsked));
        Asked { decision: Decision::new(layers.collect()), claims: Vec::new(), delay: Duration::ZERO }
    }

    /// Writes down what admitted charges took, where somebody may want it back: a permit, or a turn that is waited for.
    fn claim(
        &mut self,
        layers: impl IntoIterator<Item = usize>,
        charges: &[Charge<'_>],
        verdicts: &[Verdict],
        home: impl Fn() -> Home,
    ) {
        let mut delay = Duration::ZERO;
        for verdict in verdicts {
            let Outcome::Allowed { delay: due } = verdict.outcome else { return };
            delay = delay.max(due);
        }
        // Who only looks stands in no queue.
        let waits = !delay.is_zero() && charges.iter().any(|charge| charge.cost > 0);
        if !waits && charges.iter().all(|charge| charge.hold.is_none()) {
            return;
        }
        self.delay = if waits { self.delay.max(delay) } else { self.delay };
        for ((layer, charge), verdict) in layers.into_iter().zip(charges).zip(verdicts) {
            if charge.hold.is_some() || charge.cost > 0 {
                self.claims.push((layer, Claim::new(charge, verdict.receipt, home())));
            }
        }
    }
}

/// Some layers of a call, with their charges.
struct Group<'a> {
    layers: SmallVec<[usize; 4]>,
    charges: Charges<'a>,
}

impl<'a> Group<'a> {
    fn of(call: &Call, charges: &[Charge<'a>], belongs: impl Fn(&CallLayer) -> bool) -> Group<'a> {
        let numbered = call.layers.iter().zip(charges).enumerate();
        let (layers, charges) = numbered
            .filter(|(_, (layer, _))| belongs(layer))
            .map(|(place, (_, charge))| (place, *charge))
            .unzip();
        Group { layers, charges }
    }
}

/// Charges all layers together, and meets a store that does not answer by each layer's fail mode.
pub(super) async fn ask(call: &Call, charges: &[Charge<'_>]) -> Asked {
    let inner = &*call.limiter.0;
    let guarded = match &inner.backend {
        Backend::Memory(memory) => return Asked::here(call, charges, memory),
        Backend::Guarded(guarded) => guarded,
    };
    let mut asked = Asked::not_yet(call);
    let is_here = |layer: &CallLayer| layer.limit.facts().scope == Scope::Instance;
    let stored = Group::of(call, charges, |layer| !is_here(layer));
    let here = Group::of(call, charges, is_here);
    if here.charges.is_empty() {
        ask_store(&mut asked, call, &stored, guarded).await;
        return asked;
    }
    let memory = inner.instance();
    let home = || Home::Here(Arc::clone(&memory));
    let verdicts = memory.decide_now(&here.charges);
    asked.put(call, &here, &verdicts);
    if !asked.decision.is_allowed() {
        return asked;
    }
    asked.claim(here.layers.iter().copied(), &here.charges, &verdicts, home);
    // Given back unless the call is admitted, whatever becomes of its caller.
    let claim = |(charge, verdict): (&Charge<'_>, &Verdict)| Claim::new(charge, verdict.receipt, home());
    let taken =
        Provisional { limiter: inner, claims: here.charges.iter().zip(&verdicts).map(claim).collect() };
    ask_store(&mut asked, call, &stored, guarded).await;
    if asked.decision.is_allowed() {
        taken.finalize();
        return asked;
    }
    drop(taken);
    asked.claims.clear();
    let look = here.charges.iter().map(|charge| Charge { cost: 0, hold: None, ..*charge }).collect();
    let here = Group { layers: here.layers, charges: look };
    asked.put(call, &here, &memory.decide_now(&here.charges));
    asked
}

/// What was taken for a call that another layer may still deny.
struct Provisional<'l> {
    limiter: &'l Inner,
    claims: Vec<Claim>,
}

impl Provisional<'_> {
    fn finalize(mut self) {
        self.claims.clear();
    }
}

impl Drop for Provisional<'_> {
    fn drop(&mut self) {
        self.limiter.keeper.give_back(self.claims.drain(..));
    }
}

/// Charges a group in the store.
async fn ask_store(asked: &mut Asked, call: &Call, group: &Group<'_>, guarded: &Guarded) {
    if group.charges.is_empty() {
        return;
    }
    // A decision that is given up may be taken all the same: what holds a permit is let go of behind it.
    let unheard =
        |charge: &Charge<'_>| charge.hold.map(|_| Claim::new(charge, Receipt::default(), Home::Store));
    let unheard =
        Provisional { limiter: &call.limiter.0, claims: group.charges.iter().filter_map(unheard).collect() };
    let deadlines = group.layers.iter().filter_map(|place| call.layers.get(*place));
    let deadlines = deadlines.map(|layer| layer.limit.facts().deadline);
    match guarded.decide(&group.charges, deadlines).await {
        Ok(verdicts) => {
            unheard.finalize();
            asked.put(call, group, &verdicts);
            asked.claim(group.layers.iter().copied(), &group.charges, &verdicts, || Home::Store);
        }
        Err(failure) => {
            if matches!(failure.kind(), FailureKind::Setup | FailureKind::NotAsked) {
                // It was refused, or not sent: nothing was taken.
                unheard.finalize();
            }
            if guarded.outage().is_open() {
                call.limiter.0.keeper.probe();
            }
            without_store(asked, call, group, guarded);
        }
    }
}

/// Each layer's fail mode: `closed` refuses the call, else the `local` layers decide together, and `open` ones pass.
fn without_store(asked: &mut Asked, call: &Call, group: &Group<'_>, guarded: &Guarded) {
    let inner = &*call.limiter.0;
    let mode = |place: usize| {
        call.layers.get(place).and_then(|layer| layer.limit.facts().fail).unwrap_or(inner.fail)
    };
    for place in &group.layers {
        guarded.outage().bridge(mode(*place));
    }
    if group.layers.iter().any(|place| mode(*place) == FailMode::Closed) {
        for place in group.layers.iter().filter(|place| mode(**place) == FailMode::Closed) {
            asked.put_without_numbers(call, *place, LayerOutcome::FailedClosed);
        }
        return;
    }
    for place in &group.layers {
        asked.put_without_numbers(call, *place, LayerOutcome::FailedOpen);
    }
    let (memory, share) = guarded.local();
    let local = group.layers.iter().zip(&group.charges).filter(|(place, _)| mode(**place) == FailMode::Local);
    let (layers, charges) = local
        .map(|(place, charge)| (*place, Charge { numbers: share.of(charge.numbers), ..*charge }))
        .unzip();
    let local = Group { layers, charges };
    let verdicts = memory.decide_now(&local.charges);
    asked.put(call, &local, &verdicts);
    for place in &local.layers {
        asked.only_too_much_for_a_share(*place);
    }
    asked.claim(local.layers.iter().copied(), &local.charges, &verdicts, || Home::Here(Arc::clone(&memory)));
}

impl Asked {
    fn put(&mut self, call: &Call, group: &Group<'_>, verdicts: &[Verdict]) {
        for (place, verdict) in group.layers.iter().zip(verdicts) {
            if let (Some(slot), Some(layer)) = (self.decision.layer_mut(*place), call.layers.get(*place)) {
                *slot = decided(layer, verdict);
            }
        }
    }

    fn put_without_numbers(&mut self, call: &Call, place: usize, outcome: LayerOutcome) {
        if let (Some(slot), Some(layer)) = (self.decision.layer_mut(place), call.layers.get(place)) {
            *slot = without_numbers(layer, outcome);
        }
    }

    /// Too much for this process's share, but not for the limit: it passes when the store is back.
    fn only_too_much_for_a_share(&mut self, place: usize) {
        if let Some(layer) = self.decision.layer_mut(place)
            && layer.outcome == LayerOutcome::ExceedsCapacity
            && layer.cost <= layer.limit.rule().capacity()
        {
            layer.outcome = LayerOutcome::Denied { retry_after: RETRY_CLOSED };
        }
    }
}

/// What was decided on all layers at once.
pub(super) fn decision(call: &Call, verdicts: &[Verdict]) -> Decision {
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
    Layer { numbers: Some(numbers), ..without_numbers(layer, outcome) }
}

fn without_numbers(layer: &CallLayer, outcome: LayerOutcome) -> Layer {
    Layer { limit: layer.limit.clone(), cost: layer.cost, outcome, place: layer.place, numbers: None }
}
