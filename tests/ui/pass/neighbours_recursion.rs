//! `async_recursion` above and below a limit.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[async_recursion::async_recursion]
#[rate_limit(key = "n", rate = "9/min")]
async fn recursion_above(n: u8) -> Result<u8, Denied> {
    if n == 0 { Ok(0) } else { recursion_above(n - 1).await }
}

#[rate_limit(key = "n", rate = "9/min")]
#[async_recursion::async_recursion]
async fn recursion_below(n: u8) -> Result<u8, Denied> {
    if n == 0 { Ok(0) } else { recursion_below(n - 1).await }
}

fn main() {}
