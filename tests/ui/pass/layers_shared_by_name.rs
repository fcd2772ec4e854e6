//! A layer that its own function never fills, but is shared by name with another that does.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "global", rate = "100/min")]
#[rate_limit(name = "shared", key = "user", rate = "200/min")]
async fn search(user: u64) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(name = "shared", key = "user", rate = "200/min")]
async fn export(user: u64) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
