//! A process that holds slots and unsettled permits until it is killed: `holder URL SLOTS PERMITS`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a tool of the tests: it fails loudly")]

use ratelimit::{FailMode, Limit, Limiter};
use std::time::Duration;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, slots, permits] = <[String; 3]>::try_from(arguments).unwrap();
    let limiter = Limiter::builder()
        .redis(url)
        .fail(FailMode::Closed)
        .deadline(Duration::from_secs(20))
        .build()
        .unwrap();
    let slot = Limit::builder("permits.slots")
        .key("tenant")
        .algo("concurrency")
        .limit(10)
        .lease("2s")
        .build()
        .unwrap();
    let tokens = Limit::builder("permits.tokens").key("tenant").algo("fixed_window").rate("1000 tokens/day");
    let tokens = tokens.lease("2s").build().unwrap();
    let mut held = Vec::new();
    for _ in 0..slots.parse::<u32>().unwrap() {
        held.push(limiter.acquire(&slot).part("tenant", "acme").await.unwrap());
    }
    for _ in 0..permits.parse::<u32>().unwrap() {
        held.push(limiter.acquire(&tokens).part("tenant", "acme").cost(100).await.unwrap());
    }
    println!("holding");
    std::future::pending::<()>().await;
    drop(held);
}
