use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "1/min", limit = 3)]
async fn f(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
