//! What can be wrong before any call is decided.

use core::fmt;
use ratelimit_spec::Fault;

/// A limit that cannot be: every fault in its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidLimit {
    name: Box<str>,
    faults: Vec<Fault>,
}

impl InvalidLimit {
    pub(crate) fn new(name: &str, faults: Vec<Fault>) -> InvalidLimit {
        InvalidLimit { name: name.into(), faults }
    }

    /// Every fault, each with the argument that it stands in.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
}

impl fmt::Display for InvalidLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the limit `{}` cannot be: ", self.name.escape_debug())?;
        for (at, fault) in self.faults.iter().enumerate() {
            if at > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for InvalidLimit {}

/// A limiter that cannot be set up.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    sentence: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What is wrong with a limiter's set-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The address of the store cannot be used.
    Address,
    /// An option has a value that it cannot have.
    Option,
    /// A limiter is already installed.
    AlreadyInstalled,
    /// The store does not answer, or is not set up for what limits need of it.
    Store,
    /// Two annotated functions share a budget by `name` and do not agree on its rule.
    Conflict,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, sentence: impl Into<String>) -> Error {
        Error { kind, sentence: sentence.into(), source: None }
    }

    pub(crate) fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        self.source = Some(source.into());
        self
    }

    /// What is wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
