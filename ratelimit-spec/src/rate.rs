//! Rates: `100/min`, `100k tokens/min`, `$20/day`.

use crate::{Fault, Period};
use core::fmt;
use std::borrow::Cow;

/// What a rate counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Calls: nothing was written between count and slash.
    Requests,
    /// Money: the rate was written with `$`; counts are whole micro-dollars.
    MicroUsd,
    /// Any other word, for example `tokens`.
    Named(Cow<'static, str>),
}

/// A count per period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rate {
    /// How many units pass per period; micro-dollars for money. Never zero.
    pub count: u64,
    /// What is counted.
    pub unit: Unit,
    /// The period.
    pub period: Period,
}

impl Rate {
    /// Reads `COUNT[ UNIT]/PERIOD` or `$AMOUNT/PERIOD`.
    ///
    /// # Errors
    ///
    /// A [`Fault`] that points at the part that is wrong and says what to write instead.
    pub fn parse(text: &str) -> Result<Rate, Fault> {
        let _ = text;
        todo!()
    }
}

/// Prints the canonical form, which parses to the same rate.
impl fmt::Display for Rate {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}
