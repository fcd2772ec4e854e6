//! Random operations: at least ten thousand an algorithm, through the model, memory and a real Redis.

use super::{Both, model::Model, numbers};
use fastrand::Rng;
use ratelimit::store::{Charge, Outcome};
use ratelimit_spec::Numbers;
use ratelimit_tests::RedisServer;
use std::time::Duration;

const SECOND: u64 = 1_000_000;
const OPERATIONS: usize = 10_000;

/// A rule that this algorithm can have; `period` in microseconds where it must not change.
fn rule(random: &mut Rng, algo: &str, period: Option<u64>) -> Numbers {
    let periods = [100_000, SECOND, 7 * SECOND, 60 * SECOND, 86_400 * SECOND];
    let period = period.unwrap_or_else(|| periods[random.usize(..periods.len())]);
    let is_log = algo == "sliding_log";
    let count = match random.u32(..8) {
        0 => 1,
        1 if !is_log && period == 86_400 * SECOND => 1_000_000_000,
        2 if !is_log => 1_000_000,
        3 => 1_500,
        _ => random.u64(1..=20),
    };
    let capacity = if random.bool() { count } else { random.u64(1..=30) };
    let slices = ["10ms", "20ms", "50ms"];
    let precision = (is_log && period <= 60 * SECOND && random.bool()).then(|| slices[random.usize(..3)]);
    numbers(algo, &format!("{count}/{period}us"), Some(capacity), precision)
}

fn cost(random: &mut Rng, capacity: u64) -> u64 {
    match random.u32(..16) {
        0 => 0,
        1 => capacity,
        2 => capacity + 1,
        3 => u64::MAX,
        4..8 => random.u64(..=capacity / 2),
        _ => 1 + random.u64(..=capacity / 10),
    }
}

/// A step of time: none, one tick, within a period, or many periods.
fn step(random: &mut Rng, numbers: &Numbers) -> u64 {
    let period = numbers.period * numbers.tick;
    match random.u32(..8) {
        0..3 => 0,
        3 => numbers.tick,
        4..6 => random.u64(..=period / 10),
        6 => random.u64(..=period),
        _ => random.u64(..=4 * period),
    }
}

async fn run(algo: &str) {
    let server = RedisServer::start();
    let mut both = Both::new(&server).await;
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(42);
    println!("{algo}: SEED={seed}");
    let mut random = Rng::with_seed(seed);
    let is_window = algo.ends_with("_window");
    let (mut operations, mut denials) = (0, 0);
    let mut number = 0;
    while operations < OPERATIONS {
        number += 1;
        let key = format!("{algo}:{number}");
        let mut numbers = rule(&mut random, algo, None);
        let period = numbers.period * numbers.tick;
        let mut model = Model::default();
        let mut now = 1_600_000_000 * SECOND + random.u64(..3 * period);
        let mut latest = now;
        // When the key is over, by the rule that it was written under. A store lets it go then, Redis by its own clock,
        // which no test drives: the next key takes over.
        let mut gone_at = u64::MAX;
        for _ in 0..60 {
            operations += 1;
            if random.u32(..20) == 0 {
                numbers = rule(&mut random, algo, is_window.then_some(period));
            }
            now += step(&mut random, &numbers);
            if random.u32(..10) == 0 {
                // A clock that is set back a little; by more, and keys that are over may be gone.
                now = (now - random.u64(..SECOND)).max(latest - SECOND);
            }
            latest = latest.max(now);
            if latest >= gone_at {
                break;
            }
            let cost = cost(&mut random, numbers.capacity);
            let longest = (algo == "leaky_bucket" && random.bool())
                .then(|| random.u64(..=numbers.capacity * numbers.period / numbers.count));
            let charge = Charge {
                numbers,
                key: key.as_bytes(),
                cost,
                max_delay: longest.map(|ticks| numbers.duration(ticks)),
            };
            let longest = longest.map(i128::from);
            both.set(now).await;
            let verdict = both.decide(&[charge]).await[0];
            let said = model.look(&numbers, now, cost, longest);
            let context = format!("{key} at {now}: {charge:?} {verdict:?}");
            let tick = i128::from(numbers.tick);
            let ticks = |duration: Duration| i128::try_from(duration.as_micros()).unwrap() / tick;
            let gone =
                |at: i128, reset: Duration| u64::try_from((at + ticks(reset)) * tick).unwrap() + SECOND;
            match verdict.outcome {
                Outcome::Allowed { delay } => {
                    assert!(said.fits, "{context}");
                    assert_eq!(ticks(delay), said.delay, "{context}");
                    model.take(&numbers, now, cost);
                    if cost > 0 {
                        gone_at = gone(model.at(&numbers, now), verdict.reset_after);
                    }
                }
                Outcome::Exceeds => assert!(said.exceeds, "{context}"),
                Outcome::Denied { retry_after } => {
                    denials += 1;
                    assert!(!said.fits && !said.exceeds, "{context}");
                    // The wait is the first tick at which it passes: tried on the model and on both stores.
                    let from = u64::try_from(model.at(&numbers, now)).unwrap();
                    let wait = u64::try_from(ticks(retry_after)).unwrap();
                    assert!(wait > 0, "{context}");
                    if (from + wait) * numbers.tick >= gone_at {
                        break;
                    }
                    let earlier =
                        (0..20).map(|_| random.u64(..wait)).chain([0, wait - 1]).collect::<Vec<_>>();
                    for tick in earlier {
                        let then = (from + tick) * numbers.tick;
                        assert!(
                            !model.look(&numbers, then, cost, longest).fits,
                            "{context} in {tick} of {wait}"
                        );
                        if random.u32(..4) == 0 || tick == wait - 1 {
                            both.set(then).await;
                            let verdict = both.decide(&[charge]).await[0];
                            assert!(matches!(verdict.outcome, Outcome::Denied { .. }), "{context} in {tick}");
                        }
                    }
                    now = (from + wait) * numbers.tick;
                    latest = latest.max(now);
                    both.set(now).await;
                    let verdict = both.decide(&[charge]).await[0];
                    assert!(matches!(verdict.outcome, Outcome::Allowed { .. }), "{context} in {wait}");
                    assert!(model.look(&numbers, now, cost, longest).fits, "{context} in {wait}");
                    model.take(&numbers, now, cost);
                    gone_at = gone(model.at(&numbers, now), verdict.reset_after);
                    continue;
                }
            }
            let said = model.look(&numbers, now, 0, None);
            assert_eq!(i128::from(verdict.remaining), said.remaining, "{context}");
            assert_eq!(ticks(verdict.reset_after), said.reset, "{context}");
        }
    }
    assert!(denials > OPERATIONS / 20, "{denials} denials try too little");
}

macro_rules! algorithms {
    ($($algo:ident)*) => {$(
        #[tokio::test]
        async fn $algo() {
            run(stringify!($algo)).await;
        }
    )*};
}
algorithms!(fixed_window sliding_log sliding_window token_bucket leaky_bucket);
