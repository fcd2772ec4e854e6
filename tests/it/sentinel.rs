//! A server that sentinels watch: who is primary is what they say, also after they have made another one.

use ratelimit::{DeniedKind, FailMode, Limit, Limiter};
use ratelimit_tests::RedisServer;
use std::time::{Duration, Instant};

struct Watched {
    primary: RedisServer,
    replica: RedisServer,
    sentinels: Vec<RedisServer>,
}

fn wait(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn says(server: &RedisServer, section: &str, text: &str) -> bool {
    // Sentinels end all connections to a server whose role they change.
    let info = |mut connection| redis::cmd("INFO").arg(section).query::<String>(&mut connection).ok();
    let connection = redis::Client::open(server.url()).and_then(|client| client.get_connection());
    connection.ok().and_then(info).is_some_and(|info| info.contains(text))
}

impl Watched {
    fn start() -> Watched {
        let primary = RedisServer::start();
        let port = primary.url().rsplit_once(':').unwrap().1.to_owned();
        let replica = RedisServer::start_with(&["--replicaof", &format!("127.0.0.1 {port}")]);
        wait("a replica", || says(&replica, "replication", "master_link_status:up"));
        let sentinels: Vec<_> = (0..3).map(|_| RedisServer::start_sentinel(&primary, 2)).collect();
        for sentinel in &sentinels {
            wait("sentinels that know each other", || says(sentinel, "sentinel", "slaves=1,sentinels=3"));
        }
        Watched { primary, replica, sentinels }
    }

    fn url(&self) -> String {
        let hosts: Vec<String> =
            self.sentinels.iter().map(|sentinel| sentinel.url().replace("redis://", "")).collect();
        format!("redis+sentinel://{}/main", hosts.join(","))
    }
}

#[tokio::test]
async fn sentinels_say_who_is_primary_before_and_after_a_failover() {
    let mut watched = Watched::start();
    let limiter = Limiter::builder().redis(watched.url()).fail(FailMode::Closed);
    let limiter = limiter.deadline(Duration::from_secs(5)).build().unwrap();
    let limit = Limit::builder("watched").key("user").rate("100/day").algo("fixed_window").build().unwrap();
    let admit = async || limiter.check(&limit).part("user", "ann").await.map(drop);
    for _ in 0..40 {
        admit().await.unwrap();
    }
    assert_eq!(watched.primary.keys().len(), 1);
    let _: i64 = watched.primary.ask(redis::cmd("WAIT").arg(1).arg(20_000));
    // One sentinel may be gone as well.
    watched.sentinels[0].stop();
    watched.primary.stop();

    wait("a new primary", || says(&watched.replica, "replication", "role:master"));
    let started = Instant::now();
    while admit().await.is_err() {
        assert!(started.elapsed() < Duration::from_secs(5), "the new primary is not found");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut admitted = 41;
    loop {
        match admit().await {
            Ok(()) => admitted += 1,
            Err(denied) => {
                assert_eq!(denied.kind(), DeniedKind::Limited);
                break;
            }
        }
    }
    assert_eq!(admitted, 100);
}

#[tokio::test]
async fn primary_that_lives_on_as_a_replica_is_left_for_the_new_one() {
    let watched = Watched::start();
    let limiter = Limiter::builder().redis(watched.url()).fail(FailMode::Closed).build().unwrap();
    let limit = Limit::builder("demoted").key("user").rate("1M/day").build().unwrap();
    while limiter.check(&limit).part("user", "ann").await.is_err() {}
    let _: () = watched.sentinels[0].ask(redis::cmd("SENTINEL").arg("FAILOVER").arg("main"));
    wait("a new primary", || says(&watched.replica, "replication", "role:master"));
    wait("the old one demoted", || says(&watched.primary, "replication", "role:slave"));
    let before = watched.replica.keys();
    let started = Instant::now();
    while limiter.check(&limit).part("user", "bob").await.is_err() {
        assert!(started.elapsed() < Duration::from_secs(2), "the new primary is not found");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(watched.replica.keys().len() > before.len());
}

#[tokio::test]
async fn name_that_no_sentinel_knows_is_said() {
    use ratelimit::store::{Charge, Store as _, redis::Redis};
    let watched = Watched::start();
    let store = Redis::open(watched.url().replace("/main", "/other")).unwrap();
    let limit = Limit::builder("unknown").key("user").rate("1/day").build().unwrap();
    let charge = Charge { numbers: limit.rule().numbers(), key: b"k", cost: 1, max_delay: None, hold: None };
    let failure = store.decide(&[charge]).await.unwrap_err();
    let why = std::error::Error::source(&failure).unwrap().to_string();
    assert!(why.contains("No such master with that name"), "{why}");
}
