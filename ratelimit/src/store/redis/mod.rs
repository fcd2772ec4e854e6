//! The store in Redis or Valkey: one truth for all instances.
//!
//! All charges of a call are decided by one Lua script in one round trip (two when the server has lost the script).
//! Time is the server's; no argument can set it. A key is a string of 17, 25 or 33 bytes, for a sliding log a list of
//! 18 bytes an entry, for calls in flight a sorted set with a member each, always with a TTL. On a denial nothing is
//! written. What a call holds until it is settled is a string of 26 bytes beside each of its keys.
//!
//! A decision is sent at most once. Where the answer is lost it may have been taken all the same: it stays charged. A
//! value under our key that we did not write is an error of kind `Setup`, and stays as it is.
//!
//! In a cluster a script runs where the slot of its keys is ([`servers`](crate::guide::servers)).
//!
//! The script runs from Redis 6.2 and on Valkey, and needs of an ACL no more than `+eval +evalsha +time +get +set +pttl
//! +pexpire`, for sliding logs `+lrange +lset +ltrim +rpush` and to settle one `+lindex +lrem`, for calls in flight
//! `+zcount +zadd +zscore +zrem +zremrangebyscore`. Deadlines, breakers and fail modes are not here: they
//! stand around the store. The arithmetic is that of the [memory store](crate::store::memory), word for word in Lua.

mod command;
mod fault;
mod link;
mod open;
mod ready;
mod routes;
mod scripts;
mod servers;
mod slot;
#[cfg(test)]
mod tests;
#[cfg(feature = "tls")]
mod tls;
mod topology;
mod url;

pub use open::Builder;
pub use url::OpenError;

use super::{Answer, Charge, Failure, Place, Receipt, Renewals, Settlement, Settlements, Store, Verdicts};
use ::redis::{Cmd, Value};
use command::By;
use core::{fmt, time::Duration};
use fault::NotRun;
use ratelimit_spec::Algorithm;
use routes::Node;
use scripts::Script;
use servers::Servers;
use std::sync::Arc;

/// Counts in Redis or Valkey.
///
/// ```
/// use ratelimit::store::redis::Redis;
///
/// let store = Redis::open("redis://127.0.0.1:6379")?; // does not connect yet
/// # let _ = store;
/// # Ok::<(), ratelimit::store::redis::OpenError>(())
/// ```
pub struct Redis {
    servers: Servers,
    decide: Script,
    settle: Script,
    renew: Script,
}

impl Redis {
    /// A store at a URL. It connects at its first decision, so a service starts while Redis is down.
    ///
    /// | URL | what it is |
    /// |---|---|
    /// | `redis://user:password@host:6379/0` | one server; `valkey://` is the same |
    /// | `rediss://…`, `valkeys://…` | the same over TLS, with the feature `tls` |
    /// | `unix:///path/to/socket` | the same over a socket |
    /// | `redis://a:6379,b:6379,c:6379` | a cluster, of which these nodes are asked for the others |
    /// | `redis+cluster://a:6379` | a cluster behind one name |
    /// | `redis+sentinel://a:26379,b:26379/name/0` | the server that sentinels call the primary of `name` |
    ///
    /// # Errors
    ///
    /// [`OpenError`] if the URL cannot be used.
    pub fn open(url: impl Into<String>) -> Result<Redis, OpenError> {
        Redis::builder(url).build()
    }

    /// A store at a URL, with timeouts of its own.
    pub fn builder(url: impl Into<String>) -> Builder {
        Builder::new(url.into())
    }

    /// Replaces the text by which the scripts find out what time it is, so that a test can hand in time: it has to
    /// define `now_us`.
    #[doc(hidden)]
    #[must_use]
    pub fn with_time_head(self, lua: &str) -> Redis {
        Redis::with_head(self.servers, lua)
    }

    fn over(servers: Servers) -> Redis {
        Redis::with_head(servers, scripts::TIME)
    }

    fn with_head(servers: Servers, head: &str) -> Redis {
        let script = |body| Script::new(head, body);
        let (decide, settle, renew) = (scripts::DECIDE, scripts::SETTLE, scripts::RENEW);
        Redis { servers, decide: script(decide), settle: script(settle), renew: script(renew) }
    }

    /// Runs a script where a key is, and reads the reply.
    ///
    /// It is sent again only where the server says that it ran nothing: to another server, or with the script's text.
    async fn run<T>(
        &self,
        script: &Script,
        key: &[u8],
        command: impl Fn(By<'_>) -> Cmd + Send,
        understand: impl FnOnce(&Value) -> Result<T, Failure> + Send,
    ) -> Result<T, Failure> {
        let mut node: Arc<Node> = self.servers.of(key).await?;
        let (mut by, mut asks) = (script.by(false), false);
        let mut attempts = 1;
        let reply = loop {
            let error = match node.link.send(&command(by), asks).await? {
                Ok(reply) => break reply,
                Err(error) => error,
            };
            match fault::not_run(&error) {
                Some(why) if attempts < MOST_ATTEMPTS => {
                    match why {
                        NotRun::ScriptLost => by = script.by(true),
                        NotRun::Moved => (node, asks) = (self.servers.redirected(&error, &node)?, false),
                        NotRun::Ask => (node, asks) = (self.servers.redirected(&error, &node)?, true),
                        NotRun::TryAgain => {}
                    }
                    // Servers may not agree for a moment which of them has a slot, or have the keys of a call in part.
                    if why == NotRun::TryAgain || attempts >= AGREED_AFTER {
                        tokio::time::sleep(PAUSE * attempts).await;
                    }
                }
                _ => {
                    if fault::is_doubtful(&error) {
                        self.servers.doubt();
                    }
                    return Err(node.failure(error));
                }
            }
            attempts += 1;
        };
        // What cannot be understood speaks against the connection that it came on.
        understand(&reply).inspect_err(|_| node.link.distrust())
    }
}

/// How often a call is sent that no server has run.
const MOST_ATTEMPTS: u32 = 32;
/// After so many attempts servers that agree would have run it: a stale route, one to a new owner, and a lost script.
const AGREED_AFTER: u32 = 4;
/// Before a call is sent again that servers do not agree on; longer each time.
const PAUSE: Duration = Duration::from_millis(1);

impl Store for Redis {
    fn place(&self, key: &[u8]) -> Place {
        self.servers.place(key)
    }

    fn ready<'a>(&'a self, prefix: &'a str) -> Answer<'a, ()> {
        Answer::pending(self.ask_all(prefix))
    }

    fn part_name(&self, part: u16) -> Option<String> {
        self.servers.name(part)
    }

    fn decide<'a>(&'a self, charges: &'a [Charge<'a>]) -> Answer<'a, Verdicts> {
        let Some(first) = charges.first() else {
            return Answer::ready(Ok(Verdicts::new()));
        };
        Answer::pending(async move {
            let command = |by: By<'_>| command::decide(by, charges);
            self.run(&self.decide, first.key, command, |reply| command::verdicts(reply, charges)).await
        })
    }

    fn settle<'a>(&'a self, settlements: &'a [Settlement<'a>]) -> Answer<'a, Settlements> {
        let Some(first) = settlements.first() else {
            return Answer::ready(Ok(Settlements::new()));
        };
        Answer::pending(async move {
            let command = |by: By<'_>| command::settle(by, settlements);
            let understand = |reply: &Value| command::settled(reply, settlements);
            self.run(&self.settle, first.charge.key, command, understand).await
        })
    }

    fn renew<'a>(&'a self, charges: &'a [Charge<'a>]) -> Answer<'a, Renewals> {
        let Some(first) = charges.first() else {
            return Answer::ready(Ok(Renewals::new()));
        };
        Answer::pending(async move {
            let command = |by: By<'_>| command::renew(by, charges);
            self.run(&self.renew, first.key, command, |reply| command::renewed(reply, charges)).await
        })
    }

    fn give_back<'a>(&'a self, charge: &'a Charge<'a>, receipt: Receipt) -> Answer<'a, ()> {
        if charge.cost == 0 || charge.numbers.algorithm == Algorithm::Concurrency {
            return Answer::ready(Ok(()));
        }
        Answer::pending(async move {
            let settlement = [Settlement { charge: *charge, actual: 0 }];
            let command = |by: By<'_>| command::give_back(by, charge, receipt);
            let understand = |reply: &Value| command::settled(reply, &settlement).map(drop);
            self.run(&self.settle, charge.key, command, understand).await
        })
    }
}

impl fmt::Debug for Redis {
    /// The addresses, never a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis").field("servers", &self.servers).finish_non_exhaustive()
    }
}
