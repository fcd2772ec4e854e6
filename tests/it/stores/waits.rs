//! Waits as callers are told them: never too short, and no longer than they have to be.

use ratelimit::{Algorithm, Limit, Limiter, ManualClock};
use ratelimit_tests::RATED;
use std::time::Duration;

#[tokio::test]
async fn who_waits_as_long_as_told_passes_and_who_does_not_waits_on() {
    for algorithm in RATED {
        for rate in ["5/s", "1/100ms", "3/min", "7/h", "1/day", "100000/s"] {
            let clock = ManualClock::new();
            let limiter = Limiter::builder().clock(clock.clone()).build().unwrap();
            let limit = Limit::builder("waits").key("user").rate(rate).algo(algorithm.word());
            // A leaky bucket has a caller wait in it; this one would rather be denied.
            let limit = limit.wait(Duration::ZERO).build().unwrap();
            let ask = async || limiter.check(&limit).part("user", "ann").await;
            let denied = loop {
                match ask().await {
                    Ok(_) => {}
                    Err(denied) => break denied,
                }
                if *algorithm != Algorithm::LeakyBucket {
                    let all = limit.rule().capacity().saturating_sub(1);
                    let _ = limiter.check(&limit).part("user", "ann").cost(all).await;
                }
            };
            let wait = denied.retry_after().unwrap();
            assert!(wait > Duration::ZERO);
            clock.advance(wait - Duration::from_micros(1));
            assert!(ask().await.is_err(), "{algorithm} {rate}: {wait:?} is too long");
            clock.advance(Duration::from_micros(1));
            assert!(ask().await.is_ok(), "{algorithm} {rate}: {wait:?} is too short");
        }
    }
}

#[tokio::test]
async fn wait_for_the_next_window_only_ever_shrinks() {
    let clock = ManualClock::new();
    let limiter = Limiter::builder().clock(clock.clone()).build().unwrap();
    let limit = Limit::builder("probed").key("user").rate("1/10s").algo("fixed_window").build().unwrap();
    clock.advance(Duration::from_millis(1_234));
    let ends = clock.now() + Duration::from_millis(10_000 - 1_234);
    limiter.check(&limit).part("user", "ann").await.unwrap();
    let mut last = Duration::MAX;
    loop {
        clock.advance(Duration::from_millis(50));
        match limiter.check(&limit).part("user", "ann").await {
            Ok(_) => break,
            Err(denied) => {
                let wait = denied.retry_after().unwrap();
                assert!(wait > Duration::ZERO && wait <= last, "{wait:?} after {last:?}");
                assert_eq!(clock.now() + wait, ends);
                last = wait;
            }
        }
    }
    assert!(clock.now() >= ends && clock.now() < ends + Duration::from_millis(50));
}
