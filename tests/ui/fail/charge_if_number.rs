use ratelimit::{Denied, rate_limit};

#[rate_limit(key = "user", rate = "10/min", charge_if = 1)]
async fn f(user: u64) -> Result<(), Denied> {
    Ok(drop(user))
}

fn main() {}
