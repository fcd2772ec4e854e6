//! One annotated function, and the list of all in the binary.

use crate::{limit::Facts, limit::Limit, limiter::Limiter};
use core::fmt;
use ratelimit_spec::Request;
use std::sync::OnceLock;

/// One annotated function: its layers in written order, and where it stands. The attribute writes it as a constant.
pub struct Site {
    facts: &'static [Facts],
    function: &'static str,
    file: &'static str,
    line: u32,
    limiter: Option<fn() -> Limiter>,
    late: bool,
    /// What it does not agree on with another of the same name, found out once.
    conflict: OnceLock<Option<Box<str>>>,
}

impl Site {
    /// An annotated function.
    pub const fn new(facts: &'static [Facts], function: &'static str, file: &'static str, line: u32) -> Site {
        Site { facts, function, file, line, limiter: None, late: false, conflict: OnceLock::new() }
    }

    /// `limiter`, where it has to be known before there are parameters.
    pub const fn limiter(mut self, get: fn() -> Limiter) -> Site {
        self.limiter = Some(get);
        self
    }

    /// For a handler that is decided in its body, because a key or a cost needs a parameter.
    pub const fn late(mut self) -> Site {
        self.late = true;
        self
    }

    pub(crate) fn named_limiter(&self) -> Option<Limiter> {
        self.limiter.map(|get| get())
    }

    /// Its limits, in written order.
    pub fn limits(&'static self) -> impl Iterator<Item = Limit> {
        self.facts.iter().map(Limit::declared)
    }

    /// Whether some key asks the request for something.
    #[cfg_attr(not(feature = "axum"), allow(dead_code, reason = "only axum has to be asked beforehand"))]
    pub(crate) fn asks(&self, is_asked: fn(&Request) -> bool) -> bool {
        self.facts.iter().any(|facts| facts.key.asks(is_asked))
    }

    /// Whether the handler is decided in its body.
    pub(crate) fn is_late(&self) -> bool {
        self.late
    }

    /// What this function does not agree on with another that has a limit of the same name.
    pub(crate) fn conflict(&'static self) -> Option<&'static str> {
        self.conflict.get_or_init(|| conflict_of(self)).as_deref()
    }

    /// The path of the function.
    pub fn function(&self) -> &'static str {
        self.function
    }

    /// The file and line that it stands in.
    pub fn place(&self) -> (&'static str, u32) {
        (self.file, self.line)
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}:{})", self.function, self.file, self.line)
    }
}

/// An entry of the list of annotated functions.
#[derive(Debug)]
pub struct Declared(pub &'static Site);

inventory::collect!(Declared);

/// Every annotated function that was linked into this binary, in no particular order.
///
/// A crate that is only named in `Cargo.toml` is not linked: write `use my_handlers as _;`.
pub fn sites() -> impl Iterator<Item = &'static Site> {
    inventory::iter::<Declared>.into_iter().map(|declared| declared.0)
}

/// The first disagreement of all functions of the binary.
pub(crate) fn first_conflict() -> Option<(&'static Site, &'static str)> {
    sites().find_map(|site| Some((site, site.conflict()?)))
}

/// Limits of one name share a budget, so they have to agree on what it is.
fn conflict_of(site: &'static Site) -> Option<Box<str>> {
    let others = || sites().filter(|other| !core::ptr::eq(*other, site));
    let named = site.facts.iter().filter(|facts| facts.is_named());
    let found = named.flat_map(|facts| {
        let others = others().flat_map(|other| other.facts.iter().map(move |facts| (other, facts)));
        others.filter_map(move |(other, theirs)| Some((other, facts, facts.differs_from(theirs)?)))
    });
    let (other, facts, what) = found.into_iter().next()?;
    let sentence = format!(
        "`{site:?}` and `{other:?}` share the budget `{}` and do not agree on its {what}, write the same there or \
         another `name`",
        facts.full_name(),
    );
    tracing::error!("rate limit: {sentence}");
    Some(sentence.into())
}
