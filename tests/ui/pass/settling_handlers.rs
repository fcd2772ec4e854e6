//! Handlers with a permit, which look at what was answered.
#![deny(warnings, clippy::pedantic)]
#![allow(clippy::unused_async)]
#![forbid(unsafe_code)]

use axum::{Router, http::StatusCode, response::IntoResponse, routing::post};
use ratelimit::{Outcome, rate_limit};

fn units(outcome: &Outcome<'_>) -> u64 {
    outcome.header("x-units").and_then(|units| units.parse().ok()).unwrap_or(1)
}

#[rate_limit(key = "ip", rate = "5/h", charge_if = |outcome| outcome.status() == 401)]
async fn log_in() -> impl IntoResponse {
    StatusCode::UNAUTHORIZED
}

#[rate_limit(key = "ip", rate = "1k units/h", cost = 10, settle = units, on_err = |outcome| units(outcome))]
#[rate_limit(key = "global", algo = "concurrency", limit = 32)]
async fn complete(body: String) -> Result<([(&'static str, &'static str); 1], String), StatusCode> {
    Ok(([("x-units", "3")], body))
}

fn main() {
    let _: Router = Router::new().route("/log_in", post(log_in)).route("/complete", post(complete));
}
