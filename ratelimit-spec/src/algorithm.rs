//! The algorithms by name.

use core::fmt;

/// How a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// At most N per window aligned to the epoch.
    FixedWindow,
    /// At most N in any window: every call is remembered until it is a period old.
    SlidingLog,
    /// Two neighbouring window counters, the older one weighted by what of it is still in view.
    SlidingWindow,
    /// Tokens refill at the rate, up to a burst; a call takes what it costs.
    TokenBucket,
    /// Calls queue up and start evenly spaced, one every period / N.
    LeakyBucket,
    /// So many calls in flight at once; a call holds a slot until it ends.
    Concurrency,
}

impl Algorithm {
    /// Every algorithm with the word that names it: the one table that parser, sentences and keys read.
    pub const ALL: &'static [Algorithm] = &[
        Algorithm::TokenBucket,
        Algorithm::SlidingWindow,
        Algorithm::SlidingLog,
        Algorithm::FixedWindow,
        Algorithm::LeakyBucket,
        Algorithm::Concurrency,
    ];

    /// The word that names it in an attribute, in stored keys and in metrics, for example `token_bucket`.
    pub const fn word(self) -> &'static str {
        match self {
            Algorithm::FixedWindow => "fixed_window",
            Algorithm::SlidingLog => "sliding_log",
            Algorithm::SlidingWindow => "sliding_window",
            Algorithm::TokenBucket => "token_bucket",
            Algorithm::LeakyBucket => "leaky_bucket",
            Algorithm::Concurrency => "concurrency",
        }
    }

    /// Whether the stored key carries the period: only where a window of another length is another count.
    pub const fn keyed_by_period(self) -> bool {
        matches!(self, Algorithm::FixedWindow | Algorithm::SlidingWindow)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
