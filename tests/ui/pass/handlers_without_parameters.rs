//! axum handlers without parameters, used more than once.
#![deny(warnings)]

use axum::{Router, routing::get};
use ratelimit::rate_limit;

#[rate_limit(key = "ip", rate = "1/min")]
async fn none() {}

fn main() {
    let handler = none;
    let _: Router<u8> = Router::new().route("/none", get(handler).put(handler)).fallback(none);
}
