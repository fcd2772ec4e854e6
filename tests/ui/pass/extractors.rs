//! axum handlers that end in whatever consumes the body, with no parameters and with fifteen.
#![deny(warnings)]
#![allow(dead_code, clippy::too_many_arguments)]

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Multipart, Query, Request, State},
    http::{HeaderMap, Method, Uri, Version},
    response::IntoResponse,
    routing::{get, post},
};
use ratelimit::rate_limit;

#[rate_limit(key = "ip", rate = "1/min")]
async fn none() {}

#[rate_limit(key = "header:x-tenant | ip", rate = "1/min")]
async fn json(State(n): State<u8>, Json(body): Json<Vec<u8>>) -> Json<u8> {
    Json(n + body[0])
}

#[rate_limit(key = "ip + method + path", rate = "1/min")]
async fn bytes(body: Bytes) -> Bytes {
    body
}

#[rate_limit(key = "path:id + query:page + cookie:session", rate = "1/min")]
async fn request(request: Request) -> impl IntoResponse {
    request.into_body()
}

#[rate_limit(key = "user | tenant | api_key | ip", rate = "1/min")]
async fn multipart(_: Multipart) -> &'static str {
    "ok"
}

#[rate_limit(key = "request.method + method", rate = "1/min")]
async fn late(method: Method, body: String) -> String {
    format!("{method}{body}")
}

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

/// Several, of one module, each with a type of its own.
#[rate_limit(key = "ip", rate = "1/min", limiter = ratelimit::Limiter::in_memory())]
async fn generic<T: Default + ToString + Send + 'static>() -> String {
    T::default().to_string()
}

#[rate_limit(key = "body", rate = "1/min", cost = body.len(), limiter = *LIMITER)]
#[rate_limit(key = "ip", rate = "1/min", handler)]
async fn generic_late<const N: usize>(body: String) -> String {
    body.repeat(N)
}

static LIMITER: std::sync::LazyLock<ratelimit::Limiter> = std::sync::LazyLock::new(ratelimit::Limiter::in_memory);

async fn elsewhere() -> Router<u8> {
    #[rate_limit(key = "ip", rate = "1/min")]
    async fn inside_a_body() {}
    Router::new().route("/inside", get(inside_a_body).fallback(none))
}

fn main() {
    let handler = none;
    let _ = Router::new()
        .route("/none", get(handler).put(handler))
        .route("/json", post(json))
        .route("/bytes", post(bytes))
        .route("/request/{id}", post(request))
        .route("/multipart", post(multipart))
        .route("/late", post(late))
        .route("/fifteen", post(fifteen))
        .route("/debugged", post(debugged).put(debugged_late).get(debugged_state))
        .route("/generic", post(generic::<u8>).put(generic_late::<2>))
        .fallback(none);
    drop(elsewhere());
}
