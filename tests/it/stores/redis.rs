//! What stands in Redis: nothing for ever, nothing for looking, and every digit of a time.

use super::numbers;
use ratelimit::store::{Charge, Outcome, Store as _, redis::Redis};
use ratelimit::{Limit, Limiter, ManualClock};
use ratelimit_spec::Algorithm;
use ratelimit_tests::{RATED, Redis as ByHand, RedisServer};
use std::time::Duration;

fn store(server: &RedisServer) -> Redis {
    let patience = Duration::from_secs(30);
    Redis::builder(server.url()).connect_timeout(patience).response_timeout(patience).build().unwrap()
}

fn charge(algorithm: Algorithm, rate: &str, cost: u64) -> Charge<'static> {
    Charge {
        numbers: numbers(algorithm, rate),
        key: algorithm.word().as_bytes(),
        cost,
        max_delay: None,
        hold: None,
    }
}

fn pttl(server: &RedisServer, key: &str) -> i64 {
    server.ask(redis::cmd("PTTL").arg(key))
}

#[tokio::test]
async fn every_key_has_a_ttl_after_every_operation() {
    let server = RedisServer::start();
    let store = store(&server);
    for cost in [1, 0, 3, 2, 5, u64::MAX, 0] {
        for algorithm in RATED {
            let verdict = store.decide(&[charge(*algorithm, "5/h", cost)]).await.unwrap()[0];
            if let (Outcome::Allowed { .. }, true) = (verdict.outcome, cost > 0) {
                let reset = i64::try_from(verdict.reset_after.as_millis()).unwrap();
                assert!(pttl(&server, algorithm.word()) > reset - 5_000, "{algorithm}");
            }
            for key in server.keys() {
                let ttl = pttl(&server, &key);
                assert!(ttl > 0 && ttl <= 2 * 3_600_000 + 1_000, "{key} ends in {ttl} ms");
            }
        }
        let all = RATED.iter().map(|algorithm| charge(*algorithm, "5/h", cost));
        store.decide(&all.collect::<Vec<_>>()).await.unwrap();
        for key in server.keys() {
            assert!(pttl(&server, &key) > 0, "{key}");
        }
    }
    assert_eq!(server.keys().len(), RATED.len());
}

#[tokio::test]
async fn key_that_has_lost_its_ttl_gets_one_at_the_next_call() {
    let server = RedisServer::start();
    let store = store(&server);
    for algorithm in RATED {
        let all = charge(*algorithm, "1/min", 1);
        store.decide(&[all]).await.unwrap();
        let _: () = server.ask(redis::cmd("PERSIST").arg(algorithm.word()));
        assert_eq!(pttl(&server, algorithm.word()), -1);
        let denied = store.decide(&[all]).await.unwrap()[0];
        assert!(matches!(denied.outcome, Outcome::Denied { .. }), "{algorithm}");
        let ttl = pttl(&server, algorithm.word());
        assert!((1..=121_000).contains(&ttl), "{algorithm} ends in {ttl} ms");
    }
}

#[tokio::test]
async fn looking_makes_no_key_and_keeps_none_alive() {
    let server = RedisServer::start();
    let redis = ByHand::open(&server).await;
    let now = 1_700_000_000_000_000;
    for algorithm in RATED {
        let look = charge(*algorithm, "7/min", 0);
        assert_eq!(redis.decide(now, &[look]).await[0].remaining, 7);
        assert!(server.keys().is_empty(), "{algorithm} wrote for looking");
    }
    for algorithm in RATED {
        let [all, look, one] = [7, 0, 1].map(|cost| charge(*algorithm, "7/min", cost));
        redis.decide(now, &[all]).await;
        let wait = redis.decide(now, &[one]).await[0].outcome;
        let (dump, ends) = (state(&server, algorithm.word()), pttl(&server, algorithm.word()));
        for seen in redis.decide_all(&[now; 1_000], &[look]).await {
            assert!(
                matches!(seen[0].outcome, Outcome::Allowed { .. }) && seen[0].remaining == 0,
                "{algorithm}"
            );
        }
        assert_eq!(redis.decide(now, &[one]).await[0].outcome, wait, "{algorithm}");
        assert_eq!(state(&server, algorithm.word()), dump, "{algorithm}");
        assert!(pttl(&server, algorithm.word()) <= ends, "{algorithm}");
    }
}

#[tokio::test]
async fn denied_call_writes_nothing() {
    let server = RedisServer::start();
    let redis = ByHand::open(&server).await;
    let now = 1_700_000_000_123_456;
    for algorithm in RATED {
        redis.decide(now, &[charge(*algorithm, "3/min", 2)]).await;
    }
    let states =
        || -> Vec<Vec<u8>> { RATED.iter().map(|algorithm| state(&server, algorithm.word())).collect() };
    let before = states();
    for later in [now, now + 1, now - 1_000_000, now + 1_000] {
        for algorithm in RATED {
            for cost in [2, 3, 4, u64::MAX] {
                let denied = charge(*algorithm, "3/min", cost);
                redis.decide(later, &[denied]).await;
                // One that fits, beside one that does not.
                let other = RATED.iter().find(|other| *other != algorithm).unwrap();
                redis.decide(later, &[charge(*other, "3/min", 1), denied]).await;
            }
        }
    }
    assert_eq!(states(), before);
}

#[tokio::test]
async fn no_digit_of_a_time_is_lost() {
    let server = RedisServer::start();
    let redis = ByHand::open(&server).await;
    let now = 1_700_000_000_123_457;
    for algorithm in [Algorithm::TokenBucket, Algorithm::LeakyBucket, Algorithm::SlidingLog] {
        let one = charge(algorithm, "1/us", 1);
        for at in now..now + 20 {
            let taken = redis.decide(at, &[one]).await[0];
            assert_eq!(taken.receipt.stamp, at, "{algorithm}");
            let denied = redis.decide(at, &[one]).await[0].outcome;
            assert_eq!(denied, Outcome::Denied { retry_after: Duration::from_micros(1) }, "{algorithm}");
        }
    }
}

#[tokio::test]
async fn clocks_of_processes_do_not_matter() {
    let server = RedisServer::start();
    let limit = Limit::builder("shared").key("user").rate("4/day").algo("token_bucket").build().unwrap();
    let mut admitted = 0;
    for age in [50, 40, 60, 50] {
        let clock = ManualClock::at(age * 365 * Duration::from_secs(86_400));
        let limiter = Limiter::builder().redis(server.url()).clock(clock).deadline(Duration::from_secs(30));
        let limiter = limiter.build().unwrap();
        for _ in 0..5 {
            admitted += u32::from(limiter.check(&limit).part("user", "ann").await.is_ok());
        }
    }
    assert_eq!(admitted, 4);
}

fn state(server: &RedisServer, key: &str) -> Vec<u8> {
    server.ask(redis::cmd("DUMP").arg(key))
}
