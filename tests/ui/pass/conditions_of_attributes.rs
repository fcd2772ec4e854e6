//! Functions and layers behind `cfg`.
#![deny(warnings)]
#![allow(dead_code, unexpected_cfgs)]

use ratelimit::{Denied, rate_limit};

#[cfg_attr(not(feature = "absent"), rate_limit(key = "key", rate = "1/min"))]
async fn behind_a_condition(key: u8) -> Result<u8, Denied> {
    Ok(key)
}

#[rate_limit(key = "key", rate = "1/min")]
#[cfg_attr(not(feature = "absent"), rate_limit(key = "global", rate = "10/min"))]
#[cfg_attr(feature = "absent", rate_limit(nonsense))]
async fn layer_behind_a_condition(key: u8) -> Result<u8, Denied> {
    Ok(key)
}

#[rate_limit(key = "key", rate = "1/min")]
#[cfg(feature = "absent")]
async fn gone(key: u8) {}

fn main() {}
