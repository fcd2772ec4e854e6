use super::by_hand;
use futures::future::poll_immediate;
use ratelimit::{Denied, rate_limit};
use std::time::Duration;

#[rate_limit(key = "global", algo = "fixed_window", rate = "1/s", wait = "2s")]
async fn patient() -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn call_waits_until_it_is_admitted() {
    let (limiter, clock) = by_hand();
    limiter
        .scope(async {
            patient().await.unwrap();
            let mut call = Box::pin(patient());
            assert!(poll_immediate(call.as_mut()).await.is_none());
            clock.advance(Duration::from_millis(999));
            assert!(poll_immediate(call.as_mut()).await.is_none());
            clock.advance(Duration::from_millis(1));
            assert!(matches!(poll_immediate(call.as_mut()).await, Some(Ok(()))));
        })
        .await;
}

#[rate_limit(key = "global", algo = "fixed_window", rate = "1/min", wait = "2s")]
async fn not_that_patient() -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn call_that_would_wait_too_long_is_denied_at_once_and_told_how_long() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            not_that_patient().await.unwrap();
            let denied = not_that_patient().await.unwrap_err();
            assert_eq!(denied.retry_after(), Some(Duration::from_secs(60)));
        })
        .await;
}

#[rate_limit(key = "global", algo = "leaky_bucket", rate = "1/s", queue = 100, wait = "2s")]
async fn shaped() -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn wait_caps_the_delay_of_a_leaky_bucket() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            let mut calls: Vec<_> = (0..4).map(|_| Box::pin(shaped())).collect();
            let mut outcomes = Vec::new();
            for call in &mut calls {
                outcomes.push(poll_immediate(call.as_mut()).await);
            }
            assert!(matches!(outcomes[..3], [Some(Ok(())), None, None]), "{outcomes:?}");
            let denied = outcomes.pop().unwrap().unwrap().unwrap_err();
            assert_eq!(denied.retry_after(), Some(Duration::from_secs(1)));
        })
        .await;
}

#[tokio::test]
async fn waiter_that_is_dropped_leaves_nothing_taken() {
    let (limiter, clock) = by_hand();
    limiter
        .scope(async {
            patient().await.unwrap();
            let mut call = Box::pin(patient());
            assert!(poll_immediate(call.as_mut()).await.is_none());
            drop(call);
            clock.advance(Duration::from_secs(1));
            assert!(patient().await.is_ok());
        })
        .await;
}

#[rate_limit(key = "global", algo = "token_bucket", rate = "10/s", burst = 1, wait = "250ms")]
async fn in_line() -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn calls_that_wait_pass_in_order_of_arrival_and_who_cannot_pass_in_time_is_denied_at_once() {
    let (limiter, clock) = by_hand();
    limiter
        .scope(async {
            in_line().await.unwrap();
            let mut calls: Vec<_> = (0..2).map(|_| Box::pin(in_line())).collect();
            for call in &mut calls {
                assert!(poll_immediate(call.as_mut()).await.is_none());
            }
            // The third would be served after 300 ms, and is ready to wait for 250.
            let denied = in_line().await.unwrap_err();
            assert_eq!(denied.retry_after(), Some(Duration::from_millis(300)));
            let mut passed: Vec<(usize, u32, bool)> = Vec::new();
            for step in 1..4 {
                clock.advance(Duration::from_millis(100));
                // The one behind is asked first.
                for number in [1, 0, 1] {
                    let is_done = passed.iter().any(|(done, ..)| *done == number);
                    if !is_done && let Some(outcome) = poll_immediate(calls[number].as_mut()).await {
                        passed.push((number, step, outcome.is_ok()));
                    }
                }
            }
            assert_eq!(passed, [(0, 1, true), (1, 2, true)]);
        })
        .await;
}

#[tokio::test]
async fn who_comes_later_does_not_overtake_the_line() {
    let (limiter, clock) = by_hand();
    limiter
        .scope(async {
            in_line().await.unwrap();
            let mut first = Box::pin(in_line());
            assert!(poll_immediate(first.as_mut()).await.is_none());
            // There is a token again, and it belongs to the one who waits for it.
            clock.advance(Duration::from_millis(100));
            let mut second = Box::pin(in_line());
            assert!(poll_immediate(second.as_mut()).await.is_none());
            assert!(poll_immediate(first.as_mut()).await.is_some_and(|outcome| outcome.is_ok()));
            assert!(poll_immediate(second.as_mut()).await.is_none());
            clock.advance(Duration::from_millis(100));
            assert!(poll_immediate(second.as_mut()).await.is_some_and(|outcome| outcome.is_ok()));
        })
        .await;
}
