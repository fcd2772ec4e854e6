#![allow(unused)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "1/s", wait = "2sc")]
async fn limited(user: u8) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
