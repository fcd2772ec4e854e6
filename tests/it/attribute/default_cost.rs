use super::{admitted, by_hand};
use ratelimit::{Denied, Usd, rate_limit};

#[rate_limit(key = "global", rate = "500 tokens/min", cost = estimate, default_cost = 100)]
async fn complete(estimate: Option<u64>) -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn unknown_cost_is_no_free_pass() {
    let (limiter, _clock) = by_hand();
    assert_eq!(limiter.scope(admitted(20, || complete(None))).await, 5);
    let (limiter, _clock) = by_hand();
    assert_eq!(limiter.scope(admitted(20, || complete(Some(250)))).await, 2);
}

#[rate_limit(key = "global", rate = "$0.80/day", cost = price, default_cost = Usd::from_cents(40))]
async fn paid(price: Option<Usd>) -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn unknown_price_costs_the_default_in_dollars() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            assert!(paid(None).await.is_ok());
            assert!(paid(Some("0.40".parse().unwrap())).await.is_ok());
            assert!(paid(Some(Usd::from_micros(1))).await.is_err());
        })
        .await;
}
