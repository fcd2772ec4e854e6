//! An axum handler that stands inside of a function, and becomes a route there.
#![deny(warnings)]

use axum::{Router, routing::get};
use ratelimit::rate_limit;

async fn elsewhere() -> Router<u8> {
    #[rate_limit(key = "ip", rate = "1/min")]
    async fn inside_a_body() {}
    Router::new().route("/inside", get(inside_a_body).fallback(inside_a_body))
}

fn main() {
    drop(elsewhere());
}
