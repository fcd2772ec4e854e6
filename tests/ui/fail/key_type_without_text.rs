#![allow(unused)]

use ratelimit::{Denied, rate_limit};

struct Opaque;

#[rate_limit(key = "user", rate = "1/s")]
async fn limited(user: Opaque) -> Result<(), Denied> {
    Ok(())
}

fn main() {}
