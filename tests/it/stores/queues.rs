//! Waiting in a leaky bucket that stands in Redis.

use super::over;
use ratelimit::{Denied, Limit, Limiter, Permit};
use ratelimit_tests::RedisServer;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// Free places as a call sees them that does not want to wait, and so takes none.
async fn free_places(limiter: &Limiter, queue: &str) -> u64 {
    let limit = Limit::builder(queue).key("user").rate("3/h").algo("leaky_bucket").wait(Duration::ZERO);
    let denied = limiter.check(&limit.build().unwrap()).part("user", "ann").await.unwrap_err();
    denied.decision().layers()[0].numbers().unwrap().remaining
}

/// A call that waits in the queue, in a task of its own.
fn call(limiter: &Limiter) -> JoinHandle<Result<Permit, Denied>> {
    let limit =
        Limit::builder("queue").key("user").rate("3/h").algo("leaky_bucket").queue(3).build().unwrap();
    tokio::spawn(limiter.check(&limit).part("user", "ann").into_future())
}

async fn until(limiter: &Limiter, free: u64) {
    let started = Instant::now();
    while free_places(limiter, "queue").await != free {
        assert!(started.elapsed() < Duration::from_secs(20), "{free} free places");
    }
}

#[tokio::test]
async fn last_in_the_queue_leaves_it_and_gives_its_place_back() {
    let server = RedisServer::start();
    let limiter = over(&server);
    call(&limiter).await.unwrap().unwrap();
    let second = call(&limiter);
    until(&limiter, 1).await;
    let third = call(&limiter);
    until(&limiter, 0).await;
    third.abort();
    until(&limiter, 1).await;
    second.abort();
    until(&limiter, 2).await;
}

#[tokio::test]
async fn one_who_leaves_from_the_middle_of_the_queue_moves_nobody_up() {
    let server = RedisServer::start();
    let limiter = over(&server);
    call(&limiter).await.unwrap().unwrap();
    let second = call(&limiter);
    until(&limiter, 1).await;
    let third = call(&limiter);
    until(&limiter, 0).await;
    second.abort();
    assert!(second.await.is_err());
    for _ in 0..20 {
        assert_eq!(free_places(&limiter, "queue").await, 0);
    }
    third.abort();
    until(&limiter, 1).await;
}
