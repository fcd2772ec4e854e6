#![allow(unused)]

use ratelimit::{rate_limit};

#[rate_limit(key = "user", rate = "1/s")]
async fn limited(user: u8) -> u8 {
    user
}

fn main() {}
