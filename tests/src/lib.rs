//! The kit of the tests: a Redis of their own, and a clock for it that is driven by hand.

mod server;

pub use server::RedisServer;

/// The README's own code.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
#[allow(missing_debug_implementations)]
pub struct Readme;
