use super::{left, over, server};
use ratelimit::{Limit, store::Settled};
use ratelimit_tests::{Line, Monitor};

fn commands(lines: &[Line]) -> Vec<&Line> {
    lines.iter().filter(|line| !line.of_script && line.verb().starts_with("EVAL")).collect()
}

#[tokio::test]
async fn four_layers_are_taken_in_one_command_and_settled_in_one() {
    let server = server();
    let limiter = over(server.url());
    let layers = [("fixed_window", "100/day"), ("token_bucket", "100/h"), ("sliding_log", "100/min")];
    let layers =
        layers.map(|(algo, rate)| Limit::builder(algo).key("tenant").algo(algo).rate(rate).build().unwrap());
    let slots = Limit::builder("slots").key("tenant").algo("concurrency").limit(3).build().unwrap();
    let acquire = || {
        let call = limiter
            .acquire(&layers[0])
            .cost(10)
            .and(&layers[1])
            .cost(10)
            .and(&layers[2])
            .cost(10)
            .and(&slots);
        call.part("tenant", "acme")
    };
    acquire().await.unwrap().settle(0).await; // The server knows the scripts from here on.
    let monitor = Monitor::start(&server);
    let permit = acquire().await.unwrap();
    let settled = permit.settle(4).await;
    let lines = monitor.finish();
    assert_eq!(commands(&lines).len(), 2, "{lines:?}");
    assert_eq!(settled.len(), 4);
    assert!(
        settled.iter().all(|layer| layer.outcome() == Some(Settled::Applied { overrun: 0 })),
        "{settled:?}"
    );
    for limit in &layers {
        assert_eq!(left(&limiter, limit).await, 96);
    }
    assert_eq!(left(&limiter, &slots).await, 3);
}

#[tokio::test]
async fn every_key_of_a_permit_is_in_the_slot_of_its_limit() {
    let server = server();
    let limiter = over(server.url());
    let limit = Limit::builder("slot").key("tenant").rate("100/h").build().unwrap();
    let permit = limiter.acquire(&limit).part("tenant", "a{b}c").await.unwrap();
    let keys = server.keys();
    assert_eq!(keys.len(), 2, "{keys:?}");
    let tag = |key: &str| key.split(['{', '}']).nth(1).map(str::to_owned);
    assert!(keys.iter().all(|key| tag(key) == tag(&keys[0])), "{keys:?}");
    drop(permit);
}
