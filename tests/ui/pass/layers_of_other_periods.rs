//! A count that is smaller beside one that is larger, in periods of which neither holds the other.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "tenant", rate = "100/min")]
#[rate_limit(key = "tenant + user", rate = "200/h")]
async fn sliding(tenant: u64, user: u64) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "tenant", algo = "fixed_window", rate = "100/90s")]
#[rate_limit(key = "tenant + user", algo = "fixed_window", rate = "200/min")]
async fn fixed(tenant: u64, user: u64) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "tenant", algo = "sliding_log", rate = "100/min")]
#[rate_limit(key = "tenant + user", algo = "sliding_log", rate = "200/90s")]
async fn logged(tenant: u64, user: u64) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
