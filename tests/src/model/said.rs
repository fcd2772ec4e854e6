//! What is said of a charge: by the model, or by a store in the model's words.

use core::time::Duration;
use ratelimit::store::{Outcome, Verdict};
use ratelimit_spec::Numbers;

/// What is said of a charge, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// Whether it fits.
    pub outcome: Judged,
    /// Whole units left.
    pub remaining: i128,
    /// Until the key is as if it had never been used.
    pub reset: i128,
}

/// Whether a charge fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// It does; the call starts after that.
    Allowed {
        /// In ticks.
        delay: i128,
    },
    /// It does after that, and not before.
    Denied {
        /// In ticks.
        retry: i128,
    },
    /// It never does.
    Exceeds,
}

impl Said {
    /// A store's verdict.
    ///
    /// # Panics
    ///
    /// If a duration in it is no whole number of ticks.
    pub fn of(verdict: &Verdict, numbers: &Numbers) -> Said {
        let outcome = match verdict.outcome {
            Outcome::Allowed { delay } => Judged::Allowed { delay: ticks(delay, numbers) },
            Outcome::Denied { retry_after } => Judged::Denied { retry: ticks(retry_after, numbers) },
            Outcome::Exceeds => Judged::Exceeds,
        };
        let reset = ticks(verdict.reset_after, numbers);
        Said { outcome, remaining: i128::from(verdict.remaining), reset }
    }

    /// The same some ticks later, if nothing has happened.
    pub(crate) fn after(&self, ticks: i128) -> Said {
        let outcome = match self.outcome {
            Judged::Allowed { delay } => Judged::Allowed { delay: delay - ticks },
            Judged::Denied { retry } => Judged::Denied { retry: retry - ticks },
            Judged::Exceeds => Judged::Exceeds,
        };
        Said { outcome, reset: self.reset - ticks, ..*self }
    }
}

impl Judged {
    /// Until the call starts or may be tried again.
    pub fn wait(self) -> Option<i128> {
        match self {
            Judged::Allowed { delay: wait } | Judged::Denied { retry: wait } => Some(wait),
            Judged::Exceeds => None,
        }
    }
}

#[allow(clippy::expect_used, reason = "a test kit fails loudly")]
fn ticks(duration: Duration, numbers: &Numbers) -> i128 {
    let micros = i128::try_from(duration.as_micros()).expect("a duration");
    let tick = i128::from(numbers.tick);
    assert!(
        micros % tick == 0 && duration.subsec_nanos().is_multiple_of(1_000),
        "{duration:?} lies between ticks"
    );
    micros / tick
}
