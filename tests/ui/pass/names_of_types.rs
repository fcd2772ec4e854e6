//! Types of the user's that are called like those of the prelude, and items like those of generated code.
#![deny(warnings)]
#![allow(dead_code, non_camel_case_types, non_upper_case_globals, clippy::all)]

struct Result;
struct Option;
struct Some;
struct None;
struct Ok;
struct Err;
struct Box;
struct SITE;
struct FACTS;
struct Here;
struct Facts;
fn here() {}

#[::ratelimit::rate_limit(key = "key", rate = "1/min", cost = cost, settle = |out| u64::from(*out))]
#[::ratelimit::rate_limit(key = "global", algo = "sliding_log", rate = "100/min", precision = "1s", when = key > 1)]
async fn function(key: u8, cost: u64) -> ::core::result::Result<u8, ::ratelimit::Denied> {
    ::core::result::Result::Ok(key)
}

#[::ratelimit::rate_limit(key = "ip", rate = "1/min")]
async fn handler() -> &'static str {
    "text"
}

#[::ratelimit::rate_limit(key = "body", rate = "1/min", handler)]
async fn late(body: ::std::string::String) -> ::std::string::String {
    body
}

fn main() {
    let _: ::axum::Router = ::axum::Router::new().route("/", ::axum::routing::get(handler).post(late));
}
