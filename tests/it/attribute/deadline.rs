use super::Silent;
use ratelimit::{Denied, DeniedKind, Limiter, rate_limit};
use std::time::{Duration, Instant};

#[rate_limit(key = "global", rate = "1/min", deadline = "5ms", fail = "closed")]
async fn impatient() -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn limit_waits_for_its_store_no_longer_than_it_says() {
    let limiter = Limiter::builder().store(Silent).deadline(Duration::from_secs(3_600)).build().unwrap();
    let started = Instant::now();
    let denied = limiter.scope(impatient()).await.unwrap_err();
    assert_eq!(denied.kind(), DeniedKind::StoreUnavailable);
    assert!(started.elapsed() < Duration::from_secs(60), "not the limiter's hour");
}

#[rate_limit(key = "global", rate = "1/min", deadline = "1h", fail = "closed")]
#[rate_limit(key = "global", algo = "fixed_window", rate = "1/h", fail = "closed")]
async fn patient_and_as_the_limiter() -> Result<(), Denied> {
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn patient_layer_makes_no_other_wait_longer() {
    let limiter = Limiter::builder().store(Silent).deadline(Duration::from_millis(20)).build().unwrap();
    let started = tokio::time::Instant::now();
    assert!(limiter.scope(patient_and_as_the_limiter()).await.is_err());
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
}
