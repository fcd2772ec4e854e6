use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = plan(free = "1k tokens/min", otherwise = "1/min"))]
async fn f(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
