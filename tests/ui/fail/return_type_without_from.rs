#![allow(unused)]

use ratelimit::{rate_limit};

struct MyError;

#[rate_limit(key = "user", rate = "1/s")]
async fn limited(user: u8) -> Result<u8, MyError> {
    Ok(user)
}

fn main() {}
