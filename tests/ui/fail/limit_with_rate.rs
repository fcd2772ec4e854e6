use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", algo = "concurrency", limit = 3, rate = "32/min")]
async fn f(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
