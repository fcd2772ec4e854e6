//! Lengths of time as a limit writes them: `s`, `30s`, `1m30s`, `day`.

use crate::{Argument, Fault};
use core::{fmt, time::Duration};

/// A length of time in whole microseconds, never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Period {
    micros: u64,
}

impl Period {
    /// The longest period: 100 years of 365 days. Longer ones are a typing mistake, and this one still fits every product.
    pub const MAX: Period = Period { micros: 100 * 365 * 86_400 * 1_000_000 };

    /// Reads a period: a unit (`min`), a number with a unit (`30s`) or several of them (`1m30s`).
    ///
    /// `argument` is the one that the text stands in, for the sentence.
    ///
    /// # Errors
    ///
    /// A [`Fault`] that points at the part that is wrong and says what to write instead.
    pub fn parse(argument: Argument, text: &str) -> Result<Period, Fault> {
        let _ = (argument, text);
        todo!()
    }

    /// A period of that many microseconds; the caller has checked that it is neither zero nor above [`Period::MAX`].
    pub const fn from_micros(micros: u64) -> Period {
        Period { micros }
    }

    /// The length in microseconds.
    pub const fn as_micros(self) -> u64 {
        self.micros
    }

    /// The length as a [`Duration`].
    pub const fn as_duration(self) -> Duration {
        Duration::from_micros(self.micros)
    }

    /// How stored keys and policy names write it: whole seconds if it is (`60s`), else `ms`, else `us`.
    pub fn seconds(self) -> impl fmt::Display {
        InSeconds(self)
    }
}

struct InSeconds(Period);

impl fmt::Display for InSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.micros;
        if micros.is_multiple_of(1_000_000) {
            write!(f, "{}s", micros / 1_000_000)
        } else if micros.is_multiple_of(1_000) {
            write!(f, "{}ms", micros / 1_000)
        } else {
            write!(f, "{micros}us")
        }
    }
}

/// Prints the canonical form: one number and the largest unit that divides it, without the number 1 (`min`, `90s`).
impl fmt::Display for Period {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}
