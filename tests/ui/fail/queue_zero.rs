use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", algo = "leaky_bucket", rate = "10/s", queue = 0)]
async fn limited(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
