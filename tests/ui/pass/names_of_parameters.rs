//! Parameters that are called like what generated code uses, amid types, modules and methods that are.
#![deny(warnings)]
#![allow(dead_code, non_camel_case_types, non_upper_case_globals, clippy::all)]

mod std {}
mod core {}
mod tokio {}
mod ratelimit {}
struct Result;
struct Some;
struct None;
struct Ok;
struct Err;
struct Box;

trait Hijack {
    fn part(&self) {}
    fn key(&self) {}
    fn call(&self) {}
}
impl<T: ?Sized> Hijack for T {}

#[::ratelimit::rate_limit(
    key = "key + store + limiter + call + __key + self_ + type",
    rate = "1/min",
    cost = cost
)]
async fn function(
    key: u8,
    store: u8,
    limiter: u8,
    call: u8,
    __key: u8,
    self_: u8,
    cost: u64,
    now: u8,
    permit: u8,
    r#type: u8,
) -> ::core::result::Result<u8, ::ratelimit::Denied> {
    ::core::result::Result::Ok(key + store + limiter + call + __key + self_ + now + permit + r#type)
}

#[::ratelimit::rate_limit(key = "result + denied", rate = "1/min", handler)]
async fn handler(result: u8, denied: u8, req: u8, headers: u8, guard: u8, future: u8) -> &'static str {
    let _ = result + denied + req + headers + guard + future;
    "text"
}

fn main() {}
