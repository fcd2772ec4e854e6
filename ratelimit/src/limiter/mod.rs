//! The limiter: a cheap handle to a store, its fail mode and who is who. [`check`] is where a call is decided.

mod ask;
mod builder;
mod call;
mod check;
mod install;
mod line;
mod plans;
mod queue;

pub use builder::Builder;
pub use call::{Admit, Call, Check};
pub(crate) use install::Current;
pub use plans::{PlanName, Subject};

use crate::{
    error::{Error, ErrorKind},
    http::{Identity, RequestInfo},
    key::Client,
    limit::Limit,
    resilience::{Guarded, Keeper},
    store::memory::Memory,
    time::Clock,
};
use core::{
    fmt,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
};
use line::Lines;
use plans::Plans;
use ratelimit_spec::FailMode;
use std::sync::{Arc, OnceLock};

/// Decides calls. A clone is a handle to the same limiter.
///
/// Most applications need none of their own: without one, limits are decided in this process's memory, or in the Redis
/// that `RATELIMIT_REDIS_URL` names. [`Limiter::builder`] sets one up, and [`Limiter::install`] makes it the process's.
///
/// ```
/// use ratelimit::{Limit, Limiter, ManualClock};
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let clock = ManualClock::new();
/// let limiter = Limiter::builder().clock(clock.clone()).build()?;
/// let limit = Limit::builder("exports").key("tenant").rate("1/min").build()?;
///
/// limiter.check(&limit).part("tenant", "acme").await?;
/// let denied = limiter.check(&limit).part("tenant", "acme").await.unwrap_err();
/// assert_eq!(denied.limit().name(), "exports");
///
/// clock.advance(Duration::from_secs(120));
/// limiter.check(&limit).part("tenant", "acme").await?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Limiter(Arc<Inner>);

struct Inner {
    prefix: Box<str>,
    backend: Backend,
    clock: Clock,
    fail: FailMode,
    ipv6_prefix: u8,
    resolvers: Resolvers,
    plans: Option<Plans>,
    keeper: Keeper,
    lines: Lines,
    /// Where limits of scope `instance` count, beside a store.
    instance: OnceLock<Arc<Memory>>,
    memory_capacity: usize,
    /// Requests in a row, from the first, whose `user` was not there.
    users_missing: AtomicU32,
    peer_unknown: AtomicBool,
}

/// Where a limiter's decisions are taken.
enum Backend {
    /// Here, at once.
    Memory(Arc<Memory>),
    /// In a store that may take its time or not answer.
    Guarded(Guarded),
}

type Resolver = Arc<dyn Fn(&dyn RequestInfo) -> Option<String> + Send + Sync>;

#[derive(Clone, Default)]
struct Resolvers {
    user: Option<Resolver>,
    tenant: Option<Resolver>,
    api_key: Option<Resolver>,
}

impl Resolvers {
    fn of(&self, identity: Identity) -> Option<&Resolver> {
        match identity {
            Identity::User => self.user.as_ref(),
            Identity::Tenant => self.tenant.as_ref(),
            Identity::ApiKey => self.api_key.as_ref(),
        }
    }
}

/// After that many requests without a user, somebody should look at the set-up.
const USERS_MISSING_WARNING: u32 = 100;

impl Limiter {
    /// Sets up a limiter.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A limiter that decides in this process's memory, with the defaults of [`Builder`].
    pub fn in_memory() -> Limiter {
        Builder::default().finish_in_memory()
    }

    /// The identity that the application vouches for: its resolver's answer if it registered one, else the extension.
    pub(crate) fn identity(&self, asked: Identity, request: &dyn RequestInfo) -> Option<Arc<str>> {
        let found = match self.0.resolvers.of(asked) {
            Some(resolve) => resolve(request).map(Arc::from),
            None => request.identity(asked),
        };
        if asked == Identity::User {
            self.watch_users(found.is_some());
        }
        found
    }

    fn watch_users(&self, found: bool) {
        let missing = &self.0.users_missing;
        let so_far = missing.load(Ordering::Relaxed);
        if so_far >= USERS_MISSING_WARNING {
            return;
        }
        if found {
            // One is enough: the set-up is right.
            missing.store(u32::MAX, Ordering::Relaxed);
        } else if missing.fetch_add(1, Ordering::Relaxed) + 1 == USERS_MISSING_WARNING {
            tracing::warn!(
                "none of the first {USERS_MISSING_WARNING} requests keyed by `user` had one, they are counted by \
                 address: let the authentication insert the request extension `ratelimit::User`, or register \
                 `Limiter::builder().user(..)`"
            );
        }
    }

    /// The client of a request.
    pub(crate) fn client(&self, request: &dyn RequestInfo) -> Client {
        Client::new(request.peer(), self.0.ipv6_prefix)
    }

    /// Says once that no request can be told from another.
    pub(crate) fn report_unknown_peer(&self) {
        if !self.0.peer_unknown.swap(true, Ordering::Relaxed) {
            tracing::error!(
                "the server does not tell the client's address, so all such clients share one bucket: serve an axum \
                 router with `.into_make_service_with_connect_info::<SocketAddr>()`; over a Unix socket there is no \
                 address, key by something else"
            );
        }
    }

    /// Makes this limiter the one that every annotated function of the process uses, unless it names another.
    ///
    /// # Errors
    ///
    /// If one is installed already, or a decision has been taken before: two truths are worse than one. And if two
    /// annotated functions of the binary share a budget by `name` and do not agree on its rule.
    pub fn install(self) -> Result<(), Error> {
        install::install(self)
    }

    /// The limiter that an annotated function would use here: that of [`Limiter::scope`], else the installed one, else
    /// the default.
    pub fn current() -> Limiter {
        Current::find().clone()
    }

    /// Asks the store for all that limits may need of it, so that one which is not set up right is found when a service
    /// starts, and not by its first caller. In memory there is nothing to ask.
    ///
    /// A service may well start without its store: its limits follow their fail mode until it is there.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// if let Err(error) = ratelimit::Limiter::current().ready().await {
    ///     eprintln!("rate limits follow their fail mode: {error}");
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Store`](crate::ErrorKind::Store) if the store does not answer within two seconds, or with an error: a
    /// missing permission is named with what to allow.
    pub async fn ready(&self) -> Result<(), Error> {
        let Backend::Guarded(guarded) = &self.0.backend else { return Ok(()) };
        guarded.ready(&self.0.prefix).await.map_err(|failure| {
            let cause = std::error::Error::source(&failure).map(|cause| format!(": {cause}"));
            Error::new(ErrorKind::Store, format!("{failure}{}", cause.unwrap_or_default())).because(failure)
        })
    }

    /// Asks this limiter to admit a call under a limit that was described at run time. An admitted call counts.
    pub fn check(&self, limit: &Limit) -> Check {
        Check::new(self.clone(), limit.clone(), false)
    }

    /// The same for a call that is not over when it is admitted: it holds a [`Permit`](crate::Permit), by which its cost
    /// can be corrected.
    ///
    /// ```
    /// use ratelimit::{Limit, Limiter, Usd};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let limiter = Limiter::in_memory();
    /// let requests = Limit::builder("requests").key("tenant").rate("60/min").build()?;
    /// let dollars = Limit::builder("dollars").key("tenant").rate("$20/day").build()?;
    ///
    /// let estimate: Usd = "0.05".parse()?;
    /// let call = limiter.acquire(&requests).and(&dollars).cost(estimate.micros());
    /// let permit = call.part("tenant", "acme").await?;
    /// let actual: Usd = "0.0312".parse()?;
    /// permit.settle_each(|layer| if layer.limit().name() == "dollars" { actual.micros() } else { 1 }).await;
    /// # Ok(()) }
    /// ```
    pub fn acquire(&self, limit: &Limit) -> Check {
        Check::new(self.clone(), limit.clone(), true)
    }

    pub(crate) fn keeper(&self) -> &Keeper {
        &self.0.keeper
    }

    /// Runs a future in which annotated functions use this limiter, for example a test of an application.
    ///
    /// Tasks that the future spawns are outside of it.
    pub fn scope<F: Future>(&self, future: F) -> impl Future<Output = F::Output> + use<F> {
        install::scope(self.clone(), future)
    }
}

impl Inner {
    /// The memory for limits of scope `instance`.
    fn instance(&self) -> Arc<Memory> {
        let fresh = || Arc::new(Memory::with_capacity(self.clock.clone(), self.memory_capacity));
        Arc::clone(self.instance.get_or_init(fresh))
    }
}

impl fmt::Debug for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { prefix, backend, fail, ipv6_prefix, .. } = &*self.0;
        let backend: &dyn fmt::Debug = match backend {
            Backend::Memory(memory) => &**memory,
            Backend::Guarded(guarded) => guarded,
        };
        f.debug_struct("Limiter")
            .field("prefix", prefix)
            .field("store", backend)
            .field("fail", fail)
            .field("ipv6_prefix", ipv6_prefix)
            .finish_non_exhaustive()
    }
}
