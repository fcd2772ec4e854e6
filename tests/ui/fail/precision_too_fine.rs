use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", algo = "sliding_log", rate = "100/day", precision = "1ms")]
async fn limited(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
