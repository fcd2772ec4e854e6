use super::by_hand;
use ratelimit::{Denied, DeniedKind, Usd, rate_limit};

#[rate_limit(key = "tenant", rate = "1k tokens/min", cost = prompt.len() * 10)]
async fn complete(tenant: &str, prompt: &str) -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn expression_is_what_the_call_takes() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            assert!(complete("acme", &"x".repeat(60)).await.is_ok());
            assert!(complete("acme", &"x".repeat(41)).await.is_err());
            assert!(complete("acme", &"x".repeat(40)).await.is_ok());
            assert!(complete("acme", "x").await.is_err());
        })
        .await;
}

#[tokio::test]
async fn cost_above_capacity_can_never_pass_and_takes_nothing() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            let denied = complete("acme", &"x".repeat(101)).await.unwrap_err();
            assert_eq!(denied.kind(), DeniedKind::ExceedsCapacity);
            assert!(!denied.can_pass_later());
            assert!(complete("acme", &"x".repeat(100)).await.is_ok());
        })
        .await;
}

#[tokio::test]
async fn cost_of_zero_looks_and_is_never_denied() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            complete("acme", &"x".repeat(100)).await.unwrap();
            assert!(complete("acme", "").await.is_ok());
            assert!(complete("acme", "x").await.is_err());
        })
        .await;
}

#[rate_limit(key = "global", rate = "10/min", cost = 4)]
async fn four_each() -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn constant_cost_is_taken_by_every_call() {
    let (limiter, _clock) = by_hand();
    assert_eq!(limiter.scope(super::admitted(5, four_each)).await, 2);
}

#[rate_limit(key = "global", rate = "10/min", cost = if large { 10 } else { 1 })]
async fn by_branch(large: bool) -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "global", rate = "10/min", cost = units)]
async fn signed(units: i64) -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn branch_without_a_written_type_is_a_cost() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            assert!(by_branch(true).await.is_ok());
            assert!(by_branch(false).await.is_err());
        })
        .await;
}

#[tokio::test]
async fn negative_cost_gives_nothing_back_and_never_passes() {
    let (limiter, _clock) = by_hand();
    let denied = limiter.scope(signed(-5)).await.unwrap_err();
    assert_eq!(denied.kind(), DeniedKind::ExceedsCapacity);
}

#[rate_limit(key = "tenant", rate = "$0.80/day", cost = price)]
async fn buy(tenant: &str, price: Usd) -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn dollars_are_spent_to_the_last_micro_dollar_and_no_further() {
    let (limiter, _clock) = by_hand();
    let price = |text: &str| text.parse::<Usd>().unwrap();
    limiter
        .scope(async {
            // In binary floats these two are less than eighty cents.
            buy("acme", price("0.1")).await.unwrap();
            buy("acme", price("0.7")).await.unwrap();
            assert!(buy("acme", Usd::from_micros(1)).await.is_err());
            for _ in 0..10 {
                buy("other", price("0.08")).await.unwrap();
            }
            assert!(buy("other", price("0.08")).await.is_err());
        })
        .await;
}
