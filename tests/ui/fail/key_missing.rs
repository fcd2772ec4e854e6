#![allow(unused)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(rate = "100/min")]
async fn limited(user: u8) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
