//! Random calls of several charges: all are taken or none, and the longest wait is exact.

use super::{
    rules::{SECOND, cost, rule},
    seed,
};
use fastrand::Rng;
use futures::{StreamExt as _, stream};
use ratelimit::store::Charge;
use ratelimit_spec::Numbers;
use ratelimit_tests::{
    Memory, RATED, Redis, RedisServer,
    model::{Judged, Model, Said},
};

const GROUPS: u64 = 200;
const OF_ONE_GROUP: usize = 25;

struct Group<'a> {
    random: Rng,
    keys: Vec<(String, Numbers)>,
    model: Model,
    memory: Memory,
    redis: &'a Redis,
    now: u64,
    latest: u64,
}

#[tokio::test]
async fn calls_of_several_charges_take_all_or_nothing() {
    let server = RedisServer::start();
    let redis = Redis::open(&server).await;
    println!("TEST_SEED={}", seed());
    let groups = stream::iter(0..GROUPS).map(|number| Group::new(number, &redis).go());
    let denied: usize = groups.buffer_unordered(16).fold(0, async |sum, denied| sum + denied).await;
    assert!(denied > 500, "{denied}");
}

impl<'a> Group<'a> {
    fn new(number: u64, redis: &'a Redis) -> Group<'a> {
        let mut random = Rng::with_seed(seed() ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let keys = (0..random.usize(2..=5)).map(|place| {
            let algorithm = RATED[random.usize(..RATED.len())];
            let period = [3_600, 86_400][random.usize(..2)] * SECOND;
            (format!("group {number}:{place}"), rule(&mut random, algorithm, Some(period)))
        });
        let keys = keys.collect();
        let now = 1_600_000_000 * SECOND;
        Group { random, keys, model: Model::default(), memory: Memory::new(), redis, now, latest: now }
    }

    async fn go(mut self) -> usize {
        let mut denied = 0;
        for _ in 0..OF_ONE_GROUP {
            self.now += [0, 1, self.random.u64(..60 * SECOND)][self.random.usize(..3)];
            self.latest = self.latest.max(self.now);
            if self.random.u32(..5) == 0 {
                // So far that no key that is over now was not over then: a store may have let it go.
                self.now = (self.now - self.random.u64(..SECOND)).max(self.latest - SECOND);
            }
            let keys = self.keys.clone();
            let mut charges = Vec::new();
            for _ in 0..self.random.usize(1..=4) {
                let (key, numbers) = &keys[self.random.usize(..keys.len())];
                let cost = match self.random.u32(..4) {
                    0 => cost(&mut self.random, numbers.capacity),
                    _ => 1 + self.random.u64(..=numbers.capacity / 4),
                };
                charges.push(Charge {
                    numbers: *numbers,
                    key: key.as_bytes(),
                    cost,
                    max_delay: None,
                    hold: None,
                });
            }
            let said = self.decide(self.now, &charges).await;
            let waits = said.iter().zip(&charges).filter_map(|(said, charge)| match said.outcome {
                Judged::Denied { retry } => {
                    let tick = i128::from(charge.numbers.tick);
                    Some(u64::try_from((self.model.at(self.now, charge) + retry) * tick).unwrap())
                }
                _ => None,
            });
            let Some(at) = waits.max() else { continue };
            denied += 1;
            let exceeds = said.iter().any(|said| said.outcome == Judged::Exceeds);
            let twice =
                (1..charges.len()).any(|n| charges[..n].iter().any(|other| other.key == charges[n].key));
            if !exceeds && !twice && at < self.now + 1_800 * SECOND {
                let allowed = |said: &Said| matches!(said.outcome, Judged::Allowed { .. });
                assert!(!self.decide(at - 1, &charges).await.iter().all(allowed), "{charges:?} before {at}");
                assert!(self.decide(at, &charges).await.iter().all(allowed), "{charges:?} at {at}");
                self.now = at;
                self.latest = self.latest.max(at);
            }
        }
        denied
    }

    async fn decide(&mut self, now: u64, charges: &[Charge<'_>]) -> Vec<Said> {
        let memory = self.memory.decide(now, charges).await;
        let redis = self.redis.decide(now, charges).await;
        let [memory, redis] = [memory, redis].map(|verdicts| -> Vec<Said> {
            verdicts.iter().zip(charges).map(|(verdict, charge)| Said::of(verdict, &charge.numbers)).collect()
        });
        let model = self.model.decide(now, charges, &memory);
        assert_eq!(memory, model, "memory against the model: at {now}, {charges:?}");
        assert_eq!(redis, model, "redis against the model: at {now}, {charges:?}");
        for charge in charges {
            self.redis.ttl(charge.key).await;
        }
        model
    }
}
