//! A real Redis that stops answering, is not there, or holds what is not ours.

use crate::stores::over;
use futures::future::join_all;
use ratelimit::{DeniedKind, FailMode, Limit, Limiter};
use ratelimit_tests::RedisServer;
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_millis(50);

fn limit(mode: FailMode) -> Limit {
    Limit::builder("drill").key("user").rate("10/day").algo("fixed_window").fail(mode).build().unwrap()
}

fn limiter(url: String) -> Limiter {
    Limiter::builder().redis(url).deadline(DEADLINE).build().unwrap()
}

#[tokio::test]
async fn stopped_server_is_waited_for_no_longer_than_the_deadline() {
    let server = RedisServer::start();
    let limiter = limiter(server.url());
    // The first decision connects, which may take longer on a busy machine.
    let _ = limiter.check(&limit(FailMode::Open)).part("user", "warm").await;
    server.pause();
    for mode in FailMode::ALL {
        // The best of several: a busy machine makes any of them late, a missing deadline makes all of them.
        let mut times = Vec::new();
        for _ in 0..5 {
            let started = Instant::now();
            let outcome = limiter.check(&limit(*mode)).part("user", "ann").await;
            times.push(started.elapsed());
            match mode {
                FailMode::Closed => assert_eq!(outcome.unwrap_err().kind(), DeniedKind::StoreUnavailable),
                FailMode::Open | FailMode::Local => assert!(outcome.is_ok()),
            }
        }
        times.sort();
        println!("{mode:?} answers in {times:?}");
        assert!(times[0] <= DEADLINE + Duration::from_millis(10), "{mode:?} took {times:?}");
        assert!(times[4] <= DEADLINE * 10, "{mode:?} took {times:?}");
    }
    let denied = limiter.check(&limit(FailMode::Local)).part("user", "ann").await.unwrap_err();
    assert_eq!(denied.kind(), DeniedKind::Limited, "five of ten, the share of this process, are spent");

    server.resume();
    let back = async || limiter.check(&limit(FailMode::Closed)).part("user", "bob").await.is_ok();
    let resumed = Instant::now();
    while !back().await {
        assert!(resumed.elapsed() < Duration::from_secs(10), "not back");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn service_starts_while_its_redis_is_down() {
    let limiter = limiter("redis://127.0.0.1:1".to_owned());
    assert!(limiter.check(&limit(FailMode::Open)).part("user", "ann").await.is_ok());
    let denied = limiter.check(&limit(FailMode::Closed)).part("user", "ann").await.unwrap_err();
    assert_eq!(denied.kind(), DeniedKind::StoreUnavailable);
}

#[tokio::test]
async fn redis_that_comes_up_late_is_found() {
    let mut server = RedisServer::start();
    server.stop();
    let limiter = over(&server);
    assert!(limiter.check(&limit(FailMode::Open)).part("user", "ann").await.is_ok());
    assert!(limiter.check(&limit(FailMode::Closed)).part("user", "ann").await.is_err());
    server.restart();
    answers_again(&limiter).await;
    assert_eq!(server.keys().len(), 1);
}

#[tokio::test]
async fn redis_that_restarts_empty_starts_over_once() {
    let mut server = RedisServer::start();
    let limiter = over(&server);
    for _ in 0..10 {
        limiter.check(&limit(FailMode::Closed)).part("user", "ann").await.unwrap();
    }
    server.restart();
    answers_again(&limiter).await;
    let mut admitted = 0;
    for _ in 0..12 {
        admitted += u32::from(limiter.check(&limit(FailMode::Closed)).part("user", "ann").await.is_ok());
    }
    assert_eq!(admitted, 10);
}

/// Asks for somebody else until the store has an answer.
async fn answers_again(limiter: &Limiter) {
    let started = Instant::now();
    while limiter.check(&limit(FailMode::Closed)).part("user", "somebody else").await.is_err() {
        assert!(started.elapsed() < Duration::from_secs(20), "no answer");
        // A call that does not ask does not wait either: the limiter's task needs a turn to find out.
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn foreign_value_under_our_key_is_met_by_the_fail_mode_and_kept() {
    let server = RedisServer::start();
    let limiter = over(&server);
    limiter.check(&limit(FailMode::Closed)).part("user", "ann").await.unwrap();
    let keys: Vec<String> = server.ask(redis::cmd("KEYS").arg("*"));
    let key = &keys[0];
    assert!(key.ends_with("}:drill:fixed_window:86400s:user=ann"), "{key}");
    for foreign in ["", "12", "seventeen bytes!!"] {
        let _: () = server.ask(redis::cmd("SET").arg(key).arg(foreign));
        let denied = limiter.check(&limit(FailMode::Closed)).part("user", "ann").await.unwrap_err();
        assert_eq!(denied.kind(), DeniedKind::StoreUnavailable, "{foreign:?}");
        let kept: String = server.ask(redis::cmd("GET").arg(key));
        assert_eq!(kept, foreign);
    }
    let _: () = server.ask(redis::cmd("DEL").arg(key));
    let _: () = server.ask(redis::cmd("HSET").arg(key).arg("a").arg("b"));
    assert!(limiter.check(&limit(FailMode::Closed)).part("user", "ann").await.is_err());
}

#[tokio::test]
async fn script_that_the_server_has_lost_is_sent_again_and_counted_once() {
    let server = RedisServer::start();
    let limiter = over(&server);
    let limit = limit(FailMode::Closed);
    for _ in 0..10 {
        limiter.check(&limit).part("user", "ann").await.unwrap();
        let _: () = server.ask(redis::cmd("SCRIPT").arg("FLUSH"));
    }
    assert_eq!(limiter.check(&limit).part("user", "ann").await.unwrap_err().kind(), DeniedKind::Limited);
}

#[tokio::test]
async fn lost_script_lets_nobody_in_twice() {
    let server = RedisServer::start();
    let limiter = over(&server);
    let limit = Limit::builder("flushed").key("user").rate("60/day").build().unwrap();
    limiter.check(&limit).part("user", "warm").await.unwrap();
    let _: () = server.ask(redis::cmd("SCRIPT").arg("FLUSH"));
    let calls = (0..100).map(|_| limiter.check(&limit).part("user", "ann").into_future());
    let admitted = join_all(calls).await.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(admitted, 60);
}

#[test]
fn bad_address_is_an_error_that_says_what_to_write_and_no_password() {
    for url in [
        "localhost",
        "http://localhost",
        "redis://user:secret@local host:x",
        "redis+cluster://user:secret@localhost/3",
        "redis+sentinel://user:secret@localhost",
    ] {
        let error = Limiter::builder().redis(url).build().unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(
            text.contains("redis") && text.contains("url: ") && !text.contains("secret"),
            "{url}: {text}"
        );
    }
}

#[tokio::test]
async fn start_up_check_names_the_permission_that_is_missing() {
    let server = RedisServer::start();
    let user = |rules: &[&str]| {
        let mut command = redis::cmd("ACL");
        command
            .arg("SETUSER")
            .arg("limiter")
            .arg("reset")
            .arg(&["on", ">s3cret", "~rl:*", "+@all"])
            .arg(rules);
        server.ask::<()>(&command);
    };
    let url = server.url().replace("redis://", "redis://limiter:s3cret@");
    let ready = async || Limiter::builder().redis(&url).build().unwrap().ready().await;
    user(&[]);
    ready().await.unwrap();
    let needed = "eval evalsha time get set pttl pexpire lrange lset ltrim rpush lindex lrem zcount zadd zscore zrem \
                  zremrangebyscore";
    for command in needed.split(' ') {
        user(&[&format!("-{command}")]);
        // A script that was stopped half-way leaves behind what no script can read.
        server.ask::<()>(&redis::cmd("FLUSHALL"));
        let error = ready().await.expect_err(command);
        assert_eq!(error.kind(), ratelimit::ErrorKind::Store, "{command}");
        let text = format!("{error} {error:?}");
        assert!(text.contains(&format!("+{command}")) && text.contains("allow"), "{command}: {text}");
        assert!(!text.contains("s3cret"), "{text}");
    }
    for key in server.keys() {
        assert!(key.starts_with("rl:{"), "{key}");
        assert!(server.ask::<i64>(redis::cmd("PTTL").arg(&key)) > 0, "{key}");
    }
}

#[tokio::test]
async fn start_up_check_says_that_there_is_no_store() {
    let limiter = Limiter::builder().redis("redis://127.0.0.1:1").build().unwrap();
    let error = limiter.ready().await.unwrap_err();
    assert_eq!(error.kind(), ratelimit::ErrorKind::Store);
    assert!(error.to_string().contains("127.0.0.1:1"), "{error}");
    Limiter::in_memory().ready().await.unwrap();
}
