use super::{limit, limiter};
use futures::future::join_all;
use ratelimit::{Limit, Limiter};
use ratelimit_tests::{Cluster, Monitor};

fn layers() -> [Limit; 3] {
    [
        limit("layers.global", "global", "300/day").build().unwrap(),
        limit("layers.tenant", "tenant", "120/day").build().unwrap(),
        limit("layers.user", "tenant + user", "50/day").build().unwrap(),
    ]
}

async fn remaining(limiter: &Limiter, limit: &Limit, tenant: &str, user: &str) -> u64 {
    let look = limiter.check(limit).part("tenant", tenant).part("user", user).cost(0);
    look.await.unwrap().decision().layers()[0].numbers().unwrap().remaining
}

#[tokio::test]
async fn layers_at_different_slots_take_from_all_or_from_none() {
    let cluster = Cluster::start(3, false);
    let limiter = limiter(&cluster);
    let [global, tenant, user] = layers();
    let call = |name: &str, who: &str| {
        let call = limiter.check(&global).and(&tenant).and(&user);
        call.part("tenant", name.to_owned()).part("user", who.to_owned()).into_future()
    };
    for number in 0..60 {
        let outcome = call("{acme}", "{}").await;
        assert_eq!(outcome.is_ok(), number < 50, "{outcome:?}");
        if let Err(denied) = outcome {
            assert_eq!(denied.limit().name(), "layers.user");
            let left = |layer: usize| denied.decision().layers()[layer].numbers().unwrap().remaining;
            // Of the denial before some may be still on its way back.
            assert!((248..=250).contains(&left(0)) && (68..=70).contains(&left(1)), "{denied:?}");
            assert_eq!(left(2), 0);
        }
    }
    // What is given back is given back by the limiter's own task.
    let given_back = async || {
        (
            remaining(&limiter, &global, "{acme}", "{}").await,
            remaining(&limiter, &tenant, "{acme}", "{}").await,
        )
    };
    let started = std::time::Instant::now();
    while given_back().await != (250, 70) {
        assert!(started.elapsed() < super::PATIENCE, "{:?}", given_back().await);
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn calls_that_race_for_layers_at_different_slots_stay_within_all_of_them() {
    let cluster = Cluster::start(3, false);
    let limiters = [limiter(&cluster), limiter(&cluster)];
    let [global, tenant, user] = layers();
    // 4 tenants of 4 users, 40 calls each: 50 a user bind nobody, 120 a tenant and 300 together do.
    let calls = (0..640).map(|number| {
        let (name, who) = (number % 4, number / 4 % 4);
        let call = limiters[number % 2].check(&global).and(&tenant).and(&user);
        call.part("tenant", name).part("user", who).into_future()
    });
    let outcomes = join_all(calls).await;
    let admitted = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert!(admitted <= 300, "{admitted}");
    // A call may be denied for the moment in which another one that is denied as well holds what it wants.
    assert!(admitted >= 150, "{admitted}");
    let used = 300 - remaining_at_last(&limiters[0], &global, 300 - admitted as u64).await;
    assert_eq!(used, admitted as u64);
}

async fn remaining_at_last(limiter: &Limiter, limit: &Limit, expected: u64) -> u64 {
    let started = std::time::Instant::now();
    loop {
        let left = remaining(limiter, limit, "0", "0").await;
        if left == expected || started.elapsed() > super::PATIENCE {
            return left;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn permits_at_different_slots_are_settled_each_at_its_own() {
    let cluster = Cluster::start(3, false);
    let limiter = limiter(&cluster);
    let [global, tenant, user] = layers();
    let slots = Limit::builder("layers.slots").key("tenant").algo("concurrency").limit(2).build().unwrap();
    let call = limiter.acquire(&global).cost(9).and(&tenant).cost(9).and(&user).cost(9).and(&slots);
    let permit = call.part("tenant", "acme").part("user", "ann").await.unwrap();
    assert_eq!(remaining(&limiter, &global, "acme", "ann").await, 291);
    permit.settle(4).await;
    for (limit, expected) in [(&global, 296), (&tenant, 116), (&user, 46), (&slots, 2)] {
        assert_eq!(remaining(&limiter, limit, "acme", "ann").await, expected, "{limit:?}");
    }
}

#[tokio::test]
async fn colocated_layers_are_decided_in_one_line() {
    let cluster = Cluster::start(3, false);
    let limiter = limiter(&cluster);
    let tenant = limit("one.tenant", "tenant", "120/day").colocate("tenant").build().unwrap();
    let user = limit("one.user", "tenant + user", "50/day").colocate("tenant").build().unwrap();
    let call = |who: u32| {
        let call = limiter.check(&tenant).and(&user).part("tenant", "acme").part("user", who);
        call.into_future()
    };
    call(0).await.unwrap();
    let monitors: Vec<Monitor<'_>> = cluster.nodes.iter().map(Monitor::start).collect();
    call(1).await.unwrap();
    let lines: Vec<_> = monitors.into_iter().flat_map(Monitor::finish).collect();
    let sent = lines.iter().filter(|line| line.verb().starts_with("EVAL")).collect::<Vec<_>>();
    assert_eq!(sent.len(), 1, "{sent:?}");
    for _ in 0..60 {
        let _ = call(2).await;
    }
    let denied = call(2).await.unwrap_err();
    assert_eq!(denied.limit().name(), "one.user");
    assert_eq!(denied.decision().layers()[0].numbers().unwrap().remaining, 120 - 52);
}
