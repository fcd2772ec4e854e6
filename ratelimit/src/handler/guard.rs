//! The hidden first extractor of an annotated handler.

use crate::{
    decision::Denied,
    http::RequestInfo,
    limiter::{Admit, Call},
    permit::Permit,
    site::Site,
};
use core::{
    fmt,
    future::Future,
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll},
};

/// A type that stands for one annotated handler.
pub trait Marker: 'static {
    /// The handler.
    const SITE: &'static Site;
}

/// The number of one annotated handler: from it the compiler infers the [`Marker`] that its body declares.
#[derive(Debug)]
pub struct Id<const N: u64>;

/// Ties a handler's number to its marker.
#[diagnostic::on_unimplemented(
    message = "`rate_limit` does not find its own handler",
    note = "this is a fault of `ratelimit`, please report it"
)]
pub trait SiteOf<M> {}

/// The number of a handler: a hash of where it stands.
pub const fn id(path: &str, places: &[u32]) -> u64 {
    // FNV-1a; two handlers with one number in one crate are a compile error, never a mix-up.
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut bytes = path.as_bytes();
    while let [byte, rest @ ..] = bytes {
        hash = (hash ^ *byte as u64).wrapping_mul(PRIME);
        bytes = rest;
    }
    let mut places = places;
    while let [place, rest @ ..] = places {
        hash = (hash ^ *place as u64).wrapping_mul(PRIME);
        places = rest;
    }
    hash
}

/// The hidden first extractor: it decides the layers that need only the request, before the body is read.
///
/// What it lets through it hands to the handler: a permit, or the call, if a layer still needs a parameter.
pub struct Guard<M> {
    passed: Passed,
    marker: PhantomData<fn() -> M>,
}

pub(crate) enum Passed {
    Permit(Permit),
    /// Every layer is decided in the body.
    Late(Call),
}

impl<M: Marker> Guard<M> {
    pub(crate) fn new(passed: Passed) -> Self {
        Guard { passed, marker: PhantomData }
    }

    /// The call, whose layers need parameters.
    pub fn call(self) -> Call {
        match self.passed {
            Passed::Late(call) => call,
            Passed::Permit(_) => {
                debug_assert!(false, "the body is late and its site is not");
                Call::decided()
            }
        }
    }

    /// The permit of a call that is decided.
    pub fn permit(self) -> Permit {
        match self.passed {
            Passed::Permit(permit) => permit,
            Passed::Late(_) => {
                debug_assert!(false, "the site is late and its body is not");
                Permit::of_nothing()
            }
        }
    }
}

impl<M> fmt::Debug for Guard<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").finish_non_exhaustive()
    }
}

/// The gate's decision on its way; not generic, so that every handler shares its code.
pub(crate) struct Gate(State);

enum State {
    Late(Option<Call>),
    Deciding(Admit),
}

impl Gate {
    pub(crate) fn new(site: &'static Site, request: &dyn RequestInfo) -> Gate {
        let call = Call::of_request(site, request);
        Gate(if site.is_late() { State::Late(Some(call)) } else { State::Deciding(call.admit()) })
    }
}

impl Future for Gate {
    type Output = Result<Passed, Denied>;

    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            State::Late(call) => match call.take() {
                Some(call) => Poll::Ready(Ok(Passed::Late(call))),
                None => Poll::Pending,
            },
            State::Deciding(admit) => Pin::new(admit).poll(cx).map_ok(Passed::Permit),
        }
    }
}
