#![allow(unused)]

use ratelimit::{Denied, rate_limit};

trait A {
    #[rate_limit(key = "user", rate = "1/s")]
    async fn limited(user: u8) -> Result<(), Denied>;
}

fn main() {}
