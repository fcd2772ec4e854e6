//! Limits that say where they count.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "global", rate = "5k/s", scope = "instance")]
#[rate_limit(key = "tenant", rate = "10k/min", colocate = "tenant", scope = "cluster")]
#[rate_limit(key = "tenant + user", rate = "100/min", colocate = "tenant")]
async fn search(tenant: &str, user: u64) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
