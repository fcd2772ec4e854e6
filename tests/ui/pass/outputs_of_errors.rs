//! Errors of a type that the caller chooses, and of plain text.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};
use std::fmt::Debug;

#[rate_limit(key = "global", rate = "1/min")]
async fn any_error<E: From<Denied> + Debug>() -> Result<(), E> {
    Ok(())
}

#[rate_limit(key = "global", rate = "1/min")]
async fn text() -> Result<(), String> {
    Err("no".to_owned())
}

fn main() {}
