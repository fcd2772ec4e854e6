use super::{limit, limiter};
use futures::future::join_all;
use ratelimit::store::{Store as _, redis::Redis};
use ratelimit_tests::{Cluster, RedisServer};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

#[tokio::test]
async fn keys_are_spread_over_all_nodes() {
    let cluster = Cluster::start(3, false);
    let (limiter, limit) = (limiter(&cluster), limit("spread", "user", "2/day").build().unwrap());
    for round in 0..3 {
        let calls = (0..300).map(|user| limiter.check(&limit).part("user", user).into_future());
        for outcome in join_all(calls).await {
            assert_eq!(outcome.is_ok(), round < 2, "{outcome:?}");
        }
    }
    for node in &cluster.nodes {
        let keys = node.keys().len();
        assert!((50..=150).contains(&keys), "{keys} of 300 keys on one node");
    }
}

#[tokio::test]
async fn store_knows_the_slots_that_the_servers_know() {
    let cluster = Cluster::start(3, false);
    let (limiter, limit) = (limiter(&cluster), limit("known", "user", "2/day").build().unwrap());
    for user in ["", "{", "}", "{}", "{a}b", "{a}{b}", "a:b", "ü"] {
        limiter.check(&limit).part("user", user).await.unwrap();
    }
    let store = Redis::open(cluster.url()).unwrap();
    let keys = cluster.keys();
    assert_eq!(keys.len(), 8);
    for key in &keys {
        assert_eq!(store.place(key.as_bytes()).slot, cluster.slot(key), "{key}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slot_that_moves_under_load_admits_not_one_too_many() {
    const LIMIT: u32 = 400;
    let cluster = Cluster::start(3, false);
    let limit = limit("moved", "user", "400/day").build().unwrap();
    let limiters = [limiter(&cluster), limiter(&cluster)];
    limiters[0].check(&limit).part("user", "ann").await.unwrap();
    let slot = cluster.slot(&cluster.keys()[0]);
    let (admitted, is_over) = (AtomicU32::new(1), AtomicBool::new(false));
    let caller = async |number: usize| {
        while !is_over.load(Ordering::Relaxed) {
            match limiters[number % 2].check(&limit).part("user", "ann").await {
                Ok(_) => _ = admitted.fetch_add(1, Ordering::Relaxed),
                Err(denied) => assert_eq!(denied.kind(), ratelimit::DeniedKind::Limited, "{denied}"),
            }
        }
    };
    let move_it = async {
        tokio::task::block_in_place(|| {
            let first = cluster.first_owner(slot);
            for step in 0..6 {
                let (from, to) = ((first + step) % 3, (first + step + 1) % 3);
                cluster.move_slot(slot, from, to);
            }
        });
        while admitted.load(Ordering::Relaxed) < LIMIT {
            tokio::task::yield_now().await;
        }
        is_over.store(true, Ordering::Relaxed);
    };
    tokio::join!(join_all((0..8).map(caller)), move_it);
    assert_eq!(admitted.into_inner(), LIMIT);
}

#[tokio::test]
async fn permits_follow_a_slot_that_moves() {
    let cluster = Cluster::start(3, false);
    let limiter = limiter(&cluster);
    let limit = limit("follow", "tenant", "100 tokens/day").build().unwrap();
    let permit = limiter.acquire(&limit).part("tenant", "acme").cost(60).await.unwrap();
    let slot = cluster.slot(&cluster.keys()[0]);
    let owner = cluster.first_owner(slot);
    cluster.move_slot(slot, owner, (owner + 1) % 3);
    permit.settle(10).await;
    let seen = limiter.check(&limit).part("tenant", "acme").cost(0).await.unwrap();
    assert_eq!(seen.decision().layers()[0].numbers().unwrap().remaining, 90);
}

#[tokio::test]
async fn cluster_behind_one_name_is_found_by_its_scheme() {
    let cluster = Cluster::start(3, false);
    let url = cluster.nodes[1].url().replace("redis://", "redis+cluster://");
    let limiter = ratelimit::Limiter::builder().redis(url).deadline(super::PATIENCE).build().unwrap();
    let limit = limit("scheme", "user", "1/day").build().unwrap();
    for user in 0..30 {
        limiter.check(&limit).part("user", user).await.unwrap();
    }
    assert!(cluster.nodes.iter().all(|node| !node.keys().is_empty()));
}

#[tokio::test]
async fn single_node_of_a_cluster_says_how_to_name_the_others() {
    let cluster = Cluster::start(3, false);
    let store = Redis::open(cluster.nodes[0].url()).unwrap();
    let limit = limit("alone", "user", "1/day").build().unwrap();
    let numbers = limit.rule().numbers();
    let mut failures = Vec::new();
    for key in ["a", "b", "c", "d", "e", "f"] {
        let charge =
            ratelimit::store::Charge { numbers, key: key.as_bytes(), cost: 1, max_delay: None, hold: None };
        failures.extend(store.decide(&[charge]).await.err());
    }
    let failure = failures.first().expect("not all are on one node");
    assert_eq!(failure.kind(), ratelimit::store::FailureKind::Setup);
    let why = std::error::Error::source(failure).unwrap().to_string();
    assert!(why.contains("redis+cluster://"), "{why}");
}

#[tokio::test]
async fn server_that_is_no_cluster_says_so() {
    let server = RedisServer::start();
    let url = server.url().replace("redis://", "redis+cluster://");
    let store = Redis::open(url).unwrap();
    let limit = limit("none", "user", "1/day").build().unwrap();
    let charge = ratelimit::store::Charge {
        numbers: limit.rule().numbers(),
        key: b"k",
        cost: 1,
        max_delay: None,
        hold: None,
    };
    let failure = store.decide(&[charge]).await.unwrap_err();
    assert_eq!(failure.kind(), ratelimit::store::FailureKind::Setup);
    let why = std::error::Error::source(&failure).unwrap().to_string();
    assert!(why.contains("cluster support disabled"), "{why}");
}
