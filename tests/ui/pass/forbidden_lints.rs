//! Lints that nobody below may allow again.
#![forbid(missing_docs, unreachable_pub, unused, unsafe_code, missing_debug_implementations, missing_copy_implementations)]
#![forbid(unused_parens, unused_braces, unused_imports, unused_mut, unreachable_code, non_camel_case_types)]
use ratelimit::{Denied, Limiter, rate_limit};
use std::future::Future;

/// A function.
#[rate_limit(key = "tenant", rate = "1/min", cost = tenant.len(), limiter = Limiter::in_memory())]
pub async fn function(tenant: &str) -> Result<usize, Denied> {
    Ok(tenant.len())
}

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
/// F.
#[rate_limit(key = "a", rate = "1/min")]
pub fn later(a: u8) -> impl Future<Output = Result<u8, Denied>> {
    async move { Ok(a) }
}
fn main() {
    let _r: axum::Router = axum::Router::new()
        .route("/", axum::routing::get(handler).post(late))
        .route("/generic", axum::routing::get(generic::<String>));
}
