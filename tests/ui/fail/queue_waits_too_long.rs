use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", algo = "leaky_bucket", rate = "100/h")]
async fn limited(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
