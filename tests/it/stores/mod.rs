//! Memory and Redis against an exact model, and against each other.

mod contention;
mod model;
mod random;
mod redis_keys;
mod timelines;

use ratelimit::{
    Limit, ManualClock,
    store::{Answer, Charge, Store, Verdict, memory::Memory, redis::Redis},
};
use ratelimit_spec::Numbers;
use ratelimit_tests::RedisServer;
use std::time::Duration;

/// Both stores under one clock that is driven by hand.
struct Both {
    clock: ManualClock,
    memory: Memory,
    redis: Redis,
    hands: redis::aio::MultiplexedConnection,
}

/// Reads the time that a test has set; the only text of the scripts that is another one.
const HEAD: &str = "local now_us = tonumber(redis.call('GET', 'clock'))";

impl Both {
    async fn new(server: &RedisServer) -> Both {
        let clock = ManualClock::new();
        let client = redis::Client::open(server.url()).unwrap();
        let hands = client.get_multiplexed_async_connection().await.unwrap();
        let redis = Redis::open(server.url()).unwrap().with_time_head(HEAD);
        Both { memory: Memory::with_capacity(clock.clone().into(), 1 << 16), clock, redis, hands }
    }

    async fn set(&mut self, micros: u64) {
        self.clock.set(Duration::from_micros(micros));
        let _: () = redis::cmd("SET").arg("clock").arg(micros).query_async(&mut self.hands).await.unwrap();
    }

    /// What both say, which has to be the same.
    async fn decide(&self, charges: &[Charge<'_>]) -> Vec<Verdict> {
        let memory = answer(self.memory.decide(charges)).await;
        let redis = answer(self.redis.decide(charges)).await;
        let shown = |verdicts: &[Verdict]| -> Vec<_> {
            verdicts.iter().map(|verdict| (verdict.outcome, verdict.remaining, verdict.reset_after)).collect()
        };
        assert_eq!(shown(&memory), shown(&redis), "memory and Redis differ on {charges:?}");
        memory
    }
}

async fn answer(answer: Answer<'_, ratelimit::store::Verdicts>) -> Vec<Verdict> {
    answer.await.unwrap().into_iter().collect()
}

/// The numbers of a rule, from what a limit would say.
fn numbers(algo: &str, rate: &str, capacity: Option<u64>, precision: Option<&str>) -> Numbers {
    let mut limit = Limit::builder("model").key("key").rate(rate).algo(algo);
    match (algo, capacity) {
        ("token_bucket", Some(burst)) => limit = limit.burst(burst),
        ("leaky_bucket", Some(queue)) => limit = limit.queue(queue),
        _ => {}
    }
    if let Some(precision) = precision {
        limit = limit.precision(precision);
    }
    limit.build().unwrap().rule().numbers()
}
