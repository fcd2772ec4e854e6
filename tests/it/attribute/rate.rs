use super::{admitted, by_hand};
use ratelimit::{Denied, rate_limit};
use std::time::Duration;

#[rate_limit(key = "global", algo = "fixed_window", rate = "3/min")]
async fn three_a_minute() -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn count_passes_per_period_and_no_more() {
    let (limiter, clock) = by_hand();
    limiter
        .scope(async {
            assert_eq!(admitted(5, three_a_minute).await, 3);
            clock.advance(Duration::from_secs(59));
            assert_eq!(admitted(1, three_a_minute).await, 0);
            clock.advance(Duration::from_secs(1));
            assert_eq!(admitted(5, three_a_minute).await, 3);
        })
        .await;
}

#[rate_limit(key = "global", rate = "$0.000_002/day")]
async fn two_micro_dollars_a_day() -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn money_is_counted_in_micro_dollars() {
    let (limiter, _clock) = by_hand();
    assert_eq!(limiter.scope(admitted(5, two_micro_dollars_a_day)).await, 2);
}

#[rate_limit(key = "global", rate = "1k tokens/1m30s")]
async fn a_thousand_tokens() -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn suffix_unit_and_compound_period_are_understood() {
    let (limiter, _clock) = by_hand();
    assert_eq!(limiter.scope(admitted(1_010, a_thousand_tokens)).await, 1_000);
}
