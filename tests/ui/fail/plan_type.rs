use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = plan(free = "2/min", otherwise = "1/min"), plan = user)]
async fn f(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
