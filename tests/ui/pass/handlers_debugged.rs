//! `debug_handler` below the limit.
#![deny(warnings)]

use axum::{Json, Router, extract::State, response::IntoResponse, routing::post};
use ratelimit::rate_limit;

#[rate_limit(key = "ip", rate = "1/min")]
#[axum::debug_handler]
async fn debugged(Json(body): Json<u8>) -> Json<u8> {
    Json(body)
}

#[rate_limit(key = "body", rate = "1/min", handler)]
#[axum::debug_handler]
async fn debugged_late(body: String) -> Result<String, axum::http::StatusCode> {
    Ok(body)
}

#[rate_limit(key = "ip", rate = "1/min")]
#[axum::debug_handler(state = u8)]
async fn debugged_state(State(n): State<u8>) -> impl IntoResponse {
    n.to_string()
}

fn main() {
    let _ = Router::new().route("/debugged", post(debugged).put(debugged_late).get(debugged_state));
}
