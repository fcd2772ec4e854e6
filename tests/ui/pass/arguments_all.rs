//! Every argument that a plain limit has, in one of its forms, on one function of five layers.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, Limiter, rate_limit};
use std::sync::LazyLock;

static LIMITER: LazyLock<Limiter> = LazyLock::new(Limiter::in_memory);

#[rate_limit(
    key = "tenant + (user | other)",
    rate = "10k tokens/1m30s",
    algo = "token_bucket",
    burst = 20_000,
    cost = tokens,
    wait = "2s",
    fail = "closed",
    deadline = "20ms",
    name = "shop:complete",
    limiter = *LIMITER,
    crate = ::ratelimit,
)]
#[rate_limit(key = "global", rate = "$20/day", algo = "fixed_window", cost = 0x10u64)]
#[ratelimit::rate_limit(key = "global", rate = "100/h", algo = "sliding_log", precision = "1min")]
#[::ratelimit::rate_limit(key = "global", rate = "100/h", algo = "leaky_bucket", queue = 3, crate = ::ratelimit)]
#[rate_limit(name = "more", key = "global", rate = "1M/week")]
async fn complete(tenant: &str, user: Option<&str>, other: u128, tokens: usize) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
