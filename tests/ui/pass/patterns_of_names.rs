//! Parameters that are plain names with `mut` or `ref` in front, and such as nobody uses.
#![deny(warnings)]

use ratelimit::{Denied, rate_limit};
use std::future::Future;

#[rate_limit(key = "text + number", rate = "10/min", cost = number, settle = |out| out.len())]
async fn changed(mut text: String, mut number: usize, ref mut list: Vec<u8>) -> Result<String, Denied> {
    number += 1;
    list.push(1);
    text.push_str(&number.to_string());
    Ok(text)
}

#[rate_limit(key = "kept", rate = "10/min")]
async fn kept(ref kept: String, _unused: u8, _: Vec<u8>) -> Result<usize, Denied> {
    Ok(kept.len())
}

#[rate_limit(key = "number", rate = "10/min")]
fn later(mut number: u8, _: String) -> impl Future<Output = Result<u8, Denied>> {
    number += 1;
    async move { Ok(number) }
}

#[rate_limit(key = "ip", rate = "10/min")]
async fn handler(mut method: axum::http::Method, _: axum::http::Uri, mut body: String) -> String {
    body.push_str(method.as_str());
    method = axum::http::Method::GET;
    body.push_str(method.as_str());
    body
}

fn main() {
    let _ = changed(String::new(), 1, Vec::new());
    let _ = kept(String::new(), 1, Vec::new());
    let _ = later(1, String::new());
    let _: axum::Router = axum::Router::new().route("/", axum::routing::post(handler));
}
