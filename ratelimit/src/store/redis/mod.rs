//! The store in Redis or Valkey: one truth for all instances.
//!
//! All charges of a call are decided by one Lua script in one round trip (two when the server has lost the script).
//! Time is the server's; no argument can set it. A key is a string of 17 or 25 bytes, for a sliding log a list of
//! 18 bytes an entry, always with a TTL. On a denial nothing is written.
//!
//! A decision is sent at most once. Where the answer is lost it may have been taken all the same: it stays charged. A
//! value under our key that we did not write is an error of kind `Setup`, and stays as it is.
//!
//! The script runs from Redis 6.2 and on Valkey, and needs of an ACL no more than `+eval +evalsha +time +get +set +pttl
//! +pexpire`, and for sliding logs `+lrange +lset +ltrim +rpush`. Deadlines, breakers and fail modes are not here: they
//! stand around the store. The arithmetic is that of the [memory store](crate::store::memory), word for word in Lua.

mod command;
mod fault;
mod link;
mod open;
mod scripts;
#[cfg(test)]
mod tests;

pub use open::{Builder, OpenError};

use super::{Answer, Charge, Failure, FailureKind, Receipt, Store, Verdicts};
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
    give_back: Script,
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
        Redis {
            link: self.link,
            decide: Script::new(lua, scripts::DECIDE),
            give_back: Script::new(lua, scripts::GIVE_BACK),
        }
    }

    fn over(link: Link) -> Redis {
        Redis {
            link,
            decide: Script::new(scripts::TIME, scripts::DECIDE),
            give_back: Script::new(scripts::TIME, scripts::GIVE_BACK),
        }
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

impl Store for Redis {
    fn decide<'a>(&'a self, charges: &'a [Charge<'a>]) -> Answer<'a, Verdicts> {
        if charges.is_empty() {
            return Answer::ready(Ok(Verdicts::new()));
        }
        Answer::pending(async move {
            let reply = self.run(&self.decide, |by| command::decide(by, charges)).await?;
            command::verdicts(&reply, charges)
        })
    }

    fn give_back<'a>(&'a self, charge: &'a Charge<'a>, receipt: Receipt) -> Answer<'a, ()> {
        if charge.numbers.algorithm != Algorithm::LeakyBucket || charge.cost == 0 {
            return Answer::ready(Ok(()));
        }
        Answer::pending(async move {
            let reply = self.run(&self.give_back, |by| command::give_back(by, charge, receipt)).await?;
            match reply {
                Value::Int(0 | 1) => Ok(()),
                _ => Err(Failure::new(FailureKind::Protocol).because("neither given back nor not")),
            }
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
