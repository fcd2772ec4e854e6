//! Functions with a permit, without a lint of its own.
#![deny(warnings, clippy::pedantic)]
#![allow(clippy::unused_async, dead_code)]
#![forbid(unsafe_code)]

use ratelimit::{Denied, Usd, rate_limit};

#[rate_limit(key = "tenant", rate = "10/min", cost = 2, settle = |out: &String| out.len())]
async fn function(tenant: String) -> Result<String, Denied> {
    Ok(tenant)
}

#[rate_limit(key = "tenant", rate = "$1/min", cost = Usd::from_cents(2), settle = |_| Usd::ZERO, on_err = |_| 3)]
#[rate_limit(key = "global", algo = "concurrency", limit = 3)]
async fn early(tenant: &str) -> Result<&str, Box<dyn std::error::Error + Send + Sync>> {
    if tenant.is_empty() {
        return Err("nobody".into());
    }
    let number: u8 = tenant.parse()?;
    Ok(if number > 3 { tenant } else { "3" })
}

fn is_send<T: Send>(_: T) {}

fn main() {
    is_send(function(String::new()));
    is_send(early(""));
}
