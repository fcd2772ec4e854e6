//! Leaky buckets in which the last waits long, since they say how many may wait, or for how long.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", algo = "leaky_bucket", rate = "100/h", queue = 100)]
async fn by_places(user: u64) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "user", algo = "leaky_bucket", rate = "100/h", wait = "30s")]
async fn by_time(user: u64) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "global", algo = "leaky_bucket", rate = "1/s", queue = 10_000, wait = "2h")]
async fn by_both() -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "ip", algo = "leaky_bucket", rate = "10/min", queue = 60)]
async fn handler() -> &'static str {
    "after its turn"
}

fn main() {
    let _: axum::Router = axum::Router::new().route("/", axum::routing::get(handler));
}
