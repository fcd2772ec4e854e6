//! What must come out at which time, as data: a file that the model, memory and Redis all have to follow.
//!
//! ```text
//! # A denied call takes nothing.
//! limit any 2/min
//! at 5s     take 2 -> allowed remaining 0
//! at 5s     take 1 -> denied
//! at 5s     take 1 times 10 every 100ms -> admits 0
//! ```
//!
//! - `limit [NAME:] ALGORITHM RATE [burst N] [queue N] [precision P]` sets a rule, or changes it from here on; each name
//!   is a key of its own. `any` runs the file once for each algorithm, and then options of others are left out.
//! - `at TIME take COST [of NAME] [and COST of NAME …]` is one call at a time since the start of a day (a clock may step
//!   back), `times N [every TIME]` several. Costs are units or `max`.
//! - Behind the arrow stands what comes out of one call, charge by charge: `allowed`, `denied` or `exceeds`, and where
//!   it matters `remaining N`, `reset TIME`, `retry TIME`, `delay TIME`; of several calls `admits N` or `admits N..M`.

mod read;
mod run;

pub use run::Subject;

use crate::with_places;
use core::ops::RangeInclusive;
use ratelimit_spec::{Algorithm, Numbers, Rate};

/// A timeline that was read from its file.
#[derive(Clone, Debug)]
pub struct Timeline {
    name: String,
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
struct Step {
    line: usize,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Limit { name: String, limit: Limit },
    Call(Call),
}

/// A rule as it is written.
#[derive(Clone, Debug)]
struct Limit {
    algorithm: Option<Algorithm>,
    rate: String,
    burst: Option<u64>,
    queue: Option<u64>,
    precision: Option<String>,
}

#[derive(Clone, Debug)]
struct Call {
    /// Microseconds since the start of a day.
    at: i64,
    every: i64,
    times: u64,
    charges: Vec<(String, u64)>,
    expected: Expected,
}

#[derive(Clone, Debug)]
enum Expected {
    Admits(RangeInclusive<u64>),
    Each(Vec<Numbered>),
}

/// What comes out of one charge; the numbers that do not matter are left out.
#[derive(Clone, Debug)]
struct Numbered {
    outcome: String,
    remaining: Option<i128>,
    reset: Option<i64>,
    wait: Option<i64>,
}

impl Limit {
    fn numbers(&self, any: Algorithm) -> Numbers {
        let algorithm = self.algorithm.unwrap_or(any);
        let mut limit =
            ratelimit::Limit::builder("timeline").key("key").rate(&self.rate).algo(algorithm.word());
        if let (Algorithm::TokenBucket, Some(burst)) = (algorithm, self.burst) {
            limit = limit.burst(burst);
        }
        let count = Rate::parse(&self.rate).map_or(0, |rate| rate.count);
        limit = with_places(limit, algorithm, self.queue.unwrap_or(count));
        if let (Algorithm::SlidingLog, Some(precision)) = (algorithm, &self.precision) {
            limit = limit.precision(precision);
        }
        #[allow(clippy::panic, reason = "a test kit fails loudly")]
        limit.build().unwrap_or_else(|error| panic!("{self:?}: {error}")).rule().numbers()
    }
}
