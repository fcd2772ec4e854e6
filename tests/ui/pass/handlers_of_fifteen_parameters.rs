//! An axum handler with as many parameters as one can have.
#![deny(warnings)]
#![allow(clippy::too_many_arguments)]

use axum::{
    Json, Router,
    extract::{Query, State},
    http::{HeaderMap, Method, Uri, Version},
    routing::post,
};
use ratelimit::rate_limit;

#[rate_limit(key = "ip", rate = "1/min")]
async fn fifteen(
    _: Method,
    _: Uri,
    _: Version,
    _: HeaderMap,
    _: Method,
    _: Uri,
    _: Version,
    _: HeaderMap,
    _: Method,
    _: Uri,
    _: Version,
    _: HeaderMap,
    _: State<u8>,
    _: Query<Vec<(String, String)>>,
    _: Json<u8>,
) {
}

fn main() {
    let _: Router<u8> = Router::new().route("/fifteen", post(fifteen));
}
