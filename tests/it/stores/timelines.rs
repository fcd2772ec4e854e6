//! Timelines that other limiters got wrong, through memory and Redis.

use super::{Both, numbers};
use ratelimit::store::{Charge, Outcome, Verdict};
use ratelimit_spec::Numbers;
use ratelimit_tests::RedisServer;
use std::time::Duration;

/// The start of a day.
const START: u64 = 1_577_836_800_000_000;

struct Timeline {
    both: Both,
    numbers: Numbers,
    key: String,
    _server: RedisServer,
}

impl Timeline {
    async fn new(algo: &str, rate: &str, capacity: Option<u64>) -> Timeline {
        let server = RedisServer::start();
        let both = Both::new(&server).await;
        Timeline {
            both,
            numbers: numbers(algo, rate, capacity, None),
            key: "key".to_owned(),
            _server: server,
        }
    }

    /// Takes at a time in microseconds since the start of a day.
    async fn take(&mut self, at: i64, cost: u64) -> Verdict {
        self.both.set(START.checked_add_signed(at).unwrap()).await;
        let charge = Charge { numbers: self.numbers, key: self.key.as_bytes(), cost, max_delay: None };
        self.both.decide(&[charge]).await[0]
    }

    async fn admitted(&mut self, at: i64, calls: usize) -> usize {
        let mut admitted = 0;
        for _ in 0..calls {
            admitted += usize::from(matches!(self.take(at, 1).await.outcome, Outcome::Allowed { .. }));
        }
        admitted
    }
}

const S: i64 = 1_000_000;
const ALGORITHMS: [&str; 5] =
    ["fixed_window", "sliding_window", "sliding_log", "token_bucket", "leaky_bucket"];

#[tokio::test]
async fn long_idle_key_is_full_again() {
    for algo in ALGORITHMS {
        let rate = if algo == "sliding_log" { "100k/min" } else { "1M/min" };
        let mut line = Timeline::new(algo, rate, None).await;
        let capacity = line.numbers.capacity;
        let mut at = 0;
        for pause in [0, 43_200, 400 * 86_400, 150 * 365 * 86_400] {
            at += pause * S;
            let verdict = line.take(at, 1).await;
            assert_eq!(verdict.remaining, capacity - 1, "{algo} after {pause} s");
        }
    }
}

#[tokio::test]
async fn clock_that_steps_back_opens_no_window_and_asks_for_no_endless_wait() {
    let mut line = Timeline::new("fixed_window", "3/min", None).await;
    assert_eq!(line.admitted(130 * S, 4).await, 3);
    for at in [129_500_000, 90 * S, -3_600 * S] {
        let Outcome::Denied { retry_after } = line.take(at, 1).await.outcome else {
            panic!("admitted at {at}")
        };
        assert!(retry_after > Duration::ZERO && retry_after <= Duration::from_secs(60), "{retry_after:?}");
    }
    assert_eq!(line.admitted(131 * S, 1).await, 0);
}

#[tokio::test]
async fn clock_that_jitters_costs_no_token() {
    let mut line = Timeline::new("token_bucket", "1/s", Some(10)).await;
    for (call, at) in [1_000, 400, 1_001, 399].into_iter().cycle().take(10).enumerate() {
        assert_eq!(line.take(at, 1).await.remaining, 9 - call as u64);
    }
    assert_eq!(line.admitted(1_000, 1).await, 0);
}

#[tokio::test]
async fn fast_rates_are_kept_exactly() {
    for rate in [999, 1_000, 1_001, 1_500, 2_000, 8_000, 1_000_000] {
        let mut line = Timeline::new("token_bucket", &format!("{rate}/s"), Some(20)).await;
        assert_eq!(line.admitted(0, 21).await, 20, "{rate}");
        // A second later the bucket has filled up, and not above its brim.
        assert_eq!(line.take(S, 0).await.remaining, 20);
        // In 3 ms exactly ⌊rate · 3 ms⌋ come in.
        line.take(S, 20).await;
        assert_eq!(line.take(S + 3_000, 0).await.remaining, (rate * 3 / 1_000).min(20), "{rate}");
    }
}

#[tokio::test]
async fn sliding_window_weighs_what_is_in_view_and_starts_over_after_a_pause() {
    let mut line = Timeline::new("sliding_window", "100/min", None).await;
    line.take(0, 50).await;
    assert_eq!(line.take(66 * S, 10).await.remaining, 45);
    assert_eq!(line.admitted(66 * S, 46).await, 45);
    for pause in [59_999, 60_000, 119_999, 120_000, 120_001, 6_000_000] {
        let mut line = Timeline::new("sliding_window", "10/min", None).await;
        assert_eq!(line.admitted(5 * S, 10).await, 10);
        let verdict = line.take(5 * S + pause * 1_000, 1).await;
        assert!(verdict.remaining <= 9, "{pause} ms: {verdict:?}");
        if pause >= 120_000 {
            assert_eq!(verdict.remaining, 9, "{pause} ms");
        }
    }
    let mut line = Timeline::new("sliding_window", "1/10s", None).await;
    assert_eq!(
        [line.admitted(0, 1).await, line.admitted(0, 1).await, line.admitted(20 * S, 1).await],
        [1, 0, 1]
    );
}

#[tokio::test]
async fn log_remembers_across_the_border_of_a_window() {
    let minute = 60 * S;
    let mut line = Timeline::new("sliding_log", "10/h", None).await;
    assert_eq!(line.admitted(0, 1).await, 1);
    assert_eq!(line.admitted(59 * minute, 8).await, 8);
    assert_eq!(line.admitted(61 * minute, 9).await, 2);
}

#[tokio::test]
async fn leaky_bucket_never_jumps_back_to_empty() {
    let mut line = Timeline::new("leaky_bucket", "3/s", Some(3)).await;
    let (mut admitted, mut before) = (0, 3);
    for call in 0..100 {
        let verdict = line.take(call * S / 10, 1).await;
        let is_admitted = matches!(verdict.outcome, Outcome::Allowed { .. });
        admitted += u32::from(is_admitted);
        assert!(verdict.remaining <= before + 1, "call {call}");
        before = verdict.remaining;
    }
    assert!(admitted <= 32, "{admitted}");
}

#[tokio::test]
async fn log_counts_calls_and_not_ticks() {
    let mut line = Timeline::new("sliding_log", "20/min", None).await;
    assert_eq!(line.admitted(0, 5).await, 5);
    assert_eq!(line.take(0, 0).await.remaining, 15);
    let mut admitted = 0;
    for call in 0..200 {
        admitted += line.admitted(call * 95_000, 1).await;
    }
    assert_eq!(admitted, 15);
}

#[tokio::test]
async fn cost_above_capacity_never_passes_and_looking_takes_nothing() {
    for algo in ALGORITHMS {
        let mut line = Timeline::new(algo, "10/min", None).await;
        for cost in [11, u64::MAX] {
            let verdict = line.take(0, cost).await;
            assert_eq!((verdict.outcome, verdict.remaining), (Outcome::Exceeds, 10), "{algo}");
        }
        assert_eq!(line.take(0, 10).await.remaining, 0, "{algo}");
        let wait = line.take(0, 1).await.outcome;
        assert!(matches!(wait, Outcome::Denied { .. }), "{algo}");
        for _ in 0..20 {
            let look = line.take(0, 0).await;
            assert!(matches!(look.outcome, Outcome::Allowed { .. }) && look.remaining == 0, "{algo}");
        }
        assert_eq!(line.take(0, 1).await.outcome, wait, "{algo}");
    }
}

#[tokio::test]
async fn charges_of_one_list_are_taken_together_or_not_at_all() {
    for wide in ALGORITHMS {
        for narrow in ALGORITHMS {
            let server = RedisServer::start();
            let mut both = Both::new(&server).await;
            both.set(START).await;
            let of = |algo, rate| numbers(algo, rate, None, None);
            let charge = |numbers, key: &'static str, cost| Charge {
                numbers,
                key: key.as_bytes(),
                cost,
                max_delay: None,
            };
            let list = [charge(of(wide, "10/min"), "wide", 3), charge(of(narrow, "1/min"), "narrow", 1)];
            both.decide(&list).await;
            let denied = both.decide(&list).await;
            assert_eq!((denied[0].remaining, denied[1].remaining), (7, 0), "{wide} {narrow}");
            let look = both.decide(&[charge(of(wide, "10/min"), "wide", 0)]).await;
            assert_eq!(look[0].remaining, 7, "{wide} {narrow}");
        }
    }
}
