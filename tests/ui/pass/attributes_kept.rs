//! Attributes, `unsafe` and an ABI that stand on a function stay on it, once.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};
use std::future::Future;

/// Said once.
#[rate_limit(key = "key", rate = "1/min")]
#[must_use]
#[inline]
#[deprecated = "old"]
#[allow(unused_variables, improper_ctypes_definitions)]
unsafe extern "C" fn all_kept(key: u8) -> std::pin::Pin<Box<dyn Future<Output = Result<(), Denied>>>> {
    Box::pin(async { Ok(()) })
}

fn main() {}
