//! A tighter limit beside a looser one that counts other calls, counts them otherwise, or elsewhere.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "global", rate = "100/min", when = is_trial)]
#[rate_limit(key = "user", rate = "200/min")]
async fn some_calls(user: u64, is_trial: bool) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "global", rate = "100/min", charge_if = |out| out.is_err())]
#[rate_limit(key = "user", rate = "200/min")]
async fn some_outputs(user: u64) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "global", rate = "100/min")]
#[rate_limit(key = "user", rate = "200/min", cost = 5)]
async fn other_costs(user: u64) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "global", rate = "100/min")]
#[rate_limit(key = "user", rate = plan(free = "50/min", otherwise = "200/min"), plan = plan)]
async fn plans(user: u64, plan: &str) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "global", rate = "100/min", scope = "instance")]
#[rate_limit(key = "user", rate = "200/min")]
async fn other_places(user: u64) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
