use super::{Silent, admitted};
use ratelimit::{Denied, DeniedKind, FailMode, LayerOutcome, Limiter, rate_limit};
use std::time::Duration;

#[rate_limit(key = "global", rate = "10/day", fail = "open")]
async fn open() -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "global", rate = "10/day", fail = "closed")]
async fn closed() -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "global", rate = "10/day", fail = "local")]
async fn local() -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "global", rate = "10/day")]
async fn as_the_limiter() -> Result<(), Denied> {
    Ok(())
}

fn without_store() -> ratelimit::Builder {
    Limiter::builder().store(Silent).deadline(Duration::from_millis(1))
}

#[tokio::test]
async fn open_passes_without_a_store() {
    let limiter = without_store().build().unwrap();
    assert_eq!(limiter.scope(admitted(20, open)).await, 20);
}

#[tokio::test]
async fn closed_refuses_without_a_store_and_says_when_to_come_back() {
    let limiter = without_store().build().unwrap();
    let denied = limiter.scope(closed()).await.unwrap_err();
    assert_eq!(denied.kind(), DeniedKind::StoreUnavailable);
    assert_eq!(denied.retry_after(), Some(Duration::from_secs(1)));
    assert_eq!(denied.decision().layers()[0].outcome(), LayerOutcome::FailedClosed);
}

#[tokio::test]
async fn local_decides_at_the_share_of_this_process() {
    let limiter = without_store().build().unwrap();
    assert_eq!(limiter.scope(admitted(20, local)).await, 5, "one half, unless said otherwise");
    let limiter = without_store().local_share(0.25).build().unwrap();
    assert_eq!(limiter.scope(admitted(20, local)).await, 3, "rounded up");
}

#[tokio::test]
async fn limit_that_says_nothing_follows_the_limiter() {
    for (mode, passing) in [(FailMode::Open, 20), (FailMode::Closed, 0), (FailMode::Local, 5)] {
        let limiter = without_store().fail(mode).build().unwrap();
        assert_eq!(limiter.scope(admitted(20, as_the_limiter)).await, passing, "{mode:?}");
    }
}
