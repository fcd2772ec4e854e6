//! Which plan a call goes by, where neither the request nor the call says: the limiter's resolver, and its cache.

use crate::{
    lock::lock,
    time::{Clock, micros},
};
use core::{fmt, future::Future, pin::Pin, time::Duration};
use percent_encoding::percent_decode;
use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, Mutex},
};
use tokio::{sync::OnceCell, time::timeout};

/// Whose plan is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subject(Arc<str>);

/// What a resolver may fail with.
pub(super) type Cause = Box<dyn std::error::Error + Send + Sync>;

type Answer = Pin<Box<dyn Future<Output = Result<Option<String>, Cause>> + Send>>;
type Resolve = Box<dyn Fn(Subject) -> Answer + Send + Sync>;

/// Asks for plans, each subject once in a while however many calls want to know.
pub(crate) struct Plans {
    resolve: Resolve,
    cached_for: Duration,
    cache: Mutex<HashMap<Subject, Arc<Cached>>>,
}

/// An answer on its way, or there.
#[derive(Default)]
struct Cached {
    answer: OnceCell<(Option<Arc<str>>, u64)>,
}

/// Subjects in the cache: beyond, those go whose answer is too old, and if there are none, all.
const MOST_SUBJECTS: usize = 65_536;
/// How long a resolver may take, and how long its failure is remembered.
const PATIENCE: Duration = Duration::from_secs(1);

impl Subject {
    /// The subject of a key, of which only its pairs of label and value are kept.
    pub(super) fn of_key(pairs: &[u8]) -> Subject {
        Subject(String::from_utf8_lossy(pairs).into())
    }

    /// The value of a word of the key, as it was given, but for a long one or a secret, which is a digest.
    pub fn value(&self, word: &str) -> Option<Cow<'_, str>> {
        let pair = self.0.split(':').find_map(|pair| pair.strip_prefix(word)?.strip_prefix('='))?;
        Some(percent_decode(pair.as_bytes()).decode_utf8_lossy())
    }

    /// All of its pairs as they stand in the key: `tenant=acme:user=ann`.
    pub fn pairs(&self) -> &str {
        self.0.strip_prefix(':').unwrap_or(&self.0)
    }
}

impl Plans {
    pub(super) fn new<F, E>(
        cached_for: Duration,
        resolve: impl Fn(Subject) -> F + Send + Sync + 'static,
    ) -> Plans
    where
        F: Future<Output = Result<Option<String>, E>> + Send + 'static,
        E: Into<Cause>,
    {
        let resolve = move |subject| {
            let answer = resolve(subject);
            Box::pin(async move { answer.await.map_err(E::into) }) as Answer
        };
        Plans { resolve: Box::new(resolve), cached_for, cache: Mutex::default() }
    }

    /// The plan of a subject; `None` if it has none, or nobody could be asked.
    pub(super) async fn of(&self, subject: Subject, clock: &Clock) -> Option<Arc<str>> {
        let cached = self.cached(&subject, clock.now_micros());
        // Whoever comes while somebody asks waits for that answer; if the one who asks is dropped, the next goes on.
        let (plan, _) = cached.answer.get_or_init(|| self.ask(subject, clock)).await;
        plan.clone()
    }

    async fn ask(&self, subject: Subject, clock: &Clock) -> (Option<Arc<str>>, u64) {
        let (plan, kept_for) = match timeout(PATIENCE, (self.resolve)(subject)).await {
            Ok(Ok(plan)) => (plan.map(Arc::from), self.cached_for),
            Ok(Err(cause)) => {
                tracing::warn!(%cause, "rate limit: the plan of a subject cannot be told, `otherwise` goes");
                (None, self.cached_for.min(PATIENCE))
            }
            Err(_elapsed) => {
                tracing::warn!(
                    "rate limit: the plan of a subject is not told within a second, `otherwise` goes"
                );
                (None, self.cached_for.min(PATIENCE))
            }
        };
        (plan, clock.now_micros().saturating_add(micros(kept_for)))
    }

    fn cached(&self, subject: &Subject, now: u64) -> Arc<Cached> {
        let is_fresh = |cached: &Cached| cached.answer.get().is_none_or(|(_, until)| *until > now);
        let mut cache = lock(&self.cache);
        if let Some(cached) = cache.get(subject).filter(|cached| is_fresh(cached)) {
            return Arc::clone(cached);
        }
        if cache.len() >= MOST_SUBJECTS {
            cache.retain(|_, cached| is_fresh(cached));
            if cache.len() >= MOST_SUBJECTS {
                cache.clear();
            }
        }
        let cached = Arc::new(Cached::default());
        cache.insert(subject.clone(), Arc::clone(&cached));
        cached
    }
}

impl fmt::Debug for Plans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plans").field("cached_for", &self.cached_for).finish_non_exhaustive()
    }
}

/// What can name a plan.
///
/// Texts are, and `Option`s of them: `None`, like a name that the limit does not know, goes by `otherwise`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't name a plan, write a text, or `impl ratelimit::PlanName for {Self}`",
    label = "has to name a plan"
)]
pub trait PlanName {
    /// The name, if there is one.
    fn plan_name(&self) -> Option<&str>;
}

impl PlanName for str {
    fn plan_name(&self) -> Option<&str> {
        Some(self)
    }
}

macro_rules! texts {
    ($($text:ty),*) => {$(
        impl PlanName for $text {
            fn plan_name(&self) -> Option<&str> {
                Some(self)
            }
        }
    )*};
}
texts!(String, Box<str>, Arc<str>, Cow<'_, str>);

impl<T: PlanName + ?Sized> PlanName for &T {
    fn plan_name(&self) -> Option<&str> {
        (**self).plan_name()
    }
}

impl<T: PlanName> PlanName for Option<T> {
    fn plan_name(&self) -> Option<&str> {
        self.as_ref()?.plan_name()
    }
}

impl PlanName for crate::http::Plan {
    fn plan_name(&self) -> Option<&str> {
        Some(&self.0)
    }
}
