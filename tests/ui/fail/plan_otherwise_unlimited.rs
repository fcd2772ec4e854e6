use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = plan(free = "1/min", otherwise = unlimited))]
async fn f(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
