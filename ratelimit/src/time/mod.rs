//! Time: the one place that asks what time it is.

mod clock;

pub(crate) use clock::micros;
pub use clock::{Clock, ManualClock};
