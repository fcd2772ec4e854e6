//! Permits over a real Redis: what is sent, what becomes of them when somebody dies, and when nobody answers.

mod bounds;
mod killed;
mod lost;
mod promises;
mod sent;

use ratelimit::{FailMode, Limit, Limiter};
use ratelimit_tests::RedisServer;
use std::time::Duration;

fn tokens() -> Limit {
    Limit::builder("permits.tokens")
        .key("tenant")
        .algo("fixed_window")
        .rate("1000 tokens/day")
        .lease("2s")
        .build()
        .unwrap()
}

fn slots() -> Limit {
    Limit::builder("permits.slots").key("tenant").algo("concurrency").limit(10).lease("2s").build().unwrap()
}

/// A limiter that counts there, on a machine that may be busy.
fn over(url: String) -> Limiter {
    Limiter::builder().redis(url).fail(FailMode::Closed).deadline(Duration::from_secs(20)).build().unwrap()
}

/// Units left of a limit.
async fn left(limiter: &Limiter, limit: &Limit) -> u64 {
    let look = limiter.check(limit).part("tenant", "acme").cost(0).await.unwrap();
    look.decision().layers()[0].numbers().unwrap().remaining
}

/// Waits until something holds that other tasks bring about.
async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let start = std::time::Instant::now();
    while !holds().await {
        assert!(start.elapsed() < Duration::from_secs(30), "{what} does not come about");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn server() -> RedisServer {
    RedisServer::start()
}
