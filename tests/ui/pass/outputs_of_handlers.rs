//! Handlers whose output is hidden, nothing, or coerced.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::rate_limit;

#[rate_limit(key = "global", rate = "1/min", handler)]
async fn handler_hidden() -> Result<impl axum::response::IntoResponse, axum::http::StatusCode> {
    if false {
        return Err(axum::http::StatusCode::NOT_FOUND);
    }
    let _number: u8 = "1".parse().map_err(|_| axum::http::StatusCode::BAD_REQUEST)?;
    Ok("hello")
}

#[rate_limit(key = "global", rate = "1/min", handler)]
async fn handler_unit() {}

#[rate_limit(key = "global", rate = "1/min", handler)]
async fn handler_coerced() -> &'static [u8] {
    if false {
        return &[1];
    }
    &[1, 2]
}

fn routes() -> axum::Router {
    use axum::routing::get;
    axum::Router::new().route("/a", get(handler_hidden)).route("/b", get(handler_unit))
}

fn main() {
    let _ = routes();
}
