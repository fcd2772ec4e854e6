//! The crate under another path: re-exported, absolute and relative.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Limiter, rate_limit};
use std::sync::LazyLock;

static LIMITER: LazyLock<Limiter> = LazyLock::new(Limiter::in_memory);

mod framework {
    pub(crate) mod limits {
        pub(crate) use ratelimit::*;
    }
}

#[rate_limit(key = "ip", rate = "1/s", crate = crate::framework::limits)]
#[tracing::instrument]
async fn through_a_reexport() {}

#[rate_limit(key = "ip", rate = "1/s", crate = framework::limits, limiter = LIMITER.clone())]
async fn through_a_relative_path() {}

fn main() {
    let _: axum::Router =
        axum::Router::new().route("/", axum::routing::get(through_a_reexport).post(through_a_relative_path));
}
