use super::{by_hand, left};
use futures::future::join_all;
use ratelimit::{Denied, Limit, Usd, rate_limit};
use std::sync::Arc;
use tokio::sync::Barrier;

struct Completion {
    tokens: u64,
    price: Usd,
}

#[rate_limit(name = "settle.tokens", key = "tenant", rate = "1000 tokens/min", cost = 100, settle = |out| out.tokens)]
#[rate_limit(name = "settle.dollars", key = "tenant", rate = "$1/day", cost = Usd::from_cents(10), settle = |out| out.price)]
async fn complete(tenant: &str, used: u64) -> Result<Completion, Denied> {
    Ok(Completion { tokens: used, price: Usd::from_micros(used) })
}

fn tokens() -> Limit {
    Limit::builder("settle.tokens").key("tenant").rate("1000 tokens/min").build().unwrap()
}

fn dollars() -> Limit {
    Limit::builder("settle.dollars").key("tenant").rate("$1/day").build().unwrap()
}

#[tokio::test]
async fn every_layer_is_corrected_to_what_the_call_cost() {
    let (limiter, _clock) = by_hand();
    limiter.scope(complete("acme", 37)).await.unwrap();
    assert_eq!(left(&limiter, &tokens(), "acme").await, 963);
    assert_eq!(left(&limiter, &dollars(), "acme").await, 999_963);
    limiter.scope(complete("acme", 400)).await.unwrap();
    assert_eq!(left(&limiter, &tokens(), "acme").await, 563);
    assert_eq!(left(&limiter, &dollars(), "acme").await, 999_563);
}

#[rate_limit(name = "settle.budget", key = "tenant", rate = "1000 tokens/day", cost = 100, settle = |tokens| *tokens)]
async fn hold(tenant: &str, all_in: Arc<Barrier>) -> Result<u64, Denied> {
    all_in.wait().await;
    Ok(100)
}

#[tokio::test]
async fn concurrent_calls_cannot_spend_the_same_budget() {
    let (limiter, _clock) = by_hand();
    let budget = Limit::builder("settle.budget").key("tenant").rate("1000 tokens/day").build().unwrap();
    for tenant in ["cold", "warm"] {
        if tenant == "warm" {
            let permit = limiter.acquire(&budget).part("tenant", tenant).cost(1).await.unwrap();
            permit.settle(0).await;
        }
        let all_in = Arc::new(Barrier::new(10));
        let calls = join_all((0..50).map(|_| hold(tenant, Arc::clone(&all_in))));
        let passed = limiter.scope(calls).await.iter().filter(|outcome| outcome.is_ok()).count();
        assert_eq!((passed, left(&limiter, &budget, tenant).await), (10, 0));
    }
}

#[rate_limit(name = "settle.signed", key = "tenant", rate = "10/min", cost = 4, settle = |units| *units)]
async fn signed(tenant: &str, units: i64) -> Result<i64, Denied> {
    Ok(units)
}

#[tokio::test]
async fn cost_below_zero_earns_nobody_units() {
    let (limiter, _clock) = by_hand();
    let limit = Limit::builder("settle.signed").key("tenant").rate("10/min").build().unwrap();
    limiter.scope(signed("acme", -5)).await.unwrap();
    assert_eq!(left(&limiter, &limit, "acme").await, 6);
}

mod plain {
    use super::*;

    #[rate_limit(name = "settle.alias", key = "tenant", rate = "10/min", cost = 4, settle = Vec::len)]
    async fn aliased(tenant: &str) -> Answer<Vec<u8>> {
        Ok(vec![1, 2])
    }

    type Answer<T> = std::io::Result<T>;

    #[tokio::test]
    async fn settle_finds_the_value_behind_an_alias() {
        let (limiter, _clock) = by_hand();
        let limit = Limit::builder("settle.alias").key("tenant").rate("10/min").build().unwrap();
        limiter.scope(aliased("acme")).await.unwrap();
        assert_eq!(left(&limiter, &limit, "acme").await, 8);
    }
}
