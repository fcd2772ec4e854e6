//! One declared rule: [`Limit`].

mod builder;
mod name;
mod unanswered;

pub use builder::LimitBuilder;
pub use unanswered::Unanswered;

use core::{fmt, fmt::Write as _, time::Duration};
use ratelimit_spec::{Algorithm, FailMode, Key, Period, Rule, Scope};
use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

/// A limit: name, key, algorithm, rate and what goes with them.
///
/// The attribute writes them as constants; [`Limit::builder`] makes one from a configuration, judged by the same code.
/// A clone is a handle to the same facts. Where the rate goes by plan, a limit in a decision is the limit under the plan
/// that it was decided by.
#[derive(Clone)]
pub struct Limit {
    handle: Handle,
    /// The place of the plan in the facts; `None` for what goes for all others.
    plan: Option<u16>,
}

#[derive(Clone)]
enum Handle {
    Declared(&'static Facts),
    Built(Arc<Facts>),
}

/// What one limit says. The attribute writes it as a constant.
pub struct Facts {
    pub(crate) name: Name,
    pub(crate) key: Key,
    /// What goes where no plan is named.
    otherwise: Ruled,
    plans: Cow<'static, [PlanRule]>,
    pub(crate) cost: u64,
    pub(crate) wait: Option<Duration>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) fail: Option<FailMode>,
    pub(crate) scope: Scope,
    /// The word of the key whose value chooses the slot.
    pub(crate) colocate: Option<Cow<'static, str>>,
    /// Whether every call holds a permit, and how long the store keeps one whose holder is silent.
    pub(crate) holds: bool,
    lease: Duration,
    pub(crate) on_cancel: Unused,
    /// Calls that were decided without the store.
    pub(crate) unanswered: unanswered::Counters,
    full_name: OnceLock<Box<str>>,
}

/// A rule with the texts that depend on nothing else.
#[derive(Clone)]
struct Ruled {
    rule: Rule,
    texts: OnceLock<Texts>,
}

/// What goes for the subjects of one plan.
#[derive(Clone)]
pub struct PlanRule {
    name: Cow<'static, str>,
    /// `None`: no limit.
    ruled: Option<Ruled>,
}

/// What becomes of a cost that was taken for a call which did not end as it should.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unused {
    /// It stays charged.
    #[default]
    Keep,
    /// It is given back.
    Refund,
}

/// A limit under a plan.
pub(crate) enum Planned {
    /// It limits.
    Limited(Limit),
    /// The plan has no limit.
    Unlimited,
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
#[derive(Clone)]
struct Texts {
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
        Limit { handle: Handle::Declared(facts), plan: None }
    }

    fn built(facts: Facts) -> Limit {
        Limit { handle: Handle::Built(Arc::new(facts)), plan: None }
    }

    pub(crate) fn facts(&self) -> &Facts {
        match &self.handle {
            Handle::Declared(facts) => facts,
            Handle::Built(facts) => facts,
        }
    }

    /// The name: as given, or the path of the function.
    pub fn name(&self) -> &str {
        self.facts().full_name()
    }

    /// Who is counted.
    pub fn key(&self) -> &Key {
        &self.facts().key
    }

    /// How many calls its fail mode has decided in this process, because the store did not answer.
    ///
    /// Failing open is invisible to clients; this is where it shows.
    pub fn unanswered(&self) -> Unanswered {
        self.facts().unanswered.read()
    }

    /// What is enforced.
    pub fn rule(&self) -> &Rule {
        &self.ruled().rule
    }

    /// The name on the wire: as given, or the words of the key and the period (`tenant.user-60s`).
    pub fn policy(&self) -> &str {
        &self.texts().policy
    }

    /// The plan whose rule this is, if it is that of one.
    pub fn plan(&self) -> Option<&str> {
        Some(&self.facts().plans.get(usize::from(self.plan?))?.name)
    }

    /// How long the store keeps a permit whose holder is silent.
    pub(crate) fn lease(&self) -> Duration {
        match self.rule().algorithm() {
            Algorithm::Concurrency => self.rule().rate().period.as_duration(),
            _ => self.facts().lease,
        }
    }

    /// The limit as it goes for the subjects of a plan.
    pub(crate) fn under(&self, plan: &str) -> Planned {
        let mut plans = self.facts().plans.iter().enumerate();
        let Some((place, known)) = plans.find(|(_, known)| known.name == plan) else {
            tracing::debug!(
                limit = self.name(),
                "rate limit: a plan that the limit does not name, `otherwise` goes"
            );
            return Planned::Limited(self.clone());
        };
        match known.ruled {
            Some(_) => {
                Planned::Limited(Limit { handle: self.handle.clone(), plan: u16::try_from(place).ok() })
            }
            None => Planned::Unlimited,
        }
    }

    fn ruled(&self) -> &Ruled {
        let facts = self.facts();
        let planned = self.plan.and_then(|plan| facts.plans.get(usize::from(plan))?.ruled.as_ref());
        planned.unwrap_or(&facts.otherwise)
    }

    fn texts(&self) -> &Texts {
        let Ruled { rule, texts } = self.ruled();
        texts.get_or_init(|| self.facts().texts_of(rule))
    }

    /// `name:algorithm[:period]`, the constant middle of every stored key.
    pub(crate) fn stem(&self) -> &str {
        &self.texts().stem
    }
}

impl fmt::Debug for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facts = self.facts();
        f.debug_struct("Limit")
            .field("name", &self.name())
            .field("key", &format_args!("{}", facts.key))
            .field("algorithm", &self.rule().algorithm())
            .field("rate", &format_args!("{}", self.rule().rate()))
            .field("capacity", &self.rule().capacity())
            .field("plan", &self.plan())
            .finish_non_exhaustive()
    }
}

impl Facts {
    /// What one attribute says, already checked.
    pub const fn new(name: Name, key: Key, rule: Rule) -> Facts {
        Facts::with_plans(name, key, rule, &[])
    }

    /// The same with plans that have a rule of their own.
    pub const fn with_plans(name: Name, key: Key, otherwise: Rule, plans: &'static [PlanRule]) -> Facts {
        Facts {
            name,
            key,
            otherwise: Ruled { rule: otherwise, texts: OnceLock::new() },
            plans: Cow::Borrowed(plans),
            cost: 1,
            wait: None,
            deadline: None,
            fail: None,
            scope: Scope::Cluster,
            colocate: None,
            holds: false,
            lease: Duration::from_secs(30),
            on_cancel: Unused::Keep,
            unanswered: unanswered::Counters::new(),
            full_name: OnceLock::new(),
        }
    }

    /// `scope = "instance"`.
    pub const fn instance(mut self) -> Facts {
        self.scope = Scope::Instance;
        self
    }

    /// `colocate`.
    pub const fn colocate(mut self, word: &'static str) -> Facts {
        // A constant cannot drop what was there, which is nothing.
        core::mem::forget(self.colocate.replace(Cow::Borrowed(word)));
        self
    }

    /// Every call holds a permit, for so many microseconds without a renewal.
    pub const fn holds(mut self, micros: u64) -> Facts {
        self.holds = true;
        self.lease = Duration::from_micros(micros);
        self
    }

    /// `on_cancel`.
    pub const fn on_cancel(mut self, unused: Unused) -> Facts {
        self.on_cancel = unused;
        self
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

    pub(crate) fn full_name(&self) -> &str {
        self.full_name.get_or_init(|| match &self.name {
            Name::Given(name) => (*name).into(),
            Name::Built(name) => name.clone(),
            Name::Function(path) => name::of_function(path()).into(),
        })
    }

    fn texts_of(&self, rule: &Rule) -> Texts {
        let name = self.full_name();
        let mut stem = format!("{name}:{}", rule.algorithm());
        if rule.algorithm().keyed_by_period() {
            // Writing to a `String` does not fail.
            let _ = write!(stem, ":{}", rule.rate().period.seconds());
        }
        let policy = match &self.name {
            Name::Function(_) => name::of_policy(&self.key, rule),
            Name::Given(_) | Name::Built(_) => name.to_owned(),
        };
        Texts { stem: stem.into(), policy: policy.into() }
    }

    /// Whether the attribute gave it a name, by which others may share its budget.
    pub(crate) fn is_named(&self) -> bool {
        matches!(self.name, Name::Given(_))
    }

    /// What two limits of one name do not agree on; `None` if they are of different names, or agree.
    pub(crate) fn differs_from(&self, other: &Facts) -> Option<&'static str> {
        if !self.is_named() || !other.is_named() || self.full_name() != other.full_name() {
            return None;
        }
        let rules = || self.rules().zip(other.rules());
        let same = |same: fn(&Rule) -> (Algorithm, u64, Option<Period>)| {
            rules().all(|((_, ours), (_, theirs))| ours.map(same) == theirs.map(same))
        };
        let [ours, theirs] = [self, other]
            .map(|facts| facts.key.words().iter().map(|word| word.text.clone()).collect::<Vec<_>>());
        if ours != theirs {
            Some("key")
        } else if self.rules().count() != other.rules().count()
            || rules().any(|(ours, theirs)| ours.0 != theirs.0)
        {
            Some("plans")
        } else if !same(|rule| (rule.algorithm(), 0, None)) {
            Some("algorithm")
        } else if rules().any(|((_, ours), (_, theirs))| ours.map(Rule::rate) != theirs.map(Rule::rate)) {
            Some("rate")
        } else if !same(|rule| (rule.algorithm(), rule.capacity(), rule.precision())) {
            Some("burst, queue or precision")
        } else if self.scope != other.scope {
            Some("scope")
        } else if self.colocate != other.colocate {
            Some("colocate")
        } else if self.holds && other.holds && self.lease != other.lease {
            Some("lease")
        } else {
            None
        }
    }

    /// Whether the rate goes by plan.
    pub(crate) fn has_plans(&self) -> bool {
        !self.plans.is_empty()
    }

    /// The rules, each with its plan: what limits of one name have to agree on.
    fn rules(&self) -> impl Iterator<Item = (&str, Option<&Rule>)> {
        let plans = self.plans.iter().map(|plan| (&*plan.name, plan.ruled.as_ref().map(|ruled| &ruled.rule)));
        core::iter::once(("otherwise", Some(&self.otherwise.rule))).chain(plans)
    }
}

impl PlanRule {
    /// What goes for the subjects of a plan.
    pub const fn limited(name: &'static str, rule: Rule) -> PlanRule {
        let ruled = Ruled { rule, texts: OnceLock::new() };
        PlanRule { name: Cow::Borrowed(name), ruled: Some(ruled) }
    }

    /// A plan without a limit.
    pub const fn unlimited(name: &'static str) -> PlanRule {
        PlanRule { name: Cow::Borrowed(name), ruled: None }
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Facts")
            .field("name", &self.name)
            .field("rule", &self.otherwise.rule)
            .finish_non_exhaustive()
    }
}

/// How a limit counts, for messages: `100/min`, `burst 20`.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = self.rule();
        if rule.algorithm() == Algorithm::Concurrency {
            return write!(f, "{} at once per {}", rule.capacity(), self.key());
        }
        write!(f, "{} per {}", rule.rate(), self.key())?;
        if rule.algorithm() == Algorithm::TokenBucket && rule.capacity() != rule.rate().count {
            write!(f, ", burst {}", rule.capacity())?;
        }
        Ok(())
    }
}
