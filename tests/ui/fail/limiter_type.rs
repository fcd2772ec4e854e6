use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "100/min", limiter = "redis://127.0.0.1")]
async fn search(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
