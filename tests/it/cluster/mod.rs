//! Limits in a cluster of real servers: spread over the nodes, decided together, and exact while slots move.

mod failover;
mod layers;
mod outages;
mod slots;

use ratelimit::{FailMode, Limit, LimitBuilder, Limiter};
use ratelimit_tests::Cluster;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

fn limiter(cluster: &Cluster) -> Limiter {
    Limiter::builder().redis(cluster.url()).fail(FailMode::Closed).deadline(PATIENCE).build().unwrap()
}

fn limit<'a>(name: &'a str, key: &'a str, rate: &'a str) -> LimitBuilder<'a> {
    Limit::builder(name).key(key).rate(rate).algo("fixed_window")
}
