//! The two stores, each at the time that a test hands in.

use crate::RedisServer;
use core::{fmt, time::Duration};
use futures::future::try_join_all;
use ratelimit::{
    ManualClock,
    store::{Charge, Receipt, Renewed, Settled, Settlement, Store as _, Verdict, memory, redis as store},
};
use redis::{AsyncConnectionConfig, aio::MultiplexedConnection};

/// The memory store, under a clock of its own.
#[derive(Debug)]
pub struct Memory {
    clock: ManualClock,
    store: memory::Memory,
}

/// The Redis store on a real server. Its scripts read the time that was handed in for the first key of the call, one
/// after the other; nothing else in them is another text.
pub struct Redis {
    store: store::Redis,
    connection: MultiplexedConnection,
}

/// Takes the next time out of the list beside the key.
const TIME_HEAD: &str = "local now_us = tonumber(redis.call('LPOP', 'time:' .. KEYS[1]))";
/// Busy machines are slow; that is no failure here.
const PATIENCE: Duration = Duration::from_secs(60);
/// Redis ends a key by its own clock, which no test drives: once its TTL has been read, it is kept for longer.
const KEPT_MS: u32 = 3_600_000;

#[allow(clippy::expect_used, reason = "a test kit fails loudly")]
impl Memory {
    /// A store of its own.
    pub fn new() -> Memory {
        let clock = ManualClock::new();
        Memory { store: memory::Memory::with_capacity(clock.clone().into(), 1_024), clock }
    }

    /// Decides at that time.
    ///
    /// # Panics
    ///
    /// If the store fails.
    pub async fn decide(&self, now: u64, charges: &[Charge<'_>]) -> Vec<Verdict> {
        self.clock.set(Duration::from_micros(now));
        self.store.decide(charges).await.expect("memory decides").into_vec()
    }

    /// Settles at that time.
    ///
    /// # Panics
    ///
    /// If the store fails.
    pub async fn settle(&self, now: u64, settlements: &[Settlement<'_>]) -> Vec<Settled> {
        self.clock.set(Duration::from_micros(now));
        self.store.settle(settlements).await.expect("memory settles").into_vec()
    }

    /// Renews at that time.
    ///
    /// # Panics
    ///
    /// If the store fails.
    pub async fn renew(&self, now: u64, charges: &[Charge<'_>]) -> Vec<Renewed> {
        self.clock.set(Duration::from_micros(now));
        self.store.renew(charges).await.expect("memory renews").into_vec()
    }

    /// Gives a place back at that time.
    ///
    /// # Panics
    ///
    /// If the store fails.
    pub async fn give_back(&self, now: u64, charge: &Charge<'_>, receipt: Receipt) {
        self.clock.set(Duration::from_micros(now));
        self.store.give_back(charge, receipt).await.expect("memory gives back");
    }
}

#[allow(clippy::expect_used, reason = "a test kit fails loudly")]
impl Redis {
    /// A store on that server.
    ///
    /// # Panics
    ///
    /// If the server does not answer.
    pub async fn open(server: &RedisServer) -> Redis {
        let store = store::Redis::builder(server.url()).connect_timeout(PATIENCE).response_timeout(PATIENCE);
        let store = store.build().expect("a store").with_time_head(TIME_HEAD);
        let config = AsyncConnectionConfig::new().set_response_timeout(Some(PATIENCE));
        let client = redis::Client::open(server.url()).expect("an address");
        let connection = client.get_multiplexed_async_connection_with_config(&config).await;
        Redis { store, connection: connection.expect("redis-server answers") }
    }

    /// Decides at that time.
    ///
    /// # Panics
    ///
    /// If the store fails.
    pub async fn decide(&self, now: u64, charges: &[Charge<'_>]) -> Vec<Verdict> {
        self.decide_all(&[now], charges).await.pop().unwrap_or_default()
    }

    /// Decides at each of those times, one after the other, in one batch.
    ///
    /// # Panics
    ///
    /// If the store fails.
    pub async fn decide_all(&self, times: &[u64], charges: &[Charge<'_>]) -> Vec<Vec<Verdict>> {
        let Some(first) = charges.first() else { return Vec::new() };
        self.hand_in(first.key, times).await;
        let answers = try_join_all(times.iter().map(|_| self.store.decide(charges)));
        answers.await.expect("redis decides").into_iter().map(|verdicts| verdicts.into_vec()).collect()
    }

    /// Settles at that time.
    ///
    /// # Panics
    ///
    /// If the store fails.
    pub async fn settle(&self, now: u64, settlements: &[Settlement<'_>]) -> Vec<Settled> {
        let Some(first) = settlements.first() else { return Vec::new() };
        self.hand_in(first.charge.key, &[now]).await;
        self.store.settle(settlements).await.expect("redis settles").into_vec()
    }

    /// Renews at that time.
    ///
    /// # Panics
    ///
    /// If the store fails.
    pub async fn renew(&self, now: u64, charges: &[Charge<'_>]) -> Vec<Renewed> {
        let Some(first) = charges.first() else { return Vec::new() };
        self.hand_in(first.key, &[now]).await;
        self.store.renew(charges).await.expect("redis renews").into_vec()
    }

    /// The TTLs of keys in milliseconds; from now on they are kept, whatever they were.
    pub async fn ttls(&self, keys: &[&[u8]]) -> Vec<i64> {
        let mut commands = redis::pipe();
        for key in keys {
            commands.cmd("PTTL").arg(key).cmd("PEXPIRE").arg(key).arg(KEPT_MS).ignore();
        }
        self.run(&commands).await
    }

    /// Gives a place back at that time.
    ///
    /// # Panics
    ///
    /// If the store fails.
    pub async fn give_back(&self, now: u64, charge: &Charge<'_>, receipt: Receipt) {
        self.hand_in(charge.key, &[now]).await;
        self.store.give_back(charge, receipt).await.expect("redis gives back");
    }

    /// The TTL of a key in milliseconds; from now on it is kept, whatever it was.
    pub async fn ttl(&self, key: &[u8]) -> i64 {
        let mut commands = redis::pipe();
        commands.cmd("PTTL").arg(key).cmd("PEXPIRE").arg(key).arg(KEPT_MS).ignore();
        let [ttl]: [i64; 1] = self.run(&commands).await;
        ttl
    }

    async fn hand_in(&self, key: &[u8], times: &[u64]) {
        let mut commands = redis::pipe();
        commands.cmd("RPUSH").arg(beside(key)).arg(times).ignore();
        self.run::<()>(&commands).await;
    }

    async fn run<T: redis::FromRedisValue>(&self, commands: &redis::Pipeline) -> T {
        let mut connection = self.connection.clone();
        commands.query_async(&mut connection).await.expect("redis-server answers")
    }
}

fn beside(key: &[u8]) -> Vec<u8> {
    [b"time:".as_slice(), key].concat()
}

impl Default for Memory {
    fn default() -> Self {
        Memory::new()
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis").field("store", &self.store).finish_non_exhaustive()
    }
}
