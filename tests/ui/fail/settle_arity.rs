use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "100k tokens/min", cost = 500, settle = || 5)]
async fn complete(user: u64) -> Result<u64, Denied> {
    Ok(user)
}

fn main() {}
