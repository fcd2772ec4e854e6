//! What a limit enforces, once every argument has been checked against the others.

mod draft;
mod layers;

pub use draft::Draft;

use crate::{Algorithm, Argument, Fault, Period, Rate, Unit, suggest::nearest};
use core::time::Duration;
use std::borrow::Cow;

/// What a limit enforces: the numbers that decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    algorithm: Algorithm,
    rate: Rate,
    capacity: u64,
    precision: Option<Period>,
    numbers: Numbers,
}

/// The length of one tick: the finest of the three with which every product of the rule is exact in a double.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tick {
    /// 1 µs.
    Micro,
    /// 1 ms.
    Milli,
    /// 1 s.
    Second,
}

/// A rule in ticks: all that the arithmetic of an algorithm needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Which arithmetic.
    pub algorithm: Algorithm,
    /// Microseconds per tick.
    pub tick: u64,
    /// Units per period; never zero.
    pub count: u64,
    /// Ticks per period, for `concurrency` of the lease; never zero.
    pub period: u64,
    /// Units that pass at one instant from idle: burst, queue, limit, or the count.
    pub capacity: u64,
    /// Ticks per slice of a sliding log; 1 where every call is remembered by itself.
    pub slice: u64,
}

impl Numbers {
    /// So many ticks. Up to 2^53 ticks of a second do not fit into microseconds, so they are not turned into them.
    pub const fn duration(&self, ticks: u64) -> Duration {
        match self.tick {
            1_000_000 => Duration::from_secs(ticks),
            1_000 => Duration::from_millis(ticks),
            tick => Duration::from_micros(ticks.saturating_mul(tick)),
        }
    }
}

/// What a limit does when its store cannot answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailMode {
    /// The call passes.
    Open,
    /// The call is refused: 503 for a request.
    Closed,
    /// This process decides for itself, in memory, at its share of the limit.
    Local,
}

/// Where a limit counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// In the limiter's store: one truth for all instances.
    #[default]
    Cluster,
    /// In this process's memory, also where there is a store: a ceiling per instance.
    Instance,
}

/// The largest integer up to which a double counts without gaps: no product of a rule may exceed it.
const EXACT: u64 = 1 << 53;

impl Tick {
    /// Microseconds per tick.
    pub const fn micros(self) -> u64 {
        match self {
            Tick::Micro => 1,
            Tick::Milli => 1_000,
            Tick::Second => 1_000_000,
        }
    }

    /// The tick for a limit of `count` and `capacity` units over `period`, if there is one: a tick must divide the
    /// period (and the slice), and count × period and capacity × period in ticks must not exceed 2^53.
    pub const fn of(count: u64, capacity: u64, period: Period, precision: Option<Period>) -> Option<Tick> {
        let largest = if count > capacity { count } else { capacity };
        let mut ticks: &[Tick] = &[Tick::Micro, Tick::Milli, Tick::Second];
        while let [tick, coarser @ ..] = ticks {
            if tick.divides(period, precision) {
                let exact = largest.checked_mul(period.as_micros() / tick.micros());
                if matches!(exact, Some(product) if product <= EXACT) {
                    return Some(*tick);
                }
            }
            ticks = coarser;
        }
        None
    }

    const fn divides(self, period: Period, precision: Option<Period>) -> bool {
        period.as_micros().is_multiple_of(self.micros())
            && match precision {
                Some(slice) => slice.as_micros().is_multiple_of(self.micros()),
                None => true,
            }
    }
}

impl Rule {
    /// A rule whose facts were checked before: at compile time, by the attribute.
    #[doc(hidden)]
    pub const fn __checked(
        algorithm: Algorithm,
        rate: Rate,
        capacity: u64,
        precision: Option<Period>,
    ) -> Rule {
        let tick = match Tick::of(rate.count, capacity, rate.period, precision) {
            Some(tick) => tick.micros(),
            // Ruled out by the check.
            None => 1,
        };
        let slice = match precision {
            Some(slice) => slice.as_micros() / tick,
            None => 1,
        };
        let (count, period) = (rate.count, rate.period.as_micros() / tick);
        let numbers = Numbers { algorithm, tick, count, period, capacity, slice };
        Rule { algorithm, rate, capacity, precision, numbers }
    }

    /// A limit on calls in flight, whose facts were checked before.
    #[doc(hidden)]
    pub const fn __concurrency(limit: u64, lease: Period) -> Rule {
        // What the field calls such a unit: the registry of quota units has this word.
        let unit = Unit::Named(Cow::Borrowed("concurrent-requests"));
        let rate = Rate { count: limit, unit, period: lease };
        let (algorithm, period) = (Algorithm::Concurrency, lease.as_micros());
        let numbers = Numbers { algorithm, tick: 1, count: limit, period, capacity: limit, slice: 1 };
        Rule { algorithm, rate, capacity: limit, precision: None, numbers }
    }

    /// How it counts.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The rate; for `concurrency` the limit per lease.
    pub const fn rate(&self) -> &Rate {
        &self.rate
    }

    /// Units that pass at one instant from idle: the burst, the queue, the limit, or the rate's count.
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The slice of a sliding log, if it was given.
    pub const fn precision(&self) -> Option<Period> {
        self.precision
    }

    /// The fault of two plans of one limit that count different things.
    pub fn differs_in_unit(&self, other: &Rule) -> Option<Fault> {
        (self.rate.unit != other.rate.unit).then(|| {
            let sentence = format!(
                "`{}` and `{}` count different things, write one unit for all plans",
                other.rate, self.rate
            );
            Fault::new(Argument::Rate, sentence)
        })
    }

    /// The rule in ticks.
    pub const fn numbers(&self) -> Numbers {
        self.numbers
    }
}

impl FailMode {
    /// Every mode.
    pub const ALL: &'static [FailMode] = &[FailMode::Open, FailMode::Closed, FailMode::Local];

    /// The word that names it.
    pub const fn word(self) -> &'static str {
        match self {
            FailMode::Open => "open",
            FailMode::Closed => "closed",
            FailMode::Local => "local",
        }
    }

    /// Reads the word.
    ///
    /// # Errors
    ///
    /// A [`Fault`] that lists the words.
    pub fn parse(text: &str) -> Result<FailMode, Fault> {
        let all = "`open`, `closed` or `local`";
        one_of(FailMode::ALL, FailMode::word, text, (Argument::Fail, "fail mode", all))
    }
}

impl Scope {
    /// Every scope.
    pub const ALL: &'static [Scope] = &[Scope::Cluster, Scope::Instance];

    /// The word that names it.
    pub const fn word(self) -> &'static str {
        match self {
            Scope::Cluster => "cluster",
            Scope::Instance => "instance",
        }
    }

    /// Reads the word.
    ///
    /// # Errors
    ///
    /// A [`Fault`] that lists the words.
    pub fn parse(text: &str) -> Result<Scope, Fault> {
        let all = "`cluster` or `instance`";
        one_of(Scope::ALL, Scope::word, text, (Argument::Scope, "scope", all))
    }
}

/// What a word names; `what` it is to name and `all` that there are, for the sentence.
fn one_of<T: Copy>(
    values: &[T],
    word: fn(T) -> &'static str,
    text: &str,
    (argument, what, all): (Argument, &str, &str),
) -> Result<T, Fault> {
    values.iter().copied().find(|value| word(*value) == text).ok_or_else(|| {
        let way_out = match nearest(text, values.iter().map(|value| word(*value))) {
            Some(meant) => format!("write `{meant}`"),
            None => format!("write {all}"),
        };
        let sentence = format!("no such {what}: `{}`, {way_out}", text.escape_debug());
        Fault::new(argument, sentence).at(text, 0..text.len())
    })
}

/// Checks a name for a limit: `[A-Za-z0-9._:-]`, 1 to 64 characters.
///
/// # Errors
///
/// A [`Fault`] that points at the first character that is not allowed.
pub fn check_name(name: &str) -> Result<(), Fault> {
    let fault = |at: core::ops::Range<usize>, sentence: String| {
        Err(Fault::new(Argument::Name, sentence).at(name, at))
    };
    if name.is_empty() {
        return fault(0..0, "empty, write one or leave the argument out".to_owned());
    }
    if let Some((at, c)) =
        name.char_indices().find(|(_, c)| !c.is_ascii_alphanumeric() && !"._:-".contains(*c))
    {
        let sentence = format!("`{}` can't be in a name, write `A-Z a-z 0-9 . _ : -`", c.escape_debug());
        return fault(at..at + c.len_utf8(), sentence);
    }
    if name.len() > LONGEST_NAME {
        let sentence =
            format!("a name of {} characters is too long, write at most {LONGEST_NAME}", name.len());
        return fault(LONGEST_NAME..name.len(), sentence);
    }
    Ok(())
}

/// Characters of a name: it stands in every key, log line and header.
const LONGEST_NAME: usize = 64;

#[cfg(test)]
mod tests;
