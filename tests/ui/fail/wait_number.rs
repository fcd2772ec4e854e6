use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "100/min", wait = 2)]
async fn limited(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
