//! Setting up a limiter.

use super::{
    Backend, Inner, Limiter, Resolver, Resolvers,
    line::Lines,
    plans::{Plans, Subject},
};
use crate::{
    error::{Error, ErrorKind},
    http::RequestInfo,
    resilience::{Guarded, Keeper, Share},
    store::{Store, memory::Memory},
    time::Clock,
};
use core::{
    fmt,
    sync::atomic::{AtomicBool, AtomicU32},
    time::Duration,
};
use ratelimit_spec::FailMode;
use std::sync::{Arc, OnceLock};

/// The variable that names the Redis of a process that sets up no limiter of its own.
const URL_VARIABLE: &str = "RATELIMIT_REDIS_URL";

/// Sets up a [`Limiter`].
///
/// Without [`redis`](Builder::redis), [`store`](Builder::store) or [`clock`](Builder::clock), the variable
/// `RATELIMIT_REDIS_URL` names the Redis to use; if it is not set, limits are decided in this process's memory.
///
/// ```
/// use ratelimit::{FailMode, Limiter};
/// use std::time::Duration;
///
/// let limiter = Limiter::builder()
///     .prefix("shop:")
///     .fail(FailMode::Open)
///     .deadline(Duration::from_millis(20))
///     .build()?;
/// # let _ = limiter;
/// # Ok::<(), ratelimit::Error>(())
/// ```
#[must_use = "a limiter is made by `build`"]
pub struct Builder {
    source: Source,
    clock: Option<Clock>,
    prefix: String,
    fail: FailMode,
    deadline: Duration,
    local_share: f64,
    memory_capacity: usize,
    ipv6_prefix: u8,
    resolvers: Resolvers,
    plans: Option<Plans>,
}

/// Where the store comes from.
enum Source {
    /// The variable, else memory.
    Default,
    #[cfg(feature = "redis")]
    Redis(String),
    Store(Box<dyn Store>),
}

impl Default for Builder {
    fn default() -> Self {
        Builder {
            source: Source::Default,
            clock: None,
            prefix: "rl:".to_owned(),
            fail: FailMode::Local,
            deadline: Duration::from_millis(50),
            local_share: 0.5,
            memory_capacity: Memory::DEFAULT_CAPACITY,
            ipv6_prefix: 64,
            resolvers: Resolvers::default(),
            plans: None,
        }
    }
}

impl Builder {
    /// Counts in that Redis or Valkey, one truth for all instances: `redis://[user:password@]host[:port][/database]`.
    ///
    /// Nothing is connected yet: a service starts also while Redis is down.
    #[cfg(feature = "redis")]
    pub fn redis(mut self, url: impl Into<String>) -> Self {
        self.source = Source::Redis(url.into());
        self
    }

    /// Counts in a store of your own.
    pub fn store(mut self, store: impl Store) -> Self {
        self.source = Source::Store(Box::new(store));
        self
    }

    /// Counts in memory by that clock, for tests of an application.
    pub fn clock(mut self, clock: impl Into<Clock>) -> Self {
        self.clock = Some(clock.into());
        self
    }

    /// What every stored key begins with; `rl:` by default.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// What a limit does when its store cannot answer, unless it says so itself; [`FailMode::Local`] by default.
    pub fn fail(mut self, mode: FailMode) -> Self {
        self.fail = mode;
        self
    }

    /// How long a call waits for its store, unless its limit says so itself; 50 ms by default.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// The part of each limit that this process decides by itself in fail mode `local`: above 0, up to 1, by default
    /// one half. With four instances, `0.25` keeps their sum at the limit.
    pub fn local_share(mut self, share: f64) -> Self {
        self.local_share = share;
        self
    }

    /// How many keys are kept in memory; about a million by default.
    pub fn memory_capacity(mut self, keys: usize) -> Self {
        self.memory_capacity = keys;
        self
    }

    /// How many leading bits of an IPv6 address count as one client; 64 by default, which is what one client gets.
    pub fn ipv6_prefix(mut self, bits: u8) -> Self {
        self.ipv6_prefix = bits;
        self
    }

    /// Finds the `user` of a request, instead of the request extension [`User`](crate::User).
    ///
    /// It has to be one that the application vouches for: a header that a client sends is not.
    pub fn user(mut self, find: impl Fn(&dyn RequestInfo) -> Option<String> + Send + Sync + 'static) -> Self {
        self.resolvers.user = Some(Arc::new(find) as Resolver);
        self
    }

    /// Finds the `tenant` of a request, instead of the request extension [`Tenant`](crate::Tenant).
    pub fn tenant(
        mut self,
        find: impl Fn(&dyn RequestInfo) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.resolvers.tenant = Some(Arc::new(find) as Resolver);
        self
    }

    /// Finds the `api_key` of a request, instead of the request extension [`ApiKey`](crate::ApiKey).
    pub fn api_key(
        mut self,
        find: impl Fn(&dyn RequestInfo) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.resolvers.api_key = Some(Arc::new(find) as Resolver);
        self
    }

    /// Finds the plan of a subject, where neither the request extension [`Plan`](crate::Plan) nor the limit's `plan` says
    /// it. The answer is kept for that long; a failure, or no answer within a second, goes by `otherwise` and is logged.
    ///
    /// ```
    /// use ratelimit::{Limiter, Subject};
    /// use std::time::Duration;
    ///
    /// # async fn plan_of(tenant: &str) -> Result<Option<String>, std::io::Error> { Ok(Some("pro".to_owned())) }
    /// let limiter = Limiter::builder()
    ///     .plans(Duration::from_secs(60), |subject: Subject| async move {
    ///         match subject.value("tenant") {
    ///             Some(tenant) => plan_of(&tenant).await,
    ///             None => Ok(None),
    ///         }
    ///     })
    ///     .build()?;
    /// # let _ = limiter;
    /// # Ok::<(), ratelimit::Error>(())
    /// ```
    pub fn plans<F, E>(
        mut self,
        cached_for: Duration,
        resolve: impl Fn(Subject) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Option<String>, E>> + Send + 'static,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        self.plans = Some(Plans::new(cached_for, resolve));
        self
    }

    /// Makes the limiter.
    ///
    /// # Errors
    ///
    /// If an option has a value that it cannot have, or the store's address cannot be used.
    pub fn build(mut self) -> Result<Limiter, Error> {
        let share = self.check()?;
        let backend = match core::mem::replace(&mut self.source, Source::Default) {
            Source::Store(store) => self.guard(store, share),
            #[cfg(feature = "redis")]
            Source::Redis(url) => self.guard(open(&url)?, share),
            Source::Default if self.clock.is_some() => self.memory(),
            Source::Default => match std::env::var(URL_VARIABLE) {
                Ok(url) if !url.is_empty() => self.guard(open(&url)?, share),
                _ => self.memory(),
            },
        };
        Ok(self.finish(backend))
    }

    pub(super) fn finish_in_memory(mut self) -> Limiter {
        let memory = self.memory();
        self.finish(memory)
    }

    /// The limiter of a process that installs none. A fault in the variable is met like a store that does not answer:
    /// by each limit's fail mode, and loudly.
    pub(super) fn default_limiter() -> Limiter {
        match Builder::default().build() {
            Ok(limiter) => {
                if matches!(limiter.0.backend, Backend::Memory(_)) {
                    tracing::info!(
                        "rate limits are counted in this process's memory; {URL_VARIABLE} would share them"
                    );
                }
                limiter
            }
            Err(error) => {
                tracing::error!(%error, "{URL_VARIABLE} cannot be used, every limit follows its fail mode");
                let mut builder = Builder::default();
                let broken = builder.guard(Box::new(crate::resilience::Broken), Share::HALF);
                builder.finish(broken)
            }
        }
    }

    fn check(&self) -> Result<Share, Error> {
        let option = |sentence: String| Error::new(ErrorKind::Option, sentence);
        let ordinary = |c: char| c.is_ascii_alphanumeric() || "-._:/".contains(c);
        if self.prefix.len() > 64 || !self.prefix.chars().all(ordinary) {
            return Err(option(format!(
                "`prefix`: `{}` can't begin a stored key, write up to 64 of `A-Z a-z 0-9 - . _ : /`",
                self.prefix.escape_debug()
            )));
        }
        if !(1..=128).contains(&self.ipv6_prefix) {
            return Err(option(format!(
                "`ipv6_prefix`: an IPv6 address has no {} leading bits, write 1 to 128; one client usually has a /64",
                self.ipv6_prefix
            )));
        }
        if self.deadline.is_zero() {
            return Err(option(
                "`deadline`: no store answers in no time, write for example 50 ms".to_owned(),
            ));
        }
        if self.memory_capacity == 0 {
            return Err(option(
                "`memory_capacity`: without a key nothing is limited, write at least 1".to_owned(),
            ));
        }
        Share::new(self.local_share).ok_or_else(|| {
            option(format!(
                "`local_share`: {} is no part of a limit, write a number above 0 and up to 1",
                self.local_share
            ))
        })
    }

    fn own_clock(&mut self) -> Clock {
        self.clock.get_or_insert_with(Clock::system).clone()
    }

    fn memory(&mut self) -> Backend {
        Backend::Memory(Arc::new(Memory::with_capacity(self.own_clock(), self.memory_capacity)))
    }

    fn guard(&mut self, store: Box<dyn Store>, share: Share) -> Backend {
        Backend::Guarded(Guarded::new(store, self.deadline, share, self.own_clock(), self.memory_capacity))
    }

    fn finish(mut self, backend: Backend) -> Limiter {
        let clock = self.own_clock();
        let store = match &backend {
            Backend::Memory(_) => None,
            Backend::Guarded(guarded) => Some(guarded.kept()),
        };
        Limiter(Arc::new(Inner {
            plans: self.plans,
            keeper: Keeper::new(clock.clone(), &self.prefix, store),
            lines: Lines::default(),
            instance: OnceLock::new(),
            memory_capacity: self.memory_capacity,
            prefix: self.prefix.into(),
            backend,
            clock,
            fail: self.fail,
            ipv6_prefix: self.ipv6_prefix,
            resolvers: self.resolvers,
            users_missing: AtomicU32::new(0),
            peer_unknown: AtomicBool::new(false),
        }))
    }
}

#[cfg(feature = "redis")]
fn open(url: &str) -> Result<Box<dyn Store>, Error> {
    match crate::store::redis::Redis::open(url) {
        Ok(store) => Ok(Box::new(store)),
        Err(error) => Err(Error::new(ErrorKind::Address, error.to_string()).because(error)),
    }
}

#[cfg(not(feature = "redis"))]
fn open(_url: &str) -> Result<Box<dyn Store>, Error> {
    let sentence = format!("{URL_VARIABLE} is set, but `ratelimit` was built without its feature `redis`");
    Err(Error::new(ErrorKind::Address, sentence))
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may hold a password.
        f.debug_struct("Builder")
            .field("prefix", &self.prefix)
            .field("fail", &self.fail)
            .field("deadline", &self.deadline)
            .field("local_share", &self.local_share)
            .field("memory_capacity", &self.memory_capacity)
            .field("ipv6_prefix", &self.ipv6_prefix)
            .finish_non_exhaustive()
    }
}
