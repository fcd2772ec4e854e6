//! Rate limits.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Handlers need a framework: without one, what reads requests has no caller, and a build with one is linted in full.
#![cfg_attr(not(any(feature = "axum", feature = "actix")), allow(dead_code))]

/// Pages that belong to no item.
pub mod guide {
    #[doc = include_str!("../docs/outages.md")]
    pub mod outages {}

    #[cfg(feature = "redis")]
    #[doc = include_str!("../docs/servers.md")]
    pub mod servers {}

    #[cfg(feature = "redis")]
    #[doc = include_str!("../docs/capacity.md")]
    pub mod capacity {}

    #[cfg(feature = "macros")]
    #[doc = include_str!("../docs/sentences.md")]
    pub mod sentences {}
}

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
mod lock;
mod permit;
mod resilience;
mod site;
pub mod store;
mod time;

pub use decision::{Decision, Denied, DeniedKind, Layer, LayerNumbers, LayerOutcome};
pub use error::{Error, ErrorKind, InvalidLimit};
pub use http::{ApiKey, Identity, Outcome, Plan, RequestInfo, Tenant, User};
pub use into::{DenialError, FromDenied, IntoCost, IntoUsd};
pub use key::{ByDisplay, KeyPart, Slot};
pub use limit::{Limit, LimitBuilder, Unanswered, Unused};
pub use limiter::{Admit, Builder, Check, Limiter, PlanName, Subject};
pub use permit::{CurrentPermit, Meter, Metered, Permit, SettledLayer, current_permit};
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/rate_limit.md")]
pub use ratelimit_macros::rate_limit;
pub use ratelimit_spec::{
    Algorithm, FailMode, Fault, Key, ParseUsdError, Period, Rate, Rule, Scope, Unit, Usd,
};
pub use site::{Site, sites};
pub use time::{Clock, ManualClock};
