//! Calls that hold what they take, and leases of it.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "global", algo = "concurrency", limit = 4, lease = "10s", wait = "1s")]
#[rate_limit(name = "each", key = "user", algo = "concurrency", limit = 2)]
async fn reindex(user: u64) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(
    key = "tenant",
    rate = "1k rows/min",
    cost = 100,
    settle = |rows| *rows,
    on_err = keep,
    on_cancel = refund,
    lease = "1min",
)]
async fn query(tenant: &str) -> Result<usize, Denied> {
    Ok(7)
}

fn main() {}
