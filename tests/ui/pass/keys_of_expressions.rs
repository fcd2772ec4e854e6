//! Keys and costs that are expressions of every kind.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = (a, b).0, rate = "1/s")]
#[rate_limit(name = "address", key = std::net::IpAddr::from([a, 0, 0, b]), rate = "1/s")]
#[rate_limit(name = "id", key = uuid::Uuid::from_u128(u128::from(a)), rate = "1/s")]
#[rate_limit(name = "text", key = format!("{a}-{b}"), rate = "1/s")]
#[rate_limit(name = "block", key = { let sum = a + b; sum + 1 }, rate = "1/s")]
#[rate_limit(name = "option", key = a.checked_add(b), rate = "1/s")]
#[rate_limit(name = "branch", key = if a > b { "big" } else { "small" }, rate = "1/s", cost = if a > b { 1 } else { 2 })]
#[rate_limit(name = "constant", key = usize::MAX, rate = "1/s")]
async fn expressions(a: u8, b: u8) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
