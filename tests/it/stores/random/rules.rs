//! Rules, costs and steps of time as they may come.

use fastrand::Rng;
use ratelimit::Limit;
use ratelimit_spec::{Algorithm, Numbers};

pub(super) const SECOND: u64 = 1_000_000;
const DAY: u64 = 86_400 * SECOND;
/// Up to here a double counts without gaps.
const EXACT: u64 = 1 << 53;

/// A rule of that algorithm; `period`, in microseconds, where it must stay the same.
pub(super) fn rule(random: &mut Rng, algorithm: Algorithm, period: Option<u64>) -> Numbers {
    let periods = [7, 1_000, 100_000, SECOND, 7 * SECOND, 60 * SECOND, 3_600 * SECOND, DAY, 365 * DAY];
    let period = period.unwrap_or_else(|| periods[random.usize(..periods.len())]);
    let is_log = algorithm == Algorithm::SlidingLog;
    let sliced = is_log && (SECOND..=3_600 * SECOND).contains(&period) && random.bool();
    let large = !is_log || sliced;
    let count = match random.u32(..10) {
        0 => 1,
        // A thousand dollars a day.
        1 if large && period == DAY => 1_000_000_000,
        // Up to a million a second, and a thousand million.
        2 if large && period <= SECOND => period,
        3 if large => 1_000_000,
        // As much as can be counted exactly.
        4 if large => EXACT / period,
        5 => 1_500,
        _ => random.u64(1..=20),
    };
    let mut limit = Limit::builder("random").key("key").algo(algorithm.word());
    let rate = format!("{count}/{period}us");
    limit = limit.rate(&rate);
    let room = match random.u32(..8) {
        0 => EXACT / period,
        1..4 => random.u64(1..=30),
        _ => count,
    };
    limit = match algorithm {
        Algorithm::TokenBucket => limit.burst(room),
        Algorithm::LeakyBucket => limit.queue(room),
        _ => limit,
    };
    let slice = ["50ms", "100ms", "500ms", "1s"][random.usize(..4)];
    if sliced {
        limit = limit.precision(slice);
    }
    limit.build().unwrap().rule().numbers()
}

/// Units to take: from nothing to more than there can be.
pub(super) fn cost(random: &mut Rng, capacity: u64) -> u64 {
    match random.u32(..16) {
        0 => 0,
        1 => capacity,
        2 => capacity + 1,
        3 => u64::MAX,
        4..8 => random.u64(..=capacity / 2),
        _ => 1 + random.u64(..=capacity / 10),
    }
}

/// A step of time, in microseconds: none, one tick, within a period, many periods, many days.
pub(super) fn step(random: &mut Rng, numbers: &Numbers) -> u64 {
    let period = numbers.period * numbers.tick;
    match random.u32(..32) {
        0..12 => 0,
        12..16 => numbers.tick,
        16..20 => random.u64(..=period / 10),
        20..28 => random.u64(..=period),
        28..31 => random.u64(..=4 * period),
        _ => random.u64(..=400) * DAY,
    }
}
