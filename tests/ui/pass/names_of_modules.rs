//! Modules of the user's that are called like crates, ours among them.
#![deny(warnings)]
#![allow(dead_code)]

mod std {}
mod core {}
mod tokio {}
mod ratelimit {}
mod inventory {}

#[::ratelimit::rate_limit(key = "key", rate = "1/min", cost = cost)]
#[::ratelimit::rate_limit(key = "global", algo = "concurrency", limit = 3)]
async fn function(key: u8, cost: u64) -> Result<u8, ::ratelimit::Denied> {
    Ok(key)
}

#[::ratelimit::rate_limit(key = "ip", rate = "1/min")]
async fn handler() -> &'static str {
    "text"
}

#[::ratelimit::rate_limit(key = "body", rate = "1/min", handler)]
async fn late(body: String) -> String {
    body
}

fn main() {
    let _: axum::Router = axum::Router::new().route("/", axum::routing::get(handler).post(late));
}
