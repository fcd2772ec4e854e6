use super::by_hand;
use futures::{
    FutureExt as _,
    future::{join_all, poll_immediate},
};
use ratelimit::{Denied, DeniedKind, LayerOutcome, rate_limit};
use std::{panic::AssertUnwindSafe, time::Duration};
use tokio::sync::Semaphore;

#[rate_limit(key = "global", algo = "concurrency", limit = 2)]
async fn work(end: &Semaphore) -> Result<(), Denied> {
    end.acquire().await.expect("open").forget();
    Ok(())
}

#[tokio::test]
async fn no_more_than_the_limit_are_in_flight_and_each_end_lets_one_in() {
    let (limiter, _clock) = by_hand();
    let end = Semaphore::new(0);
    limiter
        .scope(async {
            let mut calls: Vec<_> = (0..2).map(|_| Box::pin(work(&end))).collect();
            for call in &mut calls {
                assert!(poll_immediate(call.as_mut()).await.is_none());
            }
            let denied = work(&end).await.unwrap_err();
            assert_eq!(denied.kind(), DeniedKind::Limited);
            assert_eq!(denied.retry_after(), Some(Duration::from_secs(1)));
            let layer = &denied.decision().layers()[0];
            assert!(matches!(layer.outcome(), LayerOutcome::Denied { .. }));
            assert_eq!((layer.numbers().unwrap().limit, layer.numbers().unwrap().remaining), (2, 0));

            end.add_permits(1);
            join_all(calls.drain(..1)).await;
            assert!(poll_immediate(Box::pin(work(&end))).await.is_none());
            // The one that was just polled was dropped, and has given its slot back.
            assert!(poll_immediate(Box::pin(work(&end))).await.is_none());
        })
        .await;
}

#[rate_limit(key = "global", algo = "concurrency", limit = 1)]
async fn panics() -> Result<(), Denied> {
    panic!("as asked")
}

#[tokio::test]
async fn call_that_panics_gives_its_slot_back() {
    let (limiter, _clock) = by_hand();
    for _ in 0..3 {
        let call = AssertUnwindSafe(limiter.scope(panics())).catch_unwind();
        assert!(call.await.is_err(), "it was let in");
    }
}
