use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "$0.0000001/day")]
async fn limited(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
