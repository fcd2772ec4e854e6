//! What a limit can say: its words, its grammar, its rules and the sentences that explain a mistake.
//!
//! The attribute reads a limit at compile time, the runtime reads one from a configuration; both do it here, so that
//! the same mistake gets the same sentence. The crate has no dependencies and does no input or output.

mod algorithm;
mod fault;
mod key;
mod period;
mod rate;
mod rule;
mod suggest;
mod usd;
mod words;

pub use algorithm::Algorithm;
pub use fault::Fault;
pub use key::{Key, Request, Source, Word};
pub use period::Period;
pub use rate::{Rate, Unit};
pub use rule::{Draft, FailMode, Numbers, Rule, Scope, Tick, check_name};
pub use suggest::nearest;
pub use usd::{ParseUsdError, Usd};
pub use words::Argument;
