//! Calls of several layers with permits: costs, settles up and down, give-backs, drops, renewals, changed rules and steps
//! of time, through the model, memory and a real Redis.

mod count;

use super::{
    only_key,
    rules::{SECOND, cost, rule},
    seed,
};
use count::Count;
use fastrand::Rng;
use futures::{StreamExt as _, stream};
use ratelimit::store::{Charge, Hold, Outcome, PermitId, Receipt, Settlement, Verdict};
use ratelimit_spec::{Algorithm, Numbers};
use ratelimit_tests::{
    Memory, RATED, Redis, RedisServer,
    model::{Judged, Model, Said},
};
use std::{collections::HashMap, rc::Rc, time::Duration};

/// Calls against the model in memory, and again over Redis; how many of them one world sees.
const CALLS: usize = 100_000;
const OF_ONE_WORLD: usize = 100;
/// Worlds at the same time.
const AT_ONCE: usize = 64;
/// No clock steps back further: a store may forget a second after something has stopped to matter.
const STEP_BACK: u64 = SECOND / 2;

/// Some keys of all algorithms, and the calls that share them.
struct World<'r> {
    random: Rng,
    keys: Vec<Key>,
    model: Model,
    memory: Memory,
    redis: Option<&'r Redis>,
    now: u64,
    latest: u64,
    calls: Vec<Call>,
    kept: HashMap<usize, Vec<(i128, i128)>>,
    count: Count,
}

/// A key, and what goes for it now.
struct Key {
    name: Rc<str>,
    numbers: Numbers,
    /// When a store may forget it, by the rule that it was last written under.
    over: u64,
    /// Whether that rule is another one.
    has_changed: bool,
}

/// A call that was admitted.
struct Call {
    charges: Vec<Owned>,
    is_held: bool,
}

#[derive(Clone)]
struct Owned {
    key: usize,
    name: Rc<str>,
    numbers: Numbers,
    cost: u64,
    hold: Hold,
    receipts: [Receipt; 2],
    /// The tick that it was admitted at.
    at: i128,
}

impl<'r> World<'r> {
    fn new(seed: u64, number: u64, redis: Option<&'r Redis>) -> World<'r> {
        let mut random = Rng::with_seed(seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let period = [60, 3_600, 86_400][random.usize(..3)] * SECOND;
        let mut keys: Vec<Key> = Vec::new();
        let key = |name: String, numbers| Key { name: name.into(), numbers, over: 0, has_changed: false };
        for algorithm in RATED.iter().chain(RATED) {
            let name = format!("{number}:{algorithm}:{}", keys.len());
            keys.push(key(name, rule(&mut random, *algorithm, Some(period))));
        }
        let lease = 60 * SECOND;
        for limit in [1, 3] {
            let numbers = Numbers {
                algorithm: Algorithm::Concurrency,
                tick: 1,
                count: limit,
                period: lease,
                capacity: limit,
                slice: 1,
            };
            keys.push(key(format!("{number}:concurrency:{limit}"), numbers));
        }
        let now = 1_600_000_000 * SECOND + random.u64(..3 * period);
        let (model, memory) = (Model::default(), Memory::new());
        let (calls, kept, count) = (Vec::new(), HashMap::new(), Count::default());
        World { random, keys, model, memory, redis, now, latest: now, calls, kept, count }
    }

    async fn go(mut self) -> Count {
        while self.count.calls < OF_ONE_WORLD {
            match self.random.u32(..20) {
                0..10 => self.call().await,
                10..15 => self.settle().await,
                15 => self.renew().await,
                16..19 => self.step(),
                _ => self.change_rule(),
            }
        }
        self.no_bucket_passed_more_than_its_bound();
        self.count
    }

    /// A call of one to four layers, each on a key of its own.
    async fn call(&mut self) {
        let mut places: Vec<usize> = (0..self.keys.len()).collect();
        self.random.shuffle(&mut places);
        places.truncate(self.random.usize(1..=4));
        let is_held = self.random.u32(..3) > 0;
        let lease = Duration::from_secs([60, 300][self.random.usize(..2)]);
        let hold = Hold { permit: PermitId::new(), lease };
        let mut owned: Vec<Owned> = Vec::new();
        for key in places {
            self.start_over_if_forgotten(key);
            let Key { numbers, ref name, .. } = self.keys[key];
            let cost = match numbers.algorithm {
                Algorithm::Concurrency => u64::from(self.random.u32(..8) > 0),
                // Little, so that several layers are often all admitted.
                _ if self.random.u32(..3) > 0 => self.random.u64(..=numbers.capacity.min(4)),
                _ => cost(&mut self.random, numbers.capacity),
            };
            owned.push(Owned {
                key,
                name: Rc::clone(name),
                numbers,
                cost,
                hold,
                receipts: [Receipt::default(); 2],
                at: 0,
            });
        }
        let charges: Vec<Charge<'_>> = owned.iter().map(|one| one.charge(is_held)).collect();
        // What holds nothing is found by the model by a permit that never ends.
        let forever = Hold { lease: Duration::from_secs(1 << 40), ..hold };
        let mut for_model = charges.clone();
        for charge in for_model.iter_mut().filter(|charge| charge.numbers.algorithm != Algorithm::Concurrency)
        {
            charge.hold = charge.hold.or(Some(forever));
        }

        let memory = self.memory.decide(self.now, &charges).await;
        let guesses: Vec<Said> = said(&memory, &charges);
        let model = self.model.decide(self.now, &for_model, &guesses);
        assert_eq!(guesses, model, "memory against the model at {}: {charges:?}", self.now);
        let mut receipts = vec![[Receipt::default(); 2]; charges.len()];
        for (slot, verdict) in receipts.iter_mut().zip(&memory) {
            slot[0] = verdict.receipt;
        }
        if let Some(redis) = self.redis {
            let verdicts = redis.decide(self.now, &charges).await;
            assert_eq!(
                said(&verdicts, &charges),
                model,
                "redis against the model at {}: {charges:?}",
                self.now
            );
            for (slot, verdict) in receipts.iter_mut().zip(&verdicts) {
                slot[1] = verdict.receipt;
            }
            keep(redis, &charges).await;
        }
        self.count.calls += 1;
        self.count.layers += charges.len();
        if memory.iter().any(|verdict| !matches!(verdict.outcome, Outcome::Allowed { .. })) {
            self.count.denied += 1;
            return;
        }
        let at: Vec<i128> = charges.iter().map(|charge| self.model.at(self.now, charge)).collect();
        for (((one, receipts), at), said) in owned.iter_mut().zip(receipts).zip(at).zip(&model) {
            let over = u64::try_from((at + said.reset) * i128::from(one.numbers.tick)).unwrap();
            (one.receipts, one.at) = (receipts, at);
            if one.cost > 0 {
                let key = &mut self.keys[one.key];
                (key.over, key.has_changed) = (over, false);
            }
            if one.numbers.algorithm == Algorithm::TokenBucket {
                self.kept.entry(one.key).or_default().push((at, i128::from(one.cost)));
            }
        }
        self.calls.push(Call { charges: owned, is_held });
    }

    /// One of the calls is over; some never end, and some end twice.
    async fn settle(&mut self) {
        if self.calls.is_empty() {
            return;
        }
        let place = self.random.usize(..self.calls.len());
        if self.may_be_forgotten(&self.calls[place]) {
            self.calls.swap_remove(place);
            return;
        }
        let ends_once = self.random.u32(..4) > 0;
        let call = if ends_once {
            self.calls.swap_remove(place)
        } else {
            Call { charges: self.calls[place].charges.clone(), is_held: self.calls[place].is_held }
        };
        if call.is_held {
            self.settle_held(&call).await;
        } else if ends_once {
            self.give_back(&call).await;
        }
    }

    async fn settle_held(&mut self, call: &Call) {
        let mut settlements = Vec::new();
        for one in &call.charges {
            let actual = match self.random.u32(..8) {
                0 => 0,
                1 => one.cost,
                2 => one.cost.saturating_add(self.random.u64(..=one.numbers.capacity)),
                3 => u64::MAX,
                4 | 5 => one.cost.saturating_add(self.random.u64(..4)),
                _ => self.random.u64(..=one.cost),
            };
            settlements.push(Settlement { charge: one.charge(true), actual });
        }
        let memory = self.memory.settle(self.now, &settlements).await;
        let model: Vec<_> = settlements.iter().map(|one| self.model.settle(self.now, one)).collect();
        assert_eq!(memory, model, "memory against the model at {}: {settlements:?}", self.now);
        if let Some(redis) = self.redis {
            let settled = redis.settle(self.now, &settlements).await;
            assert_eq!(settled, model, "redis against the model at {}: {settlements:?}", self.now);
            let charges: Vec<Charge<'_>> = settlements.iter().map(|one| one.charge).collect();
            keep(redis, &charges).await;
        }
        let kept: Vec<u64> = settlements.iter().map(|one| one.actual).collect();
        for ((one, actual), settled) in call.charges.iter().zip(kept).zip(model) {
            use ratelimit::store::Settled;
            match settled {
                Settled::Applied { overrun } => {
                    let key = &mut self.keys[one.key];
                    key.has_changed |= key.numbers != one.numbers;
                    self.count.overruns += usize::from(overrun > 0);
                    self.count.settled_up += usize::from(actual > one.cost);
                    self.count.settled_down += usize::from(actual < one.cost);
                    self.keep_only(one, actual);
                }
                Settled::Late => self.count.late += 1,
                Settled::Already => self.count.settled_again += 1,
            }
        }
        self.look_at(call).await;
    }

    async fn give_back(&mut self, call: &Call) {
        let forever = Duration::from_secs(1 << 40);
        // A slot cannot be taken without a permit.
        let took = |one: &&Owned| one.cost > 0 && one.numbers.algorithm != Algorithm::Concurrency;
        for one in call.charges.iter().filter(took) {
            let charge = one.charge(false);
            let hold = Some(Hold { lease: forever, ..one.hold });
            self.memory.give_back(self.now, &charge, one.receipts[0]).await;
            if let Some(redis) = self.redis {
                redis.give_back(self.now, &charge, one.receipts[1]).await;
            }
            self.model.settle(self.now, &Settlement { charge: Charge { hold, ..charge }, actual: 0 });
        }
        for one in &call.charges {
            self.keep_only(one, 0);
        }
        self.count.given_back += 1;
        self.look_at(call).await;
    }

    /// What a call did to its keys.
    async fn look_at(&mut self, call: &Call) {
        let looks = call.charges.iter().map(|one| {
            let numbers = self.keys[one.key].numbers;
            Charge { cost: 0, numbers, ..one.charge(false) }
        });
        let looks: Vec<Charge<'_>> = looks.collect();
        let memory = said(&self.memory.decide(self.now, &looks).await, &looks);
        let model = self.model.decide(self.now, &looks, &memory);
        assert_eq!(memory, model, "memory against the model at {}: {looks:?}", self.now);
        if let Some(redis) = self.redis {
            let redis = said(&redis.decide(self.now, &looks).await, &looks);
            assert_eq!(redis, model, "redis against the model at {}: {looks:?}", self.now);
        }
        for said in model {
            assert!(said.remaining >= 0, "{said:?}");
        }
    }

    async fn renew(&mut self) {
        let is_held = |call: &Call| call.is_held && !self.may_be_forgotten(call);
        let held: Vec<usize> = (0..self.calls.len()).filter(|place| is_held(&self.calls[*place])).collect();
        if held.is_empty() {
            return;
        }
        let call = &self.calls[held[self.random.usize(..held.len())]];
        let charges: Vec<Charge<'_>> = call.charges.iter().map(|one| one.charge(true)).collect();
        let memory = self.memory.renew(self.now, &charges).await;
        let model: Vec<_> = charges.iter().map(|charge| self.model.renew(self.now, charge)).collect();
        assert_eq!(memory, model, "memory against the model at {}: {charges:?}", self.now);
        if let Some(redis) = self.redis {
            let redis_said = redis.renew(self.now, &charges).await;
            assert_eq!(redis_said, model, "redis against the model at {}: {charges:?}", self.now);
            keep(redis, &charges).await;
        }
        let lost = model.iter().filter(|renewed| **renewed == ratelimit::store::Renewed::Lost).count();
        self.count.lost += lost;
        self.count.renewed += model.len() - lost;
    }

    fn step(&mut self) {
        let period = self.keys[0].numbers.period * self.keys[0].numbers.tick;
        self.now = match self.random.u32(..8) {
            0 => self.now.saturating_sub(self.random.u64(..STEP_BACK)).max(self.latest - STEP_BACK),
            1 => self.now + 61 * SECOND,
            2 => self.now + self.random.u64(..2 * period),
            3 => self.now + period - self.now % period,
            _ => self.now + self.random.u64(..=period / 8),
        };
        self.latest = self.latest.max(self.now);
    }

    /// Whether a store may have forgotten a key of a call by a rule that is not the call's.
    fn may_be_forgotten(&self, call: &Call) -> bool {
        call.charges.iter().any(|one| {
            let key = &self.keys[one.key];
            key.name != one.name || (key.has_changed || key.numbers != one.numbers) && self.latest >= key.over
        })
    }

    /// What a store may have forgotten by an older rule is another key from now on.
    fn start_over_if_forgotten(&mut self, place: usize) {
        let key = &mut self.keys[place];
        if key.has_changed && self.latest >= key.over {
            (key.name, key.has_changed) = (format!("{}+", key.name).into(), false);
        }
    }

    fn change_rule(&mut self) {
        let place = self.random.usize(..10);
        let numbers = self.keys[place].numbers;
        let period = numbers.period * numbers.tick;
        self.keys[place].numbers = rule(&mut self.random, numbers.algorithm, Some(period));
        self.keys[place].has_changed = true;
        // Its bound is no longer one of one rule.
        self.kept.insert(place, vec![(i128::MAX, 0)]);
        self.count.rule_changes += 1;
    }

    /// What a call has kept in the end; a surplus is owed, and was not admitted.
    fn keep_only(&mut self, one: &Owned, actual: u64) {
        if let Some(kept) = self.kept.get_mut(&one.key)
            && let Some(slot) =
                kept.iter_mut().find(|(at, cost)| *at == one.at && *cost == i128::from(one.cost))
        {
            slot.1 = i128::from(actual.min(one.cost));
        }
    }

    /// In any interval no more than burst + rate × time: a bucket that starts full is never empty.
    fn no_bucket_passed_more_than_its_bound(&mut self) {
        for (key, kept) in &mut self.kept {
            let Numbers { count, period, capacity, .. } = self.keys[*key].numbers;
            let [count, period, capacity] = [count, period, capacity].map(i128::from);
            kept.sort_unstable();
            if kept.last().is_some_and(|(at, _)| *at == i128::MAX) {
                continue;
            }
            let (mut level, mut before) = (capacity * period, None);
            for (at, cost) in kept {
                let refill = (*at - before.unwrap_or(*at)) * count;
                level = (level + refill).min(capacity * period) - *cost * period;
                before = Some(*at);
                assert!(level >= 0, "{} at {at}", self.keys[*key].name);
            }
            self.count.buckets_checked += 1;
        }
    }
}

impl Owned {
    fn charge(&self, is_held: bool) -> Charge<'_> {
        let Owned { numbers, ref name, cost, hold, .. } = *self;
        Charge { numbers, key: name.as_bytes(), cost, max_delay: None, hold: is_held.then_some(hold) }
    }
}

fn said(verdicts: &[Verdict], charges: &[Charge<'_>]) -> Vec<Said> {
    let said = |(verdict, charge): (&Verdict, &Charge<'_>)| {
        let said = Said::of(verdict, &charge.numbers);
        assert!(!matches!(said.outcome, Judged::Denied { retry: 0 }), "{charge:?}");
        said
    };
    verdicts.iter().zip(charges).map(said).collect()
}

/// Every key has a TTL; from now on it is kept, because no test drives the clock that ends it.
async fn keep(redis: &Redis, charges: &[Charge<'_>]) {
    let permits = charges.iter().filter_map(|charge| {
        let id: String = charge.hold?.permit.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        Some([charge.key, b"#", id.as_bytes()].concat())
    });
    let permits: Vec<Vec<u8>> = permits.collect();
    let keys: Vec<&[u8]> =
        charges.iter().map(|charge| charge.key).chain(permits.iter().map(Vec::as_slice)).collect();
    for (ttl, key) in redis.ttls(&keys).await.into_iter().zip(&keys) {
        // -2 is no key at all.
        assert!(ttl > 0 || ttl == -2, "{} ends in {ttl} ms", String::from_utf8_lossy(key));
    }
}

async fn worlds(redis: Option<&Redis>) {
    let seed = seed();
    println!("permits: TEST_SEED={seed}");
    let worlds = u64::try_from(CALLS / OF_ONE_WORLD).unwrap();
    let numbers = only_key().map_or(0..worlds, |key| key..key + 1);
    let mut running =
        stream::iter(numbers).map(|number| World::new(seed, number, redis).go()).buffer_unordered(AT_ONCE);
    let mut total = Count::default();
    while let Some(count) = running.next().await {
        total += count;
    }
    println!("{total:?}");
    if only_key().is_none() {
        total.is_enough();
    }
}

#[tokio::test]
async fn calls_with_permits_are_what_they_mean_in_memory() {
    worlds(None).await;
}

#[tokio::test]
async fn calls_with_permits_are_what_they_mean_over_redis() {
    let server = RedisServer::start();
    let redis = Redis::open(&server).await;
    worlds(Some(&redis)).await;
}
