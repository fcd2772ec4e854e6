//! What each algorithm promises of the calls that it admits, whatever comes: counted by hand over random traffic.

use fastrand::Rng;
use ratelimit::{
    Limit,
    store::{Charge, Outcome},
};
use ratelimit_spec::{Algorithm, Numbers};
use ratelimit_tests::Memory;

const RUNS: u64 = 150;
const CALLS: usize = 150;

/// A call that was admitted, in microseconds.
struct Admitted {
    at: u64,
    starts: u64,
    cost: u64,
}

/// Traffic in bursts and trickles, more of it than is admitted.
async fn traffic(random: &mut Rng, numbers: &Numbers) -> Vec<Admitted> {
    let memory = Memory::new();
    let mut now = 1_600_000_000_000_000 + random.u64(..numbers.period);
    let mut admitted = Vec::new();
    for _ in 0..CALLS {
        now += match random.u32(..4) {
            0 => 0,
            1 => random.u64(..=numbers.period),
            _ => random.u64(..=numbers.period / numbers.count),
        };
        let cost = if random.bool() { 1 } else { random.u64(1..=numbers.capacity) };
        let charge = Charge { numbers: *numbers, key: b"key", cost, max_delay: None, hold: None };
        if let Outcome::Allowed { delay } = memory.decide(now, &[charge]).await[0].outcome {
            let starts = now + u64::try_from(delay.as_micros()).unwrap();
            admitted.push(Admitted { at: now, starts, cost });
        }
    }
    admitted
}

/// Holds a promise against many runs of traffic, under rules whose tick is a microsecond.
async fn promise(algorithm: Algorithm, holds: impl Fn(&Numbers, &[Admitted]) -> bool) {
    for seed in 0..RUNS {
        let mut random = Rng::with_seed(seed);
        let period = [1_000, 1_000_003, 60_000_000][random.usize(..3)];
        let rate = format!("{}/{period}us", random.u64(1..=20));
        let mut limit = Limit::builder("promise").key("key").rate(&rate).algo(algorithm.word());
        let room = random.u64(1..=20);
        limit = match algorithm {
            Algorithm::TokenBucket => limit.burst(room),
            Algorithm::LeakyBucket => limit.queue(room),
            Algorithm::SlidingLog if period == 60_000_000 && random.bool() => limit.precision("5s"),
            _ => limit,
        };
        let numbers = limit.build().unwrap().rule().numbers();
        let admitted = traffic(&mut random, &numbers).await;
        assert!(!admitted.is_empty() && admitted.len() < CALLS);
        assert!(
            holds(&numbers, &admitted),
            "{algorithm} does not hold its promise: SEED={seed}, {numbers:?}"
        );
    }
}

/// The most units in any one window that is a period long.
fn most_in_any(numbers: &Numbers, admitted: &[Admitted]) -> u64 {
    let from = |first: usize| {
        let window =
            admitted[first..].iter().take_while(|call| call.at - admitted[first].at < numbers.period);
        window.map(|call| call.cost).sum()
    };
    (0..admitted.len()).map(from).max().unwrap_or(0)
}

/// The most units in any one window that is aligned to the epoch.
fn most_in_aligned(numbers: &Numbers, admitted: &[Admitted]) -> u64 {
    let of = |call: &Admitted| {
        let same = admitted.iter().filter(|other| other.at / numbers.period == call.at / numbers.period);
        same.map(|call| call.cost).sum()
    };
    admitted.iter().map(of).max().unwrap_or(0)
}

#[tokio::test]
async fn fixed_window_admits_its_count_a_window_and_twice_that_across_a_border() {
    promise(Algorithm::FixedWindow, |numbers, admitted| {
        most_in_aligned(numbers, admitted) <= numbers.count
            && most_in_any(numbers, admitted) <= 2 * numbers.count
    })
    .await;
}

#[tokio::test]
async fn sliding_log_admits_its_count_in_any_window() {
    promise(Algorithm::SlidingLog, |numbers, admitted| most_in_any(numbers, admitted) <= numbers.count).await;
}

#[tokio::test]
async fn sliding_window_admits_its_count_a_window_and_less_than_twice_that_in_any() {
    promise(Algorithm::SlidingWindow, |numbers, admitted| {
        most_in_aligned(numbers, admitted) <= numbers.count
            && most_in_any(numbers, admitted) < 2 * numbers.count
    })
    .await;
}

#[tokio::test]
async fn token_bucket_admits_its_burst_and_what_comes_in() {
    promise(Algorithm::TokenBucket, |numbers, admitted| {
        (0..admitted.len()).all(|first| {
            let mut units = 0;
            admitted[first..].iter().all(|call| {
                units += call.cost;
                let comes_in = (call.at - admitted[first].at) * numbers.count;
                units * numbers.period <= numbers.capacity * numbers.period + comes_in
            })
        })
    })
    .await;
}

#[tokio::test]
async fn leaky_bucket_starts_calls_at_its_pace() {
    promise(Algorithm::LeakyBucket, |numbers, admitted| {
        (0..admitted.len()).all(|first| {
            let mut places = 0;
            admitted[first..].iter().all(|call| {
                // Each starts at the first tick of its turn, so the pace is kept to the tick, and no tick adds up.
                let spaced =
                    (call.starts - admitted[first].starts + 1) * numbers.count > places * numbers.period;
                let in_line = places == 0 || spaced;
                places += call.cost;
                in_line
            })
        })
    })
    .await;
}
