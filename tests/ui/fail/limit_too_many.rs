use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", algo = "concurrency", limit = 1_000_000)]
async fn limited(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
