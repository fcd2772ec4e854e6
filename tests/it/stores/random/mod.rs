//! Random operations through the model, memory and a real Redis: what is said must be the same, to the number.
//!
//! A run prints its seed. `TEST_SEED=… TEST_KEY=…` goes through one key of it again.

mod lists;
mod permits;
mod rules;
mod walk;

use futures::{StreamExt as _, stream};
use ratelimit_spec::Algorithm;
use ratelimit_tests::{Redis, RedisServer};
use walk::{Count, Walk};

/// Operations for each algorithm, and how many of them one key sees.
const OPERATIONS: usize = 10_000;
const OF_ONE_KEY: usize = 60;
/// Keys that are walked at the same time.
const AT_ONCE: usize = 16;

fn seed() -> u64 {
    let given = std::env::var("TEST_SEED").ok().map(|seed| seed.parse().unwrap());
    given.unwrap_or(20_260_712)
}

fn only_key() -> Option<u64> {
    std::env::var("TEST_KEY").ok().map(|key| key.parse().unwrap())
}

async fn algorithm_is_what_it_means(algorithm: Algorithm) {
    let server = RedisServer::start();
    let redis = Redis::open(&server).await;
    let seed = seed();
    println!("{algorithm}: TEST_SEED={seed}");
    let mut total = Count::default();
    let keys = only_key().map_or(0..u64::MAX, |key| key..key + 1);
    let mut walks = stream::iter(keys)
        .map(|key| Walk::new(algorithm, seed, key, &redis).go(OF_ONE_KEY))
        .buffer_unordered(AT_ONCE);
    while let Some(count) = walks.next().await {
        total += count;
        if total.operations >= OPERATIONS {
            break;
        }
    }
    println!("{algorithm}: {total:?}");
    if only_key().is_none() {
        total.is_enough(algorithm);
    }
}

macro_rules! algorithms {
    ($($test:ident = $algorithm:ident),*) => {$(
        #[tokio::test]
        async fn $test() {
            algorithm_is_what_it_means(Algorithm::$algorithm).await;
        }
    )*};
}

algorithms! {
    fixed_window_is_what_it_means = FixedWindow,
    sliding_log_is_what_it_means = SlidingLog,
    sliding_window_is_what_it_means = SlidingWindow,
    token_bucket_is_what_it_means = TokenBucket,
    leaky_bucket_is_what_it_means = LeakyBucket
}
