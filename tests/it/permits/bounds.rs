//! What passes is bounded by what calls kept in the end: whoever settles below an estimate lets nobody pass whom the
//! limit would have refused had the smaller amount been charged at admission.

use fastrand::Rng;
use ratelimit::{
    Limit,
    store::{Charge, Hold, Outcome, PermitId, Settled, Settlement},
};
use ratelimit_spec::{Algorithm, Numbers};
use ratelimit_tests::Memory;
use std::time::Duration;

const RUNS: u64 = 400;
const STEPS: usize = 200;
const LEASE: Duration = Duration::from_secs(86_400);

/// A call that was admitted at that tick, with what it kept.
struct Kept {
    at: u64,
    units: u64,
}

/// A call that has not been settled yet.
struct Running {
    call: usize,
    cost: u64,
    permit: PermitId,
}

/// Calls that overlap, and are settled in any order at any later time; those that are left keep their estimate.
async fn traffic(random: &mut Rng, numbers: &Numbers) -> Vec<Kept> {
    let memory = Memory::new();
    let mut now = 1_600_000_000_000_000 + random.u64(..numbers.period);
    let mut kept: Vec<Kept> = Vec::new();
    let mut running: Vec<Running> = Vec::new();
    let charge = |cost, permit| {
        let hold = Some(Hold { permit, lease: LEASE });
        Charge { numbers: *numbers, key: b"key", cost, max_delay: None, hold }
    };
    for _ in 0..STEPS {
        now += match random.u32(..8) {
            0..3 => 0,
            3 => random.u64(..=numbers.period),
            _ => random.u64(..=2 * numbers.period / numbers.count),
        };
        if running.is_empty() || random.u32(..5) < 3 {
            let (cost, permit) = (random.u64(1..=numbers.capacity), PermitId::new());
            let verdict = memory.decide(now, &[charge(cost, permit)]).await[0];
            if let Outcome::Allowed { .. } = verdict.outcome {
                running.push(Running { call: kept.len(), cost, permit });
                kept.push(Kept { at: now, units: cost });
            }
        } else {
            let Running { call, cost, permit } = running.swap_remove(random.usize(..running.len()));
            let actual = if random.bool() { 0 } else { random.u64(..=cost) };
            let settled = memory.settle(now, &[Settlement { charge: charge(cost, permit), actual }]).await;
            assert_eq!(settled, [Settled::Applied { overrun: 0 }]);
            kept[call].units = actual;
        }
    }
    kept
}

/// Holds a bound against many runs of traffic, under rules whose tick is a microsecond.
async fn bound(algorithm: Algorithm, holds: impl Fn(&Numbers, &[Kept]) -> bool) {
    for seed in 0..RUNS {
        let mut random = Rng::with_seed(seed);
        let period = [1_000, 1_000_003, 60_000_000][random.usize(..3)];
        let rate = format!("{}/{period}us", random.u64(1..=20));
        let mut limit = Limit::builder("bound").key("key").rate(&rate).algo(algorithm.word());
        if algorithm == Algorithm::TokenBucket {
            limit = limit.burst(random.u64(1..=20));
        }
        let numbers = limit.build().unwrap().rule().numbers();
        let kept = traffic(&mut random, &numbers).await;
        assert!(!kept.is_empty());
        assert!(holds(&numbers, &kept), "{algorithm} lets too much pass: SEED={seed}, {numbers:?}");
    }
}

#[tokio::test]
async fn token_bucket_passes_no_more_than_burst_and_rate_however_calls_are_settled() {
    bound(Algorithm::TokenBucket, |numbers, kept| {
        (0..kept.len()).all(|first| {
            let mut units = 0;
            kept[first..].iter().all(|call| {
                units += call.units;
                let comes_in = (call.at - kept[first].at) * numbers.count;
                units * numbers.period <= numbers.capacity * numbers.period + comes_in
            })
        })
    })
    .await;
}

#[tokio::test]
async fn windows_pass_no_more_than_their_count_however_calls_are_settled() {
    for algorithm in [Algorithm::FixedWindow, Algorithm::SlidingWindow] {
        bound(algorithm, |numbers, kept| {
            kept.iter().all(|call| {
                let same = kept.iter().filter(|other| other.at / numbers.period == call.at / numbers.period);
                same.map(|call| call.units).sum::<u64>() <= numbers.count
            })
        })
        .await;
    }
}

#[tokio::test]
async fn sliding_log_passes_no_more_than_its_count_in_any_window_however_calls_are_settled() {
    bound(Algorithm::SlidingLog, |numbers, kept| {
        (0..kept.len()).all(|first| {
            let window = kept[first..].iter().take_while(|call| call.at - kept[first].at < numbers.period);
            window.map(|call| call.units).sum::<u64>() <= numbers.count
        })
    })
    .await;
}

#[tokio::test]
async fn token_bucket_is_exactly_as_well_off_as_if_charged_the_smaller_amount_where_no_calls_overlap() {
    for seed in 0..RUNS {
        let mut random = Rng::with_seed(seed);
        let period = [1_000, 1_000_003, 60_000_000][random.usize(..3)];
        let rate = format!("{}/{period}us", random.u64(1..=20));
        let limit = Limit::builder("bound").key("key").rate(&rate).burst(random.u64(1..=20));
        let numbers = limit.build().unwrap().rule().numbers();
        let (settles, knows) = (Memory::new(), Memory::new());
        let mut now = 1_600_000_000_000_000;
        let charge = |cost, hold| Charge { numbers, key: b"key", cost, max_delay: None, hold };
        for _ in 0..STEPS {
            now += random.u64(..=2 * numbers.period / numbers.count);
            let (cost, hold) =
                (random.u64(1..=numbers.capacity), Hold { permit: PermitId::new(), lease: LEASE });
            let held = charge(cost, Some(hold));
            if let Outcome::Allowed { .. } = settles.decide(now, &[held]).await[0].outcome {
                let actual = random.u64(..=cost);
                knows.decide(now, &[charge(actual, None)]).await;
                now += random.u64(..=2 * numbers.capacity * numbers.period / numbers.count);
                settles.settle(now, &[Settlement { charge: held, actual }]).await;
            }
            let look = [charge(0, None)];
            let [settled, known] = [settles.decide(now, &look).await, knows.decide(now, &look).await];
            assert_eq!(settled, known, "SEED={seed}, {numbers:?}");
        }
    }
}
