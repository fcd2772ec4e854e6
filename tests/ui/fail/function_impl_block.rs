#![allow(unused)]

use ratelimit::{Denied, rate_limit};

struct A;

#[rate_limit(key = "user", rate = "1/s")]
impl A {
    async fn limited(user: u8) -> Result<(), Denied> {
        Ok(())
    }
}

fn main() {}
