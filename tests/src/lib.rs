//! The kit of the tests.
//!
//! - [`Cluster`]: several of them, which share the slots;
//! - [`RedisServer`]: a redis-server that belongs to one test, with [`Monitor`] to see what it is sent and [`Proxy`] to do
//!   what networks do;
//! - [`drill`]: faults, and what comes of them; [`soak`]: the same for a long time;
//! - [`model`]: what each algorithm means, in exact fractions, from what was admitted;
//! - [`Memory`] and [`Redis`]: the two stores, each at the time that a test hands in;
//! - [`timeline`]: what must come out at which time, as data.

mod cluster;
pub mod drill;
pub mod model;
mod monitor;
mod proxy;
mod server;
pub mod soak;
mod stores;
pub mod timeline;

pub use cluster::Cluster;
pub use monitor::{Line, Monitor};
pub use proxy::{Proxy, Weather};
pub use server::RedisServer;
pub use stores::{Memory, Redis};

use ratelimit::LimitBuilder;
use ratelimit_spec::Algorithm;

/// The algorithms that count units over time: all but `concurrency`, which counts who is there.
pub const RATED: &[Algorithm] = &[
    Algorithm::TokenBucket,
    Algorithm::SlidingWindow,
    Algorithm::SlidingLog,
    Algorithm::FixedWindow,
    Algorithm::LeakyBucket,
];

/// The same limit; a leaky bucket gets so many places, since a queue that waits for hours has to be asked for.
pub fn with_places(limit: LimitBuilder<'_>, algorithm: Algorithm, places: u64) -> LimitBuilder<'_> {
    if algorithm == Algorithm::LeakyBucket { limit.queue(places) } else { limit }
}

/// The README's own code.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
#[allow(missing_debug_implementations)]
pub struct Readme;
