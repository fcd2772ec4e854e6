use super::{PATIENCE, limit};
use ratelimit::{DeniedKind, FailMode, Limit, Limiter, Unanswered};
use ratelimit_tests::Cluster;
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_millis(50);
const RECOVERS_WITHIN: Duration = Duration::from_secs(2);

/// Users of whom one is at each node.
async fn one_at_each(cluster: &Cluster, limiter: &Limiter, limit: &Limit) -> Vec<String> {
    let mut users = vec![None; cluster.nodes.len()];
    for number in 0.. {
        let user = format!("user{number}");
        let before: Vec<usize> = cluster.nodes.iter().map(|node| node.keys().len()).collect();
        limiter.check(limit).part("user", user.clone()).await.unwrap();
        let grown = cluster.nodes.iter().zip(before).position(|(node, before)| node.keys().len() > before);
        users[grown.unwrap()].get_or_insert(user);
        if users.iter().all(Option::is_some) {
            break;
        }
    }
    users.into_iter().flatten().collect()
}

fn patient(cluster: &Cluster) -> Limiter {
    Limiter::builder().redis(cluster.url()).deadline(PATIENCE).build().unwrap()
}

#[tokio::test]
async fn node_that_is_down_fails_its_own_keys_and_no_others() {
    let mut cluster = Cluster::start(3, false);
    let limit = limit("down", "user", "10/day").fail(FailMode::Local).build().unwrap();
    let users = one_at_each(&cluster, &patient(&cluster), &limit).await;
    let limiter = Limiter::builder().redis(cluster.url()).deadline(DEADLINE).build().unwrap();
    let patient = patient(&cluster);
    patient.check(&limit).part("user", users[1].clone()).await.unwrap();
    cluster.nodes[0].stop();

    let mut admitted = [0; 3];
    for _ in 0..20 {
        for node in 0..3 {
            // Nodes that are well get the time that a busy machine needs.
            let limiter = if node == 0 { &limiter } else { &patient };
            admitted[node] +=
                u32::from(limiter.check(&limit).part("user", users[node].clone()).await.is_ok());
        }
    }
    // One process may admit half of a limit by itself, which it forgets only when that node is back.
    assert_eq!(admitted, [5, 8, 9]);
    let Unanswered { open, closed, local } = limit.unanswered();
    assert_eq!((open, closed, local), (0, 0, 20));

    cluster.nodes[0].restart();
    let fresh = Limit::builder("fresh").key("user").rate("1000/s").fail(FailMode::Closed).build().unwrap();
    let started = Instant::now();
    for user in 0..100 {
        while limiter.check(&fresh).part("user", user).await.is_err() {
            assert!(started.elapsed() < RECOVERS_WITHIN + Duration::from_secs(3), "not back");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn silent_node_is_waited_for_by_few_calls() {
    let cluster = Cluster::start(3, false);
    let limit = limit("silent", "user", "1000/day").fail(FailMode::Closed).build().unwrap();
    let users = one_at_each(&cluster, &patient(&cluster), &limit).await;
    let limiter = Limiter::builder().redis(cluster.url()).deadline(DEADLINE).build().unwrap();
    while limiter.check(&limit).part("user", users[0].clone()).await.is_err() {}
    cluster.nodes[0].pause();
    let mut waited = 0;
    for _ in 0..50 {
        let started = Instant::now();
        let denied = limiter.check(&limit).part("user", users[0].clone()).await.unwrap_err();
        assert_eq!(denied.kind(), DeniedKind::StoreUnavailable);
        waited += u32::from(started.elapsed() > DEADLINE / 2);
    }
    assert!(waited <= 8, "{waited} calls waited for a node that says nothing");
    cluster.nodes[0].resume();
    let started = Instant::now();
    while limiter.check(&limit).part("user", users[0].clone()).await.is_err() {
        assert!(started.elapsed() < RECOVERS_WITHIN, "not back");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn layer_at_a_dead_node_follows_its_fail_mode_and_the_others_are_charged_or_given_back() {
    let mut cluster = Cluster::start(3, false);
    let of = |name: &'static str, part: &'static str, mode| {
        limit(name, part, "100/day").fail(mode).build().unwrap()
    };
    let limits = [FailMode::Closed, FailMode::Open, FailMode::Local];
    let [closed, open, local] = limits.map(|mode| of(mode.word(), "dead", mode));
    let other = of("other", "well", FailMode::Closed);
    let place = limit("place", "user", "100/day").build().unwrap();
    let setup = patient(&cluster);
    let left = async || {
        let look = setup.check(&other).part("well", "w").cost(0).await.unwrap();
        look.decision().layers()[0].numbers().unwrap().remaining
    };
    // Values of which `dead` lies at the first node for each of the three, and `well` at another.
    setup.check(&other).part("well", "w").await.unwrap();
    let owner = |cluster: &Cluster, name: &str| {
        let key = cluster.keys().into_iter().find(|key| key.contains(&format!(":{name}:"))).unwrap();
        cluster.first_owner(cluster.slot(&key))
    };
    let well = owner(&cluster, "other");
    let dead = (well + 1) % 3;
    let mut values = Vec::new();
    for limit in [&closed, &open, &local] {
        for number in 0.. {
            let before = cluster.nodes[dead].keys().len();
            setup.check(limit).part("dead", number).await.unwrap();
            if cluster.nodes[dead].keys().len() > before {
                values.push(number);
                break;
            }
        }
    }
    let _ = place;
    cluster.nodes[dead].stop();

    let limiter = patient(&cluster);
    let call = |limit: &Limit, value: i32| {
        limiter.check(&other).and(limit).part("well", "w").part("dead", value).into_future()
    };
    let before = left().await;
    for _ in 0..10 {
        let denied = call(&closed, values[0]).await.unwrap_err();
        assert_eq!(denied.kind(), DeniedKind::StoreUnavailable);
    }
    let started = Instant::now();
    while left().await != before {
        assert!(started.elapsed() < PATIENCE, "what the other layer took is given back");
        tokio::task::yield_now().await;
    }
    for _ in 0..10 {
        call(&open, values[1]).await.unwrap();
    }
    assert_eq!(left().await, before - 10);
    for number in 0..60 {
        assert_eq!(call(&local, values[2]).await.is_ok(), number < 50, "{number}");
    }
    let started = Instant::now();
    while left().await != before - 60 {
        assert!(started.elapsed() < PATIENCE, "{} of {before}", left().await);
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn settlements_for_a_dead_node_keep_no_others_waiting() {
    let mut cluster = Cluster::start(3, false);
    let limit = limit("late", "user", "100 tokens/day").lease("20s").fail(FailMode::Closed).build().unwrap();
    let limiter = patient(&cluster);
    let users = one_at_each(&cluster, &limiter, &limit).await;
    let mut dead = Vec::new();
    for _ in 0..99 {
        dead.push(limiter.acquire(&limit).part("user", users[0].clone()).await.unwrap());
    }
    let well = limiter.acquire(&limit).part("user", users[1].clone()).cost(50).await.unwrap();
    cluster.nodes[0].stop();
    // Dropped, each is posted to the limiter's task: those for the dead node first.
    for permit in dead {
        permit.settle_later(0);
    }
    well.settle_later(0);
    let started = Instant::now();
    loop {
        let look = limiter.check(&limit).part("user", users[1].clone()).cost(0).await.unwrap();
        if look.decision().layers()[0].numbers().unwrap().remaining == 99 {
            break;
        }
        assert!(started.elapsed() < RECOVERS_WITHIN, "not settled");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn start_up_check_asks_every_node() {
    let cluster = Cluster::start(3, false);
    let limiter = patient(&cluster);
    limiter.ready().await.unwrap();
    for node in &cluster.nodes {
        node.ask::<()>(redis::cmd("ACL").arg("SETUSER").arg("default").arg("-set"));
        let error = limiter.ready().await.unwrap_err().to_string();
        assert!(
            error.contains(node.url().trim_start_matches("redis://")) && error.contains("+set"),
            "{error}"
        );
        node.ask::<()>(redis::cmd("ACL").arg("SETUSER").arg("default").arg("+set"));
    }
    limiter.ready().await.unwrap();
}
