//! The kit of the tests: a Redis of their own, and a clock for it that is driven by hand.

mod server;

pub use server::RedisServer;
