use super::{Admission, State, Taken, View, settle};
use crate::store::Receipt;
use ratelimit_spec::{Algorithm, Numbers};

const SECOND: u64 = 1_000_000;

fn numbers(algorithm: Algorithm, count: u64, period: u64, capacity: u64) -> Numbers {
    Numbers { algorithm, tick: 1, count, period, capacity, slice: 1 }
}

/// Those whose units are taken, not held.
fn rated() -> impl Iterator<Item = &'static Algorithm> {
    Algorithm::ALL.iter().filter(|algorithm| **algorithm != Algorithm::Concurrency)
}

/// A key by itself.
struct Key {
    numbers: Numbers,
    state: Option<State>,
}

impl Key {
    fn new(numbers: Numbers) -> Key {
        Key { numbers, state: None }
    }

    fn admission(&self, at: u64, cost: u64) -> Admission {
        View::of(&self.numbers, self.state.as_ref(), at).admit(&self.numbers, self.state.as_ref(), cost, None)
    }

    fn take(&mut self, at: u64, cost: u64) -> Admission {
        let admission = self.admission(at, cost);
        if cost > 0 && matches!(admission, Admission::Fits(_)) {
            let mut view = View::of(&self.numbers, self.state.as_ref(), at);
            view.take(&self.numbers, cost);
            self.state = Some(view.write(&self.numbers, self.state.take()));
        }
        admission
    }

    /// Takes a charge, and names what it took.
    fn reserve(&mut self, at: u64, cost: u64) -> Option<Receipt> {
        matches!(self.admission(at, cost), Admission::Fits(_)).then(|| {
            let mut view = View::of(&self.numbers, self.state.as_ref(), at);
            view.take(&self.numbers, cost);
            let receipt = view.receipt(&self.numbers);
            self.state = Some(view.write(&self.numbers, self.state.take()));
            receipt
        })
    }

    fn remaining(&self, at: u64) -> u64 {
        View::of(&self.numbers, self.state.as_ref(), at).remaining(&self.numbers)
    }
}

/// A small generator: the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound.max(1)
    }
}

#[test]
fn wait_is_the_first_tick_at_which_the_same_charge_fits() {
    for algorithm in rated() {
        let mut random = Random(7);
        for _ in 0..200 {
            let (count, period) = (1 + random.below(20), 1 + random.below(1_000));
            let capacity = match algorithm {
                Algorithm::TokenBucket | Algorithm::LeakyBucket => 1 + random.below(30),
                _ => count,
            };
            let slice = if random.below(2) == 0 { 1 } else { 1 + random.below(period) };
            let numbers = Numbers { slice, ..numbers(*algorithm, count, period, capacity) };
            let mut key = Key::new(numbers);
            let mut at = 1_000_000 + random.below(10_000);
            for _ in 0..50 {
                let cost = random.below(capacity + 1);
                if let Admission::Later(wait) = key.take(at, cost) {
                    assert!(wait > 0);
                    assert!(matches!(key.admission(at + wait - 1, cost), Admission::Later(1)), "{numbers:?}");
                    assert!(matches!(key.admission(at + wait / 2, cost), Admission::Later(_)) || wait < 2);
                    assert!(matches!(key.admission(at + wait, cost), Admission::Fits(_)), "{numbers:?}");
                }
                assert!(key.remaining(at) <= capacity);
                at += random.below(period / 4 + 2);
            }
        }
    }
}

#[test]
fn no_number_makes_it_panic() {
    let extremes = [0, 1, 2, 999, 1 << 31, 1 << 53, u64::MAX / 2, u64::MAX - 1, u64::MAX];
    for algorithm in rated() {
        for tick in [1, 1_000, 1_000_000] {
            for (count, period, capacity) in
                [(1, 1, 1), (1 << 20, 60_000_000, u64::from(u32::MAX)), (1, 1 << 52, 1)]
            {
                let has_capacity = matches!(algorithm, Algorithm::TokenBucket | Algorithm::LeakyBucket);
                let capacity = if has_capacity { capacity } else { count };
                let mut key = Key::new(Numbers { tick, ..numbers(*algorithm, count, period, capacity) });
                for at in extremes.into_iter().chain(extremes.into_iter().rev()) {
                    for cost in extremes {
                        key.take(at, cost);
                        assert!(key.remaining(at) <= capacity);
                    }
                }
            }
        }
    }
}

#[test]
fn token_bucket_is_full_again_after_any_pause() {
    for capacity in [1_000_000, u64::from(u32::MAX)] {
        let mut key = Key::new(numbers(Algorithm::TokenBucket, 1_000_000, 60 * SECOND, capacity));
        key.take(SECOND, 1);
        for pause in [43_200, 400 * 86_400, 290 * 365 * 86_400] {
            assert_eq!(key.remaining(SECOND + pause * SECOND), capacity);
        }
    }
}

#[test]
fn bucket_keeps_its_tokens_when_the_rule_changes() {
    let mut key = Key::new(numbers(Algorithm::TokenBucket, 1_000, 60 * SECOND, 1_000));
    key.take(SECOND, 1);
    key.numbers = numbers(Algorithm::TokenBucket, 10, 60 * SECOND, 10);
    assert_eq!(key.remaining(SECOND), 10);
    key.take(SECOND, 4);
    // A larger one does not refill what was taken.
    key.numbers = numbers(Algorithm::TokenBucket, 1_000, 60 * SECOND, 1_000);
    assert_eq!(key.remaining(SECOND), 6);
    // In another period's parts whole tokens are kept, and nothing more.
    key.numbers = numbers(Algorithm::TokenBucket, 1_000, 7 * SECOND, 1_000);
    assert_eq!(key.remaining(SECOND), 6);
}

#[test]
fn state_of_another_algorithm_is_a_key_that_was_never_used() {
    for left in Algorithm::ALL {
        let mut key = Key::new(numbers(*left, 3, SECOND, 3));
        key.take(5 * SECOND, 3);
        for algorithm in Algorithm::ALL.iter().filter(|algorithm| *algorithm != left) {
            let mut other = Key { numbers: numbers(*algorithm, 3, SECOND, 3), state: key.state.clone() };
            assert_eq!(other.remaining(5 * SECOND), 3);
            assert!(matches!(other.take(5 * SECOND, 3), Admission::Fits(_)));
        }
    }
}

#[test]
fn log_keeps_one_entry_a_slice() {
    let numbers = Numbers { slice: 10, ..numbers(Algorithm::SlidingLog, 1_000, 100, 1_000) };
    let mut key = Key::new(numbers);
    for at in 0..1_000 {
        key.take(at, 1);
    }
    assert!(matches!(&key.state, Some(State::SlidingLog(log)) if log.entries() <= 11));
}

fn fits(key: &mut Key, at: u64, cost: u64) -> bool {
    matches!(key.take(at, cost), Admission::Fits(_))
}

#[test]
fn fixed_window_behind_its_clock_neither_opens_nor_waits_for_longer_than_a_window() {
    let mut key = Key::new(numbers(Algorithm::FixedWindow, 3, 60 * SECOND, 3));
    assert!((0..3).all(|_| fits(&mut key, 130 * SECOND, 1)));
    for at in [130 * SECOND, 129_500_000, 90 * SECOND, 0] {
        let Admission::Later(wait) = key.take(at, 1) else { panic!("a window opened twice") };
        assert!((1..=60 * SECOND).contains(&wait));
    }
    assert_eq!(key.admission(131 * SECOND, 1), Admission::Later(49 * SECOND));
    // Up to 2N across a border.
    assert!((0..3).all(|_| fits(&mut key, 180 * SECOND, 1)) && !fits(&mut key, 180 * SECOND, 1));
}

#[test]
fn clock_that_jitters_takes_no_token_away() {
    let mut key = Key::new(numbers(Algorithm::TokenBucket, 1, SECOND, 10));
    for (call, at) in [1_000, 400, 1_001, 399, 1_002, 398, 1_003, 397, 1_004, 396].into_iter().enumerate() {
        assert!(fits(&mut key, at, 1));
        assert_eq!(key.remaining(at), 9 - call as u64);
    }
    assert!(!fits(&mut key, 1_005, 1));
}

#[test]
fn token_bucket_keeps_any_rate_exactly() {
    for rate in [999, 1_000, 1_001, 1_500, 2_000, 8_000, 1_000_000] {
        let mut key = Key::new(numbers(Algorithm::TokenBucket, rate, SECOND, 20));
        assert_eq!((0..21).filter(|_| fits(&mut key, SECOND, 1)).count(), 20);
        // A call a microsecond: everything that comes in is taken.
        let passed = (1..=SECOND).filter(|after| fits(&mut key, SECOND + after, 1)).count();
        assert_eq!(passed as u64, rate);
    }
}

#[test]
fn sliding_window_weighs_what_is_in_view() {
    let mut key = Key::new(numbers(Algorithm::SlidingWindow, 100, 10 * SECOND, 100));
    assert!(fits(&mut key, 15 * SECOND, 50) && fits(&mut key, 21 * SECOND, 10));
    assert_eq!(key.remaining(21 * SECOND), 45);
    assert!((0..45).all(|_| fits(&mut key, 21 * SECOND, 1)) && !fits(&mut key, 21 * SECOND, 1));

    for (pause, passes) in [(59_999, 1), (60_000, 1), (114_999, 10), (115_000, 10), (6_000_000, 10)] {
        let mut key = Key::new(numbers(Algorithm::SlidingWindow, 10, 60 * SECOND, 10));
        assert!((0..10).all(|_| fits(&mut key, 5 * SECOND, 1)));
        let at = 5 * SECOND + pause * 1_000;
        assert_eq!(key.remaining(at), if pause < 114_999 { 0 } else { 9 + u64::from(pause >= 115_000) });
        assert!((0..20).filter(|_| fits(&mut key, at, 1)).count() <= passes, "{pause} ms");
    }

    // A limit of one is one, not none.
    let mut key = Key::new(numbers(Algorithm::SlidingWindow, 1, 10 * SECOND, 1));
    assert!(fits(&mut key, 3, 1) && !fits(&mut key, 3, 1) && fits(&mut key, 20 * SECOND + 3, 1));
}

#[test]
fn leaky_bucket_starts_calls_evenly_and_never_jumps_back_to_empty() {
    let mut key = Key::new(numbers(Algorithm::LeakyBucket, 3, SECOND, 3));
    let mut starts = Vec::new();
    let mut before = 3;
    for call in 0..100 {
        let at = SECOND + call * 100_000;
        assert!(key.remaining(at) <= before + 1);
        if let Admission::Fits(delay) = key.take(at, 1) {
            starts.push(at + delay);
        }
        before = key.remaining(at);
    }
    assert!(starts.len() <= 32);
    assert!(starts.windows(2).all(|pair| pair[1] - pair[0] >= SECOND / 3));
}

#[test]
fn sliding_log_admits_what_fits_into_every_window_and_nothing_else() {
    let mut random = Random(11);
    for _ in 0..100 {
        let (count, period) = (1 + random.below(20), 1 + random.below(100));
        let mut key = Key::new(numbers(Algorithm::SlidingLog, count, period, count));
        let mut coarse = Key::new(Numbers { slice: 1 + random.below(period), ..key.numbers });
        let mut taken: [Vec<(u64, u64)>; 2] = Default::default();
        let mut at = 0;
        for _ in 0..300 {
            // Calls of one tick all count.
            at += random.below(4) * random.below(period / 8 + 2);
            let cost = 1 + random.below(3).min(count - 1);
            let in_view = |taken: &[(u64, u64)]| {
                taken.iter().filter(|(then, _)| then + period > at).map(|(_, cost)| cost).sum::<u64>()
            };
            let room = taken.each_ref().map(|taken| in_view(taken) + cost <= count);
            let passed = [fits(&mut key, at, cost), fits(&mut coarse, at, cost)];
            assert_eq!(passed[0], room[0]);
            assert!(room[1] || !passed[1]);
            for (taken, passed) in taken.iter_mut().zip(passed) {
                taken.extend(passed.then_some((at, cost)));
            }
        }
    }
}

#[test]
fn cost_above_the_capacity_never_fits_and_a_peek_always_does() {
    for algorithm in rated() {
        let mut key = Key::new(numbers(*algorithm, 10, 60 * SECOND, 10));
        assert!([11, u64::MAX].iter().all(|cost| key.take(SECOND, *cost) == Admission::Never));
        assert!(fits(&mut key, SECOND, 10));
        let wait = key.admission(SECOND, 1);
        assert!(matches!(wait, Admission::Later(_)));
        assert!((0..1_000).all(|_| fits(&mut key, 2 * SECOND, 0)));
        assert_eq!(key.admission(SECOND, 1), wait);
    }
}

#[test]
fn denial_leaves_no_trace() {
    for algorithm in rated() {
        let mut key = Key::new(numbers(*algorithm, 4, 60 * SECOND, 4));
        assert!(fits(&mut key, 70 * SECOND, 3));
        let before = format!("{:?}", key.state);
        key.take(75 * SECOND, 4);
        assert_eq!(format!("{:?}", key.state), before);
        // A clock that steps back behind the denial is still ahead of what was taken.
        assert!(fits(&mut key, 70 * SECOND, 1));
    }
}

/// A call that kept less than it had reserved, in the midst of others: never does the key admit what it would not have
/// admitted had the call taken only that from the start.
#[test]
fn refund_never_leaves_a_key_better_off_than_the_smaller_charge() {
    for algorithm in rated() {
        let mut random = Random(11);
        for round in 0..2_000 {
            let (count, period) = (1 + random.below(20), 1 + random.below(50));
            let capacity = match algorithm {
                Algorithm::TokenBucket | Algorithm::LeakyBucket => 1 + random.below(30),
                _ => count,
            };
            let numbers = numbers(*algorithm, count, period, capacity);
            let (mut refunded, mut smaller) = (Key::new(numbers), Key::new(numbers));
            let mut at = 10_000 + random.below(100);
            // Something before.
            for _ in 0..random.below(3) {
                let cost = random.below(capacity + 1);
                let fits = matches!(refunded.take(at, cost), Admission::Fits(_));
                assert!(!fits || matches!(smaller.take(at, cost), Admission::Fits(_)));
                at += random.below(period);
            }
            let reserved = 1 + random.below(capacity);
            let kept = random.below(reserved + 1);
            let Some(receipt) = refunded.reserve(at, reserved) else { continue };
            assert!(matches!(smaller.take(at, kept), Admission::Fits(_)));
            for _ in 0..random.below(4) {
                at += random.below(period);
                // The same calls pass on both sides: what the reserved one admits the smaller one admits as well.
                let cost = random.below(capacity + 1);
                if matches!(refunded.take(at, cost), Admission::Fits(_)) {
                    assert!(
                        matches!(smaller.take(at, cost), Admission::Fits(_)),
                        "{algorithm}, round {round}"
                    );
                }
            }
            at += random.below(2 * period);
            let taken = Taken { cost: reserved, receipt };
            assert_eq!(settle(&numbers, &mut refunded.state, taken, kept, at), 0);
            for later in [0, 1, period / 2, period, 2 * period] {
                let [ours, theirs] = [&refunded, &smaller].map(|key| key.remaining(at + later));
                assert!(ours <= theirs, "{algorithm}, round {round}: {ours} of {theirs} after {later}");
            }
        }
    }
}
