use super::{limit, limiter};
use ratelimit::{DeniedKind, Limiter};
use ratelimit_tests::{Cluster, RedisServer};
use std::time::{Duration, Instant};

fn offset(node: &RedisServer, field: &str) -> u64 {
    let info: String = node.ask(redis::cmd("INFO").arg("replication"));
    let line = info.lines().find_map(|line| line.strip_prefix(&format!("{field}:")));
    line.unwrap().trim().parse().unwrap()
}

#[tokio::test]
async fn failover_admits_no_more_than_replication_had_lost() {
    const LIMIT: u64 = 500;
    let mut cluster = Cluster::start(3, true);
    let limiter = limiter(&cluster);
    let limit = limit("failover", "user", "500/day").build().unwrap();
    let admit = async |calls: u64| {
        for _ in 0..calls {
            limiter.check(&limit).part("user", "ann").await.unwrap();
        }
    };
    admit(100).await;
    let key = cluster.keys().remove(0);
    let owner = cluster.first_owner(cluster.slot(&key));
    let (primary, replica) = (owner, owner + 3);
    // What one admission is worth in the stream to the replica.
    let before = offset(&cluster.nodes[primary], "master_repl_offset");
    admit(10).await;
    let bytes = (offset(&cluster.nodes[primary], "master_repl_offset") - before) / 10;
    let _: i64 = cluster.nodes[primary].ask(redis::cmd("WAIT").arg(1).arg(20_000));

    // A link that is cut, and a replica that cannot make another: what is written now reaches nobody.
    cluster.nodes[replica].pause();
    let _: i64 = cluster.nodes[primary].ask(redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg("REPLICA"));
    admit(37).await;
    let written = offset(&cluster.nodes[primary], "master_repl_offset");
    cluster.nodes[primary].stop();
    cluster.nodes[replica].resume();
    let lost_bytes = written - offset(&cluster.nodes[replica], "slave_repl_offset");
    let lost = lost_bytes.div_ceil(bytes);
    assert!(lost > 0, "nothing was lost, so nothing is shown");

    let mut admitted = 147;
    let started = Instant::now();
    loop {
        match limiter.check(&limit).part("user", "ann").await {
            Ok(_) => admitted += 1,
            Err(denied) if denied.kind() == DeniedKind::Limited => break,
            Err(_) => {
                assert!(started.elapsed() < Duration::from_secs(30), "no replica has taken over");
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    }
    assert!(admitted <= LIMIT + lost, "{admitted} passed of {LIMIT}, and {lost} were lost");
    assert_eq!(admitted, LIMIT + 37, "what the replica did not know of passes once more");
}

#[tokio::test]
async fn new_primary_is_found_by_a_limiter_that_knew_the_old_one() {
    let mut cluster = Cluster::start(3, true);
    let limit = limit("found", "user", "1M/day").build().unwrap();
    let limiter = Limiter::builder().redis(cluster.url()).fail(ratelimit::FailMode::Closed).build().unwrap();
    let passes = async |user: u32| limiter.check(&limit).part("user", user).await.is_ok();
    for user in 0..30 {
        while !passes(user).await {}
    }
    cluster.nodes[0].stop();
    let started = Instant::now();
    let new = &cluster.nodes[3];
    let is_primary = || new.ask::<String>(redis::cmd("INFO").arg("replication")).contains("role:master");
    while !is_primary() {
        for user in 0..30 {
            let _ = passes(user).await;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "no replica has taken over");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let started = Instant::now();
    for user in 0..30 {
        while !passes(user).await {
            assert!(started.elapsed() < Duration::from_secs(2), "the new primary is not found");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
