use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "global", algo = "concurrency", limit = 32)]
#[rate_limit(key = "user", algo = "concurrency", limit = 64)]
async fn search(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
