//! Memory and Redis against what each algorithm means, and against each other.

mod costs;
mod keys;
mod limits;
mod memory;
mod promises;
mod queues;
mod random;
mod redis;
mod timelines;
mod waits;

use ratelimit::{FailMode, Limit, Limiter};
use ratelimit_spec::{Algorithm, Numbers, Rate};
use ratelimit_tests::{RedisServer, with_places};
use std::time::Duration;

/// The numbers of a rule, judged as a limit's are.
pub(crate) fn numbers(algorithm: Algorithm, rate: &str) -> Numbers {
    let limit = Limit::builder("rule").key("key").rate(rate).algo(algorithm.word());
    let count = Rate::parse(rate).unwrap().count;
    with_places(limit, algorithm, count).build().unwrap().rule().numbers()
}

/// A limiter over a server that answers, on a machine that may be busy.
pub(crate) fn over(server: &RedisServer) -> Limiter {
    let limiter = Limiter::builder().redis(server.url()).fail(FailMode::Closed);
    limiter.deadline(Duration::from_secs(30)).build().unwrap()
}
