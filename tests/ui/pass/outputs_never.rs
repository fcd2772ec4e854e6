//! A function that never returns but for a denial.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "global", rate = "1/min")]
async fn never() -> Result<std::convert::Infallible, Denied> {
    loop {
        std::future::pending::<()>().await;
    }
}

fn main() {}
