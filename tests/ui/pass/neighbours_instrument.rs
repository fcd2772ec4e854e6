//! `tracing::instrument` above and below limits, on functions and on handlers, imported with all of a module.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};
use tracing::instrument;

mod instrumented {
    use super::*;

    #[instrument(skip_all, ret, err)]
    #[rate_limit(key = "key", rate = "1/min")]
    pub(super) async fn above(key: u8) -> Result<u8, Denied> {
        Ok(key)
    }

    #[rate_limit(key = "key", rate = "1/min")]
    #[instrument(ret, err)]
    pub(super) async fn below(key: u8) -> Result<u8, Denied> {
        Ok(key)
    }

    #[rate_limit(key = "ip", rate = "1/min")]
    #[instrument(ret, err)]
    pub(super) async fn handler_below(n: axum::extract::Path<u8>) -> Result<String, axum::http::StatusCode> {
        Ok(n.to_string())
    }

    #[instrument(ret, err)]
    #[rate_limit(key = "ip", rate = "1/min")]
    pub(super) async fn handler_above(n: axum::extract::Path<u8>) -> Result<String, axum::http::StatusCode> {
        Ok(n.to_string())
    }
}

fn main() {
    use axum::routing::get;
    let _: axum::Router = axum::Router::new()
        .route("/a/{n}", get(instrumented::handler_above).post(instrumented::handler_below));
}
