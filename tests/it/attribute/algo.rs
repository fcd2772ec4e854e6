use super::{admitted, by_hand};
use ratelimit::{Algorithm, Denied, rate_limit};
use std::time::Duration;

macro_rules! algorithms {
    ($($name:ident: $algo:literal, $algorithm:ident;)*) => {$(
        #[tokio::test]
        async fn $name() {
            #[rate_limit(key = "global", algo = $algo, rate = "4/s")]
            async fn limited() -> Result<(), Denied> {
                Ok(())
            }
            let (limiter, clock) = by_hand();
            limiter.scope(async {
                assert_eq!(admitted(6, limited).await, 4);
                let denied = limited().await.unwrap_err();
                assert_eq!(denied.limit().rule().algorithm(), Algorithm::$algorithm);
                // What the denial says is the first moment: a microsecond before is too early.
                let wait = denied.retry_after().unwrap();
                clock.advance(wait - Duration::from_micros(1));
                assert!(limited().await.is_err());
                clock.advance(Duration::from_micros(1));
                assert!(limited().await.is_ok());
            }).await;
        }
    )*};
}

algorithms! {
    fixed_window_is_chosen_by_name: "fixed_window", FixedWindow;
    sliding_log_is_chosen_by_name: "sliding_log", SlidingLog;
    sliding_window_is_chosen_by_name: "sliding_window", SlidingWindow;
    token_bucket_is_chosen_by_name: "token_bucket", TokenBucket;
}

#[rate_limit(key = "global", rate = "1/min")]
async fn unnamed() -> Result<(), Denied> {
    Ok(())
}

#[rate_limit(key = "global", rate = "1/min", burst = 1)]
async fn with_burst() -> Result<(), Denied> {
    Ok(())
}

#[tokio::test]
async fn default_is_a_sliding_window_and_with_burst_a_token_bucket() {
    let (limiter, _clock) = by_hand();
    limiter
        .scope(async {
            unnamed().await.unwrap();
            with_burst().await.unwrap();
            let algorithm = |denied: Denied| denied.limit().rule().algorithm();
            assert_eq!(algorithm(unnamed().await.unwrap_err()), Algorithm::SlidingWindow);
            assert_eq!(algorithm(with_burst().await.unwrap_err()), Algorithm::TokenBucket);
        })
        .await;
}
