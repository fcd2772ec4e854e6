#![allow(unused)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "9/min", algo = "sliding_log", precision = "7s")]
async fn limited(user: u8) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
