//! Where the counts live, behind one trait: [`Store`].
//!
//! A store takes a list of [`Charge`]s, looks at all of them at one instant and takes all or none; what a charge with a
//! [`Hold`] took it corrects later, exactly once. It knows nothing of
//! names, requests or fail modes; it turns (rule, key, cost) into numbers. [`memory`] answers without awaiting,
//! [`redis`](self) in one round trip.

pub mod memory;
mod permit;
#[cfg(feature = "redis")]
pub mod redis;

pub use permit::{Hold, PermitId, Renewed, Settled, Settlement};

use core::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use ratelimit_spec::{Algorithm, Numbers};
use smallvec::SmallVec;

/// Decides charges, all of a list at one instant.
///
/// Two stores are built in; implement it to put something between them and the limiter, for example faults in a test.
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Checks all charges at one instant, and takes all of them if every one is allowed, else none. Their keys are at one
    /// [`Place`].
    ///
    /// The verdicts come in the order of the charges. On a denial nothing is written.
    /// Dropping the answer before it is ready takes nothing back: what was sent may be decided all the same.
    fn decide<'a>(&'a self, charges: &'a [Charge<'a>]) -> Answer<'a, Verdicts>;

    /// Corrects charges to what they cost in the end, each once however often it is asked: a permit is settled once.
    ///
    /// One answer for each, in their order. It may be sent again where the answer was lost.
    fn settle<'a>(&'a self, settlements: &'a [Settlement<'a>]) -> Answer<'a, Settlements>;

    /// Lengthens the leases of charges that hold something, from now on. One answer for each, in their order.
    fn renew<'a>(&'a self, charges: &'a [Charge<'a>]) -> Answer<'a, Renewals>;

    /// Where a key is. Charges of one call that are at different places are asked for apart.
    fn place(&self, key: &[u8]) -> Place {
        let _ = key;
        Place::default()
    }

    /// Whether the store will do all that limits may ask of it, tried out on keys that nothing counts in, behind a prefix.
    fn ready<'a>(&'a self, prefix: &'a str) -> Answer<'a, ()> {
        let _ = prefix;
        Answer::ready(Ok(()))
    }

    /// What a part of the store is called in logs; one that is a whole needs no name.
    fn part_name(&self, part: u16) -> Option<String> {
        let _ = part;
        None
    }

    /// Gives back what an allowed charge took that holds nothing.
    ///
    /// Nothing tells whether it was given back before: it is asked at most once.
    fn give_back<'a>(&'a self, charge: &'a Charge<'a>, receipt: Receipt) -> Answer<'a, ()>;
}

/// Where a key is in a store that is made of several: nodes of a cluster. In any other every key is at the default place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// What fails together; 0 is the store as a whole, or a part that is not known yet.
    pub part: u16,
    /// What is decided at one instant: a list of charges, or of settlements, has keys of one slot.
    pub slot: u16,
}

/// What one layer of a call wants to take.
#[derive(Clone, Copy, Debug)]
pub struct Charge<'a> {
    /// The rule, in ticks.
    pub numbers: Numbers,
    /// The stored key.
    pub key: &'a [u8],
    /// Units to take; 0 looks without taking.
    pub cost: u64,
    /// How long the call is ready to wait for its place in a leaky bucket; `None` is as long as it takes.
    pub max_delay: Option<Duration>,
    /// The permit by which what is taken can be corrected; `concurrency` takes nothing without one.
    pub hold: Option<Hold>,
}

impl Charge<'_> {
    /// Whether it takes something if it fits.
    pub(crate) fn takes(&self) -> bool {
        self.cost > 0 && (self.hold.is_some() || self.numbers.algorithm != Algorithm::Concurrency)
    }
}

/// What the store says of one charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Allowed or denied.
    pub outcome: Outcome,
    /// Units left, after the charge if all were taken; never above the capacity.
    pub remaining: u64,
    /// Until the key is as if it had never been used.
    pub reset_after: Duration,
    /// Names what was taken.
    pub receipt: Receipt,
}

/// Allowed, denied, or never possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This charge fits. It was taken only if every charge of the list fits.
    Allowed {
        /// How long the call has to wait until its place is due; zero except for a leaky bucket.
        delay: Duration,
    },
    /// It does not fit now.
    Denied {
        /// The first tick at which the same charge fits if nothing else happens. Never zero.
        retry_after: Duration,
    },
    /// The cost is above the capacity: it never fits.
    Exceeds,
}

/// Names what an allowed charge took, so that it can be given back: where in time, and what stood there afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// Microseconds since the epoch of the state that was written.
    pub stamp: u64,
    /// The level that was written, in the algorithm's own unit; of a token bucket what it would be if all that is not
    /// settled came back.
    pub level: u64,
}

/// One verdict for each charge; four of them without allocating.
pub type Verdicts = SmallVec<[Verdict; 4]>;

/// One answer for each settlement.
pub type Settlements = SmallVec<[Settled; 4]>;

/// One answer for each renewal.
pub type Renewals = SmallVec<[Renewed; 4]>;

/// Why a store could not answer. A denial is an answer.
#[derive(Debug)]
pub struct Failure {
    kind: FailureKind,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What kept a store from answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// No answer in time.
    Timeout,
    /// No connection, or it broke.
    Connection,
    /// The server answered that it cannot serve now: loading, busy, out of memory, read-only.
    Unavailable,
    /// The set-up is wrong: a missing permission, a foreign value under our key, a script the server refuses.
    Setup,
    /// The server answered something that is no answer to the question.
    Protocol,
    /// It was not asked, because it has not answered others before.
    NotAsked,
}

impl Failure {
    /// A failure of that kind.
    pub fn new(kind: FailureKind) -> Failure {
        Failure { kind, source: None }
    }

    /// The same with what caused it.
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Failure {
        self.source = Some(source.into());
        self
    }

    /// What kept the store from answering.
    pub fn kind(&self) -> FailureKind {
        self.kind
    }
}

impl FailureKind {
    /// One word for logs and metrics.
    pub const fn word(self) -> &'static str {
        match self {
            FailureKind::Timeout => "timeout",
            FailureKind::Connection => "connection",
            FailureKind::Unavailable => "unavailable",
            FailureKind::Setup => "setup",
            FailureKind::Protocol => "protocol",
            FailureKind::NotAsked => "not_asked",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            FailureKind::Timeout => "the store did not answer in time",
            FailureKind::Connection => "the store cannot be reached",
            FailureKind::Unavailable => "the store cannot serve now",
            FailureKind::Setup => "the store is not set up for the limiter",
            FailureKind::Protocol => "the store's answer cannot be read",
            FailureKind::NotAsked => "the store is not asked before it is back",
        })
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// A store's answer: there at once, or a future to await. The memory store neither boxes nor awaits.
pub enum Answer<'a, T> {
    /// There at once; taken by the first poll.
    Ready(Option<Result<T, Failure>>),
    /// Still to come.
    Pending(Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>),
}

impl<'a, T> Answer<'a, T> {
    /// An answer that is there at once.
    pub fn ready(answer: Result<T, Failure>) -> Self {
        Answer::Ready(Some(answer))
    }

    /// An answer that is still to come.
    pub fn pending(answer: impl Future<Output = Result<T, Failure>> + Send + 'a) -> Self {
        Answer::Pending(Box::pin(answer))
    }
}

impl<T> fmt::Debug for Answer<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Answer::Ready(_) => "Answer::Ready",
            Answer::Pending(_) => "Answer::Pending",
        })
    }
}

impl<T: Unpin> Future for Answer<'_, T> {
    type Output = Result<T, Failure>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Answer::Ready(answer) => Poll::Ready(
                answer
                    .take()
                    .unwrap_or_else(|| Err(Failure::new(FailureKind::Protocol).because("polled twice"))),
            ),
            Answer::Pending(answer) => answer.as_mut().poll(cx),
        }
    }
}
