//! Charging all layers of a call together, and what stands in for a store that does not answer.
//!
//! Layers whose keys are on different slots of a cluster are asked for at once, and what some of them took is given back
//! if another denies. Layers of scope `instance` are decided first, in this process's memory: what they refuse the store never hears of, and
//! what the store refuses they get back.

use super::{Backend, Call, Inner, call::CallLayer, check::Charges};
use crate::{
    decision::{Decision, Layer, LayerNumbers, LayerOutcome, RETRY_CLOSED},
    resilience::{Claim, Guarded, Home},
    store::{Charge, FailureKind, Outcome, Place, Receipt, Verdict, Verdicts, memory::Memory},
};
use core::time::Duration;
use futures_util::future::join_all;
use ratelimit_spec::{FailMode, Scope};
use smallvec::{SmallVec, smallvec};
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

    /// The same by where the keys are, which of one Redis is one place.
    fn by_place(self, guarded: &Guarded) -> SmallVec<[(Place, Group<'a>); 1]> {
        let mut places = SmallVec::new();
        let mut found = self.charges.iter().map(|charge| guarded.place(charge.key));
        let first = found.next().unwrap_or_default();
        if found.all(|place| place == first) {
            places.push((first, self));
            return places;
        }
        for (layer, charge) in self.layers.into_iter().zip(self.charges) {
            let place = guarded.place(charge.key);
            let known = places.iter().position(|(known, _)| *known == place);
            match known.and_then(|at| places.get_mut(at)) {
                Some((_, group)) => {
                    group.layers.push(layer);
                    group.charges.push(charge);
                }
                None => {
                    let group = Group { layers: smallvec![layer], charges: smallvec![charge] };
                    places.push((place, group));
                }
            }
        }
        places
    }

    /// What was taken of it: given back unless the call is admitted, whatever becomes of its caller.
    fn took<'l>(&self, limiter: &'l Inner, verdicts: &[Verdict], home: impl Fn() -> Home) -> Provisional<'l> {
        let fits = |verdict: &Verdict| matches!(verdict.outcome, Outcome::Allowed { .. });
        let all_fit = verdicts.iter().all(fits);
        let taken = self.charges.iter().zip(verdicts).filter(|(charge, _)| all_fit && charge.takes());
        let claims = taken.map(|(charge, verdict)| Claim::new(charge, verdict.receipt, home())).collect();
        Provisional { limiter, claims }
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
        ask_store(&mut asked, call, stored, guarded).await;
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
    let taken = here.took(inner, &verdicts, home);
    ask_store(&mut asked, call, stored, guarded).await;
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

/// Charges a group in the store: place by place at once, and what some places took is given back if another denies.
async fn ask_store(asked: &mut Asked, call: &Call, group: Group<'_>, guarded: &Guarded) {
    if group.charges.is_empty() {
        return;
    }
    let places = group.by_place(guarded);
    let answers = match &*places {
        [(place, group)] => vec![ask_place(call, group, *place, true, guarded).await],
        several => {
            let answers = several.iter().map(|(place, group)| ask_place(call, group, *place, false, guarded));
            join_all(answers).await
        }
    };
    let mut taken = Vec::new();
    let mut failed = SmallVec::new();
    for ((_, group), (answer, took)) in places.iter().zip(answers) {
        match answer {
            Ok(verdicts) => {
                asked.put(call, group, &verdicts);
                asked.claim(group.layers.iter().copied(), &group.charges, &verdicts, || Home::Store);
                taken.push((group, took));
            }
            Err(()) => failed.push(group),
        }
    }
    // A denial is an answer, and needs no other.
    if asked.decision.is_allowed() && !failed.is_empty() {
        taken.extend(without_store(asked, call, &failed, guarded));
    }
    let is_allowed = asked.decision.is_allowed();
    for (group, took) in taken {
        if is_allowed {
            took.finalize();
        } else if !took.claims.is_empty() {
            asked.put_back(group);
        }
    }
}

/// Charges a group whose layers are at one place; hands out what was taken, if other places may still deny the call.
async fn ask_place<'l>(
    call: &'l Call,
    group: &Group<'_>,
    place: Place,
    is_alone: bool,
    guarded: &Guarded,
) -> (Result<Verdicts, ()>, Provisional<'l>) {
    let limiter = &*call.limiter.0;
    // A decision that is given up may be taken all the same: what holds a permit is let go of behind it.
    let unheard =
        |charge: &Charge<'_>| charge.hold.map(|_| Claim::new(charge, Receipt::default(), Home::Store));
    let unheard = Provisional { limiter, claims: group.charges.iter().filter_map(unheard).collect() };
    let deadlines = group.layers.iter().filter_map(|place| call.layers.get(*place));
    let deadlines = deadlines.map(|layer| layer.limit.facts().deadline);
    let answer = guarded.decide(place, &group.charges, deadlines).await;
    let took = match &answer {
        Ok(verdicts) => {
            unheard.finalize();
            if is_alone {
                Provisional { limiter, claims: Vec::new() }
            } else {
                group.took(limiter, verdicts, || Home::Store)
            }
        }
        Err(failure) => {
            if matches!(failure.kind(), FailureKind::Setup | FailureKind::NotAsked) {
                // It was refused, or not sent: nothing was taken.
                unheard.finalize();
            }
            if guarded.outage(&group.charges).is_open() {
                limiter.keeper.probe();
            }
            Provisional { limiter, claims: Vec::new() }
        }
    };
    (answer.map_err(drop), took)
}

type Failed<'g, 'a> = SmallVec<[&'g Group<'a>; 1]>;

/// Each layer's fail mode: `closed` refuses the call, else the `local` layers decide together, and `open` ones pass.
///
/// Hands out what was taken here, if that may have to be given back.
fn without_store<'g, 'a, 'l>(
    asked: &mut Asked,
    call: &'l Call,
    failed: &Failed<'g, 'a>,
    guarded: &Guarded,
) -> Vec<(&'g Group<'a>, Provisional<'l>)> {
    let inner = &*call.limiter.0;
    let mode = |place: usize| {
        call.layers.get(place).and_then(|layer| layer.limit.facts().fail).unwrap_or(inner.fail)
    };
    let refuses = failed.iter().flat_map(|group| &group.layers).any(|layer| mode(*layer) == FailMode::Closed);
    let outcome = if refuses { LayerOutcome::FailedClosed } else { LayerOutcome::FailedOpen };
    for group in failed {
        let outage = guarded.outage(&group.charges);
        for layer in group.layers.iter().filter(|layer| !refuses || mode(**layer) == FailMode::Closed) {
            outage.bridge(mode(*layer));
            if let Some(CallLayer { limit, .. }) = call.layers.get(*layer) {
                limit.facts().unanswered.count(mode(*layer));
            }
            asked.put_without_numbers(call, *layer, outcome);
        }
    }
    let mut taken = Vec::new();
    if refuses {
        return taken;
    }
    let share = guarded.share();
    for group in failed {
        let is_local = |(layer, _): &(&usize, &Charge<'_>)| mode(**layer) == FailMode::Local;
        let local = group.layers.iter().zip(&group.charges).filter(is_local);
        let (layers, charges) = local
            .map(|(layer, charge)| (*layer, Charge { numbers: share.of(charge.numbers), ..*charge }))
            .unzip();
        let local = Group { layers, charges };
        if local.layers.is_empty() {
            continue;
        }
        let memory = guarded.outage(&group.charges).local();
        let verdicts = memory.decide_now(&local.charges);
        asked.put(call, &local, &verdicts);
        for layer in &local.layers {
            asked.only_too_much_for_a_share(*layer);
        }
        let home = || Home::Here(Arc::clone(&memory));
        asked.claim(local.layers.iter().copied(), &local.charges, &verdicts, home);
        if !asked.decision.is_allowed() {
            break;
        }
        if failed.len() > 1 {
            taken.push((*group, local.took(inner, &verdicts, home)));
        }
    }
    taken
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

    /// What was taken of a group is there again.
    fn put_back(&mut self, group: &Group<'_>) {
        for (place, charge) in group.layers.iter().zip(&group.charges) {
            if let Some(LayerNumbers { limit, remaining, .. }) =
                self.decision.layer_mut(*place).and_then(|layer| layer.numbers.as_mut())
            {
                *remaining = remaining.saturating_add(charge.cost).min(*limit);
            }
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
