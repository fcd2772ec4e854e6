#![allow(unused)]

use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "1/s", cost = price)]
async fn limited(user: u8, price: f64) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
