use super::{left, over, server, slots, tokens, until};
use ratelimit::{FailMode, Limiter};
use ratelimit_tests::{Proxy, RedisServer, Weather};
use std::time::Duration;

/// A limiter that gives Redis 50 ms, and a link to it that takes 100.
async fn too_far(server: &RedisServer) -> Limiter {
    let link = Proxy::to(server).await;
    link.set(Weather::Slow(Duration::from_millis(100)));
    Limiter::builder()
        .redis(link.url())
        .fail(FailMode::Open)
        .deadline(Duration::from_millis(50))
        .build()
        .unwrap()
}

#[tokio::test]
async fn decision_that_is_given_up_at_the_deadline_holds_nothing_for_a_lease() {
    let server = server();
    let (near, far) = (over(server.url()), too_far(&server).await);
    assert_eq!(left(&near, &slots()).await, 10);
    // Each is decided by Redis after nobody waits for it any more.
    let calls = (0..10).map(|_| far.acquire(&slots()).part("tenant", "acme").into_future());
    let permits = futures::future::join_all(calls).await;
    assert!(permits.iter().all(Result::is_ok), "open");
    let given_up = std::time::Instant::now();
    until("the slots are back", async || left(&near, &slots()).await == 10).await;
    // Not by the lease of two seconds.
    assert!(given_up.elapsed() < Duration::from_millis(1_900), "{:?}", given_up.elapsed());
    drop(permits);
}

#[tokio::test]
async fn settlement_that_nobody_answers_is_sent_until_it_is_applied_and_then_once() {
    let server = server();
    let limiter = over(server.url());
    let link = Proxy::to(&server).await;
    link.set(Weather::Slow(Duration::from_millis(30)));
    let far = Limiter::builder().redis(link.url());
    let far = far.fail(FailMode::Closed).deadline(Duration::from_millis(500)).build().unwrap();
    // The scripts are known, and the link is up.
    far.acquire(&tokens()).part("tenant", "acme").cost(10).await.unwrap().settle(0).await;
    let permit = far.acquire(&tokens()).part("tenant", "acme").cost(100).await.unwrap();
    assert_eq!(left(&limiter, &tokens()).await, 900);
    // Its caller goes away while it is on its way.
    let settling = tokio::time::timeout(Duration::from_millis(1), permit.settle(40)).await;
    assert!(settling.is_err());
    until("it is settled", async || left(&limiter, &tokens()).await == 960).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(left(&limiter, &tokens()).await, 960);
}
