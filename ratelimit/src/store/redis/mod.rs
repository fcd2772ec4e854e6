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
//! The script runs from Redis 6.2 and on Valkey, and needs of an ACL no more than `+eval +evalsha +time +get +set +pttl
//! +pexpire`, for sliding logs `+lrange +lset +ltrim +rpush` and to settle one `+lindex +lrem`, for calls in flight
//! `+zcount +zadd +zscore +zrem +zremrangebyscore`. Deadlines, breakers and fail modes are not here: they
//! stand around the store. The arithmetic is that of the [memory store](crate::store::memory), word for word in Lua.

mod command;
mod fault;
mod link;
mod open;
mod scripts;
#[cfg(test)]
mod tests;

pub use open::{Builder, OpenError};

use super::{Answer, Charge, Failure, Receipt, Renewals, Settlement, Settlements, Store, Verdicts};
use ::redis::{Cmd, Value};
use command::By;
use core::fmt;
use link::Link;
use ratelimit_spec::Algorithm;
use scripts::Script;

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
    link: Link,
    decide: Script,
    settle: Script,
    renew: Script,
}

impl Redis {
    /// A store at a URL: `redis://user:password@host:6379/0`, `rediss://…` for TLS, `unix:///path`, and the same with
    /// `valkey`. It connects at its first decision, so a service starts while Redis is down.
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
        Redis::with_head(self.link, lua)
    }

    fn over(link: Link) -> Redis {
        Redis::with_head(link, scripts::TIME)
    }

    fn with_head(link: Link, head: &str) -> Redis {
        let script = |body| Script::new(head, body);
        let (decide, settle, renew) = (scripts::DECIDE, scripts::SETTLE, scripts::RENEW);
        Redis { link, decide: script(decide), settle: script(settle), renew: script(renew) }
    }

    /// Runs a script: by its hash, and if the server says that it has lost it, and so ran nothing, by its text.
    async fn run(&self, script: &Script, command: impl Fn(By<'_>) -> Cmd + Send) -> Result<Value, Failure> {
        let line = self.link.line()?;
        let reply = match self.link.send(&line, &command(By::Sha(script.sha()))).await {
            Err(error) if fault::lost_script(&error) => {
                self.link.send(&line, &command(By::Text(script.text()))).await
            }
            reply => reply,
        };
        reply.map_err(fault::failure)
    }
}

impl Redis {
    /// What cannot be understood speaks against the connection that it came on.
    fn understood<T>(&self, answer: Result<T, Failure>) -> Result<T, Failure> {
        if answer.is_err() {
            self.link.distrust();
        }
        answer
    }
}

impl Store for Redis {
    fn decide<'a>(&'a self, charges: &'a [Charge<'a>]) -> Answer<'a, Verdicts> {
        if charges.is_empty() {
            return Answer::ready(Ok(Verdicts::new()));
        }
        Answer::pending(async move {
            let reply = self.run(&self.decide, |by| command::decide(by, charges)).await?;
            self.understood(command::verdicts(&reply, charges))
        })
    }

    fn settle<'a>(&'a self, settlements: &'a [Settlement<'a>]) -> Answer<'a, Settlements> {
        if settlements.is_empty() {
            return Answer::ready(Ok(Settlements::new()));
        }
        Answer::pending(async move {
            let reply = self.run(&self.settle, |by| command::settle(by, settlements)).await?;
            self.understood(command::settled(&reply, settlements))
        })
    }

    fn renew<'a>(&'a self, charges: &'a [Charge<'a>]) -> Answer<'a, Renewals> {
        if charges.is_empty() {
            return Answer::ready(Ok(Renewals::new()));
        }
        Answer::pending(async move {
            let reply = self.run(&self.renew, |by| command::renew(by, charges)).await?;
            self.understood(command::renewed(&reply, charges))
        })
    }

    fn give_back<'a>(&'a self, charge: &'a Charge<'a>, receipt: Receipt) -> Answer<'a, ()> {
        if charge.cost == 0 || charge.numbers.algorithm == Algorithm::Concurrency {
            return Answer::ready(Ok(()));
        }
        Answer::pending(async move {
            let settlement = [Settlement { charge: *charge, actual: 0 }];
            let reply = self.run(&self.settle, |by| command::give_back(by, charge, receipt)).await?;
            self.understood(command::settled(&reply, &settlement)).map(drop)
        })
    }
}

impl fmt::Debug for Redis {
    /// The address, never the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.link.client().get_connection_info();
        f.debug_struct("Redis")
            .field("address", &info.addr().to_string())
            .field("database", &info.redis_settings().db())
            .finish_non_exhaustive()
    }
}
