//! The user that the page on servers describes can do all that limits need, and nothing to the keys of others.

use ratelimit::{Algorithm, DeniedKind, FailMode, Limit, LimitBuilder, Limiter};
use ratelimit_tests::{Monitor, RedisServer};
use std::time::Duration;

/// The page itself, so that what it says is what is tested.
const PAGE: &str = include_str!("../../ratelimit/docs/servers.md");

/// The words of the page's `ACL SETUSER`.
fn documented() -> Vec<&'static str> {
    let block = PAGE.split("```text\nACL ").nth(1).and_then(|rest| rest.split("```").next());
    let lines = block.expect("the page has an `ACL SETUSER`").lines();
    lines.flat_map(|line| line.split('#').next().unwrap_or_default().split_whitespace()).collect()
}

fn create(server: &RedisServer) -> String {
    server.ask::<()>(redis::cmd("ACL").arg(documented()));
    server.url().replace("redis://", "redis://limiter:secret@")
}

fn closed(name: &str) -> LimitBuilder<'_> {
    Limit::builder(name).key("user").fail(FailMode::Closed).deadline(Duration::from_secs(10))
}

/// A limit of every algorithm, and of a log by slices.
fn limits() -> Vec<Limit> {
    let rated =
        Algorithm::ALL.iter().filter(|algorithm| **algorithm != Algorithm::Concurrency).map(|algorithm| {
            closed(algorithm.word()).rate("10/min").algo(algorithm.word()).lease("1s").build().unwrap()
        });
    let sliced = closed("sliced").rate("10/min").algo("sliding_log").precision("1s").build().unwrap();
    let in_flight = closed("in_flight").algo("concurrency").limit(10).lease("1s").build().unwrap();
    rated.chain([sliced, in_flight]).collect()
}

#[tokio::test]
async fn user_of_the_page_can_take_settle_renew_and_give_back_under_every_algorithm() {
    let server = RedisServer::start();
    let limiter = Limiter::builder().redis(create(&server)).build().unwrap();
    limiter.ready().await.unwrap();
    let monitor = Monitor::start(&server);
    for limit in limits() {
        let passes = async |cost| limiter.acquire(&limit).part("user", "ann").cost(cost).await;
        let permit = passes(1).await.unwrap_or_else(|denied| panic!("{limit:?}: {denied:?}"));
        drop(passes(1).await.unwrap());
        for settled in permit.settle(0).await {
            assert!(settled.outcome().is_some(), "{limit:?}: {settled:?}");
        }
        if limit.rule().algorithm() != Algorithm::Concurrency {
            assert_eq!(passes(11).await.unwrap_err().kind(), DeniedKind::ExceedsCapacity);
        }
    }
    // A permit is renewed after a third of its lease.
    let held = limiter.acquire(limits().last().unwrap()).part("user", "bob").await.unwrap();
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    held.settle(1).await;
    for line in monitor.finish().iter().filter(|line| line.of_script) {
        let key = line.words.get(1).map_or("", String::as_str);
        assert!(line.verb() == "TIME" || key.starts_with("rl:"), "{line:?}");
    }
    for key in server.keys() {
        assert!(key.starts_with("rl:"), "{key}");
    }
}

#[tokio::test]
async fn nothing_passes_a_closed_limit_while_a_permission_is_missing() {
    let server = RedisServer::start();
    let limiter = Limiter::builder().redis(create(&server)).build().unwrap();
    let limits = limits();
    let refuse = |rule: &str| server.ask::<()>(redis::cmd("ACL").arg(&["SETUSER", "limiter", rule]));
    for command in ["eval", "evalsha", "time", "get", "set"] {
        refuse(&format!("-{command}"));
        let needed = |limit: &&Limit| match command {
            "get" | "set" => limit.rule().algorithm() == Algorithm::TokenBucket,
            // A script that the server knows needs no text.
            "eval" => false,
            _ => true,
        };
        for limit in limits.iter().filter(needed) {
            let denied = limiter.check(limit).part("user", command).await.expect_err(command);
            assert_eq!(denied.kind(), DeniedKind::StoreUnavailable, "{command} {limit:?}");
        }
        refuse(&format!("+{command}"));
        for limit in &limits {
            limiter
                .check(limit)
                .part("user", command)
                .await
                .unwrap_or_else(|denied| panic!("{command}: {denied:?}"));
        }
    }
}

#[tokio::test]
async fn keys_of_another_prefix_are_out_of_reach() {
    let server = RedisServer::start();
    let limiter = Limiter::builder().redis(create(&server)).prefix("other").build().unwrap();
    let error = limiter.ready().await.unwrap_err();
    assert!(format!("{error} {error:?}").contains("key"), "{error:?}");
    let limit = closed("outside").rate("1/min").build().unwrap();
    let denied = limiter.check(&limit).part("user", "ann").await.unwrap_err();
    assert_eq!(denied.kind(), DeniedKind::StoreUnavailable);
    assert!(server.keys().is_empty());
}

/// Who runs the tests on Valkey must not be told of Redis.
#[test]
fn server_is_the_one_that_was_asked_for() {
    let asked = std::env::var("RATELIMIT_TEST_SERVER").unwrap_or_default();
    let (name, version) = RedisServer::start().version();
    println!("tested on {name} {version}");
    assert_eq!(name, if asked.contains("valkey") { "valkey" } else { "redis" });
}
