//! Handlers in a crate that allows nothing: generated code has no finding of its own.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, missing_debug_implementations, unused_qualifications, unreachable_pub)]

use ratelimit::rate_limit;

/// A handler.
#[rate_limit(key = "ip", rate = "1/s")]
pub async fn handler() -> impl axum::response::IntoResponse {
    "hello"
}

/// A handler that is decided by a parameter.
#[rate_limit(key = "name", rate = "1/s", handler)]
pub async fn late(name: String) -> String {
    name
}

fn main() {
    let _: axum::Router = axum::Router::new().route("/", axum::routing::get(handler).post(late));
}
