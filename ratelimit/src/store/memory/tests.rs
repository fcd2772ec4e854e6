use super::Memory;
use crate::{
    store::{Charge, Hold, Outcome, PermitId, Verdict},
    time::ManualClock,
};
use core::time::Duration;
use ratelimit_spec::{Algorithm, Numbers};
use std::{
    sync::{Arc, Barrier},
    thread,
};

fn per_second(count: u64) -> Numbers {
    Numbers {
        algorithm: Algorithm::FixedWindow,
        tick: 1,
        count,
        period: 1_000_000,
        capacity: count,
        slice: 1,
    }
}

fn charge<'a>(numbers: Numbers, key: &'a str, cost: u64) -> Charge<'a> {
    Charge { numbers, key: key.as_bytes(), cost, max_delay: None, hold: None }
}

fn store(keys: usize) -> (Memory, ManualClock) {
    let clock = ManualClock::new();
    (Memory::with_capacity(clock.clone().into(), keys), clock)
}

fn one(memory: &Memory, charge: Charge<'_>) -> Verdict {
    memory.decide_now(&[charge])[0]
}

fn is_allowed(verdict: &Verdict) -> bool {
    matches!(verdict.outcome, Outcome::Allowed { .. })
}

fn queue(places: u64) -> Numbers {
    Numbers { algorithm: Algorithm::LeakyBucket, capacity: places, ..per_second(10) }
}

fn delay(verdict: &Verdict) -> Duration {
    match verdict.outcome {
        Outcome::Allowed { delay } => delay,
        Outcome::Denied { .. } | Outcome::Exceeds => Duration::MAX,
    }
}

#[test]
fn first_calls_of_a_fresh_key_never_get_a_bucket_each() {
    const THREADS: usize = 64;
    const KEYS: usize = 1_000;
    let memory = Arc::new(Memory::new());
    let barrier = Arc::new(Barrier::new(THREADS));
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let (memory, barrier) = (Arc::clone(&memory), Arc::clone(&barrier));
            thread::spawn(move || {
                let numbers = Numbers { period: 86_400_000_000, ..per_second(10) };
                (0..KEYS)
                    .map(|key| {
                        barrier.wait();
                        usize::from(is_allowed(&one(&memory, charge(numbers, &key.to_string(), 1))))
                    })
                    .collect::<Vec<_>>()
            })
        })
        .collect();
    let admitted: Vec<Vec<usize>> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    for key in 0..KEYS {
        assert_eq!(admitted.iter().map(|of_thread| of_thread[key]).sum::<usize>(), 10, "key {key}");
    }
}

#[test]
fn denied_list_takes_nothing_and_reports_what_was_there() {
    let (memory, _clock) = store(1_000);
    let (wide, narrow) = (per_second(10), per_second(1));
    let list = [charge(wide, "wide", 3), charge(narrow, "narrow", 1)];
    assert!(memory.decide_now(&list).iter().all(is_allowed));
    let denied = memory.decide_now(&list);
    assert_eq!((denied[0].remaining, denied[1].remaining), (7, 0));
    assert!(is_allowed(&denied[0]) && !is_allowed(&denied[1]));
    assert_eq!(one(&memory, charge(wide, "wide", 0)).remaining, 7);
}

#[test]
fn charges_of_one_key_add_up() {
    let (memory, _clock) = store(1_000);
    let list = [charge(per_second(10), "a", 6), charge(per_second(10), "a", 5)];
    assert!(!is_allowed(&memory.decide_now(&list)[1]));
    let list =
        [charge(per_second(10), "a", 6), charge(per_second(10), "a", 4), charge(per_second(10), "a", 0)];
    let verdicts = memory.decide_now(&list);
    assert_eq!(verdicts.iter().map(|verdict| verdict.remaining).collect::<Vec<_>>(), [4, 0, 0]);
    assert_eq!(one(&memory, charge(per_second(10), "a", 0)).remaining, 0);
}

#[test]
fn looking_keeps_no_key() {
    let (memory, _clock) = store(1_000);
    assert_eq!(one(&memory, charge(per_second(10), "a", 0)).remaining, 10);
    assert!(memory.is_empty());
}

#[test]
fn idle_keys_vanish_with_a_little_traffic_on_others() {
    let (memory, clock) = store(Memory::DEFAULT_CAPACITY);
    for key in 0..300_000 {
        one(&memory, charge(per_second(10), &format!("idle {key}"), 1));
    }
    assert_eq!((memory.len(), memory.evicted()), (300_000, 0));
    clock.advance(Duration::from_secs(10));
    for key in 0..18_000 {
        let before = memory.len();
        one(&memory, charge(per_second(10), &format!("live {}", key % 9_000), 1));
        assert!(memory.len() + 256 >= before, "one decision pays for no more than its step");
    }
    assert!(memory.len() < 10_000, "{}", memory.len());
}

#[test]
fn full_store_evicts_unspent_keys_first_and_counts_them() {
    let (memory, _clock) = store(100);
    for key in 0..50 {
        one(&memory, charge(per_second(3), &format!("exhausted {key}"), 3));
    }
    for key in 0..1_000 {
        one(&memory, charge(per_second(3), &format!("fresh {key}"), 1));
    }
    assert_eq!((memory.len(), memory.evicted()), (100, 950));
    for key in 0..50 {
        assert!(!is_allowed(&one(&memory, charge(per_second(3), &format!("exhausted {key}"), 1))), "{key}");
    }
}

#[test]
fn full_store_forgets_idle_keys_before_live_ones() {
    let (memory, clock) = store(1_000);
    for key in 0..1_000 {
        let period = if key % 2 == 0 { 1_000_000 } else { 3_600_000_000 };
        one(&memory, charge(Numbers { period, ..per_second(3) }, &format!("old {key}"), 1));
    }
    clock.advance(Duration::from_secs(3));
    for key in 0..500 {
        one(&memory, charge(per_second(3), &format!("new {key}"), 1));
    }
    assert_eq!((memory.len(), memory.evicted()), (1_000, 0));
}

#[test]
fn capacity_is_never_exceeded() {
    for keys in [1, 2, 3, 100, 1_500, 5_000, 70_000] {
        let (memory, _clock) = store(keys);
        for key in 0..keys as u64 * 2 {
            one(&memory, charge(per_second(3), &key.to_string(), 1));
            assert!(key % 512 != 0 || memory.len() <= keys);
        }
        assert!(memory.len() <= keys && memory.len() >= keys * 9 / 10, "{} of {keys}", memory.len());
    }
}

#[test]
fn capacity_costs_nothing_until_it_is_used() {
    let (memory, _clock) = store(usize::MAX);
    assert!(is_allowed(&one(&memory, charge(per_second(3), "a", 1))));
}

#[test]
fn store_full_of_exhausted_keys_still_admits_a_new_one() {
    let (memory, _clock) = store(4);
    for key in 0..100 {
        assert!(is_allowed(&one(&memory, charge(per_second(1), &key.to_string(), 1))));
    }
    assert_eq!((memory.len(), memory.evicted()), (4, 96));
}

#[test]
fn long_key_costs_no_more_memory_and_is_told_from_its_neighbour() {
    let (memory, _clock) = store(100);
    let mut long = "x".repeat(1 << 20);
    assert!(is_allowed(&one(&memory, charge(per_second(1), &long, 1))));
    assert!(!is_allowed(&one(&memory, charge(per_second(1), &long, 1))));
    long.pop();
    assert!(is_allowed(&one(&memory, charge(per_second(1), &long, 1))));
}

#[test]
fn other_rule_on_the_same_key_reads_what_the_earlier_charge_left() {
    for algorithm in Algorithm::ALL {
        let (memory, _clock) = store(1_000);
        let large = Numbers { algorithm: *algorithm, period: 3_600_000_000, ..per_second(1_000) };
        let small = Numbers { algorithm: *algorithm, ..per_second(10) };
        let lists: [&[_]; 3] =
            [&[(large, 900), (small, 3)], &[(small, 3), (large, 0)], &[(small, 10), (large, 9)]];
        for list in lists {
            let list: Vec<_> = list.iter().map(|(numbers, cost)| charge(*numbers, "a", *cost)).collect();
            for (charge, verdict) in list.iter().zip(memory.decide_now(&list)) {
                assert!(verdict.remaining <= charge.numbers.capacity, "{algorithm}: {verdict:?}");
            }
        }
        // What such a list took is what one charge after the other would have taken.
        let (one_by_one, _clock) = store(1_000);
        let (at_once, _clock) = store(1_000);
        let list = [charge(large, "a", 4), charge(small, "a", 3), charge(large, "a", 2)];
        if at_once.decide_now(&list).iter().all(is_allowed) {
            list.iter().for_each(|charge| assert!(is_allowed(&one(&one_by_one, *charge))));
        }
        let peek = |memory| one(memory, charge(large, "a", 0)).remaining;
        assert_eq!(peek(&at_once), peek(&one_by_one), "{algorithm}");
    }
}

#[test]
fn receipt_names_only_what_was_taken() {
    let (memory, _clock) = store(1_000);
    let none = crate::store::Receipt::default();
    assert_ne!(one(&memory, charge(per_second(2), "a", 1)).receipt, none);
    assert_eq!(one(&memory, charge(per_second(2), "a", 0)).receipt, none);
    assert_eq!(one(&memory, charge(per_second(2), "a", 2)).receipt, none);
    let list = [charge(per_second(2), "b", 1), charge(per_second(2), "a", 2)];
    assert!(memory.decide_now(&list).iter().all(|verdict| verdict.receipt == none));
}

#[test]
fn only_the_last_in_a_queue_gives_its_place_back() {
    let (memory, clock) = store(1_000);
    let call = charge(queue(3), "a", 1);
    let [first, second, third] = [(); 3].map(|()| one(&memory, call));
    assert_eq!([&first, &second, &third].map(delay), [0, 100, 200].map(Duration::from_millis));
    memory.give_back_now(&call, second.receipt);
    assert_eq!(delay(&one(&memory, call)), Duration::MAX);
    clock.advance(Duration::from_millis(50));
    memory.give_back_now(&call, third.receipt);
    memory.give_back_now(&call, third.receipt);
    assert_eq!(delay(&one(&memory, call)), Duration::from_millis(150));
}

#[test]
fn place_that_a_larger_rule_stands_behind_is_not_given_back() {
    let (memory, _clock) = store(1_000);
    let last = [(); 3].map(|()| one(&memory, charge(queue(3), "a", 1)))[2];
    // The smaller rule sees a full queue before and after.
    assert!(is_allowed(&one(&memory, charge(queue(30), "a", 1))));
    memory.give_back_now(&charge(queue(3), "a", 1), last.receipt);
    assert_eq!(delay(&one(&memory, charge(queue(30), "a", 1))), Duration::from_millis(400));
}

#[test]
fn permits_that_nobody_settles_go_when_their_lease_has_ended() {
    let (memory, clock) = store(1_000);
    let lease = Duration::from_secs(30);
    for _ in 0..100 {
        for _ in 0..1_000 {
            let hold = Some(Hold { permit: PermitId::new(), lease });
            let held = Charge { hold, ..charge(per_second(1_000), "a", 1) };
            assert!(is_allowed(&one(&memory, held)));
        }
        clock.advance(Duration::from_secs(1));
    }
    // Those of one lease, and as many again that are waiting to be swept.
    assert!(memory.permits() <= 2 * 32 * 1_000, "{} are kept", memory.permits());
}
