//! Handlers in a crate where nobody below may allow a lint again.
#![forbid(missing_docs, unreachable_pub, unused, unsafe_code, missing_debug_implementations, missing_copy_implementations)]
#![forbid(unused_parens, unused_braces, unused_imports, unused_mut, unreachable_code, non_camel_case_types)]
use ratelimit::{Limiter, rate_limit};

/// A handler.
#[rate_limit(key = "ip", rate = "1/min")]
pub async fn handler() -> &'static str {
    "hello"
}

/// A handler with a limiter of its own and a key of a parameter.
#[rate_limit(key = "body", rate = "1/min", cost = body.len(), handler, limiter = Limiter::in_memory())]
pub async fn late(body: String) -> String {
    body
}

/// A handler with a type of its own.
#[rate_limit(key = "ip", rate = "1/min")]
pub async fn generic<Text: Default + Send + 'static>() -> Text {
    Text::default()
}

fn main() {
    let _r: axum::Router = axum::Router::new()
        .route("/", axum::routing::get(handler).post(late))
        .route("/generic", axum::routing::get(generic::<String>));
}
