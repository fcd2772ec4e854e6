#![allow(unused)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "header", rate = "100/min")]
async fn limited(user: u8) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
