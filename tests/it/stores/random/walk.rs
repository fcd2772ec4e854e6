//! One key on its way through random operations.

use super::rules::{SECOND, cost, rule, step};
use core::ops::AddAssign;
use fastrand::Rng;
use ratelimit::store::{Charge, Receipt, Verdict};
use ratelimit_spec::{Algorithm, Numbers};
use ratelimit_tests::{
    Memory, Redis,
    model::{Judged, Model, Said},
};
use std::time::Duration;

/// The year 2255, up to which a double counts microseconds. A queue of a million million places is longer.
const LAST: u64 = 1 << 53;

pub(super) struct Walk<'a> {
    algorithm: Algorithm,
    random: Rng,
    key: String,
    numbers: Numbers,
    model: Model,
    memory: Memory,
    redis: &'a Redis,
    now: u64,
    /// The latest time that was handed in.
    latest: u64,
    /// No time may be handed in that lies before.
    floor: u64,
    /// When the key is over by the rule that it was last written under: from then on a store may have let it go.
    over: Option<(u64, Numbers)>,
    /// Instants at which something changes.
    instants: Vec<u64>,
    places: Vec<Place>,
    count: Count,
}

/// A place in a leaky bucket, and its receipts from memory and Redis.
struct Place {
    number: usize,
    cost: u64,
    receipts: [Receipt; 2],
}

/// What was tried.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    pub(super) operations: usize,
    denials: usize,
    refused_early: usize,
    rule_changes: usize,
    steps_back: usize,
    at_an_instant: usize,
    idle: usize,
    given_back: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(algorithm: Algorithm, seed: u64, key: u64, redis: &'a Redis) -> Walk<'a> {
        let mut random = Rng::with_seed(seed ^ key.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let numbers = rule(&mut random, algorithm, None);
        let now = 1_600_000_000 * SECOND + random.u64(..3 * numbers.period * numbers.tick);
        Walk {
            algorithm,
            random,
            key: format!("{algorithm}:{key}"),
            numbers,
            model: Model::default(),
            memory: Memory::new(),
            redis,
            now,
            latest: now,
            floor: 0,
            over: None,
            instants: Vec::new(),
            places: Vec::new(),
            count: Count::default(),
        }
    }

    pub(super) async fn go(mut self, operations: usize) -> Count {
        while self.count.operations < operations {
            if self.random.u32(..20) == 0 && self.floor == 0 {
                self.change_rule();
            }
            self.move_time();
            if self.latest >= LAST || !self.meet_the_end() || !self.operate().await {
                break;
            }
        }
        self.count
    }

    fn change_rule(&mut self) {
        // A window of another length is another key.
        let same = self.algorithm.keyed_by_period().then_some(self.numbers.period * self.numbers.tick);
        self.numbers = rule(&mut self.random, self.algorithm, same);
        self.places.clear();
        self.count.rule_changes += 1;
    }

    fn move_time(&mut self) {
        let tick = self.numbers.tick;
        match (self.random.u32(..10), self.instants.is_empty()) {
            (0, _) => {
                let back = self.random.u64(..2 * self.numbers.period * tick);
                self.now = self.now.saturating_sub(back).max(1_500_000_000 * SECOND);
                self.count.steps_back += 1;
            }
            (1..5, false) => {
                let instant = self.instants[self.random.usize(..self.instants.len())];
                self.now = [instant.saturating_sub(tick), instant, instant + tick][self.random.usize(..3)];
                self.count.at_an_instant += 1;
            }
            _ => self.now += step(&mut self.random, &self.numbers),
        }
        self.now = self.now.max(self.floor);
        self.latest = self.latest.max(self.now);
    }

    /// A key that is over is as if it had never been used, whether a store has let it go or not. Where the rule has
    /// changed meanwhile, that is not so, and the walk ends.
    fn meet_the_end(&mut self) -> bool {
        let Some((over, rule)) = self.over.filter(|(over, _)| *over <= self.latest) else { return true };
        if rule != self.numbers {
            return false;
        }
        let key = self.key.clone();
        let look = self.charge(&key, 0, None);
        assert!(self.model.is_over(over, &look), "{key} at {over}");
        self.model.forget(key.as_bytes());
        self.now = self.latest;
        (self.floor, self.over) = (self.latest, None);
        self.places.clear();
        self.count.idle += 1;
        true
    }

    /// False where the walk has to end.
    async fn operate(&mut self) -> bool {
        let key = self.key.clone();
        let cost = cost(&mut self.random, self.numbers.capacity);
        let drains = self.numbers.capacity * self.numbers.period / self.numbers.count;
        let limits_delay = self.algorithm == Algorithm::LeakyBucket && self.random.bool();
        let longest = limits_delay.then(|| self.numbers.duration(self.random.u64(..=drains)));
        let charge = self.charge(&key, cost, longest);
        let said = self.take(&charge).await;
        if let Judged::Denied { retry } = said.outcome {
            self.count.denials += 1;
            let from = self.model.at(self.now, &charge);
            let instant =
                |ticks: i128| u64::try_from((from + ticks) * i128::from(charge.numbers.tick)).unwrap();
            if instant(retry) >= LAST || self.over.is_some_and(|(over, _)| over <= instant(retry)) {
                return false;
            }
            assert!(retry > 0, "{charge:?} at {}", self.now);
            let wait = u64::try_from(retry).unwrap();
            let early = (0..20).map(|_| i128::from(self.random.u64(..wait))).chain([0, retry - 1]);
            let early: Vec<u64> = early.map(instant).collect();
            self.refuse(&charge, &early).await;
            self.now = instant(retry);
            self.latest = self.latest.max(self.now);
            let said = self.take(&charge).await;
            assert!(matches!(said.outcome, Judged::Allowed { .. }), "{charge:?} at {}", self.now);
        }
        if !self.places.is_empty() && self.random.u32(..3) == 0 {
            self.give_back(&key).await;
        }
        true
    }

    /// One operation, about which all three have to agree.
    async fn take(&mut self, charge: &Charge<'_>) -> Said {
        let number = self.model.next_place(charge.key);
        let memory = self.memory.decide(self.now, &[*charge]).await[0];
        let redis = self.redis.decide(self.now, &[*charge]).await[0];
        let said = agree(&mut self.model, self.now, charge, &memory, &redis);
        self.count.operations += 1;
        let at = self.model.at(self.now, charge);
        let tick = i128::from(charge.numbers.tick);
        let instant = |ticks: i128| u64::try_from((at + ticks) * tick).unwrap();
        if matches!(said.outcome, Judged::Allowed { .. }) && charge.cost > 0 {
            self.over = Some((instant(said.reset) + SECOND, charge.numbers));
            self.floor = 0;
            let ttl = i128::from(self.redis.ttl(charge.key).await);
            let longest = (said.reset * tick + 999) / 1_000 + 1_000;
            // The server's own clock has gone on a little.
            assert!((longest - 999..=longest).contains(&ttl), "{ttl} of {longest} ms: {charge:?}");
            if self.algorithm == Algorithm::LeakyBucket {
                let receipts = [memory.receipt, redis.receipt];
                self.places.push(Place { number, cost: charge.cost, receipts });
            }
        }
        let period = i128::from(charge.numbers.period);
        let border = period - at % period;
        let waits = [said.reset, said.outcome.wait().unwrap_or(0), border];
        self.instants = waits.into_iter().map(instant).collect();
        said
    }

    /// At each of these times, all three have to refuse.
    async fn refuse(&mut self, charge: &Charge<'_>, times: &[u64]) {
        let redis = self.redis.decide_all(times, &[*charge]).await;
        for (now, redis) in times.iter().zip(redis) {
            let memory = self.memory.decide(*now, &[*charge]).await;
            let said = agree(&mut self.model, *now, charge, &memory[0], &redis[0]);
            assert!(matches!(said.outcome, Judged::Denied { .. }), "{charge:?} at {now}: {said:?}");
            assert!(!self.model.fits(*now, charge));
            self.latest = self.latest.max(*now);
            self.count.refused_early += 1;
        }
    }

    /// Gives back the place of the last call, or of one before it, which then stays taken.
    async fn give_back(&mut self, key: &str) {
        let newest = self.places.len() - 1;
        let place = self.places.remove(newest - self.random.usize(..=newest.min(2)));
        let charge = self.charge(key, place.cost, None);
        self.memory.give_back(self.now, &charge, place.receipts[0]).await;
        self.redis.give_back(self.now, &charge, place.receipts[1]).await;
        self.redis.ttl(key.as_bytes()).await;
        self.model.give_back(&charge, place.number);
        let look = Charge { cost: 0, ..charge };
        self.take(&look).await;
        self.count.given_back += 1;
    }

    fn charge<'k>(&self, key: &'k str, cost: u64, max_delay: Option<Duration>) -> Charge<'k> {
        Charge { numbers: self.numbers, key: key.as_bytes(), cost, max_delay, hold: None }
    }
}

/// What is said of a charge, if all three say the same.
fn agree(model: &mut Model, now: u64, charge: &Charge<'_>, memory: &Verdict, redis: &Verdict) -> Said {
    let [memory, redis] = [memory, redis].map(|verdict| Said::of(verdict, &charge.numbers));
    let model = model.decide(now, &[*charge], &[memory])[0];
    let key = String::from_utf8_lossy(charge.key);
    assert_eq!(memory, model, "memory against the model: {key} at {now}, {charge:?}");
    assert_eq!(redis, model, "redis against the model: {key} at {now}, {charge:?}");
    model
}

impl Count {
    /// Whether everything has been tried often enough to mean something.
    pub(super) fn is_enough(&self, algorithm: Algorithm) {
        let Count {
            operations,
            denials,
            refused_early,
            rule_changes,
            steps_back,
            at_an_instant,
            idle,
            given_back,
        } = *self;
        let least = operations / 100;
        for tried in [denials, refused_early / 22, rule_changes, steps_back, at_an_instant, idle] {
            assert!(tried > least, "{self:?}");
        }
        assert!(given_back > least || algorithm != Algorithm::LeakyBucket, "{self:?}");
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.operations += other.operations;
        self.denials += other.denials;
        self.refused_early += other.refused_early;
        self.rule_changes += other.rule_changes;
        self.steps_back += other.steps_back;
        self.at_an_instant += other.at_an_instant;
        self.idle += other.idle;
        self.given_back += other.given_back;
    }
}
