use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = plan(free = 100, pro = "1/mn", otherwise = "1/min"))]
async fn f(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
