//! Every argument, in every form that it has.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, Limiter, rate_limit};
use std::sync::{Arc, LazyLock};

static LIMITER: LazyLock<Limiter> = LazyLock::new(Limiter::in_memory);

struct Service {
    limiter: Arc<Limiter>,
}

impl Service {
    #[rate_limit(key = "global", rate = "1/min", limiter = self.limiter)]
    async fn shared(&self) -> Result<(), Denied> {
        Ok(())
    }
}

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

#[rate_limit(key = (a, b).0, rate = "1/s")]
#[rate_limit(name = "address", key = std::net::IpAddr::from([a, 0, 0, b]), rate = "1/s")]
#[rate_limit(name = "id", key = uuid::Uuid::from_u128(u128::from(a)), rate = "1/s")]
#[rate_limit(name = "text", key = format!("{a}-{b}"), rate = "1/s")]
#[rate_limit(name = "block", key = { let sum = a + b; sum + 1 }, rate = "1/s")]
#[rate_limit(name = "option", key = a.checked_add(b), rate = "1/s")]
#[rate_limit(name = "branch", key = if a > b { "big" } else { "small" }, rate = "1/s", cost = if a > b { 1 } else { 2 })]
#[rate_limit(name = "constant", key = usize::MAX, rate = "1/s")]
async fn expressions(a: u8, b: u8) -> Result<(), Denied> {
    Ok(())
}

macro_rules! limited {
    ($($name:ident: $key:expr, $rate:literal, $cost:expr;)*) => {$(
        #[rate_limit(key = $key, rate = $rate, cost = $cost, burst = 12)]
        async fn $name(a: u8) -> Result<u8, Denied> {
            Ok(a)
        }
    )*};
}
limited! {
    one: "a", "1/s", 1;
    two: "global", "2/s", 10;
}

macro_rules! parameter_of_the_macro {
    ($parameter:ident, $body:block) => {
        #[rate_limit(key = $parameter, rate = "1/s", cost = $parameter)]
        async fn parameter_of_the_macro($parameter: u8) -> Result<u8, Denied> $body
    };
}
parameter_of_the_macro!(x, { Ok(x) });

mod framework {
    pub(crate) mod limits {
        pub(crate) use ratelimit::*;
    }
}

#[rate_limit(key = "ip", rate = "1/s", crate = crate::framework::limits)]
#[tracing::instrument]
async fn through_a_reexport() {}

#[rate_limit(key = "ip", rate = "1/s", crate = framework::limits, limiter = LIMITER.clone())]
async fn through_a_relative_path() {}

fn main() {
    let _: axum::Router = axum::Router::new()
        .route("/", axum::routing::get(through_a_reexport).post(through_a_relative_path));
}
