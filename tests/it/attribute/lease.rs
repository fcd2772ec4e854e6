use super::by_hand;
use futures::future::poll_immediate;
use ratelimit::{Denied, rate_limit};
use std::time::Duration;

#[rate_limit(key = "global", algo = "concurrency", limit = 1, lease = "3s")]
async fn endless() -> Result<(), Denied> {
    std::future::pending().await
}

#[tokio::test]
async fn live_call_keeps_its_slot_for_longer_than_a_lease() {
    let (limiter, clock) = by_hand();
    limiter
        .scope(async {
            let mut call = Box::pin(endless());
            assert!(poll_immediate(call.as_mut()).await.is_none());
            for _ in 0..10 {
                // The renewals are the limiter's own task: it gets its turns.
                for _ in 0..10 {
                    tokio::task::yield_now().await;
                }
                clock.advance(Duration::from_secs(1));
            }
            assert!(endless().await.is_err());
            drop(call);
            assert!(poll_immediate(Box::pin(endless())).await.is_none());
        })
        .await;
}

#[tokio::test]
async fn slot_of_a_silent_holder_comes_back_after_the_lease() {
    let (limiter, clock) = by_hand();
    limiter
        .scope(async {
            let mut call = Box::pin(endless());
            assert!(poll_immediate(call.as_mut()).await.is_none());
            // Nobody gets a turn, so nothing is renewed.
            clock.advance(Duration::from_millis(2_999));
            assert!(poll_immediate(Box::pin(endless())).await.unwrap().is_err());
            clock.advance(Duration::from_millis(1));
            assert!(poll_immediate(Box::pin(endless())).await.is_none());
        })
        .await;
}
