//! Time: the one place that asks what time it is.

mod clock;

pub use clock::{Clock, ManualClock};
