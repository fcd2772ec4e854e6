use ratelimit::{Denied, rate_limit};

struct Usage;

#[rate_limit(key = "user", rate = "100k tokens/min", cost = 500, settle = |usage| usage)]
async fn complete(user: u64) -> Result<Usage, Denied> {
    drop(user);
    Ok(Usage)
}

fn main() {}
