#![allow(unused)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "1/s", burts = 3)]
async fn limited(user: u8) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
