#![allow(unused)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "1/s", fail = "close")]
async fn limited(user: u8) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
