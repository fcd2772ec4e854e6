//! Methods of one name in several types of a module.
#![deny(warnings)]
#![allow(dead_code)]

use ratelimit::{Denied, rate_limit};

struct A;
struct B;

impl A {
    #[rate_limit(key = "global", rate = "1/min")]
    async fn same(&self) -> Result<u8, Denied> {
        Ok(1)
    }
}

impl B {
    #[rate_limit(key = "global", rate = "1/min")]
    async fn same(&self) -> Result<u8, Denied> {
        Ok(2)
    }
}

fn main() {}
