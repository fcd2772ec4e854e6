//! Parameters behind `cfg`.
#![deny(warnings)]
#![allow(dead_code, unexpected_cfgs)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "here", rate = "1/min")]
async fn parameters<'a>(
    #[cfg(feature = "absent")] gone: &'a str,
    #[cfg(not(feature = "absent"))] here: &'a str,
    #[allow(unused)] unused: u8,
) -> Result<&'a str, Denied> {
    Ok(here)
}

#[rate_limit(key = "ip", rate = "1/min")]
async fn handler(
    #[cfg(feature = "absent")] gone: Absent,
    #[cfg(not(feature = "absent"))] here: axum::http::HeaderMap,
) -> String {
    format!("{here:?}")
}

fn main() {
    let _: axum::Router = axum::Router::new().route("/", axum::routing::get(handler));
}
