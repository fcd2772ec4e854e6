use super::{Admission, State, View};
use ratelimit_spec::{Algorithm, Numbers};

const SECOND: u64 = 1_000_000;

fn numbers(algorithm: Algorithm, count: u64, period: u64, capacity: u64) -> Numbers {
    Numbers { algorithm, tick: 1, count, period, capacity, slice: 1 }
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
    for algorithm in Algorithm::ALL {
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
    for algorithm in Algorithm::ALL {
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
