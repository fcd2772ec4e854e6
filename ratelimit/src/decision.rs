//! What was decided: [`Decision`] for every call, [`Denied`] for one that does not pass.

use crate::limit::Limit;
use core::{fmt, time::Duration};
use smallvec::SmallVec;

/// What was decided on one call, layer by layer.
#[derive(Clone, Debug)]
pub struct Decision {
    layers: SmallVec<[Layer; 1]>,
}

/// What was decided on one layer of a call.
#[derive(Clone, Debug)]
pub struct Layer {
    pub(crate) limit: Limit,
    pub(crate) cost: u64,
    pub(crate) outcome: LayerOutcome,
    /// Its place among the layers of the function as they are written; some may not apply to a call.
    pub(crate) place: usize,
    pub(crate) numbers: Option<LayerNumbers>,
}

/// How one layer answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayerOutcome {
    /// It admits the call.
    Allowed,
    /// It denies the call.
    Denied {
        /// Until the same call passes, if nothing else happens.
        retry_after: Duration,
    },
    /// It can never admit the call: the cost is above the capacity.
    ExceedsCapacity,
    /// Its store did not answer and the fail mode is `open`.
    FailedOpen,
    /// Its store did not answer and the fail mode is `closed`.
    FailedClosed,
    /// It was not asked, because another layer had decided the call: one of scope `instance`, or a fail mode.
    NotAsked,
}

/// The state of one layer's bucket as the call left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerNumbers {
    /// Units that pass at one instant from idle.
    pub limit: u64,
    /// Units left.
    pub remaining: u64,
    /// Until the bucket is as if it had never been used.
    pub reset_after: Duration,
}

impl Decision {
    pub(crate) fn new(layers: SmallVec<[Layer; 1]>) -> Decision {
        Decision { layers }
    }

    /// Of a call that no layer applies to.
    pub(crate) fn of_nothing() -> Decision {
        Decision { layers: SmallVec::new() }
    }

    pub(crate) fn layer_mut(&mut self, place: usize) -> Option<&mut Layer> {
        self.layers.get_mut(place)
    }

    /// Every layer, in written order; those that did not apply to the call are left out.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Whether the call passes: every layer admits it.
    pub fn is_allowed(&self) -> bool {
        self.layers.iter().all(|layer| layer.denial().is_none())
    }

    /// The layer that is reported when there is room for one: on a denial the one that denies, else the one with the
    /// fewest such calls left; of several the first.
    pub fn tightest(&self) -> Option<&Layer> {
        let counted = || self.layers.iter().filter(|layer| layer.numbers.is_some());
        self.denying().map(|(layer, _)| layer).or_else(|| counted().min_by_key(|layer| layer.calls_left()))
    }

    /// The layer that a denial is put down to: one that the call never passes, else the one with the longest wait. What a
    /// store answered wins over what one could not answer.
    fn denying(&self) -> Option<(&Layer, DeniedKind)> {
        let denying = self.layers.iter().rev().filter_map(|layer| Some((layer, layer.denial()?)));
        denying.max_by_key(|(layer, kind)| (kind.rank(), layer.wait()))
    }
}

impl Layer {
    /// The limit.
    pub fn limit(&self) -> &Limit {
        &self.limit
    }

    /// How it answered.
    pub fn outcome(&self) -> LayerOutcome {
        self.outcome
    }

    /// What the call costs here, in units.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// The numbers of its bucket; `None` if its store did not answer.
    pub fn numbers(&self) -> Option<LayerNumbers> {
        self.numbers
    }

    /// Why this layer does not let the call pass, if it does not.
    fn denial(&self) -> Option<DeniedKind> {
        match self.outcome {
            LayerOutcome::Denied { .. } => Some(DeniedKind::Limited),
            LayerOutcome::ExceedsCapacity => Some(DeniedKind::ExceedsCapacity),
            LayerOutcome::FailedClosed => Some(DeniedKind::StoreUnavailable),
            LayerOutcome::Allowed | LayerOutcome::FailedOpen | LayerOutcome::NotAsked => None,
        }
    }

    /// How long the call has to stay away because of this layer, if that helps.
    fn wait(&self) -> Option<Duration> {
        match self.outcome {
            LayerOutcome::Denied { retry_after } => Some(retry_after),
            LayerOutcome::FailedClosed => Some(RETRY_CLOSED),
            LayerOutcome::Allowed
            | LayerOutcome::ExceedsCapacity
            | LayerOutcome::FailedOpen
            | LayerOutcome::NotAsked => None,
        }
    }

    fn calls_left(&self) -> u64 {
        self.numbers.map_or(u64::MAX, |numbers| numbers.remaining / self.cost.max(1))
    }
}

/// A call that does not pass.
///
/// An [`Error`](std::error::Error), so `?` carries it into `anyhow::Error`, `Box<dyn Error>` or a type of yours with
/// `From<Denied>`.
#[derive(Clone)]
pub struct Denied(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: DeniedKind,
    limit: Limit,
    retry_after: Option<Duration>,
    /// The word of the key that is missing, or what does not agree.
    why: Option<Box<str>>,
    decision: Decision,
}

/// Why a call does not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeniedKind {
    /// The limit is reached; the same call passes later.
    Limited,
    /// The call costs more than the limit's capacity: it never passes.
    ExceedsCapacity,
    /// The store cannot answer and the limit says `fail = "closed"`.
    StoreUnavailable,
    /// A part of the key has no value, and a function has no client's address to fall back to.
    MissingKey,
    /// Two functions share a budget by name and do not agree on its rule: a fault of the program.
    Conflict,
}

impl DeniedKind {
    /// Which of several is told.
    fn rank(self) -> u8 {
        match self {
            DeniedKind::StoreUnavailable | DeniedKind::MissingKey | DeniedKind::Conflict => 0,
            DeniedKind::Limited => 1,
            DeniedKind::ExceedsCapacity => 2,
        }
    }
}

/// How long a client is asked to stay away while the store cannot answer and the limit says `closed`.
pub(crate) const RETRY_CLOSED: Duration = Duration::from_secs(1);

impl Denied {
    /// The denial that a decision amounts to, or the decision back if it allows the call.
    pub(crate) fn from_decision(decision: Decision) -> Result<Decision, Denied> {
        let Some((layer, kind)) = decision.denying() else { return Ok(decision) };
        let (limit, retry_after) = (layer.limit.clone(), layer.wait());
        Err(Denied(Box::new(Inner { kind, limit, retry_after, why: None, decision })))
    }

    /// The denial of a call that is behind others who wait for the same limits, for so long at least.
    pub(crate) fn waiting(
        mut decision: Decision,
        is_waited_for: impl Fn(&Limit) -> bool,
        at_least: Duration,
    ) -> Option<Denied> {
        for layer in decision.layers.iter_mut().filter(|layer| is_waited_for(&layer.limit)) {
            let retry_after = layer.wait().unwrap_or_default().max(at_least);
            layer.outcome = LayerOutcome::Denied { retry_after };
        }
        Denied::from_decision(decision).err()
    }

    pub(crate) fn missing_key(limit: Limit, word: &str) -> Denied {
        Denied::undecided(DeniedKind::MissingKey, limit, word)
    }

    pub(crate) fn conflict(limit: Limit, conflict: &str) -> Denied {
        Denied::undecided(DeniedKind::Conflict, limit, conflict)
    }

    fn undecided(kind: DeniedKind, limit: Limit, why: &str) -> Denied {
        let decision = Decision::of_nothing();
        Denied(Box::new(Inner { kind, limit, retry_after: None, why: Some(why.into()), decision }))
    }

    /// Why.
    pub fn kind(&self) -> DeniedKind {
        self.0.kind
    }

    /// The limit that denies: over several layers one that the call never passes, else the one with the longest wait.
    pub fn limit(&self) -> &Limit {
        &self.0.limit
    }

    /// How long until the same call passes if nothing else happens; `None` if waiting does not help.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Whether the same call can pass at a later time.
    pub fn can_pass_later(&self) -> bool {
        self.0.retry_after.is_some()
    }

    /// What was decided, layer by layer; empty if a key could not be built.
    pub fn decision(&self) -> &Decision {
        &self.0.decision
    }
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, limit, retry_after, why, .. } = &*self.0;
        let name = limit.name();
        match kind {
            DeniedKind::Limited => {
                write!(f, "rate limit `{name}` reached ({limit})")?;
                match retry_after {
                    Some(wait) => write!(f, ", retry in {wait:?}"),
                    None => Ok(()),
                }
            }
            DeniedKind::ExceedsCapacity => {
                write!(f, "the call costs more than rate limit `{name}` ever admits ({limit})")
            }
            DeniedKind::StoreUnavailable => {
                write!(
                    f,
                    "rate limit `{name}` cannot be decided, its store does not answer and it fails closed"
                )
            }
            DeniedKind::MissingKey => {
                let word = why.as_deref().unwrap_or("key");
                write!(f, "rate limit `{name}` has no value for `{word}` of its key")
            }
            DeniedKind::Conflict => {
                write!(
                    f,
                    "rate limit `{name}`: {}",
                    why.as_deref().unwrap_or("two functions do not agree on it")
                )
            }
        }
    }
}

impl fmt::Debug for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Denied")
            .field("kind", &self.kind())
            .field("limit", &self.limit().name())
            .field("retry_after", &self.retry_after())
            .finish_non_exhaustive()
    }
}

impl std::error::Error for Denied {}

impl From<Denied> for std::io::Error {
    fn from(denied: Denied) -> Self {
        std::io::Error::other(denied)
    }
}

impl From<Denied> for String {
    fn from(denied: Denied) -> Self {
        denied.to_string()
    }
}
