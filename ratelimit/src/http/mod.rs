//! HTTP: what a limit reads from a request, and what it says in a response.

mod request;

pub use request::{ApiKey, Identity, RequestInfo, Tenant, User};
