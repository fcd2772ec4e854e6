use super::by_hand;
use futures::future::{join_all, poll_immediate};
use ratelimit::{Denied, DeniedKind, rate_limit};
use std::{pin::pin, time::Duration};

#[rate_limit(key = "global", algo = "leaky_bucket", rate = "10/s", queue = 3)]
async fn shaped() -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn first_starts_at_once_and_the_others_when_their_place_is_due() {
    let (limiter, clock) = by_hand();
    limiter
        .scope(async {
            let mut calls: Vec<_> = (0..4).map(|_| Box::pin(shaped())).collect();
            let mut started = Vec::new();
            for call in &mut calls {
                started.push(poll_immediate(call.as_mut()).await);
            }
            assert!(matches!(started[0], Some(Ok(()))));
            assert!(started[1].is_none() && started[2].is_none());
            assert_eq!(started[3].take().unwrap().unwrap_err().kind(), DeniedKind::Limited);

            clock.advance(Duration::from_millis(99));
            assert!(poll_immediate(calls[1].as_mut()).await.is_none());
            clock.advance(Duration::from_millis(1));
            assert!(matches!(poll_immediate(calls[1].as_mut()).await, Some(Ok(()))));
            assert!(poll_immediate(calls[2].as_mut()).await.is_none());
            clock.advance(Duration::from_millis(100));
            assert!(matches!(poll_immediate(calls[2].as_mut()).await, Some(Ok(()))));
        })
        .await;
}

#[tokio::test]
async fn last_waiter_that_is_dropped_gives_its_place_back() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            assert!(poll_immediate(pin!(shaped())).await.is_some());
            let mut second = Box::pin(shaped());
            let mut third = Box::pin(shaped());
            assert!(poll_immediate(second.as_mut()).await.is_none());
            assert!(poll_immediate(third.as_mut()).await.is_none());
            assert!(shaped().await.is_err());

            drop(third);
            let mut again = Box::pin(shaped());
            assert!(poll_immediate(again.as_mut()).await.is_none(), "its place is free");
            drop(second);
            assert!(shaped().await.is_err(), "who stands in the middle keeps its place taken");
        })
        .await;
}

#[tokio::test]
async fn call_that_is_never_polled_takes_no_place() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            drop(join_all((0..10).map(|_| shaped())));
            assert!(shaped().await.is_ok());
        })
        .await;
}
