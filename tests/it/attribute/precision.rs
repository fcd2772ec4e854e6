use super::{admitted, by_hand};
use ratelimit::{Denied, rate_limit};
use std::time::Duration;

#[rate_limit(key = "global", algo = "sliding_log", rate = "3/min", precision = "10s")]
async fn by_slices() -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn calls_of_a_slice_come_back_together_and_never_early() {
    let (limiter, clock) = by_hand();
    limiter
        .scope(async {
            assert_eq!(admitted(2, by_slices).await, 2);
            clock.advance(Duration::from_secs(5));
            assert_eq!(admitted(2, by_slices).await, 1);
            // The slice [0 s, 10 s) is over a period after its last microsecond.
            clock.advance(Duration::from_secs(64));
            assert_eq!(admitted(5, by_slices).await, 0);
            clock.advance(Duration::from_secs(1));
            assert_eq!(admitted(5, by_slices).await, 3);
        })
        .await;
}
