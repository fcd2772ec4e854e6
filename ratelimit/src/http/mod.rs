//! HTTP: what a limit reads from a request, and what it says in a response.
//!
//! [`headers`] and [`denial`] are the same for every framework; [`axum`](mod@axum) and [`actix`] put them into one.

#[cfg(feature = "actix")]
mod actix;
#[cfg(feature = "axum")]
mod axum;
mod denial;
mod headers;
mod outcome;
mod request;

pub use outcome::Outcome;
pub use request::{ApiKey, Identity, Plan, RequestInfo, Tenant, User};
