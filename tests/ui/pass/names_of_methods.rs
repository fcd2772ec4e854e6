//! A trait of the user's that gives every type methods called like ours.
#![deny(warnings)]
#![allow(dead_code, clippy::all)]

trait Hijack {
    fn part(&self) {}
    fn cost(&self) {}
    fn admit(&self) {}
    fn key(&self) {}
    fn call(&self) {}
    fn write(&self) {}
}
impl<T: ?Sized> Hijack for T {}

#[ratelimit::rate_limit(key = "key + name", rate = "1/min", cost = cost)]
#[ratelimit::rate_limit(key = "global", algo = "concurrency", limit = 3)]
async fn function(key: u8, name: &str, cost: u64) -> Result<u8, ratelimit::Denied> {
    Ok(key)
}

#[ratelimit::rate_limit(key = "result + denied", rate = "1/min", handler)]
async fn handler(result: u8, denied: u8) -> &'static str {
    let _ = result + denied;
    "text"
}

fn main() {}
