//! Rate limits.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Handlers need a framework: without one, what reads requests has no caller, and a build with one is linted in full.
#![cfg_attr(not(any(feature = "axum", feature = "actix")), allow(dead_code))]

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod algorithm;
mod decision;
mod error;
mod handler;
mod http;
mod into;
mod key;
mod limit;
mod limiter;
mod resilience;
mod site;
pub mod store;
mod time;

pub use decision::{Decision, Denied, DeniedKind, Layer, LayerNumbers, LayerOutcome, Permit};
pub use error::{Error, ErrorKind, InvalidLimit};
pub use http::{ApiKey, Identity, RequestInfo, Tenant, User};
pub use into::{DenialError, FromDenied, IntoCost};
pub use key::{ByDisplay, KeyPart, Slot};
pub use limit::{Limit, LimitBuilder};
pub use limiter::{Admit, Builder, Check, Limiter};
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/rate_limit.md")]
pub use ratelimit_macros::rate_limit;
pub use ratelimit_spec::{Algorithm, FailMode, Fault, Key, Period, Rate, Rule, Unit};
pub use site::{Site, sites};
pub use time::{Clock, ManualClock};
