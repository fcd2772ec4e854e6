//! Costs as callers name them: nothing, everything, and more than there is.

use super::over;
use ratelimit::{DeniedKind, Limit, Limiter};
use ratelimit_tests::{RATED, RedisServer, with_places};
use std::time::Duration;

#[tokio::test]
async fn cost_above_capacity_is_told_from_try_later_and_takes_nothing() {
    let server = RedisServer::start();
    for limiter in [Limiter::in_memory(), over(&server)] {
        for algorithm in RATED {
            let limit = Limit::builder("costs").key("user").rate("10/day").algo(algorithm.word());
            let limit = limit.wait(Duration::ZERO).build().unwrap();
            let take = async |cost| limiter.check(&limit).part("user", "ann").cost(cost).await;
            for cost in [11, u64::MAX] {
                let denied = take(cost).await.unwrap_err();
                assert_eq!(denied.kind(), DeniedKind::ExceedsCapacity, "{algorithm}");
                assert!(!denied.can_pass_later() && denied.retry_after().is_none(), "{algorithm}");
            }
            assert!(take(10).await.is_ok(), "{algorithm}");
            let denied = take(1).await.unwrap_err();
            assert_eq!(denied.kind(), DeniedKind::Limited, "{algorithm}");
            assert!(denied.can_pass_later(), "{algorithm}");
        }
    }
}

#[tokio::test]
async fn looking_passes_at_once_also_where_nothing_is_left() {
    let server = RedisServer::start();
    for limiter in [Limiter::in_memory(), over(&server)] {
        for algorithm in RATED {
            let limit = Limit::builder("looks").key("user").rate("10/day").algo(algorithm.word());
            let limit = with_places(limit, *algorithm, 10).build().unwrap();
            let look = async || {
                let look = limiter.check(&limit).part("user", "ann").cost(0).into_future();
                let permit = tokio::time::timeout(Duration::from_secs(10), look).await;
                let permit = permit.unwrap_or_else(|_| panic!("looking at a {algorithm} waits")).unwrap();
                permit.decision().layers()[0].numbers().unwrap().remaining
            };
            assert_eq!(look().await, 10, "{algorithm}");
            limiter.check(&limit).part("user", "ann").cost(10).await.unwrap();
            assert_eq!(look().await, 0, "{algorithm}");
        }
    }
}
