#![allow(unused)]

use ratelimit::{Denied, rate_limit};

struct A;

impl A {
    #[rate_limit(key = "ip", rate = "1/s")]
    async fn limited(&self) -> Result<(), Denied> {
        Ok(())
    }
}

fn main() {}
