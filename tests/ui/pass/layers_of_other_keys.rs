//! A tighter limit beside a looser one of a key that is none of its parts.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "10/min")]
#[rate_limit(key = "global", rate = "100/min")]
async fn each_and_all(user: u64) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "user", rate = "10/min")]
#[rate_limit(key = "tenant", rate = "100/min")]
async fn apart(tenant: u64, user: u64) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "tenant | user", rate = "10/min")]
#[rate_limit(key = "tenant + user", rate = "100/min")]
async fn alternatives(tenant: Option<u64>, user: u64) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = user % 2, rate = "10/min")]
#[rate_limit(key = user % 3, name = "third", rate = "100/min")]
async fn expressions(user: u64) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
