//! Rate limits.
mod algorithm;
pub mod store;
mod time;
pub use time::{Clock, ManualClock};
