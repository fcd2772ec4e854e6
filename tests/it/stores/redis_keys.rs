//! What stands in Redis, and what is sent to it.

use super::numbers;
use ratelimit::{
    FailMode, Limit, Limiter,
    store::{Charge, Store, redis::Redis},
};
use ratelimit_spec::Algorithm;
use ratelimit_tests::RedisServer;
use std::time::Duration;

#[tokio::test]
async fn every_key_has_a_ttl_and_a_denial_writes_nothing() {
    let server = RedisServer::start();
    let store = Redis::open(server.url()).unwrap();
    for algorithm in Algorithm::ALL {
        let key = algorithm.word();
        let numbers = numbers(key, "2/day", None, None);
        let charge =
            Charge { numbers, key: key.as_bytes(), cost: 1, max_delay: Some(Duration::from_secs(86_400)) };
        for _ in 0..2 {
            store.decide(&[charge]).await.unwrap();
            let ttl: i64 = server.ask(redis::cmd("PTTL").arg(key));
            assert!(ttl > 0, "{key}: {ttl}");
        }
        let dump = || -> Vec<u8> { server.ask(redis::cmd("DUMP").arg(key)) };
        let before = dump();
        for cost in [1, 3, u64::MAX, 0] {
            store.decide(&[Charge { cost, ..charge }]).await.unwrap();
        }
        assert_eq!(dump(), before, "{key}");
    }
}

#[tokio::test]
async fn key_that_has_lost_its_ttl_gets_one_on_a_denial() {
    let server = RedisServer::start();
    let store = Redis::open(server.url()).unwrap();
    for algorithm in Algorithm::ALL {
        let key = algorithm.word();
        let charge = Charge {
            numbers: numbers(key, "1/min", None, None),
            key: key.as_bytes(),
            cost: 1,
            max_delay: None,
        };
        store.decide(&[charge]).await.unwrap();
        let _: () = server.ask(redis::cmd("PERSIST").arg(key));
        store.decide(&[charge]).await.unwrap();
        let ttl: i64 = server.ask(redis::cmd("PTTL").arg(key));
        assert!((1..=122_000).contains(&ttl), "{key}: {ttl}");
    }
}

#[tokio::test]
async fn looking_at_a_fresh_key_writes_none() {
    let server = RedisServer::start();
    let store = Redis::open(server.url()).unwrap();
    for algorithm in Algorithm::ALL {
        let key = algorithm.word();
        let charge = Charge {
            numbers: numbers(key, "7/min", None, None),
            key: key.as_bytes(),
            cost: 0,
            max_delay: None,
        };
        assert_eq!(store.decide(&[charge]).await.unwrap()[0].remaining, 7);
    }
    let keys: Vec<String> = server.ask(redis::cmd("KEYS").arg("*"));
    assert_eq!(keys, [""; 0]);
}

#[tokio::test]
async fn decision_is_one_command_of_the_client() {
    let server = RedisServer::start();
    let limiter = Limiter::builder().redis(server.url()).deadline(Duration::from_secs(60)).build().unwrap();
    let limit = Limit::builder("m").key("user").rate("10/day").fail(FailMode::Closed).build().unwrap();
    limiter.check(&limit).part("user", "ann").await.unwrap();
    let calls = || -> u64 {
        let stats: String = server.ask(redis::cmd("INFO").arg("commandstats"));
        let line = stats.lines().find(|line| line.starts_with("cmdstat_evalsha:")).unwrap_or("calls=0,");
        line.split("calls=").nth(1).and_then(|rest| rest.split(',').next()).unwrap_or("0").parse().unwrap()
    };
    let before = calls();
    for _ in 0..20 {
        let _ = limiter.check(&limit).part("user", "ann").await;
    }
    assert_eq!(calls() - before, 20);
    let keys: Vec<String> = server.ask(redis::cmd("KEYS").arg("*"));
    assert!(
        keys.len() == 1
            && keys[0].starts_with("rl:{")
            && keys[0].ends_with("}:m:sliding_window:86400s:user=ann")
    );
}
