//! Functions of a trait that return a future: a default one and that of its `impl`.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};
use std::future::Future;

trait Native {
    #[rate_limit(key = "key", rate = "1/min")]
    fn later(&self, key: u8) -> impl Future<Output = Result<u8, Denied>> + Send {
        async move { Ok(key) }
    }
}

struct A;

impl Native for A {
    #[rate_limit(key = "key", rate = "1/min")]
    fn later(&self, key: u8) -> impl Future<Output = Result<u8, Denied>> + Send {
        async move { Ok(key + 1) }
    }
}

fn main() {}
