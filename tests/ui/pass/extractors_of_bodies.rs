//! axum handlers that end in an extractor of the body, each of another type.
#![deny(warnings)]

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Multipart, State},
    routing::post,
};
use ratelimit::rate_limit;

#[rate_limit(key = "header:x-tenant | ip", rate = "1/min")]
async fn json(State(n): State<u8>, Json(body): Json<Vec<u8>>) -> Json<u8> {
    Json(n + body[0])
}

#[rate_limit(key = "ip + method + path", rate = "1/min")]
async fn bytes(body: Bytes) -> Bytes {
    body
}

#[rate_limit(key = "user | tenant | api_key | ip", rate = "1/min")]
async fn multipart(_: Multipart) -> &'static str {
    "ok"
}

fn main() {
    let _: Router<u8> = Router::new()
        .route("/json", post(json))
        .route("/bytes", post(bytes))
        .route("/multipart", post(multipart));
}
