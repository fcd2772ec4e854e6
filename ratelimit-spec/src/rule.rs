//! What a limit enforces, once every argument has been checked against the others.

use crate::{Algorithm, Fault, Period, Rate};

/// What a limit enforces: the numbers that decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    algorithm: Algorithm,
    rate: Rate,
    capacity: u64,
    precision: Option<Period>,
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
    /// Ticks per period; never zero.
    pub period: u64,
    /// Units that pass at one instant from idle: burst, queue, or the count.
    pub capacity: u64,
    /// Ticks per slice of a sliding log; 1 where every call is remembered by itself.
    pub slice: u64,
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

/// A limit's arguments as they were written, not yet checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Draft<'a> {
    /// `algo`; by default `token_bucket` if `burst` is given, else `sliding_window`.
    pub algo: Option<&'a str>,
    /// `rate`.
    pub rate: Option<&'a str>,
    /// `burst`.
    pub burst: Option<u64>,
    /// `queue`.
    pub queue: Option<u64>,
    /// `precision`.
    pub precision: Option<&'a str>,
    /// `cost`, where it is a constant.
    pub cost: Option<u64>,
}

/// The largest integer up to which a double counts without gaps: no product of a rule may exceed it.
pub const EXACT: u64 = 1 << 53;

impl Draft<'_> {
    /// Judges the arguments, each by itself and against the others.
    ///
    /// # Errors
    ///
    /// Every fault that was found, each with the argument that it stands in.
    pub fn check(&self) -> Result<Rule, Vec<Fault>> {
        todo!()
    }
}

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
        let _ = (count, capacity, period, precision);
        todo!()
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
        Rule { algorithm, rate, capacity, precision }
    }

    /// How it counts.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The rate.
    pub const fn rate(&self) -> &Rate {
        &self.rate
    }

    /// Units that pass at one instant from idle: the burst, the queue, or the rate's count.
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The slice of a sliding log, if it was given.
    pub const fn precision(&self) -> Option<Period> {
        self.precision
    }

    /// The rule in ticks.
    pub const fn numbers(&self) -> Numbers {
        todo!()
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
        let _ = text;
        todo!()
    }
}

/// Checks a name for a limit: `[A-Za-z0-9._:-]`, 1 to 64 characters.
///
/// # Errors
///
/// A [`Fault`] that points at the first character that is not allowed.
pub fn check_name(name: &str) -> Result<(), Fault> {
    let _ = name;
    todo!()
}
