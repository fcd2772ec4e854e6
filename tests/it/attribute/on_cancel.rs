use super::{by_hand, left};
use futures::{FutureExt as _, future::poll_immediate};
use ratelimit::{Denied, Limit, rate_limit};
use std::panic::AssertUnwindSafe;

#[rate_limit(name = "on_cancel.keep", key = "tenant", rate = "100/min", cost = 10, settle = |units| *units)]
async fn keeps(tenant: &str) -> Result<u64, Denied> {
    std::future::pending().await
}

#[rate_limit(
    name = "on_cancel.refund", key = "tenant", rate = "100/min", cost = 10, settle = |units| *units, on_cancel = refund,
)]
async fn refunds(tenant: &str, panics: bool) -> Result<u64, Denied> {
    assert!(!panics, "as asked");
    std::future::pending().await
}

fn limit(name: &str) -> Limit {
    Limit::builder(name).key("tenant").rate("100/min").build().unwrap()
}

#[tokio::test]
async fn dropped_call_costs_its_estimate_or_nothing() {
    let (limiter, _clock) = by_hand();
    let calls = async {
        assert!(poll_immediate(Box::pin(keeps("acme"))).await.is_none());
        assert!(poll_immediate(Box::pin(refunds("acme", false))).await.is_none());
    };
    limiter.scope(calls).await;
    assert_eq!(left(&limiter, &limit("on_cancel.keep"), "acme").await, 90);
    assert_eq!(left(&limiter, &limit("on_cancel.refund"), "acme").await, 100);
}

#[tokio::test]
async fn panicked_call_counts_as_cancelled() {
    let (limiter, _clock) = by_hand();
    let call = AssertUnwindSafe(limiter.scope(refunds("acme", true))).catch_unwind();
    assert!(call.await.is_err());
    assert_eq!(left(&limiter, &limit("on_cancel.refund"), "acme").await, 100);
}
