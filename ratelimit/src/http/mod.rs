//! HTTP: what a limit reads from a request, and what it says in a response.
//!
//! [`headers`] and [`denial`] are the same for every framework; [`axum`](mod@axum) and [`actix`] put them into one.

#[cfg(feature = "actix")]
mod actix;
#[cfg(feature = "axum")]
mod axum;
mod denial;
mod headers;
mod request;

pub use request::{ApiKey, Identity, RequestInfo, Tenant, User};
