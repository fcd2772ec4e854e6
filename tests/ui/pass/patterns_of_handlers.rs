//! Extractors that are taken apart where they are parameters.
#![deny(warnings)]
#![allow(dead_code, clippy::all)]

use axum::{
    Json,
    extract::{Path, State},
};
use ratelimit::rate_limit;
use std::sync::Arc;

#[derive(serde::Deserialize)]
struct Body {
    a: u8,
    inner: Inner,
}
#[derive(serde::Deserialize, Clone, Copy)]
struct Inner {
    b: (u8, u8),
}

#[rate_limit(key = "a + inner.b.1 + id", rate = "1/min")]
async fn handler(
    State(state): State<Arc<str>>,
    Path((id, _slug)): Path<(u8, String)>,
    Json(Body { a, inner }): Json<Body>,
) -> String {
    format!("{state}{a}{}{id}", inner.b.0)
}

fn main() {
    let _: axum::Router<Arc<str>> = axum::Router::new().route("/{id}/{slug}", axum::routing::post(handler));
}
