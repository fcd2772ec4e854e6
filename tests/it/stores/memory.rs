//! What only memory promises: that it stays small, and forgets nobody who still matters.

use super::numbers;
use ratelimit::{
    ManualClock,
    store::{Charge, Outcome, Store as _, Verdict, memory::Memory},
};
use ratelimit_spec::{Algorithm, Numbers};
use ratelimit_tests::RATED;
use std::time::{Duration, Instant};

const DAY: Duration = Duration::from_secs(86_400);

async fn take(memory: &Memory, numbers: Numbers, key: &str) -> Verdict {
    let charge = Charge { numbers, key: key.as_bytes(), cost: 1, max_delay: None, hold: None };
    memory.decide(&[charge]).await.unwrap()[0]
}

#[tokio::test]
async fn idle_keys_vanish_and_no_call_pays_for_all_of_them() {
    const KEYS: usize = 1_000_000;
    let clock = ManualClock::new();
    let memory = Memory::with_capacity(clock.clone().into(), 2 * KEYS);
    let rule = numbers(Algorithm::FixedWindow, "5/s");
    for key in 0..KEYS {
        take(&memory, rule, &format!("idle {key}")).await;
    }
    assert_eq!((memory.len(), memory.evicted()), (KEYS, 0));
    clock.advance(Duration::from_secs(10));
    let mut times = Vec::new();
    for call in 0..50_000 {
        let key = format!("live {}", call % 5_000);
        let started = Instant::now();
        take(&memory, rule, &key).await;
        times.push(started.elapsed());
    }
    assert!(memory.len() < KEYS / 100, "{} keys are left", memory.len());
    assert_eq!(memory.evicted(), 0);
    // A single call may meet a busy machine; what each of them has to pay shows below the slowest few.
    times.sort();
    let p99 = times[times.len() * 99 / 100];
    assert!(p99 < Duration::from_millis(2), "{p99:?}");
}

#[tokio::test]
async fn key_idle_for_centuries_is_as_if_never_used() {
    for algorithm in RATED {
        for rate in ["100000/min", "1/day", "1/100us"] {
            let clock = ManualClock::at(DAY);
            let memory = Memory::with_capacity(clock.clone().into(), 1_000);
            let rule = numbers(*algorithm, rate);
            for idle in [Duration::ZERO, DAY, 400 * DAY, 290 * 365 * DAY] {
                clock.advance(idle);
                let verdict = take(&memory, rule, "ann").await;
                assert!(
                    matches!(verdict.outcome, Outcome::Allowed { .. }),
                    "{algorithm} {rate} after {idle:?}"
                );
                assert_eq!(verdict.remaining, rule.capacity - 1, "{algorithm} {rate} after {idle:?}");
                clock.advance(2 * DAY);
            }
        }
    }
}

#[tokio::test]
async fn end_of_time_is_no_panic() {
    for algorithm in RATED {
        let clock = ManualClock::at(Duration::MAX);
        let memory = Memory::with_capacity(clock.clone().into(), 1_000);
        let rule = numbers(*algorithm, "2/day");
        for now in [Duration::MAX, Duration::ZERO, Duration::MAX] {
            clock.set(now);
            for _ in 0..3 {
                take(&memory, rule, "ann").await;
            }
        }
    }
}
