//! What one decision costs a server: one command, that touches the keys it names, and writes only what it takes.

use crate::stores::{numbers, over};
use ratelimit::{
    Limit,
    store::{Charge, Store as _, redis::Redis},
};
use ratelimit_tests::{Line, Monitor, RATED, RedisServer};

/// What a script may do without changing anything.
const READS: &[&str] = &["TIME", "GET", "LRANGE", "PTTL"];

fn commands(lines: &[Line]) -> Vec<&Line> {
    lines.iter().filter(|line| !line.of_script).collect()
}

#[tokio::test]
async fn decision_is_one_command_of_the_client() {
    let server = RedisServer::start();
    let limiter = over(&server);
    for algorithm in RATED {
        let limit = Limit::builder("seen").key("user").rate("3/day").algo(algorithm.word());
        // One that is to wait in a queue is denied instead.
        let limit = limit.wait(std::time::Duration::ZERO).build().unwrap();
        let decide = async || limiter.check(&limit).part("user", "ann").await.is_ok();
        decide().await;
        let monitor = Monitor::start(&server);
        let mut admitted = 0;
        for _ in 0..10 {
            admitted += usize::from(decide().await);
        }
        let lines = monitor.finish();
        let sent = commands(&lines);
        assert!(sent.iter().all(|line| line.verb() == "EVALSHA"), "{sent:?}");
        assert_eq!(sent.len(), 10, "{algorithm}");
        let writes = lines.iter().filter(|line| line.of_script && !READS.contains(&line.verb()));
        assert!(writes.count() <= admitted * 4, "{algorithm}: a denial writes");
    }
}

#[tokio::test]
async fn call_of_several_layers_is_one_command_and_touches_only_what_it_names() {
    let server = RedisServer::start();
    let store = Redis::open(server.url()).unwrap();
    let charges = RATED.iter().map(|algorithm| Charge {
        numbers: numbers(*algorithm, "2/day"),
        key: algorithm.word().as_bytes(),
        cost: 1,
        max_delay: None,
        hold: None,
    });
    let charges: Vec<_> = charges.collect();
    store.decide(&charges).await.unwrap();
    let monitor = Monitor::start(&server);
    store.decide(&charges).await.unwrap();
    store.decide(&charges).await.unwrap();
    let lines = monitor.finish();
    let sent = commands(&lines);
    assert_eq!(sent.len(), 2, "{sent:?}");
    let declared = |key: &String| charges.iter().any(|charge| charge.key == key.as_bytes());
    for line in lines.iter().filter(|line| line.of_script && line.verb() != "TIME") {
        assert!(line.words.get(1).is_some_and(declared), "{line:?}");
    }
    // The second of them is denied.
    let denial = lines.iter().rposition(|line| !line.of_script).unwrap();
    for line in &lines[denial + 1..] {
        assert!(READS.contains(&line.verb()), "{line:?}");
    }
}

#[tokio::test]
async fn every_key_stands_under_the_prefix() {
    let server = RedisServer::start();
    let limiter = over(&server);
    let monitor = Monitor::start(&server);
    for algorithm in RATED {
        let limit = Limit::builder("seen").key("user").rate("2/day").algo(algorithm.word());
        let limit = limit.wait(std::time::Duration::ZERO).build().unwrap();
        for _ in 0..3 {
            let _ = limiter.check(&limit).part("user", "ann").await;
        }
    }
    for line in monitor.finish().iter().filter(|line| line.of_script && line.verb() != "TIME") {
        assert!(line.words.get(1).is_some_and(|key| key.starts_with("rl:{")), "{line:?}");
    }
}
