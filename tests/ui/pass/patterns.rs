//! Parameters that are patterns, and every receiver.
#![deny(warnings)]
#![allow(dead_code, clippy::all)]

use axum::{Json, extract::{Path, State}};
use ratelimit::{Denied, rate_limit};
use std::{pin::Pin, rc::Rc, sync::Arc};

#[derive(serde::Deserialize)]
struct Body {
    a: u8,
    inner: Inner,
}
#[derive(serde::Deserialize, Clone, Copy)]
struct Inner {
    b: (u8, u8),
}

#[rate_limit(key = "x + y + a + b + kept + first + whole.0", rate = "1/min")]
async fn everything(
    (mut x, y): (u8, u8),
    Body { a, inner: Inner { b: (b, _) }, .. }: Body,
    _: Vec<u8>,
    ref kept: String,
    [first, ..]: [u8; 3],
    &z: &u8,
    whole @ (_, w): (u8, u8),
    deep @ _: u8,
) -> Result<u8, Denied> {
    x += 1;
    Ok(x + y + a + b + first + z + w + whole.0 + deep + kept.len() as u8)
}

#[rate_limit(key = "a + inner.b.1 + id", rate = "1/min")]
async fn handler(
    State(state): State<Arc<str>>,
    Path((id, _slug)): Path<(u8, String)>,
    Json(Body { a, inner }): Json<Body>,
) -> String {
    format!("{state}{a}{}{id}", inner.b.0)
}

struct Receiver(u8);
impl Receiver {
    #[rate_limit(key = "self.0", rate = "1/min")]
    async fn by_ref(&self) -> Result<u8, Denied> {
        Ok(self.0)
    }
    #[rate_limit(key = "self.0", rate = "1/min")]
    async fn by_mut(&mut self) -> Result<u8, Denied> {
        self.0 += 1;
        Ok(self.0)
    }
    #[rate_limit(key = "self.0", rate = "1/min")]
    async fn by_value(self) -> Result<u8, Denied> {
        Ok(self.0)
    }
    #[rate_limit(key = "self.0", rate = "1/min")]
    async fn by_mutable_value(mut self) -> Result<u8, Denied> {
        self.0 += 1;
        Ok(self.0)
    }
    #[rate_limit(key = "self.0", rate = "1/min")]
    async fn by_arc(self: Arc<Self>) -> Result<u8, Denied> {
        Ok(self.0)
    }
    #[rate_limit(key = self.0, rate = "1/min")]
    async fn by_rc(self: Rc<Self>) -> Result<u8, Denied> {
        Ok(self.0)
    }
    #[rate_limit(key = "self.0", rate = "1/min")]
    async fn by_pin(self: Pin<&mut Self>) -> Result<u8, Denied> {
        Ok(self.0)
    }
    #[rate_limit(key = "self.0", rate = "1/min")]
    async fn by_box(self: Box<Self>) -> Result<u8, Denied> {
        Ok(self.0)
    }
}

fn main() {
    let _: axum::Router<Arc<str>> = axum::Router::new().route("/{id}/{slug}", axum::routing::post(handler));
}
