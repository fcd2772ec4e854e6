//! Handlers with types and constants of their own.
#![deny(warnings)]

use axum::{Router, routing::post};
use ratelimit::rate_limit;

/// Several, of one module, each with a type of its own.
#[rate_limit(key = "ip", rate = "1/min", limiter = ratelimit::Limiter::in_memory())]
async fn generic<T: Default + ToString + Send + 'static>() -> String {
    T::default().to_string()
}

#[rate_limit(key = "body", rate = "1/min", cost = body.len(), limiter = *LIMITER)]
#[rate_limit(key = "ip", rate = "1/min", handler)]
async fn generic_late<const N: usize>(body: String) -> String {
    body.repeat(N)
}

static LIMITER: std::sync::LazyLock<ratelimit::Limiter> =
    std::sync::LazyLock::new(ratelimit::Limiter::in_memory);

fn main() {
    let _: Router = Router::new().route("/generic", post(generic::<u8>).put(generic_late::<2>));
}
