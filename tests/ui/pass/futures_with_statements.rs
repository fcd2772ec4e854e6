//! A function that does something before it returns a future.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};
use std::future::Future;

#[rate_limit(key = "a", rate = "1/min")]
fn future_with_statements(a: u8) -> impl Future<Output = Result<u8, Denied>> {
    let b = a + 1;
    async move { Ok(b) }
}

fn main() {}
