//! Costs of every type: numbers, money, and such as may be unknown.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, Usd, rate_limit};

#[rate_limit(key = "tenant", rate = "100k tokens/min", cost = known, default_cost = 2_000)]
#[rate_limit(key = "tenant", rate = "1M rows/h", cost = rows.len())]
#[rate_limit(key = "tenant", rate = "1M bytes/week", cost = signed, fail = "open")]
#[rate_limit(key = "tenant", rate = "$20/day", cost = price)]
#[rate_limit(name = "dear", key = "tenant", rate = "$30/h", cost = offer, default_cost = 100)]
#[rate_limit(name = "free", key = "tenant", rate = "10/min", cost = 0)]
async fn import(
    tenant: &str,
    rows: Vec<String>,
    known: Option<u64>,
    signed: i64,
    price: Usd,
    offer: Option<Usd>,
) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
