//! One call on its way to a decision.

use super::{Limiter, PlanName, check, install::Current, plans::Subject};
use crate::{
    decision::Denied,
    http::RequestInfo,
    key::{self, Client, KeyBuf, KeyPart, Slot, Values, read_request},
    limit::{Limit, Planned},
    permit::Permit,
    site::Site,
};
use core::{
    fmt,
    future::{Future, IntoFuture},
    pin::Pin,
    task::{Context, Poll},
};
use ratelimit_spec::Source;
use smallvec::SmallVec;

/// One call: its layers, the values of their keys, and what it costs in each.
///
/// The attribute fills it and lets it be admitted; an application asks with [`Limiter::check`].
#[derive(Debug)]
pub struct Call {
    pub(super) limiter: Current,
    pub(super) layers: SmallVec<[CallLayer; 1]>,
    /// Only a request has a client; a function has nobody to fall back to.
    pub(super) client: Option<Client>,
    /// Whether every layer holds a permit, and not only those that say so.
    pub(super) acquires: bool,
    /// What two functions of one name do not agree on.
    pub(super) conflict: Option<&'static str>,
}

#[derive(Debug)]
pub(super) struct CallLayer {
    pub(super) limit: Limit,
    pub(super) values: Values,
    pub(super) cost: u64,
    /// Its place among the layers as they are written.
    pub(super) place: usize,
    applies: bool,
    /// Whether the call, or the request, says by which plan it goes.
    knows_plan: bool,
}

impl CallLayer {
    fn new((place, limit): (usize, Limit)) -> CallLayer {
        let (cost, knows_plan) = (limit.facts().cost, !limit.facts().has_plans());
        CallLayer { limit, values: Values::default(), cost, place, applies: true, knows_plan }
    }

    /// Whether the limiter has to ask by which plan it goes.
    pub(super) fn asks_for_plan(&self, limiter: &Limiter) -> bool {
        !self.knows_plan && limiter.0.plans.is_some()
    }

    fn go_by(&mut self, plan: Option<&str>) {
        let Some(plan) = plan else { return };
        self.knows_plan = true;
        match self.limit.under(plan) {
            Planned::Limited(limit) => self.limit = limit,
            Planned::Unlimited => self.applies = false,
        }
    }

    /// Who it is whose plan is asked for: the pairs of its key.
    fn subject(&self, client: Option<Client>) -> Option<Subject> {
        let mut key = KeyBuf::new();
        key::write(&mut key, "", &self.limit, &self.values, client).ok()?;
        let pairs = key.get(key::FRAME + self.limit.stem().len()..)?;
        Some(Subject::of_key(pairs))
    }
}

impl Call {
    /// A call of an annotated function, decided by the limiter that is in force.
    pub fn new(site: &'static Site) -> Call {
        Call::from_site(site, Current::find())
    }

    /// A call of an annotated function that names its limiter.
    pub fn with_limiter(site: &'static Site, limiter: Limiter) -> Call {
        Call::from_site(site, Current::Own(limiter))
    }

    fn from_site(site: &'static Site, limiter: Current) -> Call {
        let layers = site.limits().enumerate().map(CallLayer::new).collect();
        Call { conflict: site.conflict(), ..Call::of_layers(limiter, layers) }
    }

    fn of_layers(limiter: Current, layers: SmallVec<[CallLayer; 1]>) -> Call {
        Call { limiter, layers, client: None, acquires: false, conflict: None }
    }

    /// A request to an annotated handler: the request's words of every key are read, while the request is at hand.
    pub(crate) fn of_request(site: &'static Site, request: &dyn RequestInfo) -> Call {
        let limiter = site.named_limiter().map_or_else(Current::find, Current::Own);
        let mut call = Call::from_site(site, limiter);
        let client = call.limiter.client(request);
        if matches!(client, Client::Unknown) {
            call.limiter.report_unknown_peer();
        }
        call.client = Some(client);
        for layer in &mut call.layers {
            let CallLayer { limit, values, .. } = layer;
            read_request(values, limit.key(), request, &call.limiter, client);
            if !layer.knows_plan {
                layer.go_by(request.plan().as_deref());
            }
        }
        call
    }

    /// A call without layers.
    pub(crate) fn decided() -> Call {
        Call::of_layers(Current::find(), SmallVec::new())
    }

    /// A call that a layer does not apply to.
    pub fn leave(&mut self, layer: usize) {
        if let Some(layer) = self.layers.get_mut(layer) {
            layer.applies = false;
        }
    }

    /// The plan that the call goes by in a layer.
    pub fn plan<P: PlanName + ?Sized>(&mut self, layer: usize, plan: &P) {
        if let Some(layer) = self.layers.get_mut(layer) {
            layer.go_by(plan.plan_name());
        }
    }

    /// Leaves out what does not apply.
    pub(super) fn leave_out(&mut self) {
        if self.layers.iter().any(|layer| !layer.applies) {
            self.layers.retain(|layer| layer.applies);
        }
    }

    /// Asks the limiter's resolver for the plans that nobody has told.
    pub(super) async fn ask_for_plans(&mut self) {
        let Call { limiter, layers, client, .. } = self;
        let Some(plans) = &limiter.0.plans else { return };
        for layer in layers.iter_mut().filter(|layer| !layer.knows_plan) {
            // Without a key there is nobody to ask for; the call is denied for that.
            if let Some(subject) = layer.subject(*client) {
                let plan = plans.of(subject, &limiter.0.clock).await;
                layer.go_by(plan.as_deref());
            }
        }
        self.leave_out();
    }

    /// Where the value of a parameter word is to be written; of a layer that is not there, nowhere.
    pub fn part(&mut self, layer: usize, slot: usize) -> Slot<'_> {
        match self.layers.get_mut(layer) {
            Some(layer) => layer.values.parameter_slot(slot),
            None => Slot::nowhere(),
        }
    }

    /// What the call costs in a layer, in units.
    pub fn cost(&mut self, layer: usize, units: u64) {
        if let Some(layer) = self.layers.get_mut(layer) {
            layer.cost = units;
        }
    }

    /// Asks the limiter; the decision is taken when the future is first polled.
    pub fn admit(self) -> Admit {
        Admit(State::Asked(self))
    }
}

/// A call under limits that were described at run time, made by [`Limiter::check`] or [`Limiter::acquire`].
///
/// Awaiting it takes the cost or is [`Denied`]. Dropped before that, nothing is taken.
#[derive(Debug)]
#[must_use = "nothing is taken until it is awaited"]
pub struct Check(Call);

impl Check {
    pub(super) fn new(limiter: Limiter, limit: Limit, acquires: bool) -> Check {
        let layers = SmallVec::from_iter([CallLayer::new((0, limit))]);
        Check(Call { acquires, ..Call::of_layers(Current::Own(limiter), layers) })
    }

    /// One limit more, decided together with those before: the call passes only if all of them admit it, and takes from
    /// all or from none. What follows is said of it; a [`part`](Check::part) of all so far.
    pub fn and(mut self, limit: &Limit) -> Check {
        let place = self.0.layers.len();
        self.0.layers.push(CallLayer::new((place, limit.clone())));
        self
    }

    /// The value of a word, in every key so far that has it. A word that no key has is ignored; one that a key has and
    /// that is not given is a denial of kind [`MissingKey`](crate::DeniedKind::MissingKey).
    pub fn part(mut self, word: &str, value: impl KeyPart) -> Check {
        for layer in &mut self.0.layers {
            let slot = layer.limit.key().words().into_iter().find_map(|candidate| match candidate.source {
                Source::Parameter { slot } if candidate.text == word => Some(slot),
                _ => None,
            });
            if let Some(slot) = slot {
                value.write(layer.values.parameter_slot(slot));
            }
        }
        self
    }

    /// What the call costs under the limit that was named last, in units (of `$` in micro-dollars); 1 by default. 0 looks
    /// without taking.
    pub fn cost(mut self, units: u64) -> Check {
        if let Some(layer) = self.0.layers.last_mut() {
            layer.cost = units;
        }
        self
    }

    /// The plan by which the call goes, in every limit so far whose rate goes by plan.
    pub fn plan(mut self, plan: impl PlanName) -> Check {
        for layer in self.0.layers.iter_mut().filter(|layer| layer.limit.facts().has_plans()) {
            layer.go_by(plan.plan_name());
        }
        self
    }
}

impl IntoFuture for Check {
    type Output = Result<Permit, Denied>;
    type IntoFuture = Admit;

    fn into_future(self) -> Admit {
        self.0.admit()
    }
}

/// A decision on its way. A named type, so that annotated functions do not grow by what it takes to decide.
///
/// Dropped while it waits for its turn, it gives back what it took, a place in a leaky bucket if nobody stands behind it;
/// dropped while it waits for the store, what was asked may be taken all the same, unless it holds a permit.
#[must_use = "futures do nothing unless awaited"]
pub struct Admit(State);

type Deciding = Pin<Box<dyn Future<Output = Result<Permit, Denied>> + Send>>;

#[allow(clippy::large_enum_variant, reason = "boxing a call would allocate for each decision in memory")]
enum State {
    Asked(Call),
    Waiting(Deciding),
    Done,
}

impl Future for Admit {
    type Output = Result<Permit, Denied>;

    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut decision = match core::mem::replace(&mut self.0, State::Done) {
            State::Asked(mut call) => match check::at_once(&mut call) {
                Some(outcome) => return Poll::Ready(outcome),
                None => Box::pin(check::decide(call)) as Deciding,
            },
            State::Waiting(decision) => decision,
            State::Done => return Poll::Pending,
        };
        let outcome = decision.as_mut().poll(cx);
        if outcome.is_pending() {
            self.0 = State::Waiting(decision);
        }
        outcome
    }
}

impl fmt::Debug for Admit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            State::Asked(_) => "Admit::Asked",
            State::Waiting(_) => "Admit::Waiting",
            State::Done => "Admit::Done",
        })
    }
}
