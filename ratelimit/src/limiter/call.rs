//! One call on its way to a decision.

use super::{Limiter, check, install::Current};
use crate::{
    decision::{Denied, Permit},
    http::RequestInfo,
    key::{Client, KeyPart, Slot, Values, read_request},
    limit::Limit,
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
}

#[derive(Debug)]
pub(super) struct CallLayer {
    pub(super) limit: Limit,
    pub(super) values: Values,
    pub(super) cost: u64,
}

impl CallLayer {
    fn new(limit: Limit) -> CallLayer {
        let cost = limit.facts().cost;
        CallLayer { limit, values: Values::default(), cost }
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
        Call { limiter, layers: site.limits().map(CallLayer::new).collect(), client: None }
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
        }
        call
    }

    /// A call without layers.
    pub(crate) fn decided() -> Call {
        Call { limiter: Current::find(), layers: SmallVec::new(), client: None }
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

/// A call under a limit that was described at run time, made by [`Limiter::check`].
///
/// Awaiting it takes the cost or is [`Denied`]. Dropped before that, nothing is taken.
#[derive(Debug)]
#[must_use = "nothing is taken until it is awaited"]
pub struct Check(Call);

impl Check {
    pub(super) fn new(limiter: Limiter, limit: Limit) -> Check {
        let mut layers = SmallVec::new();
        layers.push(CallLayer::new(limit));
        Check(Call { limiter: Current::Own(limiter), layers, client: None })
    }

    /// The value of a word of the key. A word that the key does not have is ignored; one that it has and that is not
    /// given is a denial of kind [`MissingKey`](crate::DeniedKind::MissingKey).
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

    /// What the call costs, in units; 1 by default. 0 looks without taking.
    pub fn cost(mut self, units: u64) -> Check {
        for layer in &mut self.0.layers {
            layer.cost = units;
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
/// Dropped while it waits for its turn in a leaky bucket, it gives its place back if nobody stands behind it; dropped
/// while it waits for the store, what was asked may be taken all the same.
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
            State::Asked(call) => match check::at_once(&call) {
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
