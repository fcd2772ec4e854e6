use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", algo = "sliding_log", rate = "100/min", precision = "2min")]
async fn limited(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
