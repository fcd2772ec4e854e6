//! Names of the user's that generated code must not meet.
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
struct SITE;
struct FACTS;
struct Here;
struct Facts;
fn here() {}

trait Hijack {
    fn part(&self) {}
    fn cost(&self) {}
    fn admit(&self) {}
    fn key(&self) {}
    fn call(&self) {}
    fn write(&self) {}
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

/// Statics of the user's that the limiter's expression means.
mod limiter_expression {
    static SITE: ::std::sync::LazyLock<::ratelimit::Limiter> =
        ::std::sync::LazyLock::new(::ratelimit::Limiter::in_memory);
    static FACTS: ::std::sync::LazyLock<::ratelimit::Limiter> =
        ::std::sync::LazyLock::new(::ratelimit::Limiter::in_memory);
    fn here() -> ::ratelimit::Limiter {
        ::ratelimit::Limiter::in_memory()
    }

    #[::ratelimit::rate_limit(key = "global", rate = "1/min", limiter = *SITE)]
    async fn site() -> Result<(), ::ratelimit::Denied> {
        Ok(())
    }

    #[::ratelimit::rate_limit(key = "ip", rate = "1/min", limiter = *FACTS)]
    async fn facts() {}

    #[::ratelimit::rate_limit(key = "ip", rate = "1/min", limiter = here())]
    async fn function() {}
}

fn main() {}
