use super::{by_hand, left};
use futures::{StreamExt as _, stream};
use ratelimit::{Denied, Limit, Meter, rate_limit};
use std::io;

type Chunks = futures::stream::BoxStream<'static, Result<u64, io::Error>>;

#[rate_limit(name = "current.stream", key = "tenant", rate = "5000 tokens/day", cost = 1_000, settle = |_| 0)]
async fn stream(tenant: &str, chunks: Vec<Result<u64, io::Error>>) -> Result<Chunks, Denied> {
    let permit = ratelimit::current_permit().detach().expect("held");
    assert!(ratelimit::current_permit().detach().is_none(), "there is one");
    let metered = permit.meter(stream::iter(chunks), |units: &u64, meter: &mut Meter| meter.add(*units));
    Ok(metered.boxed())
}

fn limit() -> Limit {
    Limit::builder("current.stream").key("tenant").rate("5000 tokens/day").build().unwrap()
}

fn broken() -> Result<u64, io::Error> {
    Err(io::ErrorKind::ConnectionReset.into())
}

#[tokio::test]
async fn stream_settles_at_its_end_and_at_an_error_with_what_was_used() {
    for (chunks, used) in [
        (vec![Ok(200), Ok(150)], 350),
        (vec![Ok(200), Ok(150), broken()], 350),
        (vec![broken()], 0),
        (vec![Ok(4_500)], 4_500),
    ] {
        let (limiter, _clock) = by_hand();
        let mut stream = limiter.scope(stream("acme", chunks)).await.unwrap();
        assert_eq!(left(&limiter, &limit(), "acme").await, 4_000, "while it streams");
        while let Some(Ok(_)) = stream.next().await {}
        assert_eq!(left(&limiter, &limit(), "acme").await, 5_000 - used);
    }
}

#[tokio::test]
async fn stream_that_its_receiver_drops_costs_the_larger_of_estimate_and_use() {
    for (first, used) in [(300, 1_000), (1_700, 1_700)] {
        let (limiter, _clock) = by_hand();
        let mut stream = limiter.scope(stream("acme", vec![Ok(first), Ok(1)])).await.unwrap();
        stream.next().await.unwrap().unwrap();
        drop(stream);
        assert_eq!(left(&limiter, &limit(), "acme").await, 5_000 - used);
    }
}

#[rate_limit(name = "current.hand", key = "tenant", rate = "100/min", cost = 10)]
async fn by_hand_settled(tenant: &str) -> Result<(), Denied> {
    ratelimit::current_permit().settle(3).await;
    assert!(ratelimit::current_permit().settle(1).await.is_empty(), "it is settled once");
    Ok(())
}

#[tokio::test]
async fn body_that_names_its_permit_can_settle_it() {
    let (limiter, _clock) = by_hand();
    limiter.scope(by_hand_settled("acme")).await.unwrap();
    let limit = Limit::builder("current.hand").key("tenant").rate("100/min").build().unwrap();
    assert_eq!(left(&limiter, &limit, "acme").await, 97);
}

#[test]
fn outside_of_a_limited_call_there_is_none() {
    assert!(ratelimit::current_permit().detach().is_none());
    assert!(ratelimit::current_permit().decision().is_none());
}
