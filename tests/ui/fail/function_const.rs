use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "100/min")]
const fn limited(user: u64) -> Result<u64, Denied> {
    Ok(user)
}

fn main() {}
