use super::{admitted, by_hand};
use ratelimit::{Denied, rate_limit};
use std::time::Duration;

#[rate_limit(key = "global", rate = "60/min", burst = 5)]
async fn burst_of_five() -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn burst_passes_at_one_instant_and_refills_at_the_rate() {
    let (limiter, clock) = by_hand();
    limiter
        .scope(async {
            assert_eq!(admitted(10, burst_of_five).await, 5);
            clock.advance(Duration::from_secs(2));
            assert_eq!(admitted(10, burst_of_five).await, 2);
            clock.advance(Duration::from_secs(3_600));
            assert_eq!(admitted(10, burst_of_five).await, 5);
        })
        .await;
}
