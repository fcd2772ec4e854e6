//! One declared rule: [`Limit`].

mod builder;
mod name;

pub use builder::LimitBuilder;

use core::{fmt, fmt::Write as _, time::Duration};
use ratelimit_spec::{Algorithm, FailMode, Key, Rule};
use std::sync::{Arc, OnceLock};

/// A limit: name, key, algorithm, rate and what goes with them.
///
/// The attribute writes them as constants; [`Limit::builder`] makes one from a configuration, judged by the same code.
/// A clone is a handle to the same facts.
#[derive(Clone)]
pub struct Limit(Handle);

#[derive(Clone)]
enum Handle {
    Declared(&'static Facts),
    Built(Arc<Facts>),
}

/// What one limit says. The attribute writes it as a constant.
pub struct Facts {
    pub(crate) name: Name,
    pub(crate) key: Key,
    pub(crate) rule: Rule,
    pub(crate) cost: u64,
    pub(crate) wait: Option<Duration>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) fail: Option<FailMode>,
    texts: OnceLock<Texts>,
}

/// Where a limit's name comes from.
#[derive(Clone, Debug)]
pub enum Name {
    /// It was given.
    Given(&'static str),
    /// It was given at run time.
    Built(Box<str>),
    /// The path of the function, including its type: the name of a type inside the function, asked for once.
    Function(fn() -> &'static str),
}

/// Texts that depend on nothing but the facts, written once.
struct Texts {
    name: Box<str>,
    /// `name:algorithm[:period]`, the constant middle of every stored key.
    stem: Box<str>,
    /// The policy's name on the wire.
    policy: Box<str>,
}

impl Limit {
    /// Describes a limit at run time, for example from a configuration.
    ///
    /// ```
    /// use ratelimit::Limit;
    ///
    /// let limit = Limit::builder("exports").key("tenant").rate("5/min").build()?;
    /// assert_eq!(limit.name(), "exports");
    ///
    /// let error = Limit::builder("exports").key("tenant").rate("5/mn").build().unwrap_err();
    /// assert!(error.to_string().contains("`min`"), "{error}");
    /// # Ok::<(), ratelimit::InvalidLimit>(())
    /// ```
    pub fn builder(name: &str) -> LimitBuilder<'_> {
        LimitBuilder::new(name)
    }

    pub(crate) const fn declared(facts: &'static Facts) -> Limit {
        Limit(Handle::Declared(facts))
    }

    fn built(facts: Facts) -> Limit {
        Limit(Handle::Built(Arc::new(facts)))
    }

    pub(crate) fn facts(&self) -> &Facts {
        match &self.0 {
            Handle::Declared(facts) => facts,
            Handle::Built(facts) => facts,
        }
    }

    /// The name: as given, or the path of the function.
    pub fn name(&self) -> &str {
        &self.facts().texts().name
    }

    /// Who is counted.
    pub fn key(&self) -> &Key {
        &self.facts().key
    }

    /// What is enforced.
    pub fn rule(&self) -> &Rule {
        &self.facts().rule
    }

    /// The name on the wire: as given, or the words of the key and the period (`tenant.user-60s`).
    pub fn policy(&self) -> &str {
        &self.facts().texts().policy
    }
}

impl fmt::Debug for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facts = self.facts();
        f.debug_struct("Limit")
            .field("name", &self.name())
            .field("key", &format_args!("{}", facts.key))
            .field("algorithm", &facts.rule.algorithm())
            .field("rate", &format_args!("{}", facts.rule.rate()))
            .field("capacity", &facts.rule.capacity())
            .finish_non_exhaustive()
    }
}

impl Facts {
    /// What one attribute says, already checked.
    pub const fn new(name: Name, key: Key, rule: Rule) -> Facts {
        Facts { name, key, rule, cost: 1, wait: None, deadline: None, fail: None, texts: OnceLock::new() }
    }

    /// `wait`, in microseconds.
    pub const fn wait(mut self, micros: u64) -> Facts {
        self.wait = Some(Duration::from_micros(micros));
        self
    }

    /// `deadline`, in microseconds.
    pub const fn deadline(mut self, micros: u64) -> Facts {
        self.deadline = Some(Duration::from_micros(micros));
        self
    }

    /// `fail`.
    pub const fn fail(mut self, mode: FailMode) -> Facts {
        self.fail = Some(mode);
        self
    }

    /// `cost`, where it is a constant.
    pub const fn cost(mut self, units: u64) -> Facts {
        self.cost = units;
        self
    }

    fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| {
            let name: Box<str> = match &self.name {
                Name::Given(name) => (*name).into(),
                Name::Built(name) => name.clone(),
                Name::Function(path) => name::of_function(path()).into(),
            };
            let rule = &self.rule;
            let mut stem = format!("{name}:{}", rule.algorithm());
            if rule.algorithm().keyed_by_period() {
                // Writing to a `String` does not fail.
                let _ = write!(stem, ":{}", rule.rate().period.seconds());
            }
            let policy = match &self.name {
                Name::Function(_) => name::of_policy(&self.key, rule),
                Name::Given(_) | Name::Built(_) => name.to_string(),
            };
            Texts { name, stem: stem.into(), policy: policy.into() }
        })
    }

    pub(crate) fn stem(&self) -> &str {
        &self.texts().stem
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Facts").field("name", &self.name).field("rule", &self.rule).finish_non_exhaustive()
    }
}

/// How a limit counts, for messages: `100/min`, `burst 20`.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = self.rule();
        write!(f, "{} per {}", rule.rate(), self.key())?;
        if rule.algorithm() == Algorithm::TokenBucket && rule.capacity() != rule.rate().count {
            write!(f, ", burst {}", rule.capacity())?;
        }
        Ok(())
    }
}
