//! The aliases of `futures` for boxed futures.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "a", rate = "1/min")]
fn alias(a: u8) -> futures::future::BoxFuture<'static, Result<u8, Denied>> {
    use futures::FutureExt as _;
    async move { Ok(a) }.boxed()
}

#[rate_limit(key = "a", rate = "1/min")]
fn local_alias<'a>(a: &'a str) -> futures::future::LocalBoxFuture<'a, Result<&'a str, Denied>> {
    Box::pin(async move { Ok(a) })
}

fn main() {}
