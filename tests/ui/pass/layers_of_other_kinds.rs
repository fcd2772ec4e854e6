//! A tighter limit beside a looser one of another algorithm, unit or slice.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, Usd, rate_limit};

#[rate_limit(key = "global", algo = "concurrency", limit = 10)]
#[rate_limit(key = "user", algo = "fixed_window", rate = "200/min")]
#[rate_limit(key = "user", algo = "sliding_window", rate = "100/min")]
#[rate_limit(key = "global", algo = "sliding_log", rate = "50/min")]
async fn algorithms(user: u64) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "tenant", rate = "100 tokens/min", cost = tokens)]
#[rate_limit(key = "tenant + user", rate = "200/min")]
#[rate_limit(key = "tenant", name = "dollars", rate = "$300/min", cost = Usd::from_cents(1))]
async fn units(tenant: u64, user: u64, tokens: u64) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "tenant", algo = "sliding_log", rate = "10/min")]
#[rate_limit(key = "tenant + user", algo = "sliding_log", rate = "20/min", precision = "1s")]
async fn slices(tenant: u64, user: u64) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
