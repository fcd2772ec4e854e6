//! Parameters of a call with a permit that are called like what its generated code speaks of.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};
use std::future::Future;

#[rate_limit(
    key = "call + output",
    rate = "10/min",
    cost = units,
    when = applies,
    settle = |out| u64::from(*out),
    on_err = |denied| denied.to_string().len(),
)]
#[rate_limit(key = "outcome", algo = "concurrency", limit = 3)]
async fn function(call: u8, output: u8, outcome: u8, units: u64, applies: bool) -> Result<u8, Denied> {
    let (holding, settling) = (call, output);
    Ok(holding + settling + outcome)
}

#[rate_limit(key = "permit + rt", rate = "10/min", cost = holding, settle = |settling| *settling)]
fn later(permit: u8, rt: u8, holding: u64, future: u8) -> impl Future<Output = Result<u64, Denied>> {
    async move { Ok(u64::from(permit + rt + future) + holding) }
}

#[rate_limit(key = "guard", rate = "10/min", cost = 2, settle = |outcome| u64::from(outcome.is_error()), handler)]
async fn handler(guard: axum::http::Method, call: axum::http::Uri, output: String) -> String {
    format!("{guard}{call}{output}")
}

fn main() {
    let _: axum::Router = axum::Router::new().route("/", axum::routing::post(handler));
}
