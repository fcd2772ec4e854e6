//! What axum handlers return: a status, parts of a response, a whole one, and a hidden type.
#![deny(warnings)]

use axum::{
    Json, Router,
    extract::Path,
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use ratelimit::rate_limit;

#[rate_limit(key = "ip", rate = "1/min")]
async fn status() -> StatusCode {
    StatusCode::NO_CONTENT
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn hidden(Path(n): Path<u8>) -> impl IntoResponse {
    (StatusCode::CREATED, [("x-n", n.to_string())], Json(n))
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn parts() -> (StatusCode, [(&'static str, &'static str); 1], String) {
    (StatusCode::OK, [("x-n", "1")], String::new())
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn response() -> Response {
    Redirect::to("/").into_response()
}

fn main() {
    let _: Router =
        Router::new().route("/status", get(status).post(parts).put(response)).route("/{n}", get(hidden));
}
