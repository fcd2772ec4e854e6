#![allow(unused)]

use ratelimit::{Denied, rate_limit};

use ratelimit::rate_limit as limit;

#[rate_limit(key = "user", rate = "1/s")]
#[limit(key = "user", rate = "5/min")]
async fn limited(user: u8) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
