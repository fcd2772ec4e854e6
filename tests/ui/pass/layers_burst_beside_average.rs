//! A limit of bursts beside one of the average: each denies at some time, so neither is too much.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "50/s", burst = 10)]
#[rate_limit(key = "user", algo = "sliding_window", rate = "1000/h")]
async fn bucket_and_window(user: u64) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "tenant", rate = "10/s", burst = 20)]
#[rate_limit(key = "tenant + user", rate = "1/s", burst = 30)]
async fn small_and_quick(tenant: u64, user: u64) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "tenant", rate = "5/s", burst = 40)]
#[rate_limit(key = "tenant + user", rate = "10/s", burst = 30)]
async fn large_and_slow(tenant: u64, user: u64) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
