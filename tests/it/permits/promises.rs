//! What is promised of every algorithm, in memory and over Redis.

use super::server;
use futures::future::join_all;
use ratelimit::{DeniedKind, FailMode, Limit, LimitBuilder, Limiter, store::Settled};
use ratelimit_tests::{RATED, RedisServer};
use std::time::Duration;

/// A limiter of each store; the server lives as long as its limiter is used.
fn limiters() -> (RedisServer, [Limiter; 2]) {
    let server = server();
    let redis =
        Limiter::builder().redis(server.url()).fail(FailMode::Closed).deadline(Duration::from_secs(30));
    let limiters = [Limiter::in_memory(), redis.build().unwrap()];
    (server, limiters)
}

/// Ten units, which do not come back while a test runs.
fn ten(algorithm: &str) -> LimitBuilder<'_> {
    let limit = Limit::builder(algorithm).key("tenant").algo(algorithm).rate("10/7days");
    if algorithm == "leaky_bucket" { limit.queue(10) } else { limit }
}

async fn left(limiter: &Limiter, limit: &Limit, tenant: &str) -> u64 {
    let look = limiter.check(limit).part("tenant", tenant).cost(0).await.unwrap();
    look.decision().layers()[0].numbers().unwrap().remaining
}

fn applied(overrun: u64) -> Option<Settled> {
    Some(Settled::Applied { overrun })
}

#[tokio::test]
async fn unit_that_comes_back_to_an_exhausted_limit_can_be_taken() {
    let (_server, limiters) = limiters();
    for limiter in limiters {
        for algorithm in RATED {
            let limit = ten(algorithm.word()).wait(Duration::MAX).build().unwrap();
            let permit = limiter.acquire(&limit).part("tenant", "acme").cost(10).await.unwrap();
            assert_eq!(left(&limiter, &limit, "acme").await, 0, "{algorithm}");
            assert_eq!(permit.settle(9).await[0].outcome(), applied(0), "{algorithm}");
            assert_eq!(left(&limiter, &limit, "acme").await, 1, "{algorithm}");
            let look = limiter.check(&limit).part("tenant", "acme").cost(2);
            if algorithm.word() != "leaky_bucket" {
                // A place in a queue would be waited for.
                assert!(look.await.is_err(), "{algorithm}");
                limiter.check(&limit).part("tenant", "acme").await.unwrap();
                assert_eq!(left(&limiter, &limit, "acme").await, 0, "{algorithm}");
            }
        }
    }
}

#[tokio::test]
async fn nothing_lifts_a_subject_above_its_limit() {
    let (_server, limiters) = limiters();
    for limiter in limiters {
        for algorithm in RATED {
            let limit = ten(algorithm.word()).build().unwrap();
            // What costs nothing takes nothing, and gives nothing back.
            let permit = limiter.acquire(&limit).part("tenant", "fresh").cost(0).await.unwrap();
            assert_eq!(permit.settle(0).await[0].outcome(), applied(0), "{algorithm}");
            assert_eq!(left(&limiter, &limit, "fresh").await, 10, "{algorithm}");

            let permit = limiter.acquire(&limit).part("tenant", "acme").cost(2).await.unwrap();
            permit.settle(0).await;
            assert_eq!(left(&limiter, &limit, "acme").await, 10, "{algorithm}");
        }
    }
}

#[tokio::test]
async fn what_was_used_beyond_the_estimate_is_owed_up_to_one_capacity() {
    let (_server, limiters) = limiters();
    for limiter in limiters {
        for algorithm in RATED.iter().filter(|algorithm| algorithm.word() != "leaky_bucket") {
            let limit = ten(algorithm.word()).build().unwrap();
            let permit = limiter.acquire(&limit).part("tenant", "acme").cost(4).await.unwrap();
            assert_eq!(permit.settle(35).await[0].outcome(), applied(15), "{algorithm}");
            assert_eq!(left(&limiter, &limit, "acme").await, 0, "{algorithm}");
            let denied = limiter.check(&limit).part("tenant", "acme").await.unwrap_err();
            assert_eq!(denied.kind(), DeniedKind::Limited, "{algorithm}");
            // A call of nothing was never denied, and is not by a debt.
            limiter.check(&limit).part("tenant", "acme").cost(0).await.unwrap();
        }
        // A queue is never longer than it may be: what has no place is not owed.
        let queue = ten("leaky_bucket").build().unwrap();
        let permit = limiter.acquire(&queue).part("tenant", "acme").cost(4).await.unwrap();
        assert_eq!(permit.settle(35).await[0].outcome(), applied(25));
        assert_eq!(left(&limiter, &queue, "acme").await, 0);
    }
}

#[tokio::test]
async fn fifty_calls_of_a_hundred_never_spend_more_than_a_thousand() {
    let (_server, limiters) = limiters();
    for limiter in limiters {
        for algorithm in ["fixed_window", "sliding_window", "sliding_log", "token_bucket"] {
            let budget = Limit::builder(algorithm).key("tenant").algo(algorithm).rate("1000 tokens/7days");
            let budget = budget.build().unwrap();
            for tenant in ["cold", "warm"] {
                if tenant == "warm" {
                    let permit = limiter.acquire(&budget).part("tenant", tenant).cost(7).await.unwrap();
                    permit.settle(0).await;
                }
                let calls =
                    (0..50).map(|_| limiter.acquire(&budget).part("tenant", tenant).cost(100).into_future());
                let permits: Vec<_> = join_all(calls).await.into_iter().filter_map(Result::ok).collect();
                assert_eq!(permits.len(), 10, "{algorithm}, {tenant}");
                join_all(permits.into_iter().map(|permit| permit.settle(100))).await;
                assert_eq!(left(&limiter, &budget, tenant).await, 0, "{algorithm}, {tenant}");
            }
        }
    }
}

#[tokio::test]
async fn denied_layer_takes_nothing_anywhere_whichever_it_is_and_whatever_the_reason() {
    let (_server, limiters) = limiters();
    for limiter in limiters {
        let others = ["fixed_window", "sliding_log", "token_bucket", "sliding_window"]
            .map(|algo| ten(algo).build().unwrap());
        let slots = Limit::builder("slots").key("tenant").algo("concurrency").limit(1).build().unwrap();
        let spent = Limit::builder("spent").key("tenant").rate("1/7days").build().unwrap();
        let nameless = Limit::builder("nameless").key("tenant + user").rate("1/7days").build().unwrap();
        let small = Limit::builder("small").key("tenant").rate("1/7days").build().unwrap();
        limiter.check(&spent).part("tenant", "acme").await.unwrap();
        let held = limiter.acquire(&slots).part("tenant", "acme").await.unwrap();
        for (denying, cost, kind) in [
            (&spent, 1, DeniedKind::Limited),
            (&slots, 1, DeniedKind::Limited),
            (&small, 2, DeniedKind::ExceedsCapacity),
            (&nameless, 1, DeniedKind::MissingKey),
        ] {
            for place in 0..=others.len() {
                for acquires in [false, true] {
                    let mut layers: Vec<(&Limit, u64)> = others.iter().map(|limit| (limit, 3)).collect();
                    layers.insert(place, (denying, cost));
                    let first = layers[0].0;
                    let mut call = if acquires { limiter.acquire(first) } else { limiter.check(first) }
                        .cost(layers[0].1);
                    for (limit, cost) in &layers[1..] {
                        call = call.and(limit).cost(*cost);
                    }
                    let denied = call.part("tenant", "acme").await.unwrap_err();
                    assert_eq!((denied.kind(), denied.limit().name()), (kind, denying.name()));
                    for limit in &others {
                        assert_eq!(left(&limiter, limit, "acme").await, 10, "{} at {place}", denying.name());
                    }
                }
            }
        }
        drop(held);
    }
}
