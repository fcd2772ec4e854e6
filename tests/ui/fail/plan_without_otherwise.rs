use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = plan(free = "1/min", pro = "2/min"), plan = "free")]
async fn f(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
