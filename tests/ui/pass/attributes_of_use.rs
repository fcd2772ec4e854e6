//! `must_use` and `deprecated`, which say something of the function's callers and nothing of what is generated.
#![deny(warnings)]

use ratelimit::{Denied, rate_limit};

#[must_use = "it says who it was"]
#[rate_limit(key = "user", rate = "1/s")]
async fn above(user: u8) -> Result<u8, Denied> {
    Ok(user)
}

#[rate_limit(key = "user", rate = "1/s")]
#[must_use]
async fn below(user: u8) -> Result<u8, Denied> {
    Ok(user)
}

#[rate_limit(key = "user", rate = "1/s")]
#[deprecated(since = "0.1.0", note = "write `above`")]
async fn old(user: u8) -> Result<u8, Denied> {
    Ok(user)
}

#[deprecated]
#[rate_limit(key = "ip", rate = "1/s")]
async fn old_handler() -> &'static str {
    "old"
}

#[deprecated]
#[rate_limit(key = "ip", rate = "1/s")]
async fn old_generic_handler<T: Default + ToString + Send + 'static>() -> String {
    T::default().to_string()
}

#[allow(deprecated)]
fn main() {
    use axum::routing::get;
    let _ = (above(1), below(1), old(1));
    let _: axum::Router =
        axum::Router::new().route("/", get(old_handler)).route("/generic", get(old_generic_handler::<u8>));
}
